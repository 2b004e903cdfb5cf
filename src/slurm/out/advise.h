/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guard has found out of a job's leases goes into the log and, for its
 * user to see, to the end of the job's comment, as
 *	[astraea: start-up and one checkpoint take 02:30, ...]
 * in place of what stood there in such brackets before. The user's own words
 * are left alone.
 */
#ifndef ASTRA_ADVISE_H
#define ASTRA_ADVISE_H

#include "src/slurm/round/diag.h"

/* Locks: takes slurmctld's write locks where there is anything to tell.
 * Returns 0, or -1 when slurmctld is shutting down. */
int astra_advise(struct astra_diag *diag);

#endif
