/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last good astraea.conf. A slurmctld that begins, or the new process that
 * `scontrol reconfigure` makes since 23.11, knows no old values: so that a file
 * with an error changes nothing there either, a copy of the last one that was
 * put in force is kept in StateSaveLocation, with what it includes.
 */
#ifndef ASTRA_CONFIG_KEPT_H
#define ASTRA_CONFIG_KEPT_H

#include <time.h>

#include "src/slurm/conf/config.h"

/* No pool's state file has a name without a dot. */
#define ASTRA_CONFIG_KEPT "astraea-conf"

/* Keep a copy of the file in the folder, unless it has an error by now. Where
 * it cannot be written, the copy before it stays. Does I/O.
 * Locks: caller holds none of slurmctld's; takes part read. */
void astra_config_keep(const char *path, const char *folder);

/* Read the copy. Does I/O, see astra_config_read().
 * path: of the file itself: where that was removed before slurmctld began, an
 * admin wants none.
 * since: gets the time when the copy was written.
 * Returns NULL when there is none, or none that is good. */
struct astra_config *astra_config_kept(const char *path, const char *folder,
				       time_t *since);

/* Whether slurmctld has a partition of that name; before it has made any, as it
 * begins since 23.11, whether slurm.conf has. Locks: caller holds part read. */
astra_part_exists astra_config_part_exists;

/* astra_config_check_partitions() with that. Locks: the same. */
int astra_config_check_site(const struct astra_config *config,
			    struct astra_error *err);

#endif
