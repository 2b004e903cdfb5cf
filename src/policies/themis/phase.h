/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a phase of parallel jobs takes on a number of GPUs. (SPEC section 2,
 * T_phase) */
#ifndef ASTRA_THEMIS_PHASE_H
#define ASTRA_THEMIS_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/policies/themis/spread.h"

/* Returns the least makespan of jobs on `gpus` identical GPUs, one job at a
 * time on each. Exact for some 20 jobs whatever their work. For more, branch
 * and bound stops after a fixed number of steps, a few milliseconds. Its result
 * is at most that of "longest job first", which is at most 4/3 of the least.
 *
 * work: `count` numbers >= 0, in descending order. gpus: >= 1. load: scratch of
 * `gpus` numbers. */
double astra_themis_makespan(const double *work, size_t count, uint32_t gpus,
			     double *load);

/* Jobs that run in parallel. The next phase begins when all of them are
 * done. */
struct astra_themis_phase {
	const double *work_sec; /* GPU-seconds left of each job, >= 0 */
	uint32_t job_count;
	uint32_t job_gpus_max; /* d: one job cannot use more GPUs; >= 1 */
	uint32_t job_gpus_min; /* one job cannot use fewer GPUs; 0: 1 */
	double more_sec; /* fluid: GPU-seconds of more_jobs further jobs, none
			  * longer than the longest in work_sec */
	uint32_t more_jobs;
};

/* Returns the jobs of a phase with the app's S, for astra_themis_pace_on(). */
static inline struct astra_themis_crew
astra_themis_crew(const struct astra_themis_phase *phase,
		  const double *slowdown)
{
	uint64_t jobs = (uint64_t)phase->job_count + phase->more_jobs;

	return (struct astra_themis_crew){
		.jobs = jobs < UINT32_MAX ? (uint32_t)jobs : UINT32_MAX,
		.gpus_min = phase->job_gpus_min ? phase->job_gpus_min : 1,
		.gpus_max = phase->job_gpus_max,
		.slowdown = slowdown,
	};
}

/* Adds T_phase in seconds on k GPUs to seconds[k - from], for k from..to.
 *
 * Fluid: max(sum w / k, max w_j / min(k, d)), as if GPUs were divisible. Rigid:
 * the least makespan of bundles of whole GPUs. If there are fewer GPUs than
 * jobs, jobs run one after the other (astra_themis_makespan() says how exact).
 * Neither grows with k.
 *
 * from: >= 1, at most `to`. paces: what k GPUs are worth, paces[k - from]. In
 * fluid phases a pace replaces k and min(k, d). Rigid phases last longer by k /
 * paces[k - from].gpus, where k counts up to d a job. NULL: adjacent GPUs, S =
 * 1. Returns 0, or -1 when out of memory. */
int astra_themis_phase_add(const struct astra_themis_phase *phase, bool rigid,
			   uint32_t from, uint32_t to,
			   const struct astra_themis_pace *paces,
			   double *seconds);

/* Returns the mean factor by which the jobs of a phase are slowed on k GPUs at
 * a pace; k counts up to d a job. Returns infinity if the GPUs are of no
 * use. */
double astra_themis_mean_slowdown(const struct astra_themis_phase *phase,
				  uint32_t k,
				  const struct astra_themis_pace *pace);

/* Returns the median of count > 0 numbers, and sorts them. The median is
 * assumed as iteration time of a job of a later phase that is not chosen
 * yet. */
double astra_themis_median(double *values, size_t count);

#endif
