/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who coordinates accounts, as sacctmgr says. */
#ifndef ASTRA_COORDINATOR_H
#define ASTRA_COORDINATOR_H

#include <sys/types.h>

struct astra_names;

/* The accounts that a user coordinates: slurmctld lets it see their jobs, and
 * slurmdbd their usage, whatever PrivateData says.
 * out: appended to, in any order. Locks: takes assoc_mgr's user read.
 * Returns 0, or -1 when memory is out. */
int astra_accounts_of(uid_t uid, struct astra_names *out);

#endif
