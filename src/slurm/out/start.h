/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting a job on exact nodes with exact numbers of GPUs. */
#ifndef ASTRA_START_H
#define ASTRA_START_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/out/env.h"

struct astra_start_share {
	uint32_t node; /* slurmctld's number */
	uint32_t gpus;
};

struct astra_start_order {
	uint32_t job, restart_cnt;
	const struct astra_start_share *shares;
	size_t share_count;
	double lead_sec;   /* before a maintenance it is told to leave so long;
			    * 0: it has no leases */
	uint32_t gpus_min; /* an elastic job may have so many; 0: as it asks */
	bitstr_t *kept; /* nodes with GPUs that are kept for others; borrowed;
			 * NULL with one share, unless anywhere */
	bool anywhere;	/* where the nodes that were decided are refused it is
			 * given others of Slurm's own choice, but those */
	struct astra_env_lease lease;
};

/* A job that has its nodes, to be launched. */
struct astra_started {
	uint32_t job; /* an array's task has an id of its own now */
	uint32_t restart_cnt;
	bool configuring; /* slurmctld launches it, once that is over */
};

enum astra_start_result {
	ASTRA_STARTED,
	ASTRA_START_STALE,   /* not the job that was decided about */
	ASTRA_REFUSED_JOB,   /* limits, licences, dependency: no nodes help */
	ASTRA_REFUSED_NODES, /* not on these nodes */
};

/* Give it its nodes, or park it again. An array starts one of its tasks. It
 * runs from now on, but no node has been told. started: what astra_launch() is
 * to be called with. error: gets Slurm's error number when refused. Locks:
 * caller holds job and node write, conf, part and fed read. */
enum astra_start_result astra_start(const struct astra_start_order *order,
				    struct astra_started *started, int *error);

/* The same on nodes of Slurm's own choice, which may preempt others; then the
 * job is refused until these have left. */
enum astra_start_result astra_start_anywhere(job_record_t *job,
					     const struct astra_env_lease *,
					     struct astra_started *started);

/* Whether this thread is starting that job now: the gate lets the job through.
 * Locks: caller holds job write. */
bool astra_start_is_ours(const job_record_t *job);

/* Launch it, unless it has ended since.
 * Locks: caller holds job and node write, conf, part and fed read. */
void astra_launch(const struct astra_started *started);

#endif
