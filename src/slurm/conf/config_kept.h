/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last good astraea.conf. A slurmctld that starts, or the new process that
 * `scontrol reconfigure` makes since 23.11, knows no old values. So that a file
 * with an error changes nothing there either, a copy of the last file put in
 * force is kept in StateSaveLocation, with the files that it includes. */
#ifndef ASTRA_CONFIG_KEPT_H
#define ASTRA_CONFIG_KEPT_H

#include <time.h>

#include "src/slurm/conf/config.h"

/* No pool's state file has a name without a dot, so this name is free. */
#define ASTRA_CONFIG_KEPT "astraea-conf"

/* Keep a copy of the file in the folder, unless the file has an error by now.
 * If the copy cannot be written, the one before it stays. Does I/O. Locks:
 * caller holds none of slurmctld's; takes part read. */
void astra_config_keep(const char *path, const char *folder);

/* Read the copy. Does I/O, see astra_config_read(). path: of the file itself;
 * if it was removed before slurmctld started, the admin wants no configuration.
 * since: gets the time when the copy was written. Returns NULL if there is no
 * copy, or no valid one. */
struct astra_config *astra_config_kept(const char *path, const char *folder,
				       time_t *since);

/* Whether slurmctld has a partition of that name. Before it has made any, as it
 * does since 23.11 when it starts: whether slurm.conf has. Locks: caller holds
 * part read. */
astra_part_exists astra_config_part_exists;

/* Call astra_config_check_partitions() with that function. Locks: the same. */
int astra_config_check_site(const struct astra_config *config,
			    struct astra_error *err);

#endif
