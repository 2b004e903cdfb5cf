/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h> /* Slurm's */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/check.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/slurm/check/steps.h"
#include "src/slurm/conf/config_diff.h"
#include "src/slurm/conf/gpu_kinds.h"

#define KEPT "astraea-conf" /* the plugin's name for it */

struct parts {
	slurm_conf_partition_t **list;
	int count;
};

static bool part_exists(char *name, const void *arg)
{
	const struct parts *parts = arg;

	for (int i = 0; i < parts->count; i++)
		if (!strcmp(parts->list[i]->name, name))
			return true;
	return false;
}

/* The warnings in one member are separated by "; ". */
void sfair_conf_warnings(const struct astra_error *warnings,
			 void (*tell)(void *arg, const char *text), void *arg)
{
	for (int i = 0; i < SFAIR_CONF_WARNINGS; i++) {
		struct astra_error rest = warnings[i];
		char *at = rest.text, *end;

		while ((end = strstr(at, "; "))) {
			*end = '\0';
			tell(arg, at);
			at = end + 2;
		}
		if (*at)
			tell(arg, at);
	}
}

/* Slurm 23.11 changed the type. */
typedef typeof(slurm_hostlist_create("")) host_list;

/* Whether any of these nodes is in the partition. */
static bool conf_nodes_meet(const slurm_conf_partition_t *part,
			    const slurm_conf_node_t *nodes)
{
	host_list all, some;
	bool meet = false;
	char *name;

	if (!part->nodes || !nodes->nodenames)
		return false;
	if (!strcasecmp(part->nodes, "ALL"))
		return true;
	all = slurm_hostlist_create(part->nodes);
	some = slurm_hostlist_create(nodes->nodenames);
	while (!meet && all && some && (name = slurm_hostlist_shift(some))) {
		meet = slurm_hostlist_find(all, name) >= 0;
		free(name);
	}
	if (all)
		slurm_hostlist_destroy(all);
	if (some)
		slurm_hostlist_destroy(some);
	return meet;
}

/* Returns the kinds of GPUs on a pool's nodes by slurm.conf. Ignores nodes of a
 * NodeSet, which only the plugin checks. */
static struct astra_gpu_kinds conf_kinds(const struct astra_pool_config *pool,
					 const struct parts *parts)
{
	struct astra_gpu_kinds kinds = {.whole = {.type = ""}};
	slurm_conf_node_t **nodes = NULL;
	int count = slurm_conf_nodename_array(&nodes);

	for (int i = 0; i < parts->count && !pool->options.shards; i++)
		for (int n = 0;
		     n < count &&
		     astra_names_have(&pool->partitions, parts->list[i]->name);
		     n++)
			if (conf_nodes_meet(parts->list[i], nodes[n]))
				astra_gpu_kinds_add_gres(
					&kinds, &pool->options.gpu_weights,
					nodes[n]->nodenames, nodes[n]->gres);
	return kinds;
}

/* Checks that no pool mixes whole GPUs and MIG devices. Returns 0, or -1 with
 * err naming the pool. */
static int check_conf_kinds(const struct astra_config *config,
			    const struct parts *parts,
			    struct astra_error *warning,
			    struct astra_error *err)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		const struct astra_pool_config *pool = &config->pools[i];
		struct astra_gpu_kinds kinds = conf_kinds(pool, parts);

		if (astra_gpu_kinds_check(&kinds, pool->name, err) < 0)
			return -1;
		astra_gpu_kinds_warn(&kinds, pool->name, warning);
	}
	return 0;
}

