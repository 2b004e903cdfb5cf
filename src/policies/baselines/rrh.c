/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The risk-reward heuristic, FirstReward of Irwin, Grit and Chase. The next job
 * is the waiting job with the largest
 *
 *   (alpha PV - (1 - alpha) cost) / RPT
 *
 * RPT is its remaining time, PV its discounted value if it starts now, and cost
 * what other jobs lose by waiting for it. On arrival a job is refused if its
 * slack is negative: by the schedule at that time, its value is less than what
 * the jobs behind it would lose.
 *
 * In the paper a task has one processor. Here RPT is GPU time, and a job of g
 * GPUs delays others by g / M of its time. As utilities are not linear, a job's
 * loss is the fall of its utility in the next hour. No job is stopped. A
 * refused job is held; when it is released it is judged as if it had just
 * come. */
#include <math.h>

#include "src/common/grow.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"

#define RRH_ALPHA .5
#define RRH_DISCOUNT_RATE .01 /* per hour */
#define RRH_HOUR_SEC 3600.0

/* What the policy knows of a job; computed once per round. */
struct rrh_outlook {
	struct astra_utility utility;
	double waited, hours;	 /* hours since its arrival; hours of its run */
	double gpu_hours;	 /* RPT */
	double value, pv, decay; /* value if it starts now, discounted value,
				  * loss in an hour */
	double reward;
	bool waits; /* the job waits and was not refused */
};

/* Whether a job was refused because of its slack. */
static bool rrh_refused(const struct baseline_run *run,
			const struct astra_demand *d)
{
	const struct baseline_job_book *b = baseline_job_book(run, d);

	return b->value < b->cost;
}

/* Return the value of the job if it starts in `start` hours. */
static double rrh_value(const struct rrh_outlook *o, double start)
{
	return astra_utility_value(&o->utility, o->waited + start + o->hours);
}

static double rrh_pv(const struct rrh_outlook *o, double start)
{
	return rrh_value(o, start) /
	       (1 + RRH_DISCOUNT_RATE * (start + o->hours));
}

static struct rrh_outlook rrh_outlook(const struct baseline_run *run,
				      const struct astra_demand *d)
{
	struct rrh_outlook o = {
		.utility = astra_job_utility(d->job),
		.waited = (run->offer->now_sec - d->submit_sec) / RRH_HOUR_SEC,
		.hours = fmax(1, baseline_left_sec(d)) / RRH_HOUR_SEC,
		.waits = d->job->state == ASTRA_JOB_PENDING &&
			 !rrh_refused(run, d),
	};

	o.gpu_hours = o.hours * d->job->request.gpus;
	o.value = rrh_value(&o, 0);
	o.pv = rrh_pv(&o, 0);
	o.decay =
		fmax(0, o.value - astra_utility_value(&o.utility,
						      o.waited + o.hours + 1));
	return o;
}

static double rrh_reward(const struct baseline_run *run,
			 const struct rrh_outlook *o)
{
	double others = fmax(0, run->decay - o->decay);

	return RRH_ALPHA * o->pv / o->gpu_hours -
	       (1 - RRH_ALPHA) * others / (double)run->offer->gpus;
}

/* Return the hours until `gpus` GPUs are free and running jobs have left room
 * for `gpu_hours` of other work before that. Returns < 0 when memory is out. */
static double rrh_hours_until(struct baseline_run *run, uint32_t gpus,
			      double gpu_hours)
{
	size_t count = baseline_ends(run);
	double at = 0, had = 0, free = (double)run->offer->gpus;

	if (count == SIZE_MAX)
		return -1;
	for (size_t i = 0; i < count; i++)
		free -= run->ends[i].gpus;
	for (size_t i = 0; i < count; i++) {
		double next = (run->ends[i].at_sec - run->offer->now_sec) /
			      RRH_HOUR_SEC;

		if (free >= gpus && had + free * (next - at) >= gpu_hours)
			break;
		had += free * (next - at);
		at = next;
		free += run->ends[i].gpus;
	}
	return at + fmax(0, gpu_hours - had) / fmax(1, free);
}

