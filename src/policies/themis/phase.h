/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a phase of jobs side by side takes on so many GPUs. (SPEC section 2,
 * T_phase) */
#ifndef ASTRA_THEMIS_PHASE_H
#define ASTRA_THEMIS_PHASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/policies/themis/spread.h"

/* The least makespan of jobs on `gpus` identical GPUs, one job at a time on
 * each. Exact for some 20 jobs whatever their work; with more, branch and bound
 * gives up after a fixed number of steps, a few milliseconds, unless it is done
 * by then. What it has found is at most what "longest job first" gives, which
 * is at most 4/3 of the least.
 *
 * work: count numbers >= 0, in descending order.
 * gpus: >= 1.
 * load: scratch of `gpus` numbers.
 */
double astra_themis_makespan(const double *work, size_t count, uint32_t gpus,
			     double *load);

/* Some jobs that run side by side; the next phase waits for all of them. */
struct astra_themis_phase {
	const double *work_sec; /* GPU-seconds left of each job, >= 0 */
	uint32_t job_count;
	uint32_t job_gpus_max; /* d: more are of no use to one job; >= 1 */
	uint32_t job_gpus_min; /* fewer are of no use to one job; 0: 1 */
	double more_sec; /* fluid: GPU-seconds of more jobs, each of which is no
			  * longer than the longest of those */
	uint32_t more_jobs;
};

/* The jobs of a phase with the app's S, for astra_themis_pace_on(). */
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

/* Add T_phase in seconds on k GPUs to seconds[k - from], for k from..to.
 * Fluid: max(sum w / k, max w_j / min(k, d)), as if GPUs could be divided.
 * Rigid: the least makespan of whole-GPU bundles, one after the other where
 * there are fewer GPUs than jobs (astra_themis_makespan() says how exact).
 * Either falls, or stays, as k grows.
 * from: >= 1, at most `to`.
 * paces: what k GPUs are worth, paces[k - from]: in fluid phases instead of k
 *   and min(k, d); rigid ones last longer by k / paces[k - from].gpus, where k
 *   counts up to d a job. NULL: GPUs next to each other, S = 1.
 * Returns 0, or -1 when out of memory. */
int astra_themis_phase_add(const struct astra_themis_phase *phase, bool rigid,
			   uint32_t from, uint32_t to,
			   const struct astra_themis_pace *paces,
			   double *seconds);

/* By how much the jobs of a phase are slowed, on average, on k GPUs at a pace;
 * k counts up to d a job. Infinite where they are of no use. */
double astra_themis_mean_slowdown(const struct astra_themis_phase *phase,
				  uint32_t k,
				  const struct astra_themis_pace *pace);

/* The median of count > 0 numbers, which it sorts: the iteration time of a job
 * of a later phase that is not chosen yet, from those of the present ones. */
double astra_themis_median(double *values, size_t count);

#endif
