/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of sfair check. They are separate from its arguments, as the
 * plugin's parser and the messages have types of the same name. */
#ifndef SFAIR_CHECK_H
#define SFAIR_CHECK_H

#include <stdbool.h>

#include "src/common/error.h"

/* Checks an astraea.conf with the plugin's own parser, against the loaded
 * slurm.conf, and prints what would change. path: NULL means the file beside
 * slurm.conf. quiet: prints only what is wrong. asks: also prints what leases
 * would mean for the jobs of a slurmctld without the plugins. Returns 0, or -1
 * with err naming file, line, key and value. */
int sfair_check_conf(const char *path, bool quiet, bool asks,
		     struct astra_error *err);

/* Warnings on lines of slurm.conf, on partitions, on the file itself, and on
 * this host. */
#define SFAIR_CONF_WARNINGS 4

struct astra_config;

/* Prints what leases would mean for slurmctld's jobs, if slurmctld answers and
 * lacks the plugin. Slurm's configuration is loaded. */
void sfair_check_jobs(const struct astra_config *config);

/* Reads an astraea.conf as sfair_check_conf() does, without printing. Returns
 * the configuration, to be freed with astra_config_destroy(), or NULL with err
 * set. */
struct astra_config *
sfair_conf_read(const char *path,
		struct astra_error warnings[SFAIR_CONF_WARNINGS],
		struct astra_error *err);

/* Whether there is an astraea.conf beside the loaded slurm.conf. */
bool sfair_conf_is_here(void);

/* Calls tell() for each warning. */
void sfair_conf_warnings(const struct astra_error *warnings,
			 void (*tell)(void *arg, const char *text), void *arg);

#endif
