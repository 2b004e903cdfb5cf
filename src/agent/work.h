/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The remaining work of an app, as phases, and the app's rho. Pure. */
#ifndef AGENT_WORK_H
#define AGENT_WORK_H

#include "src/agent/bid.h"
#include "src/agent/memory.h"
#include "src/policies/themis/phase.h"

/* Phases under construction, with the GPU-seconds of their jobs. */
struct agent_work {
	struct astra_themis_phase *phases;
	size_t count, room;
	double *work_sec; /* GPU-seconds of each job, phase after phase */
	size_t used, work_room;
	uint32_t job_gpus_max; /* d */
	double left_sec;       /* GPU-seconds of all jobs */
	bool failed;	       /* out of memory */
};

void agent_work_init(struct agent_work *work, const struct agent_offer *offer);

/* Begin the next phase, and add jobs to it with gpu_sec of work each. */
void agent_work_phase(struct agent_work *work);
void agent_work_add(struct agent_work *work, double gpu_sec, uint32_t copies);

void agent_work_destroy(struct agent_work *work);

/* Fills the bid's table by Eq. 2 (Mahajan et al.), fluid: T_sh = elapsed + S *
 * sum of T_phase, T_id = N_avg * (spent and left) / most GPUs. With one phase
 * of one job this is Eq. 1. Returns 0, or -1 with err set. */
int agent_work_bid(struct agent_work *work, const struct agent_memory *memory,
		   const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err);

/* Fills the bid's table from the plugin's estimates, for an app whose jobs
 * report nothing. If the offer has no estimates, the bid gets no table. Returns
 * 0, or -1 with err set. */
int agent_left_bid(const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err);

/* Returns the GPU-seconds of an iteration of the job; median_sec if they are
 * not known. */
double agent_job_gpu_sec(const struct agent_memory *memory,
			 const struct agent_job *job, double median_sec);

/* Returns the largest total of all jobs, in iterations; 0 if none is known. */
double agent_longest_total(const struct agent_offer *offer);

/* Returns the median, over the jobs, of the GPU-seconds of an iteration; 0 if
 * none is known, -1 when out of memory. */
double agent_median_gpu_sec(const struct agent_memory *memory,
			    const struct agent_offer *offer);

#endif
