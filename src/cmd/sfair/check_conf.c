/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h> /* Slurm's */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/cmd/sfair/check.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/slurm/check/steps.h"
#include "src/slurm/conf/config_diff.h"

#define KEPT "astraea-conf" /* as the plugin names it */

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

/* Each text between "; " is a line. */
static void print_warnings(const struct astra_error *warnings)
{
	const char *at = warnings->text;

	while (*at) {
		const char *end = strstr(at, "; ");
		size_t size = end ? (size_t)(end - at) : strlen(at);

		printf("warning: %.*s\n", (int)size, at);
		at += size + (end ? 2 : 0);
	}
}

static void check_conf_warn(const struct astra_config *config,
			    const struct parts *parts)
{
	const struct astra_steps steps = {
		.scheduler = slurm_conf.schedtype,
		.burst_buffer = slurm_conf.bb_type,
		.priority = slurm_conf.priority_type,
		.job_submit = slurm_conf.job_submit_plugins,
	};
	struct astra_error lacks = {""}, parted = {""}, host = {""};

	astra_steps_warn(&steps, config->leases, &lacks);
	print_warnings(&lacks);
	for (size_t i = 0; i < config->pool_count; i++)
		astra_config_warn_partitions(&config->pools[i], part_exists,
					     parts, &parted);
	print_warnings(&parted);
	print_warnings(&config->warning);
	astra_config_warn_host(config, &host);
	print_warnings(&host);
}

/* What runs: the plugin's copy of it, which only root and SlurmUser can read on
 * slurmctld's host; else what would, after a restart.
 * name: gets what it is. Returns NULL where neither is known. */
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

/* Why nothing is compared: on slurmctld's host, who may look there sees that
 * there is no copy. */
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
	else
		printf("compared with %s: nothing changes\n", name);
	astra_text_clear(&text);
	astra_config_destroy(before);
}

static int check_conf_check(const char *path, const char *live, bool quiet,
			    struct astra_error *err)
{
	struct parts parts = {0};
	struct astra_config *config;
	int rc;

	config = astra_config_read(path, err);
	if (!config)
		return -1;
	parts.count = slurm_conf_partition_array(&parts.list);
	rc = astra_config_check_partitions(config, part_exists, &parts, err);
	if (!rc) {
		if (!quiet)
			printf("%s: good; pools: %zu, tenants: %zu\n", path,
			       config->pool_count, config->tenant_count);
		check_conf_warn(config, &parts);
		if (!quiet)
			tell_changes(config, path, live);
	}
	astra_config_destroy(config);
	return rc;
}

int sfair_check_conf(const char *path, bool quiet, struct astra_error *err)
{
	log_options_t loud = LOG_OPTS_STDERR_ONLY;
	char name[] = "astraea.conf";
	char *live = get_extra_conf_path(name);
	/* Slurm looks for what a file includes by its whole name. */
	char *whole = realpath(path ? path : live, NULL);
	int rc;

	/* What Slurm's parser refuses it says itself. */
	loud.stderr_level = LOG_LEVEL_ERROR;
	log_alter(loud, 0, NULL);
	rc = check_conf_check(whole  ? whole
			      : path ? path
				     : live,
			      live, quiet, err);
	free(whole);
	xfree(live);
	return rc;
}
