/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carrying out a plan: each job is found again and checked before anything is
 * done to it, for slurmctld has lived on since the snapshot.
 */
#ifndef ASTRA_APPLY_H
#define ASTRA_APPLY_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct astra_applied {
	uint32_t started, signalled, requeued;
	uint32_t refused; /* starts; told to the engine */
	uint32_t balked;  /* of these, of jobs at which the engine knows that
			   * Slurm balks */
	uint32_t denied;  /* jobs, by the policy: held */
	uint32_t skipped; /* not the same job any more */
};

/* Carry out the pool's plan, made from this view.
 * Locks: takes slurmctld's write locks, and lets go of them now and then.
 * Returns 0, or -1 when slurmctld is shutting down. */
int astra_apply(struct astra_pool *pool, const struct astra_view *view,
		struct astra_diag *diag, struct astra_applied *out);

/* Launch these, and have slurmctld's jobs saved soon after. What a crash before
 * that makes of their starts recover.h says. Locks: as above. Returns 0, or -1
 * when slurmctld is shutting down: those that are left are requeued after the
 * restart. */
struct astra_started;
int astra_launch_all(const struct astra_started *started, size_t count,
		     struct astra_diag *diag);

/* Tell the waiting jobs why they wait, and Slurm their rank.
 * starts: when to say that the job of each of the plan's reasons starts; NULL:
 * as planned. Locks and return: as above. */
int astra_apply_texts(struct astra_pool *pool, const struct astra_view *view,
		      const double *starts, struct astra_diag *diag);

/* Slurmctld's write locks, measured. Nothing is taken while it shuts down.
 * lock returns 0, or -1 then. */
struct astra_hold_time {
	uint64_t since_usec;
};
int astra_lock(struct astra_hold_time *hold);
void astra_unlock(struct astra_hold_time *hold, struct astra_diag *diag);

/* Where the locks have been held for long, let others in: what was known of
 * slurmctld's records is known no more, nor are pointers to them.
 * Returns 0 with the locks held, or -1 without: slurmctld is shutting down. */
int astra_yield(struct astra_hold_time *hold, struct astra_diag *diag);

#endif
