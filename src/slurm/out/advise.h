/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guard has found out about a job's leases is written to the log and,
 * for the user, to the end of the job's comment, as
 *
 *   [astraea: start-up and one checkpoint take 02:30, ...]
 *
 * It replaces an earlier such text. The user's own words stay. */
#ifndef ASTRA_ADVISE_H
#define ASTRA_ADVISE_H

#include "src/slurm/round/diag.h"

/* Write all new advice. Locks: takes slurmctld's write locks if there is any.
 * Returns 0, or -1 when slurmctld is shutting down. */
int astra_advise(struct astra_diag *diag);

#endif
