/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calendar's entries: which GPUs come free for the owner, and when. There
 * may be thousands, and usually a few are enough. So they are listed on demand,
 * from three lists that are sorted already. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/engine/calendar.h"

static double rho_of(const struct round *r, uint32_t row,
		     const struct astra_job *job)
{
	return astra_ballot_candidate(r, row, job).rho;
}

static bool same_owner(const struct ejob *a, const struct ejob *b)
{
	return a->tenant == b->tenant && a->user == b->user;
}

/* Whether the owner may claim a lease. It may if the lease belongs to a richer
 * tenant. It also may if the lease belongs to its own tenant and the job has
 * not had less than the owner. An owed turn does not claim leases of its own
 * user, as these end for it by themselves. */
static bool calendar_pays(const struct calendar *c, uint32_t row,
			  const struct astra_job *job)
{
	const struct ejob *jobs = c->r->e->jobs;
	uint32_t owner = c->owner->row;

	if (!astra_turns_pays(c->turns, &jobs[row], &jobs[owner]))
		return false;
	if (c->claim == ASTRA_CLAIM_SHARE)
		return !same_owner(&jobs[row], &jobs[owner]) &&
		       astra_share_passes(c->turns, &jobs[row], &jobs[owner]);
	return !same_owner(&jobs[row], &jobs[owner]) || !jobs[owner].ran ||
	       rho_of(c->r, row, job) > rho_of(c->r, owner, c->owner->job);
}

/* Whether the lease cannot be claimed because its tenant is no richer than the
 * owner's. For many leases this is enough to know. */
static bool calendar_is_poorer(const struct calendar *c,
			       const struct running *v)
{
	uint32_t own = c->owner->tenant;

	return v->tenant != own &&
	       c->turns->key[v->tenant] <= c->turns->key[own];
}

/* Return when a lease may end early for the owner; infinite: never. Under a
 * policy that allocates, a lease ends early only to keep a bound, or after a
 * term if it spans several slots. */
static double calendar_recall_sec(const struct calendar *c,
				  const struct running *v, bool pays)
{
	const struct ejob *j = &c->r->e->jobs[v->row];

	if (c->displace == ASTRA_DISPLACE_ALL)
		return v->recall_sec;
	if (c->r->e->policy->slots)
		return fmax(v->recall_sec, j->lease_start_sec + j->lease_sec);
	if (c->r->e->policy->allocate)
		return HUGE_VAL;
	if (!pays || !c->recalls || c->claim == ASTRA_CLAIM_SHARE ||
	    !astra_share_recalls(c->turns, j, &c->r->e->jobs[c->owner->row]))
		return HUGE_VAL;
	return v->recall_sec;
}

/* Fill in the release of the running job `order`. The job may have been told to
 * leave since it was listed. Returns whether the owner may have its GPUs.
 * *recall_sec: infinite if a recall does not free the GPUs earlier. */
static bool lease_release(const struct calendar *c, size_t order,
			  struct release *x, double *recall_sec)
{
	const struct round *r = c->r;
	const struct running *v = &c->turns->running[order];
	const struct astra_job *job = &r->snap->jobs[v->index];
	struct ejob *j = &r->e->jobs[v->row];
	bool pays;

	if ((!c->anybody && calendar_is_poorer(c, v)) ||
	    j->phase != ASTRA_PHASE_LEASED ||
	    !astra_job_may_take(r->snap, c->owner->job, job))
		return false;
	pays = calendar_pays(c, v->row, job);
	if (!pays && !c->anybody)
		return false;
	*x = (struct release){
		.order = order,
		.natural_sec = v->natural_sec,
		.job = j,
		.shares = job->held,
		.count = job->held_count,
	};
	x->at_sec = x->natural_sec;
	*recall_sec = calendar_recall_sec(c, v, pays);
	if (*recall_sec >= x->natural_sec)
		*recall_sec = HUGE_VAL;
	return true;
}

/* Find the next lease that ends by itself. */
static void next_end(struct calendar *c)
{
	const struct turns *t = c->turns;
	double recall_sec;

	for (c->end_known = false; !c->end_known && c->end_at < t->end_count;)
		c->end_known = lease_release(c, t->ends[c->end_at++].order,
					     &c->end, &recall_sec) &&
			       isinf(recall_sec);
}

