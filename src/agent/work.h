/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What remains of an app as phases, and rho of it. Pure. */
#ifndef AGENT_WORK_H
#define AGENT_WORK_H

#include "src/agent/bid.h"
#include "src/agent/memory.h"
#include "src/policies/themis/phase.h"

/* Phases under construction: the GPU-seconds of their jobs. */
struct agent_work {
	struct astra_themis_phase *phases;
	size_t count, room;
	double *work_sec; /* of all phases, one after the other */
	size_t used, work_room;
	uint32_t job_gpus_max; /* d */
	double left_sec;       /* GPU-seconds of them all */
	bool failed;	       /* memory was out */
};

void agent_work_init(struct agent_work *work, const struct agent_offer *offer);

/* Begin the next phase; add jobs to it, each with so many GPU-seconds. */
void agent_work_phase(struct agent_work *work);
void agent_work_add(struct agent_work *work, double gpu_sec, uint32_t copies);

void agent_work_destroy(struct agent_work *work);

/* The bid's table by Eq. 2 (Mahajan et al.), fluid: T_sh = elapsed + S * sum of
 * T_phase, T_id = N_avg * (spent and left) / most GPUs. One job of one phase is
 * Eq. 1. Returns 0, or -1 with err set. */
int agent_work_bid(struct agent_work *work, const struct agent_memory *memory,
		   const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err);

/* The same from the plugin's estimates: of an app that told nothing yet. An
 * offer without them leaves the bid without a table. */
int agent_left_bid(const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err);

/* GPU-seconds of an iteration: what the job said, else the median of those of
 * the jobs that did, else 0. */
double agent_job_gpu_sec(const struct agent_memory *memory,
			 const struct agent_job *job, double median_sec);

/* The longest of what jobs said of all their work, in iterations; 0: none. */
double agent_longest_total(const struct agent_offer *offer);

/* That median; 0: no job did. Returns -1 when out of memory. */
double agent_median_gpu_sec(const struct agent_memory *memory,
			    const struct agent_offer *offer);

#endif
