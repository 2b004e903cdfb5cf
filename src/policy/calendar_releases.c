/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calendar's entries: what comes free when, for the job that looks. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policy/calendar.h"

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

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

/* sort: it is not behind all that were added without. */
static int calendar_add(struct calendar *c, struct release x, bool sort)
{
	struct release **list = sort ? &c->early : &c->items;
	size_t *count = sort ? &c->early_count : &c->count;

	if (astra_grow(list, sort ? &c->early_room : &c->room, *count + 1,
		       sizeof(x)) < 0)
		return -1;
	(*list)[(*count)++] = x;
	return 0;
}

/* The leases that go on. */
static int find_ends(struct turns *t)
{
	const struct round *r = t->r;

	t->ends = calloc(t->running_count + 1, sizeof(*t->ends));
	if (!t->ends)
		return -1;
	for (size_t k = 0; k < t->running_count; k++)
		if (r->e->jobs[r->e->row_of[t->running[k]]].phase ==
		    ASTRA_PHASE_LEASED)
			t->ends[t->end_count++].order = k;
	return 0;
}

/* By the time that they end by themselves. A hold cuts a few: what was sorted
 * before nearly is. */
static void sort_ends(struct turns *t)
{
	const struct round *r = t->r;
	bool first = !t->ends_known;

	for (size_t k = 0; k < t->end_count; k++) {
		uint32_t i = t->running[t->ends[k].order];
		struct moment x = {
			natural_end(r, &r->e->jobs[r->e->row_of[i]],
				    &r->snap->jobs[i]),
			t->ends[k].order,
		};
		size_t at = k;

		for (;
		     !first && at && compare_moments(&t->ends[at - 1], &x) > 0;
		     at--)
			t->ends[at] = t->ends[at - 1];
		t->ends[at] = x;
	}
	if (first && t->end_count)
		qsort(t->ends, t->end_count, sizeof(*t->ends), compare_moments);
	t->ends_known = true;
}

/* One that may be cut for the owner comes earlier: it is for sorting. */
static int collect_lease(struct calendar *c, const struct moment *end)
{
	const struct round *r = c->r;
	uint32_t i = c->turns->running[end->order], row = r->e->row_of[i];
	const struct astra_job *job = &r->snap->jobs[i];
	struct release x = {
		.at_sec = end->at_sec,
		.order = end->order,
		.natural_sec = end->at_sec,
		.job = &r->e->jobs[row],
		.shares = job->held,
		.count = job->held_count,
	};
	bool pays = calendar_pays(c, row, job);

	/* It may have been told to leave since. */
	if (x.job->phase != ASTRA_PHASE_LEASED || (!pays && !c->anybody))
		return 0;
	if (pays && !astra_lease_stays(job))
		x.at_sec = fmin(x.at_sec, fmax(r->snap->now_sec + 1,
					       astra_recall_from(r, x.job)));
	return calendar_add(c, x, x.at_sec < end->at_sec);
}

static int collect_leases(struct calendar *c)
{
	if (!c->turns->ends && find_ends(c->turns) < 0)
		return -1;
	sort_ends(c->turns);
	for (size_t k = 0; k < c->turns->end_count; k++)
		if (collect_lease(c, &c->turns->ends[k]) < 0)
			return -1;
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
		if (calendar_add(c,
				 (struct release){
					 .at_sec = end,
					 .order = c->turns->running_count + i,
					 .natural_sec = end,
					 .shares = g->shares,
					 .count = g->count,
				 },
				 true) < 0)
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
		if (calendar_add(c,
				 (struct release){
					 .at_sec = end,
					 .order = c->turns->running_count +
						  e->grant_count + i,
					 .natural_sec = end,
					 .hold = 1 + i,
				 },
				 true) < 0)
			return -1;
	}
	return 0;
}

static int compare_releases(const void *a, const void *b)
{
	const struct release *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* From behind, in place. */
static int merge_early(struct calendar *c)
{
	size_t i = c->count, k = c->early_count, at = i + k;

	if (astra_grow(&c->items, &c->room, at + 1, sizeof(*c->items)) < 0)
		return -1;
	if (k)
		qsort(c->early, k, sizeof(*c->early), compare_releases);
	c->count = at;
	while (k)
		if (i &&
		    compare_releases(&c->items[i - 1], &c->early[k - 1]) > 0)
			c->items[--at] = c->items[--i];
		else
			c->items[--at] = c->early[--k];
	return 0;
}

int astra_calendar_collect(struct calendar *c)
{
	int rc;

	c->count = c->early_count = 0;
	rc = collect_leases(c) < 0 || collect_grants(c) < 0 ||
			     collect_holds(c) < 0 || merge_early(c) < 0
		     ? -1
		     : 0;
	free(c->early);
	c->early = NULL;
	c->early_room = 0;
	return rc;
}
