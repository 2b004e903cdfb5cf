/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pending jobs whose last run may still be alive: slurmctld was killed before
 * it had saved their start or launch. The jobs wait until the nodes of that run
 * have answered and killed what they found. */
#ifndef ASTRA_SURVIVOR_H
#define ASTRA_SURVIVOR_H

#include "src/slurm/compat/compat.h"
#include "src/store/black_box.h"

/* Let a job wait. last: its last run. end_sec: when that run ended for
 * accounting. Locks: caller holds job write and node read. */
void astra_survivors_add(const job_record_t *job,
			 const struct astra_box_event *last, time_t end_sec);

/* Release the jobs whose nodes have answered. Call each round. Locks: caller
 * holds job write and node read. */
void astra_survivors_settle(void);

struct astra_survivor {
	uint32_t job;
	uint32_t restart_cnt; /* restart count of the last run */
	uint32_t gpus;	      /* GPUs that the last run had; 0: not known */
	time_t start_sec, end_sec;
	bitstr_t *nodes;    /* of the last run; NULL: unknown, so it may be any
			     * node */
	time_t quiet_since; /* when all nodes had answered; 0: not yet */
};

/* Return the last run of a pending job that has to wait, or NULL. Valid until
 * the next call of another function. Engine's thread only. */
const struct astra_survivor *astra_survivor_find(uint32_t job_id);

void astra_survivors_free(void);

#endif
