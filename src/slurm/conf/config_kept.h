/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last good astraea.conf. A slurmctld that starts, or the new process that
 * `scontrol reconfigure` makes since 23.11, has no old values. A file with an
 * error must change nothing there either. So a copy of the file that was last
 * put in force is kept in StateSaveLocation, together with the files that it
 * includes. */
#ifndef ASTRA_CONFIG_KEPT_H
#define ASTRA_CONFIG_KEPT_H

#include <time.h>

#include "src/slurm/conf/config.h"

/* No pool's state file has a name without a dot, so this name is free. */
#define ASTRA_CONFIG_KEPT "astraea-conf"

/* Copy the file to the folder, unless the file has an error by now. If the copy
 * cannot be written, the last copy stays. Does I/O. Locks: caller holds none of
 * slurmctld's; takes part read. */
void astra_config_keep(const char *path, const char *folder);

/* Read the copy. Does I/O, see astra_config_read(). path: the path of the file
 * itself; if it was removed before slurmctld started, the admin wants no
 * configuration. since: gets the time when the copy was written. Returns NULL
 * if there is no valid copy. */
struct astra_config *astra_config_kept(const char *path, const char *folder,
				       time_t *since);

/* Whether slurmctld has a partition of that name. Since 23.11 a slurmctld that
 * starts has no partitions at first; then: whether slurm.conf has it. Locks:
 * caller holds part read. */
astra_part_exists astra_config_part_exists;

/* Call astra_config_check_partitions() with astra_config_part_exists(). Locks:
 * the same. */
int astra_config_check_site(const struct astra_config *config,
			    struct astra_error *err);

#endif