/* Admit a job, unless it would cost the jobs behind it more than it is worth.
 * Returns 0, or -1 when memory is out. */
static int rrh_judge(struct baseline_run *run, uint32_t demand)
{
	const struct astra_offer *offer = run->offer;
	const struct astra_demand *d = &offer->demands[demand];
	struct rrh_outlook *mine = &run->outlooks[demand];
	struct baseline_job_book *book = baseline_job_book(run, d);
	double ahead = 0, cost = 0, start;
	double delay = mine->gpu_hours / (double)offer->gpus;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct rrh_outlook *o = &run->outlooks[i];

		if (i == demand || !o->waits)
			continue;
		if (o->reward >= mine->reward)
			ahead += o->gpu_hours;
		else
			cost += fmax(0, o->value - rrh_value(o, delay));
	}
	start = rrh_hours_until(run, d->job->request.gpus, ahead);
	if (start < 0)
		return -1;
	book->value = rrh_pv(mine, start);
	book->cost = cost;
	mine->waits = !rrh_refused(run, d);
	return 0;
}

/* Compute the outlooks of all jobs. Returns 0, or -1 when memory is out. */
static int rrh_look(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	if (baseline_meet_jobs(run) < 0 ||
	    astra_grow(&run->outlooks, &run->outlook_room,
		       offer->demand_count + 1, sizeof(*run->outlooks)) < 0)
		return -1;
	run->decay = 0;
	for (size_t i = 0; i < offer->demand_count; i++) {
		run->outlooks[i] = rrh_outlook(run, &offer->demands[i]);
		if (run->outlooks[i].waits)
			run->decay += run->outlooks[i].decay;
	}
	for (size_t i = 0; i < offer->demand_count; i++)
		run->outlooks[i].reward = rrh_reward(run, &run->outlooks[i]);
	return 0;
}

/* Update the books. Running jobs count as admitted. */
static int rrh_account(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;

	if (rrh_look(run) < 0)
		return -1;
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		struct baseline_job_book *book = baseline_job_book(run, d);
		bool waits = d->job->state == ASTRA_JOB_PENDING;

		if (isnan(book->value) && !waits)
			book->value = 0;
		if (isnan(book->value) && rrh_judge(run, i) < 0)
			return -1;
		if (waits && rrh_refused(run, d) &&
		    astra_allocation_refuse(run->out, i) < 0)
			return -1;
	}
	return 0;
}

static struct astra_rank rrh_by_reward(const struct baseline_run *run,
				       const struct astra_demand *d)
{
	return (struct astra_rank){
		.major = -run->outlooks[baseline_number(run, d)].reward,
	};
}

static bool rrh_admitted(const struct baseline_run *run,
			 const struct astra_demand *d)
{
	return !rrh_refused(run, d);
}

static const struct baseline rrh = {
	.rank = rrh_by_reward,
	.allowed = rrh_admitted,
	.account = rrh_account,
};

BASELINE_CREATE(rrh, rrh)

static void rrh_explain(const void *self, const struct astra_demand *d,
			struct astra_reason *reason)
{
	const struct baseline_run *run = self;
	const struct baseline_job_book *book = baseline_job_book(run, d);

	if (!rrh_refused(run, d))
		return;
	reason->wait = ASTRA_WAIT_DENIED;
	reason->worth = book->value;
	reason->price = book->cost;
}

const struct astra_policy astra_rrh = {
	.name = "rrh",
	.summary = "risk-reward: most value for the GPU time first; refuses "
		   "jobs; knows durations",
	.source = "Irwin, Grit, Chase (HPDC'04), FirstReward with admission by "
		  "slack; for gangs",
	.create = rrh_create,
	.explain = rrh_explain,
	.endless = true,
	BASELINE_KEEPS_BOOKS,
	BASELINE_CALLS,
};
