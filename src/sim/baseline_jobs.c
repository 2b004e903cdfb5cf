/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include <math.h>

#include "src/sim/baseline.h"

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
