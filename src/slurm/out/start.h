/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start a job on exact nodes with exact numbers of GPUs. */
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
	double lead_sec;   /* how long before a maintenance the job is told to
			    * leave; 0: no leases */
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
	bool configuring; /* its nodes still boot: slurmctld launches the job
			   * after that */
};

enum astra_start_result {
	ASTRA_STARTED,
	ASTRA_START_STALE,   /* the job has changed since the decision */
	ASTRA_REFUSED_JOB,   /* limits, licences or a dependency: other nodes
			      * would not help */
	ASTRA_REFUSED_NODES, /* refused on these nodes; others may help */
};

/* Give the job its nodes, or park it again. Of an array, one task starts. From
 * then on the job runs, but its nodes do not know of it yet. started: for
 * astra_launch(). error: gets Slurm's error number of a refusal. Locks: caller
 * holds job and node write, conf, part and fed read. */
enum astra_start_result astra_start(const struct astra_start_order *order,
				    struct astra_started *started, int *error);

/* Start a job on nodes of Slurm's own choice, for which Slurm may preempt other
 * jobs. If it does, the job is refused until these have left. Locks: as
 * above. */
enum astra_start_result astra_start_anywhere(job_record_t *job,
					     const struct astra_env_lease *,
					     struct astra_started *started);

/* Whether this thread is starting that job now, so that the gate lets it
 * through. Locks: caller holds job write. */
bool astra_start_is_ours(const job_record_t *job);

/* Launch the job, unless it has ended since. Locks: caller holds job and node
 * write, conf, part and fed read. */
void astra_launch(const struct astra_started *started);

#endif
