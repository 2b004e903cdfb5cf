/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Since 23.11 `scontrol reconfigure` puts a new process in slurmctld's place,
 * which knows no old values. So that a file with an error changes nothing there
 * either, a copy of the last good one is kept in StateSaveLocation. Files that
 * it includes are not copied.
 */
#ifndef ASTRA_CONFIG_KEPT_H
#define ASTRA_CONFIG_KEPT_H

#include "src/slurm/config.h"

/* Keep a copy of the file in the folder, unless it has an error by now. Where
 * it cannot be written, the copy before it stays. Does I/O. Locks: none. */
void astra_config_keep(const char *path, const char *folder);

/* Read the copy, in a process that `scontrol reconfigure` has made. Does I/O,
 * see astra_config_read(). Returns NULL in any other, or when there is none. */
struct astra_config *astra_config_kept(const char *folder);

#endif
