/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The risk-reward heuristic, FirstReward of Irwin, Grit and Chase: of the jobs
 * that wait, the one with the largest
 *   (alpha PV - (1 - alpha) cost) / RPT
 * is next, where RPT is its remaining time, PV its value if it started now,
 * discounted, and cost what the others lose by waiting for it. A job is refused
 * when it comes if by the schedule as it is then its value does not make up for
 * what those behind it would lose: its slack is negative.
 *
 * There a task has one processor. Here RPT is GPU time, and a job of g GPUs
 * delays the others by g / M of its time. What a job loses is by how much its
 * utility falls in the next hour, as it is not linear. Nobody is stopped.
 */
#include <math.h>

#include "src/sim/baseline.h"

#define ALPHA .5
#define DISCOUNT_RATE .01 /* an hour */
#define HOUR_SEC 3600.0

struct outlook {
	double gpu_hours; /* RPT */
	double value, pv;
	double decay; /* in an hour */
};

/* If it starts so many hours from now. */
static struct outlook outlook_of(const struct astra_baseline_run *run,
				 uint32_t job, double start)
{
	const struct astra_job *j = &run->snapshot->jobs[job];
	const struct astra_oracle *o = &run->oracle[job];
	const struct astra_utility *u = &j->forecast.utility;
	double hours = fmax(1, o->cold_sec + o->left_sec) / HOUR_SEC;
	double end = (run->now_sec - j->submit_sec) / HOUR_SEC + start + hours;
	double value = astra_utility_value(u, end);

	return (struct outlook){
		.gpu_hours = hours * j->request.gpus,
		.value = value,
		.pv = value / (1 + DISCOUNT_RATE * (start + hours)),
		.decay = fmax(0, value - astra_utility_value(u, end + 1)),
	};
}

static double reward(const struct astra_baseline_run *run, uint32_t job)
{
	struct outlook o = outlook_of(run, job, 0);
	double others = fmax(0, run->decay - o.decay);

	return ALPHA * o.pv / o.gpu_hours -
	       (1 - ALPHA) * others / (double)run->gpus;
}

static bool baseline_rrh_waits(const struct astra_baseline_run *run,
			       uint32_t job)
{
	return run->snapshot->jobs[job].state == ASTRA_JOB_PENDING &&
	       !astra_baseline_memory(run, job)->refused;
}

/* What a job loses if it starts so many hours later. */
static double lost_by(const struct astra_baseline_run *run, uint32_t job,
		      double hours)
{
	return fmax(0, outlook_of(run, job, 0).value -
			       outlook_of(run, job, hours).value);
}

/* Hours until there are so many GPUs and those that run have left room for so
 * much work before. Returns < 0 when memory is out. */
static double hours_until(struct astra_baseline_run *run, uint32_t gpus,
			  double gpu_hours)
{
	size_t count = astra_baseline_ends(run);
	double at = 0, had = 0, free = (double)run->gpus;

	if (count == SIZE_MAX)
		return -1;
	for (size_t i = 0; i < count; i++)
		free -= run->ends[i].gpus;
	for (size_t i = 0; i < count; i++) {
		double next = (run->ends[i].at_sec - run->now_sec) / HOUR_SEC;

		if (free >= gpus && had + free * (next - at) >= gpu_hours)
			break;
		had += free * (next - at);
		at = next;
		free += run->ends[i].gpus;
	}
	return at + fmax(0, gpu_hours - had) / free;
}

/* Admit a job, unless it would cost those behind it more than it is worth.
 * Returns 0, or -1 when memory is out. */
static int baseline_rrh_judge(struct astra_baseline_run *run, uint32_t job)
{
	double mine = reward(run, job), ahead = 0, cost = 0, start;
	double delay = outlook_of(run, job, 0).gpu_hours / (double)run->gpus;

	for (uint32_t i = 0; i < run->snapshot->job_count; i++) {
		if (i == job || !baseline_rrh_waits(run, i))
			continue;
		if (reward(run, i) >= mine)
			ahead += outlook_of(run, i, 0).gpu_hours;
		else
			cost += lost_by(run, i, delay);
	}
	start = hours_until(run, run->snapshot->jobs[job].request.gpus, ahead);
	if (start < 0)
		return -1;
	astra_baseline_memory(run, job)->judged = true;
	astra_baseline_memory(run, job)->refused =
		outlook_of(run, job, start).pv < cost;
	return 0;
}

static int judge_all(struct astra_baseline_run *run)
{
	run->picked.count = 0; /* of the last round */
	run->decay = 0;
	for (uint32_t i = 0; i < run->snapshot->job_count; i++)
		if (baseline_rrh_waits(run, i))
			run->decay += outlook_of(run, i, 0).decay;
	for (uint32_t i = 0; i < run->snapshot->job_count; i++)
		if (baseline_rrh_waits(run, i) &&
		    !astra_baseline_memory(run, i)->judged &&
		    baseline_rrh_judge(run, i) < 0)
			return -1;
	return 0;
}

static struct astra_rank by_reward(const struct astra_baseline_run *run,
				   uint32_t job)
{
	return (struct astra_rank){.major = -reward(run, job)};
}

static bool admitted(const struct astra_baseline_run *run, uint32_t job)
{
	return !astra_baseline_memory(run, job)->refused;
}

const struct astra_baseline astra_baseline_rrh = {
	.scheduler =
		{
			.name = "rrh",
			.summary =
				"risk-reward: most value for the GPU time first; "
				"refuses jobs; knows durations",
			.source =
				"Irwin, Grit, Chase (HPDC'04), FirstReward with "
				"admission by slack; for gangs",
			ASTRA_BASELINE_CALLS,
		},
	.rank = by_reward,
	.allowed = admitted,
	.account = judge_all,
};