/* Returns the name of a node that is in both partitions, malloced, or NULL. */
static char *conf_shared_node(const slurm_conf_partition_t *a,
			      const slurm_conf_partition_t *b)
{
	host_list all, some;
	char *name = NULL;

	if (!a->nodes || !b->nodes)
		return NULL;
	if (!strcasecmp(a->nodes, "ALL") || !strcasecmp(b->nodes, "ALL"))
		return strdup(strcasecmp(a->nodes, "ALL") ? a->nodes
							  : b->nodes);
	all = slurm_hostlist_create(a->nodes);
	some = slurm_hostlist_create(b->nodes);
	while (all && some && (name = slurm_hostlist_shift(some)) &&
	       slurm_hostlist_find(all, name) < 0) {
		free(name);
		name = NULL;
	}
	if (all)
		slurm_hostlist_destroy(all);
	if (some)
		slurm_hostlist_destroy(some);
	return name;
}

/* Returns the first pool of the file that has a partition of this name, or
 * NULL. */
static const struct astra_pool_config *
conf_pool_of(const struct astra_config *config, const char *partition)
{
	for (size_t i = 0; i < config->pool_count; i++)
		if (astra_names_have(&config->pools[i].partitions, partition))
			return &config->pools[i];
	return NULL;
}

/* Checks that no two pools share a node. Ignores nodes of a NodeSet, which only
 * the plugin checks. Returns 0, or -1 with err naming the pools. */
static int check_conf_overlap(const struct astra_config *config,
			      const struct parts *parts,
			      struct astra_error *err)
{
	for (int i = 0; i < parts->count; i++) {
		const struct astra_pool_config *one =
			conf_pool_of(config, parts->list[i]->name);

		for (int k = 0; one && k < i; k++) {
			const struct astra_pool_config *two =
				conf_pool_of(config, parts->list[k]->name);
			char *node;
			int rc = 0;

			if (!two || two == one)
				continue;
			node = conf_shared_node(parts->list[i], parts->list[k]);
			if (node)
				rc = astra_config_overlap(
					one < two ? one->name : two->name,
					one < two ? two->name : one->name, node,
					err);
			free(node);
			if (rc < 0)
				return -1;
		}
	}
	return 0;
}

static void check_conf_warn(const struct astra_config *config,
			    const struct parts *parts,
			    struct astra_error warnings[SFAIR_CONF_WARNINGS])
{
	const struct astra_steps steps = {
		.scheduler = slurm_conf.schedtype,
		.burst_buffer = slurm_conf.bb_type,
		.priority = slurm_conf.priority_type,
		.job_submit = slurm_conf.job_submit_plugins,
	};

	astra_steps_warn(&steps, config->leases, &warnings[0]);
	for (size_t i = 0; i < config->pool_count; i++)
		astra_config_warn_partitions(&config->pools[i], part_exists,
					     parts, &warnings[1]);
	warnings[2] = config->warning;
	astra_config_warn_host(config, &warnings[3]);
}

/* Returns the configuration in force. This is the plugin's copy, which only
 * root and SlurmUser can read, on slurmctld's host. Without it, this is the
 * live file, which a restart would use. name: set to which of the two it is.
 * Returns NULL if neither can be read. */
static struct astra_config *running(const char *checked, const char *live,
				    const char **name)
{
	struct astra_error err = {""};
	struct astra_config *config = NULL;
	char *path = NULL;

	if (asprintf(&path, "%s/" KEPT, slurm_conf.state_save_location) < 0)
		return NULL;
	*name = "what runs";
	if (access(path, R_OK) == 0)
		config = astra_config_read(path, &err);
	free(path);
	if (config || !strcmp(checked, live) || access(live, R_OK) < 0)
		return config;
	*name = live;
	return astra_config_read(live, &err);
}

/* Prints why nothing is compared. On slurmctld's host, a user who may read the
 * folder is told that there is no copy. */
static void check_tell_unknown(void)
{
	const char *folder = slurm_conf.state_save_location;
	struct astra_text path = {0};

	astra_text_printf(&path, "%s/" KEPT, folder);
	if (access(folder, R_OK | X_OK) == 0 && access(path.bytes, F_OK) < 0)
		printf("nothing to compare with: no plugin has run yet with %s\n",
		       folder);
	else
		puts("what runs is not known here: no copy of it can be read (as root, on slurmctld's host)");
	astra_text_clear(&path);
}

