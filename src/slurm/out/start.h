/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting a job on exact nodes with exact numbers of GPUs. */
#ifndef ASTRA_START_H
#define ASTRA_START_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/out/env.h"

struct astra_start_share {
	uint32_t node; /* slurmctld's index */
	uint32_t gpus;
};

struct astra_start_order {
	uint32_t job, restart_cnt;
	const struct astra_start_share *shares;
	size_t share_count;
	double lead_sec;   /* how long before a maintenance it is told to leave;
			    * 0: no leases */
	uint32_t gpus_min; /* fewest GPUs of an elastic job; 0: it has one
			    * size */
	bitstr_t *kept; /* nodes with GPUs kept for others; borrowed; NULL with
			 * one share, unless anywhere */
	bool anywhere;	/* if the chosen nodes are refused, Slurm may choose
			 * others, except the kept ones */
	struct astra_env_lease lease;
};

/* A job that has its nodes and is to be launched. */
struct astra_started {
	uint32_t job; /* a task of an array has an id of its own by now */
	uint32_t restart_cnt;
	bool configuring; /* slurmctld launches it when that is over */
};

enum astra_start_result {
	ASTRA_STARTED,
	ASTRA_START_STALE,   /* no longer the job that was decided about */
	ASTRA_REFUSED_JOB,   /* limits, licences, dependency: no other nodes
			      * help */
	ASTRA_REFUSED_NODES, /* not on these nodes */
};

/* Give the job its nodes, or park it again. An array starts one of its tasks.
 * The job runs from now on, but no node has been told. started: for
 * astra_launch(). error: gets Slurm's error number of a refusal. Locks: caller
 * holds job and node write, conf, part and fed read. */
enum astra_start_result astra_start(const struct astra_start_order *order,
				    struct astra_started *started, int *error);

/* Do the same on nodes of Slurm's own choice, for which Slurm may preempt
 * others; then the job is refused until these have left. */
enum astra_start_result astra_start_anywhere(job_record_t *job,
					     const struct astra_env_lease *,
					     struct astra_started *started);

/* Whether this thread is starting that job now: the gate lets the job through.
 * Locks: caller holds job write. */
bool astra_start_is_ours(const job_record_t *job);

/* Launch the job, unless it has ended since. Locks: caller holds job and node
 * write, conf, part and fed read. */
void astra_launch(const struct astra_started *started);

#endif
