/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sfair check finds. Separate from its arguments, as the plugin's parser
 * and the messages have types of the same name. */
#ifndef SFAIR_CHECK_H
#define SFAIR_CHECK_H

#include <stdbool.h>

#include "src/common/error.h"

/* Checks an astraea.conf with the plugin's own parser, against the slurm.conf
 * that is loaded, and prints what would change. path: NULL: the file beside
 * slurm.conf. quiet: prints only what is wrong. asks: prints what leases would
 * mean for the jobs of a slurmctld without the plugins. Returns 0, or -1 with
 * err naming file, line, key and value. */
int sfair_check_conf(const char *path, bool quiet, bool asks,
		     struct astra_error *err);

/* Warnings on slurm.conf's lines, partitions, the file itself and this host. */
#define SFAIR_CONF_WARNINGS 4

struct astra_config;

/* Prints what leases would mean for slurmctld's jobs, if it answers and has no
 * plugin. Slurm's configuration is loaded. */
void sfair_check_jobs(const struct astra_config *config);

/* Reads a file in the same way, without printing. Returns it, to be freed with
 * astra_config_destroy(), or NULL with err set. */
struct astra_config *
sfair_conf_read(const char *path,
		struct astra_error warnings[SFAIR_CONF_WARNINGS],
		struct astra_error *err);

/* Whether there is an astraea.conf beside the slurm.conf that is loaded. */
bool sfair_conf_is_here(void);

/* Calls tell() for each warning. */
void sfair_conf_warnings(const struct astra_error *warnings,
			 void (*tell)(void *arg, const char *text), void *arg);

#endif