/* Find the next lease that may be recalled at once. */
static void next_recall(struct calendar *c)
{
	const struct turns *t = c->turns;
	double soon = c->r->snap->now_sec + 1, recall_sec;

	c->recall_known = false;
	for (; !c->recall_known && c->recall_at < t->running_count;
	     c->recall_at++) {
		const struct running *v = &t->running[c->recall_at];

		if (v->recall_sec == soon && v->natural_sec > soon)
			c->recall_known =
				lease_release(c, c->recall_at, &c->recall,
					      &recall_sec) &&
				recall_sec == soon;
	}
	c->recall.at_sec = soon;
}

/* The third list: all other releases. */

static int calendar_add(struct calendar *c, struct release x)
{
	if (astra_grow(&c->others, &c->others_room, c->others_count + 1,
		       sizeof(x)) < 0)
		return -1;
	c->others[c->others_count++] = x;
	return 0;
}

static int collect_recent(struct calendar *c)
{
	double soon = c->r->snap->now_sec + 1, recall_sec;
	struct release x;

	for (size_t k = 0; k < c->turns->recent_count; k++) {
		if (!lease_release(c, c->turns->recent[k], &x, &recall_sec) ||
		    isinf(recall_sec) || recall_sec <= soon)
			continue;
		x.at_sec = recall_sec;
		if (calendar_add(c, x) < 0)
			return -1;
	}
	return 0;
}

/* Whether the owner may claim a lease that is about to begin. */
static bool calendar_grant_pays(const struct calendar *c, const struct ejob *j)
{
	const struct ejob *owner = &c->r->e->jobs[c->owner->row];

	return astra_turns_pays(c->turns, j, owner) &&
	       (c->claim != ASTRA_CLAIM_SHARE || !same_owner(j, owner));
}

static int collect_grants(struct calendar *c)
{
	const struct round *r = c->r;

	for (size_t i = 0; i < r->e->grant_count; i++) {
		const struct grant *g = &r->e->grants[i];
		const struct ejob *j = astra_engine_find(r->e, g->job);
		double end = g->until_sec > 0
				     ? g->until_sec
				     : astra_first_end(
					       r, j, &r->snap->jobs[j->index]);

		if ((!c->anybody && !calendar_grant_pays(c, j)) ||
		    !astra_job_may_take(r->snap, c->owner->job,
					&r->snap->jobs[j->index]))
			continue;
		if (calendar_add(c,
				 (struct release){
					 .at_sec = end,
					 .order = c->turns->running_count + i,
					 .natural_sec = end,
					 .shares = g->shares,
					 .count = g->count,
				 }) < 0)
			return -1;
	}
	return 0;
}

/* Return when the task that a hold is for is due. The job's first hold is for
 * its first task. */
static double calendar_hold_due(const struct calendar *c,
				const struct hold *hold)
{
	struct astra_engine *e = c->r->e;
	const struct ejob *j = astra_engine_find(e, hold->job);
	size_t before = 0;

	if (j->copies > 1) {
		before = j->grants;
		for (const struct hold *h = e->holds; h < hold; h++)
			before += h->job == hold->job;
	}
	return astra_first_start_due(e, c->r->snap, j, before);
}

/* Whether only jobs that were due earlier may displace a hold. For half a term
 * after the hold's job is due, poorer tenants may still go first, if a start a
 * term later keeps the job's bound. */
static bool calendar_firm(const struct calendar *c, const struct hold *hold,
			  double due_sec)
{
	double term = c->r->e->options.lease_sec;

	return hold->anybody && (c->r->snap->now_sec >= due_sec + term / 2 ||
				 hold->start_sec > due_sec + term);
}

/* Whether an owner that is due displaces the hold. It does if the hold's job is
 * due later and the hold begins in more than half a term. For a hold that
 * begins sooner, GPUs are already being collected. */
static bool calendar_due_first(const struct calendar *c,
			       const struct hold *hold, double due_sec)
{
	const struct round *r = c->r;
	const struct ejob *owner = &r->e->jobs[c->owner->row];
	double late_sec = r->snap->now_sec + r->e->options.lease_sec / 2;

	if (isinf(due_sec) && c->displace < ASTRA_DISPLACE_RAN)
		return false;
	if (hold->start_sec <= late_sec && c->displace < ASTRA_DISPLACE_ALL)
		return false;
	return due_sec >
	       astra_first_start_due(r->e, r->snap, owner,
				     owner->grants +
					     astra_holds_of(r->e, owner->id));
}

