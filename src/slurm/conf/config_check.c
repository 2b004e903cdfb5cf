/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Warnings about astraea.conf: partitions that do not exist, folders and users
 * that the host lacks, and keys that occur twice. */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "src/common/conf_scan.h"
#include "src/policies/conf_keys.h"
#include "src/slurm/conf/config_priv.h"

static size_t count_existing(const struct astra_pool_config *pool,
			     astra_part_exists *exists, const void *arg)
{
	size_t count = 0;

	for (size_t i = 0; i < pool->partitions.count; i++)
		count += exists(pool->partitions.name[i], arg);
	return count;
}

int astra_config_check_partitions(const struct astra_config *config,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *err)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		const struct astra_pool_config *pool = &config->pools[i];
		size_t count = pool->partitions.count;

		if (count_existing(pool, exists, arg))
			continue;
		return astra_error_set(
			err, "%s: Partitions=%s: there is no partition %s%s",
			pool->partition_place, pool->partition_text,
			count ? pool->partitions.name[0] : "",
			count > 1 ? ", nor any of the others" : "");
	}
	return 0;
}

void astra_config_warn_partitions(const struct astra_pool_config *pool,
				  astra_part_exists *exists, const void *arg,
				  struct astra_error *out)
{
	for (size_t i = 0; i < pool->partitions.count; i++)
		if (!exists(pool->partitions.name[i], arg))
			astra_error_add(out,
					"%s: Partitions=%s: there is no "
					"partition %s",
					pool->partition_place,
					pool->partition_text,
					pool->partitions.name[i]);
}

int astra_config_overlap(const char *first, const char *second,
			 const char *node, struct astra_error *err)
{
	return astra_error_set(err,
			       "pools %s and %s both have node %s: put the "
			       "partitions that share nodes into one pool",
			       first, second, node);
}

/* Compare the file with the host on which it is checked, which need not be
 * slurmctld's. */

static void host_warn_folder(const char *key, const char *path,
			     struct astra_error *out)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct stat st;
	char *folder;

	if (!slash || slash == path)
		return;
	folder = strndup(path, (size_t)(slash - path));
	if (folder && (stat(folder, &st) < 0 || !S_ISDIR(st.st_mode)))
		astra_error_add(out,
				"%s=%s: there is no folder %s on this host: "
				"slurmctld's needs one",
				key, path, folder);
	free(folder);
}

static void host_warn_program(const char *key, const char *path,
			      struct astra_error *out)
{
	struct stat st;

	if (!path)
		return;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		astra_error_add(out,
				"%s=%s: there is no program of that name on "
				"this host: slurmctld's needs one",
				key, path);
	else if (st.st_mode & S_IWOTH)
		astra_error_add(out,
				"%s=%s: everybody may write it, and slurmctld "
				"runs it: chmod o-w",
				key, path);
}

static void host_warn_users(const struct astra_tenant_config *tenant,
			    struct astra_error *out)
{
	for (size_t i = 0; i < tenant->users.count; i++) {
		const char *name = tenant->users.name[i];

		if (!isdigit((unsigned char)*name) && !getpwnam(name))
			astra_error_add(out,
					"Tenant=%s: Users=%s: there is no such "
					"user on this host",
					tenant->name, name);
	}
}

void astra_config_warn_host(const struct astra_config *config,
			    struct astra_error *out)
{
	host_warn_folder("Socket", config->socket, out);
	if (config->history)
		host_warn_folder("HistoryFile", config->history_file, out);
	host_warn_program("LeaseProgram", config->lease_program, out);
	for (size_t i = 0; i < config->tenant_count; i++)
		host_warn_users(&config->tenants[i], out);
}

/* Keys that have no effect: those of earlier releases, and those that occur
 * twice. Slurm's parser uses the last one of these and says nothing. */

#define TWICE_KEYS 128 /* of a line or of the file; others go unchecked */
#define TWICE_NAME 32

struct twice_set {
	char key[TWICE_KEYS][TWICE_NAME];
	size_t count;
};

struct twice {
	struct twice_set file, line; /* keys of the whole file; keys of the
				      * present line */
	struct twice_set gone;	     /* keys of earlier releases */
	int at;			     /* number of the line */
	struct astra_error *out;
};

/* Add a key. Returns whether it was there already. */
static bool twice_add(struct twice_set *set, const char *key)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strncasecmp(set->key[i], key, TWICE_NAME - 1))
			return true;
	if (set->count < TWICE_KEYS)
		(void)snprintf(set->key[set->count++], TWICE_NAME, "%s", key);
	return false;
}

/* Check one key. A line has either one key of the whole file, or the keys of a
 * pool or tenant, of which there may be several lines. A line may go on in the
 * next one. */
static int twice_look(void *arg, const struct astra_conf_pair *pair,
		      struct astra_error *err)
{
	bool of_line = !strcasecmp(pair->first, "Pool") ||
		       !strcasecmp(pair->first, "Tenant");
	struct twice *t = arg;

	(void)err;
	if (!strcasecmp(pair->first, pair->key) && pair->line != t->at)
		t->line.count = 0;
	t->at = pair->line;
	if (astra_conf_is_gone(pair->key)) {
		if (!twice_add(&t->gone, pair->key))
			astra_error_add(t->out,
					"%s: line %d: %s: this release has no "
					"such option, and ignores it",
					pair->path, pair->line, pair->key);
		return 0;
	}
	if (twice_add(of_line ? &t->line : &t->file, pair->key))
		astra_error_add(t->out,
				"%s: line %d: %s=%s: there is another %s= %s, "
				"and the last one counts",
				pair->path, pair->line, pair->key, pair->value,
				pair->key,
				of_line ? "on that line" : "above it");
	return 0;
}

void astra_conf_warn_keys(const char *path, struct astra_error *out)
{
	struct twice *t = calloc(1, sizeof(*t));

	if (!t)
		return;
	t->out = out;
	(void)astra_conf_each(path, twice_look, t, NULL);
	free(t);
}
