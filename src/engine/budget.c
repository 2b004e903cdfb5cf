/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What leases that end before their time cost, and how much of that there may
 * be (MaxOverhead).
 *
 * An interruption takes c seconds of a job's GPUs: the checkpoint, and the next
 * start. One at the end of each term is the price of leases, c/term of the GPU
 * time. A job that has run t of a term since its start and leaves then pays
 *
 *   c (1 - t / term) * GPUs
 *
 * more than that. The sum of these over the last hour stays within MaxOverhead
 * of the pool's GPU time; the leases that end for the last job may exceed it. A
 * part of it is left to those who lack GPU time. A first start that would else
 * miss its bound need not heed it, and is counted. What was counted for an end
 * that does not come, as its job gave up, is given back. A lease that begins in
 * what is lent until a hold begins is not counted when that ends it.
 */
#include <math.h>
#include <string.h>

#include "src/engine/hold.h"

#define BUDGET_HOUR_SEC 3600
/* For tenants and users who lack GPU time. */
#define BUDGET_BEHIND_PART 0.25
/* So many jobs are told a minute. slurmctld started ten a second where 900
 * nodes' leases ended at once, and was as slow as its users could bear. */
#define BUDGET_JOBS_MAX 240

static void budget_follow(struct astra_engine *e)
{
	struct budget *b = &e->budget;
	uint64_t minute = (uint64_t)(e->now_sec / 60);

	if (minute == b->minute ||
	    (minute < b->minute && b->minute - minute < ASTRA_BUDGET_MINUTES))
		return; /* or the clock was set back a little */
	if (minute < b->minute || minute - b->minute >= ASTRA_BUDGET_MINUTES)
		memset(b->gpu_sec, 0, sizeof(b->gpu_sec));
	else
		for (uint64_t m = b->minute + 1; m <= minute; m++)
			b->gpu_sec[m % ASTRA_BUDGET_MINUTES] = 0;
	b->minute = minute;
	b->jobs = 0;
}

double astra_budget_spent(const struct astra_engine *e)
{
	const struct budget *b = &e->budget;
	double now = floor(e->now_sec / 60), sum = 0;

	for (uint64_t i = 0; i < ASTRA_BUDGET_MINUTES; i++)
		if ((double)b->minute - (double)i + ASTRA_BUDGET_MINUTES > now)
			sum += b->gpu_sec[(b->minute - i) %
					  ASTRA_BUDGET_MINUTES];
	return sum;
}

double astra_interruption_sec(const struct round *r, const struct ejob *j)
{
	double learned_sec = r->snap->jobs[j->index].min_run_sec;

	return learned_sec > 0 ? learned_sec : r->e->options.grace_sec;
}

static bool budget_leaves(struct round *r, double part)
{
	double most = r->e->options.overhead_max / 100 * (1 - part) *
		      BUDGET_HOUR_SEC * (double)r->usable_gpus;

	budget_follow(r->e);
	return astra_budget_spent(r->e) < most &&
	       r->e->budget.jobs < BUDGET_JOBS_MAX;
}

bool astra_budget_allows(struct round *r)
{
	return budget_leaves(r, BUDGET_BEHIND_PART);
}

bool astra_budget_allows_for(const struct turns *t, const struct ejob *next)
{
	bool behind =
		t->lack[next->tenant] > 0 ||
		(next->user != ASTRA_NONE && t->user_lack[next->user] > 0);

	return budget_leaves(t->r, behind ? 0 : BUDGET_BEHIND_PART);
}

void astra_budget_return(struct astra_engine *e, struct ejob *j)
{
	struct budget *b = &e->budget;
	double left = j->early_gpu_sec;

	if (!(left > 0))
		return;
	budget_follow(e);
	e->counters.recalled--;
	e->counters.recall_gpu_sec -= left;
	for (uint64_t i = 0; i < ASTRA_BUDGET_MINUTES && left > 0; i++) {
		double *spent =
			&b->gpu_sec[(b->minute - i) % ASTRA_BUDGET_MINUTES];
		double part = fmin(*spent, left);

		*spent -= part;
		left -= part;
	}
	j->early_gpu_sec = 0;
}

void astra_budget_return_for(struct astra_engine *e, uint32_t job)
{
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id && e->jobs[i].early_for == job &&
		    e->jobs[i].phase == ASTRA_PHASE_LEASED)
			astra_budget_return(e, &e->jobs[i]);
}

void astra_budget_spend(struct round *r, struct ejob *j, uint32_t next,
			double end_sec)
{
	struct astra_engine *e = r->e;
	double ran = (end_sec - j->start_sec) / j->lease_sec;
	double cost = fmin(fmax(1 - ran, 0), 1) * j->held_gpus *
		      astra_interruption_sec(r, j);

	astra_budget_return(e, j);
	budget_follow(e);
	j->early_gpu_sec = cost;
	j->early_for = next;
	e->budget.gpu_sec[e->budget.minute % ASTRA_BUDGET_MINUTES] += cost;
	e->budget.jobs++;
	e->counters.recalled++;
	e->counters.recall_gpu_sec += cost;
}

void astra_budget_shift(struct astra_engine *e, double by_sec)
{
	struct budget b = e->budget;

	e->budget.minute += (uint64_t)(int64_t)(by_sec / 60);
	for (uint64_t i = 0; i < ASTRA_BUDGET_MINUTES; i++)
		e->budget.gpu_sec[(e->budget.minute + i) %
				  ASTRA_BUDGET_MINUTES] =
			b.gpu_sec[(b.minute + i) % ASTRA_BUDGET_MINUTES];
}
