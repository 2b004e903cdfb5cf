/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carrying out a plan. Each job is looked up again and checked before it is
 * changed, since slurmctld has gone on since the snapshot. */
#ifndef ASTRA_APPLY_H
#define ASTRA_APPLY_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct astra_applied {
	uint32_t started, signalled, requeued;
	uint32_t refused; /* starts that Slurm refused; the engine knows of
			   * them */
	uint32_t balked;  /* how many of these were refused on any nodes */
	uint32_t denied;  /* jobs that the policy refused: held */
	uint32_t skipped; /* decisions that were dropped, as the job has changed
			   * since */
};

/* Carry out the pool's plan, which was made from this view. Locks: takes
 * slurmctld's write locks, and releases them now and then. Returns 0, or -1
 * when slurmctld is shutting down. */
int astra_apply(struct astra_pool *pool, const struct astra_view *view,
		struct astra_diag *diag, struct astra_applied *out);

/* Launch these jobs, and have slurmctld's jobs saved soon afterwards. recover.h
 * says what becomes of the jobs after a crash before the save. Locks: as above.
 * Returns 0, or -1 when slurmctld is shutting down: the jobs that are not
 * launched are requeued after the restart. */
struct astra_started;
int astra_launch_all(const struct astra_started *started, size_t count,
		     struct astra_diag *diag);

/* Tell waiting jobs why they wait, and Slurm their rank. starts: for each of
 * the plan's reasons, the start time to show for its job; NULL: as planned.
 * Locks and result: as above. */
int astra_apply_texts(struct astra_pool *pool, const struct astra_view *view,
		      const double *starts, struct astra_diag *diag);

/* slurmctld's write locks, and how long they are held. astra_lock() returns 0,
 * or -1 without the locks if slurmctld is shutting down. */
struct astra_hold_time {
	uint64_t since_usec;
};
int astra_lock(struct astra_hold_time *hold);
void astra_unlock(struct astra_hold_time *hold, struct astra_diag *diag);

/* If the locks have been held for long, release them for a moment. Afterwards
 * everything that the caller knew of slurmctld's records is invalid, pointers
 * included. Returns 0 with the locks held, or -1 without them: slurmctld is
 * shutting down. */
int astra_yield(struct astra_hold_time *hold, struct astra_diag *diag);

#endif