/* Whether the owner displaces a hold. Holds of richer tenants give way to the
 * next job of a poorer one. */
bool astra_calendar_displaces(const struct calendar *c, const struct hold *hold)
{
	const struct round *r = c->r;
	const struct ejob *j = astra_engine_find(r->e, hold->job);
	const struct ejob *owner = &r->e->jobs[c->owner->row];
	double due_sec;

	if (c->displace == ASTRA_DISPLACE_NONE ||
	    !astra_job_may_take(r->snap, c->owner->job,
				&r->snap->jobs[j->index]))
		return false;
	due_sec = calendar_hold_due(c, hold);
	if (c->claim == ASTRA_CLAIM_DUE)
		return calendar_due_first(c, hold, due_sec);
	return !calendar_firm(c, hold, due_sec) && !same_owner(j, owner) &&
	       astra_turns_pays(c->turns, j, owner);
}

double astra_calendar_stay_sec(const struct calendar *c, const struct ejob *j,
			       double lease_sec)
{
	const struct astra_job *job = &c->r->snap->jobs[j->index];

	return astra_will_keep(c->r->e, job)
		       ? astra_first_end(c->r, j, job) - c->r->snap->now_sec
		       : lease_sec;
}

double astra_calendar_hold_end(const struct calendar *c,
			       const struct hold *hold)
{
	const struct ejob *j = astra_engine_find(c->r->e, hold->job);

	return hold->start_sec +
	       astra_calendar_stay_sec(c, j, astra_hold_term(c->r->e, j));
}

/* Add the GPUs of other jobs' holds. They come free when the leases that they
 * are held for end. Returns 0, or -1 when memory is out. */
static int collect_holds(struct calendar *c)
{
	const struct astra_engine *e = c->r->e;

	for (size_t i = 0; i < e->hold_count; i++) {
		double end = astra_calendar_hold_end(c, &e->holds[i]);
		const struct ejob *j =
			astra_engine_find(c->r->e, e->holds[i].job);

		if (astra_calendar_displaces(c, &e->holds[i]))
			continue;
		if (!astra_job_may_take(c->r->snap, c->owner->job,
					&c->r->snap->jobs[j->index]))
			end = HUGE_VAL;
		if (calendar_add(c, (struct release){
					    .at_sec = end,
					    .order = c->turns->running_count +
						     e->grant_count + i,
					    .natural_sec = end,
					    .hold = 1 + i,
				    }) < 0)
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

int astra_calendar_collect(struct calendar *c)
{
	c->count = c->others_count = c->others_at = 0;
	c->end_at = 0;
	if (astra_lease_ends(c->turns) < 0 || collect_recent(c) < 0 ||
	    collect_grants(c) < 0 || collect_holds(c) < 0)
		return -1;
	c->recall_at = c->r->e->options.recall_sec > 0 || c->r->e->policy->slots
			       ? 0
			       : c->turns->running_count;
	if (c->others_count)
		qsort(c->others, c->others_count, sizeof(*c->others),
		      compare_releases);
	next_end(c);
	next_recall(c);
	return 0;
}

/* Take the earliest release of the three lists. Returns whether there is
 * one. */
static bool take_first(struct calendar *c, struct release *x)
{
	struct release *other = c->others_at < c->others_count
					? &c->others[c->others_at]
					: NULL;
	bool recall =
		c->recall_known &&
		(!c->end_known || compare_releases(&c->recall, &c->end) < 0);
	struct release *lease = recall	       ? &c->recall
				: c->end_known ? &c->end
					       : NULL;

	if (!lease && !other)
		return false;
	if (other && (!lease || compare_releases(other, lease) < 0)) {
		other->place = c->count;
		*x = *other;
		c->others_at++;
		return true;
	}
	*x = *lease;
	if (recall)
		next_recall(c);
	else
		next_end(c);
	return true;
}

int astra_calendar_list(struct calendar *c, size_t count)
{
	struct release x;

	while (c->count < count && take_first(c, &x)) {
		if (astra_grow(&c->items, &c->room, c->count + 1, sizeof(x)) <
		    0)
			return -1;
		c->items[c->count++] = x;
	}
	return 0;
}
