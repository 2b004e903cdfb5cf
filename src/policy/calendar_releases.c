/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calendar's entries: what comes free when, for the job that looks. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policy/calendar.h"

/* When a running job's GPUs come by themselves. */
static double natural_end(const struct round *r, const struct ejob *j,
			  const struct astra_job *job)
{
	double now = r->snap->now_sec;

	if (job->suspended)
		return HUGE_VAL;
	if (job->revocable)
		return fmax(fmax(now, j->lease_end_sec),
			    j->start_sec + j->min_run_sec);
	if (job->time_limit_sec > 0)
		return fmax(now, job->start_sec + job->time_limit_sec);
	return HUGE_VAL;
}

static double rho_of(const struct round *r, uint32_t row,
		     const struct astra_job *job)
{
	return astra_ballot_candidate(r, row, job).rho;
}

static bool same_owner(const struct ejob *a, const struct ejob *b)
{
	return a->tenant == b->tenant && a->user == b->user;
}

/* Whether a lease may be cut short for the owner: one of a richer tenant, or of
 * its own, but not of a job that has had less than it. */
static bool calendar_pays(const struct calendar *c, uint32_t row,
			  const struct astra_job *job)
{
	const struct ejob *jobs = c->r->e->jobs;
	uint32_t owner = c->owner->row;

	if (!astra_turns_pays(c->turns, &jobs[row], &jobs[owner]))
		return false;
	return !same_owner(&jobs[row], &jobs[owner]) || !jobs[owner].ran ||
	       rho_of(c->r, row, job) > rho_of(c->r, owner, c->owner->job);
}

static int calendar_add(struct calendar *c, struct release x)
{
	if (astra_grow(&c->items, &c->room, c->count + 1, sizeof(x)) < 0)
		return -1;
	c->items[c->count++] = x;
	return 0;
}

/* Leases that go on; those who leave already are on their way. */
static int collect_leases(struct calendar *c)
{
	const struct round *r = c->r;

	for (size_t k = 0; k < c->turns->running_count; k++) {
		uint32_t i = c->turns->running[k], row = r->e->row_of[i];
		const struct astra_job *job = &r->snap->jobs[i];
		struct ejob *j = &r->e->jobs[row];
		double end, at;
		bool pays;

		if (j->phase != ASTRA_PHASE_LEASED)
			continue;
		pays = calendar_pays(c, row, job);
		if (!pays && !c->anybody)
			continue;
		at = end = natural_end(r, j, job);
		if (pays && !astra_lease_stays(job))
			at = fmin(at, fmax(r->snap->now_sec + 1,
					   astra_recall_from(r, j)));
		if (calendar_add(c, (struct release){
					    .at_sec = at,
					    .natural_sec = end,
					    .job = j,
					    .shares = job->held,
					    .count = job->held_count,
				    }) < 0)
			return -1;
	}
	return 0;
}

static int collect_grants(struct calendar *c)
{
	const struct round *r = c->r;

	for (size_t i = 0; i < r->e->grant_count; i++) {
		const struct grant *g = &r->e->grants[i];
		const struct ejob *j = astra_engine_find(r->e, g->job);
		double end = g->until_sec > 0 ? g->until_sec
					      : r->snap->now_sec + j->lease_sec;

		if (!c->anybody &&
		    !astra_turns_pays(c->turns, j, &r->e->jobs[c->owner->row]))
			continue;
		if (calendar_add(c, (struct release){
					    .at_sec = end,
					    .natural_sec = end,
					    .shares = g->shares,
					    .count = g->count,
				    }) < 0)
			return -1;
	}
	return 0;
}

/* Whether a hold gives way to nobody but those who were due earlier: for half a
 * term after its job is due, poorer tenants may still go first. */
static bool calendar_firm(const struct calendar *c, const struct hold *hold,
			  double due_sec)
{
	double term = c->r->e->options.lease_sec;

	return hold->anybody && c->r->snap->now_sec >= due_sec + term / 2;
}

/* Those of richer tenants give way to a next job, and those who are due later
 * to one that is due, but not in their last half term: GPUs are being collected
 * for them by then. */
bool astra_calendar_displaces(const struct calendar *c, const struct hold *hold)
{
	const struct round *r = c->r;
	const struct ejob *j = astra_engine_find(r->e, hold->job);
	const struct ejob *owner = &r->e->jobs[c->owner->row];
	double due_sec = astra_first_start_due(r->e, r->snap, j, 0);
	double late_sec = r->snap->now_sec + r->e->options.lease_sec / 2;

	if (!c->displace)
		return false;
	if (c->anybody)
		return hold->start_sec > late_sec &&
		       due_sec >
			       astra_first_start_due(
				       r->e, r->snap, owner,
				       owner->grants +
					       astra_holds_of(r->e, owner->id));
	return !calendar_firm(c, hold, due_sec) && !same_owner(j, owner) &&
	       astra_turns_pays(c->turns, j, owner);
}

double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold)
{
	return hold->start_sec +
	       astra_engine_find(c->r->e, hold->job)->lease_sec;
}

/* What others hold comes when the leases end that they are for. */
static int collect_holds(struct calendar *c)
{
	const struct astra_engine *e = c->r->e;

	for (size_t i = 0; i < e->hold_count; i++) {
		double end = astra_calendar_hold_end(c, &e->holds[i]);

		if (astra_calendar_displaces(c, &e->holds[i]))
			continue;
		if (calendar_add(c, (struct release){
					    .at_sec = end,
					    .natural_sec = end,
					    .hold = 1 + i,
				    }) < 0)
			return -1;
	}
	return 0;
}

/* A release's place in time; much smaller than what is released. */
struct moment {
	double at_sec;
	size_t order; /* as found */
};

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int calendar_sort(struct calendar *c)
{
	struct moment *moments = calloc(c->count + 1, sizeof(*moments));
	struct release *sorted = calloc(c->count + 1, sizeof(*sorted));
	int rc = moments && sorted ? 0 : -1;

	for (size_t i = 0; !rc && i < c->count; i++)
		moments[i] = (struct moment){c->items[i].at_sec, i};
	if (!rc && c->count)
		qsort(moments, c->count, sizeof(*moments), compare_moments);
	for (size_t i = 0; !rc && i < c->count; i++)
		sorted[i] = c->items[moments[i].order];
	free(moments);
	if (rc < 0) {
		free(sorted);
		return -1;
	}
	free(c->items);
	c->items = sorted;
	c->room = c->count + 1;
	return 0;
}

int astra_calendar_collect(struct calendar *c)
{
	c->count = 0;
	if (collect_leases(c) < 0 || collect_grants(c) < 0 ||
	    collect_holds(c) < 0)
		return -1;
	return calendar_sort(c);
}
