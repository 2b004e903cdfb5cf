/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round's look at the waiting jobs. The write locks keep all other threads
 * out. So the jobs that need something are found under the read locks first;
 * then each is looked up again by its id. */
#ifndef ASTRA_WAITING_H
#define ASTRA_WAITING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/slurm/compat/compat.h"
#include "src/slurm/round/diag.h"

/* Job ids. Zeroed at first; free them with astra_jobs_free(). */
struct astra_jobs {
	uint32_t *ids;
	size_t count, room;
};

/* Add an id. Returns 0, or -1 when memory is out. */
int astra_jobs_add(struct astra_jobs *jobs, uint32_t id);
void astra_jobs_free(struct astra_jobs *jobs);

/* Look at the waiting jobs. gate: the gate is loaded, so there may be leases.
 * Locks: none; takes slurmctld's, and releases them now and then. Returns 0, or
 * -1 when slurmctld is shutting down. */
int astra_waiting_look(bool gate, struct astra_diag *diag);

#endif
