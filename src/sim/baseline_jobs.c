/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include <math.h>

#include "src/sim/baseline.h"

/* Shortest remaining time first, with the trace's durations as an oracle. */

static struct astra_rank
baseline_jobs_by_time(const struct astra_baseline_run *run, uint32_t job)
{
	return (struct astra_rank){.major = run->oracle[job].left_sec};
}

const struct astra_baseline astra_baseline_srtf = {
	.scheduler =
		{
			.name = "srtf",
			.summary = "shortest remaining time first, preemptive; "
				   "knows durations",
			.source =
				"Schrage 1968; Tiresias (Gu et al., NSDI'19), "
				"section 3.2, with all GPUs of a job at once",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = baseline_jobs_by_time,
};

/* Remaining service: time by GPUs. */
static struct astra_rank by_service(const struct astra_baseline_run *run,
				    uint32_t job)
{
	return (struct astra_rank){
		.major = run->oracle[job].left_sec *
			 run->snapshot->jobs[job].request.gpus,
	};
}

const struct astra_baseline astra_baseline_srsf = {
	.scheduler =
		{
			.name = "srsf",
			.summary =
				"shortest remaining service (time x GPUs) first, "
				"preemptive; knows durations",
			.source = "Tiresias (Gu et al., NSDI'19), section 3.2",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = by_service,
};

/* Optimus gives each job a worker and then GPU by GPU to the one whose
 * completion time falls most. A rigid job gains nothing from a part of its
 * GPUs, all it can gain is to finish: what is left of minimising the sum of
 * completion times is an order by estimated remaining time, once each
 * scheduling interval of 10 minutes. */
const struct astra_baseline astra_baseline_optimus = {
	.scheduler =
		{
			.name = "optimus",
			.summary =
				"shortest estimated remaining time first, each 10 "
				"minutes; knows durations",
			.source =
				"Optimus (Peng et al., EuroSys'18), section 4; for "
				"rigid jobs",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.quantum_sec = 600,
	.rank = baseline_jobs_by_time,
};

/* Largest finish-time fairness first:
 *   rho = (elapsed + remaining) / (T* N),
 * T* the time that the job takes by itself, N the time average of the number
 * of active jobs over its life. ASTRAEA, Figure 6, sets it against LTGF. */
static struct astra_rank by_finish_time(const struct astra_baseline_run *run,
					uint32_t job)
{
	const struct astra_oracle *o = &run->oracle[job];
	const struct astra_baseline_job *m = astra_baseline_memory(run, job);
	double elapsed = run->now_sec - run->snapshot->jobs[job].submit_sec;
	double n = (double)run->active;

	if (elapsed > 0 && run->contended > m->contended)
		n = (run->contended - m->contended) / elapsed;
	return (struct astra_rank){
		.major = -(elapsed + o->left_sec) / (o->job->duration_sec * n),
	};
}

const struct astra_baseline astra_baseline_ftf = {
	.scheduler =
		{
			.name = "ftf",
			.summary =
				"largest finish-time fairness first, without an "
				"auction; knows durations",
			.source =
				"Themis (Mahajan et al., NSDI'20), section 3.2; as "
				"in ASTRAEA (Ye et al., TPDS'22), Figure 6",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.rank = by_finish_time,
};
