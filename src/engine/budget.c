/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What leases that end early cost, and the limit on that cost (MaxOverhead).
 *
 * An interruption takes c seconds of a job's GPUs: the checkpoint and the next
 * start. Interruptions at the end of each term are the price of leases: c/term
 * of the GPU time. A job that leaves when it has run t of a term since its
 * start costs
 *
 *   c (1 - t / term) * GPUs
 *
 * more than that. The sum of these costs over the last hour stays within
 * MaxOverhead of the pool's GPU time; only the leases that end for the last job
 * may exceed it. A part of it is reserved for tenants and users that lack GPU
 * time. A first start that would otherwise miss its bound is not limited, but
 * is counted. If a job gives up, leases need not end early for it, and their
 * cost is given back. A loan, which ends when a hold begins, is not limited
 * either. Its end uses up what others may spend, but not the reserved part.
 *
 * Once 240 jobs have been told to leave early in a minute, no lease ends early
 * until the next minute, since slurmctld and the nodes' daemons have to start
 * as many jobs again. One gang may exceed that: its leases end together. If the
 * budget is used up, holds are planned on the natural ends of leases. */
#include <math.h>
#include <string.h>

#include "src/engine/hold.h"

#define BUDGET_HOUR_SEC 3600
/* The part of the budget that is reserved for tenants and users who lack GPU
 * time. */
#define BUDGET_BEHIND_PART 0.25
/* How many jobs may be told to leave in a minute. When the leases of 900 nodes
 * ended at once, slurmctld started ten jobs a second, and was as slow as its
 * users could bear. */
#define BUDGET_JOBS_MAX 240

static void budget_follow(struct astra_engine *e)
{
	struct budget *b = &e->budget;
	uint64_t minute = (uint64_t)(e->now_sec / 60);

	if (minute == b->minute ||
	    (minute < b->minute && b->minute - minute < ASTRA_BUDGET_MINUTES))
		return; /* the same minute, or the clock went back a little */
	if (minute < b->minute || minute - b->minute >= ASTRA_BUDGET_MINUTES)
		memset(b->gpu_sec, 0, sizeof(b->gpu_sec));
	else
		for (uint64_t m = b->minute + 1; m <= minute; m++)
			b->gpu_sec[m % ASTRA_BUDGET_MINUTES] = 0;
	b->minute = minute;
	b->jobs = 0;
}

static double *budget_minute(struct astra_engine *e)
{
	return &e->budget.gpu_sec[e->budget.minute % ASTRA_BUDGET_MINUTES];
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

static void budget_less(struct astra_engine *e, struct ejob *j, double left)
{
	struct budget *b = &e->budget;

	budget_follow(e);
	e->counters.recall_gpu_sec -= left;
	j->early_gpu_sec -= left;
	for (uint64_t i = 0; i < ASTRA_BUDGET_MINUTES && left > 0; i++) {
		double *spent =
			&b->gpu_sec[(b->minute - i) % ASTRA_BUDGET_MINUTES];
		double part = fmin(*spent, left);

		*spent -= part;
		left -= part;
	}
}

void astra_budget_return(struct astra_engine *e, struct ejob *j)
{
	if (!(j->early_gpu_sec > 0))
		return;
	e->counters.recalled--;
	budget_less(e, j, j->early_gpu_sec);
	j->early_gpu_sec = 0;
}

/* Whether a hold other than `but` is on a node of the job. */
static bool budget_is_held(const struct astra_engine *e, const struct hold *but,
			   const struct astra_job *job)
{
	for (size_t i = 0; i < e->hold_count; i++) {
		const struct hold *h = &e->holds[i];

		for (size_t k = 0; h != but && k < h->count; k++)
			for (size_t m = 0; m < job->held_count; m++)
				if (h->shares[k].node == job->held[m].node)
					return true;
	}
	return false;
}

void astra_budget_return_for(struct round *r, const struct hold *lost)
{
	struct astra_engine *e = r->e;

	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		struct ejob *j = &e->jobs[e->row_of[i]];
		double end = j->lease_start_sec + j->lease_sec;

		if (j->early_for != lost->job || !(j->early_gpu_sec > 0) ||
		    j->phase != ASTRA_PHASE_LEASED ||
		    j->lease_end_sec <= r->snap->now_sec ||
		    budget_is_held(e, lost, &r->snap->jobs[i]))
			continue;
		astra_budget_return(e, j);
		astra_lease_set_end(e, j,
				    astra_lease_cut(&r->snap->jobs[i],
						    astra_caps_end(e, j, end)));
		j->lent = false;
		r->plan->changed = true;
	}
}

static double budget_cost(const struct round *r, const struct ejob *j,
			  double end_sec)
{
	double ran = (end_sec - j->start_sec) / j->lease_sec;

	return fmin(fmax(1 - ran, 0), 1) * j->held_gpus *
	       astra_interruption_sec(r, j);
}

void astra_budget_spend(struct round *r, struct ejob *j, uint32_t next,
			double end_sec)
{
	struct astra_engine *e = r->e;
	double cost = budget_cost(r, j, end_sec);

	astra_budget_return(e, j);
	budget_follow(e);
	j->early_gpu_sec = cost;
	j->early_for = next;
	*budget_minute(e) += cost;
	e->budget.jobs++;
	e->counters.recalled++;
	e->counters.recall_gpu_sec += cost;
}

/* Count the cost of a loan that ends before a term is over. */
static void budget_spend_loan(struct round *r, struct ejob *j, uint32_t next)
{
	bool room = astra_budget_allows(r);

	astra_budget_spend(r, j, next, r->snap->now_sec);
	if (!room) {
		*budget_minute(r->e) -= j->early_gpu_sec;
		j->early_gpu_sec = 0;
	}
}

void astra_budget_leave(struct round *r, struct ejob *j, uint32_t next)
{
	double now = r->snap->now_sec;

	if (j->early_gpu_sec > 0)
		budget_less(r->e, j,
			    fmax(j->early_gpu_sec - budget_cost(r, j, now), 0));
	else if (j->lent && now < j->start_sec + j->lease_sec)
		budget_spend_loan(r, j, next);
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