static void tell_changes(const struct astra_config *config, const char *checked,
			 const char *live)
{
	const char *name = NULL;
	struct astra_config *before = running(checked, live, &name);
	struct astra_text text = {0};

	if (!before) {
		check_tell_unknown();
		return;
	}
	astra_config_compare(before, config, &text);
	if (text.size)
		printf("compared with %s:\n%s", name, text.bytes);
	if (text.size && strstr(text.bytes, ": LeaseTerm="))
		puts("running leases keep their end; later ones have the new LeaseTerm");
	if (!text.size)
		printf("compared with %s: nothing changes\n", name);
	astra_text_clear(&text);
	astra_config_destroy(before);
}

/* Returns the absolute path, malloced, since Slurm resolves includes relative
 * to it. NULL: out of memory. */
static char *whole_path(const char *path)
{
	char *whole = realpath(path, NULL);

	return whole ? whole : strdup(path);
}

static char *live_path(void)
{
	char name[] = "astraea.conf";
	char *found = get_extra_conf_path(name), *path = strdup(found);

	xfree(found);
	return path;
}

bool sfair_conf_is_here(void)
{
	char *path = live_path();
	bool here = path && access(path, F_OK) == 0;

	free(path);
	return here;
}

/* Lets Slurm's parser log errors, as these explain why it refuses a file. */
static void let_parser_speak(void)
{
	log_options_t loud = LOG_OPTS_STDERR_ONLY;

	loud.stderr_level = LOG_LEVEL_ERROR;
	log_alter(loud, 0, NULL);
}

static struct astra_config *
read_whole(const char *whole, struct astra_error warnings[SFAIR_CONF_WARNINGS],
	   struct astra_error *err)
{
	struct parts parts = {0};
	struct astra_config *config = astra_config_read(whole, err);

	memset(warnings, 0, SFAIR_CONF_WARNINGS * sizeof(*warnings));
	if (!config)
		return NULL;
	parts.count = slurm_conf_partition_array(&parts.list);
	if (astra_config_check_partitions(config, part_exists, &parts, err) <
		    0 ||
	    check_conf_kinds(config, &parts, &warnings[1], err) < 0 ||
	    check_conf_overlap(config, &parts, err) < 0) {
		astra_config_destroy(config);
		return NULL;
	}
	check_conf_warn(config, &parts, warnings);
	return config;
}

struct astra_config *
sfair_conf_read(const char *path,
		struct astra_error warnings[SFAIR_CONF_WARNINGS],
		struct astra_error *err)
{
	char *whole = path ? whole_path(path) : live_path();
	struct astra_config *config = NULL;

	let_parser_speak();
	if (whole)
		config = read_whole(whole, warnings, err);
	else
		astra_error_nomem(err);
	free(whole);
	return config;
}

static void print_warning(void *arg, const char *text)
{
	(void)arg;
	printf("warning: %s\n", text);
}

static void print_good(const char *file, const struct astra_config *config)
{
	printf("%s: good; pools: %zu, ", file, config->pool_count);
	if (config->tenant_count)
		printf("tenants: %zu\n", config->tenant_count);
	else
		puts("each account is a tenant");
}

int sfair_check_conf(const char *path, bool quiet, bool asks,
		     struct astra_error *err)
{
	struct astra_error warnings[SFAIR_CONF_WARNINGS];
	struct astra_config *config = NULL;
	char *live = live_path();
	char *whole = live ? whole_path(path ? path : live) : NULL;

	if (whole)
		config = sfair_conf_read(whole, warnings, err);
	else
		astra_error_nomem(err);
	if (config && !quiet)
		print_good(whole, config);
	if (config)
		sfair_conf_warnings(warnings, print_warning, NULL);
	if (config && !quiet)
		tell_changes(config, whole, live);
	if (config && !quiet && asks)
		sfair_check_jobs(config);
	astra_config_destroy(config);
	free(whole);
	free(live);
	return config ? 0 : -1;
}
