/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round's look at the jobs that wait. The write locks keep everybody else
 * out, so which jobs there is something to do about is found under the read
 * locks; then each is found again by its id, and looked at again.
 */
#ifndef ASTRA_WAITING_H
#define ASTRA_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/slurm/compat/compat.h"
#include "src/slurm/round/diag.h"

/* Job ids; all zero at first, astra_jobs_free() at the end. */
struct astra_jobs {
	uint32_t *ids;
	size_t count, room;
};

/* Returns 0, or -1 when out of memory. */
int astra_jobs_add(struct astra_jobs *jobs, uint32_t id);
void astra_jobs_free(struct astra_jobs *jobs);

/* Look at the jobs that wait.
 * gate: it is loaded: there may be leases.
 * Locks: none; takes slurmctld's, and lets go of them now and then.
 * Returns 0, or -1 when slurmctld is shutting down. */
int astra_waiting_look(bool gate, struct astra_diag *diag);

#endif
