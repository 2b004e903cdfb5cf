/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose leases may end for a job.
 *
 * No lease ends for a job that the lease's holder could preempt. The host would
 * end the job for the holder at once, and both would lose their work, again and
 * again.
 *
 * A job that a limit leaves no room (an account's GrpTRES, a licence) starts
 * only when jobs that use the same limit end. So leases of such jobs end for it
 * first. For each limit that lacks room, one such lease is chosen: the one that
 * uses the least of those that use enough, or else the one that uses most. Then
 * the job is placed like any other job, and the GPUs of these leases count as
 * free.
 *
 * Example. A limit of 4 is used by jobs of 1, 1 and 2; a job that uses 2 lacks
 * 2. If all leases have expired, the lease of 2 ends. If only the leases of 1
 * have expired, both end; if only one of them has, none ends.
 *
 * None of these leases ends for a job of the same user. It would help no other
 * user, and jobs that could run to their end would take turns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/hold.h"

void astra_rights_count(int64_t *room, const struct astra_job *job, int sign)
{
	for (size_t i = 0; i < job->use_count; i++)
		room[job->uses[i].limit] += sign * (int64_t)job->uses[i].amount;
}

int64_t *astra_rights_now(const struct round *r)
{
	const struct astra_snapshot *snap = r->snap;
	int64_t *room = malloc((snap->limit_count + 1) * sizeof(*room));

	for (size_t i = 0; room && i < snap->limit_count; i++)
		room[i] = (int64_t)snap->limits[i].most -
			  (int64_t)snap->limits[i].used;
	return room;
}

int64_t *astra_rights_coming(const struct round *r)
{
	const struct astra_job *jobs = r->snap->jobs;
	int64_t *room = astra_rights_now(r);

	if (!room)
		return NULL;
	ASTRA_ROSTER_EACH(i, &r->e->roster.leaving)
	{
		if (jobs[i].state == ASTRA_JOB_RUNNING)
			astra_rights_count(room, &jobs[i], 1);
	}
	return room;
}

int64_t *astra_rights_room(const struct round *r)
{
	const struct astra_engine *e = r->e;
	int64_t *room = astra_rights_coming(r);

	for (size_t i = 0; room && i < e->grant_count; i++) {
		const struct ejob *j =
			astra_engine_find(r->e, e->grants[i].job);

		if (j && astra_ejob_listed(j, r->snap))
			astra_rights_count(room, &r->snap->jobs[j->index], -1);
	}
	return room;
}

bool astra_rights_lack(const int64_t *room, const struct astra_job *job)
{
	for (size_t i = 0; room && i < job->use_count; i++)
		if (room[job->uses[i].limit] < (int64_t)job->uses[i].amount)
			return true;
	return false;
}

int astra_rights_init(struct reclaim *rc)
{
	const struct round *r = rc->r;

	for (size_t i = 0; r->snap->preempts && i < rc->loser_count; i++)
		rc->preempts |= astra_job_preempts(
			r->snap, r->contenders[rc->losers[i]].job);
	if (!r->snap->limit_count)
		return 0;
	rc->room = astra_rights_room(r);
	rc->released = calloc(rc->loser_count + 1, sizeof(*rc->released));
	return rc->room && rc->released ? 0 : -1;
}

void astra_rights_fini(struct reclaim *rc)
{
	free(rc->room);
	free(rc->released);
}

void astra_rights_follow(struct reclaim *to, const struct reclaim *from)
{
	if (to->room && from->room)
		memcpy(to->room, from->room,
		       from->r->snap->limit_count * sizeof(*to->room));
}

/* Demand of jobs without room. */

#define RIGHTS_SEVERAL (ASTRA_NONE - 1)

/* Fill in whose jobs use each limit: a single tenant, RIGHTS_SEVERAL, or
 * NONE. */
static void rights_users(const struct round *r, uint32_t *tenants)
{
	for (size_t i = 0; i < r->snap->limit_count; i++)
		tenants[i] = ASTRA_NONE;
	ASTRA_ROSTER_EACH(i, &r->e->roster.running)
	{
		const struct astra_job *job = &r->snap->jobs[i];
		uint32_t own = r->e->jobs[r->e->row_of[i]].tenant;

		for (size_t k = 0; k < job->use_count; k++) {
			uint32_t *tenant = &tenants[job->uses[k].limit];

			*tenant = *tenant == ASTRA_NONE || *tenant == own
					  ? own
					  : RIGHTS_SEVERAL;
		}
	}
}

/* Note whether a job lacks room in a limit. Returns whether jobs of its own
 * tenant use that limit. */
static bool rights_look(const struct round *r, const uint32_t *tenants,
			const struct astra_job *job, struct ejob *j)
{
	bool beside = false, lacks = false;

	for (size_t i = 0; j->state == ASTRA_JOB_PENDING && i < job->use_count;
	     i++) {
		const struct astra_use *use = &job->uses[i];
		const struct astra_limit *l = &r->snap->limits[use->limit];

		if (l->used + use->amount <= l->most)
			continue;
		lacks = true;
		beside |= tenants[use->limit] == j->tenant;
	}
	r->e->unbound |= j->lacks != lacks;
	j->lacks = lacks;
	return beside;
}

int astra_rights_sync(struct round *r)
{
	struct astra_engine *e = r->e;
	size_t limits = r->snap->limit_count;
	uint32_t *tenants;

	if (!limits && !e->limited)
		return 0;
	tenants = calloc(limits + 1, sizeof(*tenants));
	if (!tenants)
		return -1;
	rights_users(r, tenants);
	for (size_t i = 0; i < r->snap->job_count; i++) {
		struct ejob *j = &e->jobs[e->row_of[i]];

		astra_fairness_set_beside(
			e->account, e->now_sec, j->account,
			rights_look(r, tenants, &r->snap->jobs[i], j));
	}
	free(tenants);
	e->limited = limits > 0;
	return 0;
}

/* Preemption. */

bool astra_rights_spare(const struct round *r, const struct contender *c)
{
	for (size_t i = 0; r->snap->preempts && i < r->contender_count; i++)
		if (!r->contenders[i].expired &&
		    !astra_job_may_take(r->snap, r->contenders[i].job, c->job))
			return true;
	return false;
}

static void rights_bar(struct reclaim *rc, const struct astra_job *job)
{
	if (!(rc->preempts >> job->preempt_class & 1))
		return;
	for (size_t i = 0; i < rc->loser_count; i++) {
		struct contender *v = &rc->r->contenders[rc->losers[i]];

		if (astra_job_may_take(rc->r->snap, job, v->job) ||
		    !astra_loser(v))
			continue;
		astra_loser_take(rc->r, rc->all, v);
		v->barred = true;
	}
}

static void rights_unbar(struct reclaim *rc)
{
	bool any = false;

	for (size_t i = 0; rc->preempts && i < rc->loser_count; i++) {
		struct contender *v = &rc->r->contenders[rc->losers[i]];

		if (!v->barred)
			continue;
		v->barred = false;
		astra_loser_give(rc->r, rc->all, v);
		any = true;
	}
	if (any)
		memset(rc->hints, 0, sizeof(rc->hints));
}

/* Limits. */

/* Return how much of a limit the contender's end would release for the job. A
 * contender that loses only a part of its GPUs releases nothing. */
static uint64_t rights_releases(const struct reclaim *rc,
				const struct astra_job *job, uint32_t contender,
				uint32_t limit)
{
	const struct contender *v = &rc->r->contenders[contender];

	if (!astra_loser(v) || v->lose_count || rc->chosen[contender])
		return 0;
	return astra_job_leaves(v->job, job, limit);
}

/* Return the loser whose end leaves room in the limit. It is chosen as the head
 * of this file says. ASTRA_NONE: there is none. */
static uint32_t rights_best(const struct reclaim *rc,
			    const struct astra_job *job, uint32_t limit,
			    int64_t need)
{
	uint32_t best = ASTRA_NONE;
	int64_t gain = 0;

	for (size_t i = 0; i < rc->loser_count; i++) {
		int64_t use =
			(int64_t)rights_releases(rc, job, rc->losers[i], limit);

		if (gain < need ? use > gain : use >= need && use < gain) {
			best = rc->losers[i];
			gain = use;
		}
	}
	return best;
}

static void rights_release(struct reclaim *rc, uint32_t contender)
{
	const struct contender *v = &rc->r->contenders[contender];

	rc->chosen[contender] = 1;
	rc->released[rc->released_count++] = contender;
	astra_rights_count(rc->room, v->job, 1);
	astra_loser_give(rc->r, rc->work, v);
}

static void rights_keep(struct reclaim *rc, size_t at)
{
	uint32_t contender = rc->released[at];
	const struct contender *v = &rc->r->contenders[contender];

	rc->chosen[contender] = 0;
	rc->released[at] = rc->released[--rc->released_count];
	astra_rights_count(rc->room, v->job, -1);
	astra_loser_take(rc->r, rc->work, v);
}

/* Let losers keep their leases that are not needed: a loser chosen for one
 * limit may leave enough room in another one too. */
static void rights_prune(struct reclaim *rc, const struct astra_job *job)
{
	for (size_t i = rc->released_count; i-- > 0;) {
		uint32_t contender = rc->released[i];

		rights_keep(rc, i);
		if (astra_rights_lack(rc->room, job))
			rights_release(rc, contender);
	}
}

static bool rights_choose(struct reclaim *rc, const struct astra_job *job)
{
	for (size_t i = 0; i < job->use_count; i++) {
		const struct astra_use *use = &job->uses[i];

		while (rc->room[use->limit] < (int64_t)use->amount) {
			uint32_t next = rights_best(
				rc, job, use->limit,
				(int64_t)use->amount - rc->room[use->limit]);

			if (next == ASTRA_NONE)
				return false;
			rights_release(rc, next);
		}
	}
	if (rc->released_count > 1)
		rights_prune(rc, job);
	return true;
}

bool astra_rights_begin(struct reclaim *rc, const struct contender *c)
{
	rc->released_count = 0;
	rights_bar(rc, c->job);
	return c->expired || !astra_rights_lack(rc->room, c->job) ||
	       (!rc->r->e->jobs[c->row].balked && rights_choose(rc, c->job));
}

void astra_rights_end(struct reclaim *rc, bool found)
{
	while (rc->released_count) {
		uint32_t contender = rc->released[rc->released_count - 1];

		rights_keep(rc, rc->released_count - 1);
		if (found)
			rc->victims[rc->victim_count++] = contender;
	}
	rights_unbar(rc);
}

void astra_rights_take(struct reclaim *rc, const struct contender *c)
{
	if (!rc->room)
		return;
	if (!c->expired) /* an expired job's part is counted already */
		astra_rights_count(rc->room, c->job, -1);
	for (size_t i = 0; i < rc->victim_count; i++) {
		const struct contender *v = &rc->r->contenders[rc->victims[i]];

		if (!v->lose_count)
			astra_rights_count(rc->room, v->job, 1);
	}
}

/* Turns, if the policy gives none. */

/* Whether a job's lease may end to give the owner room in a limit: the job uses
 * a limit in which the owner lacks room. */
static bool rights_in_way(const struct round *r, const struct astra_job *owner,
			  const struct astra_job *job)
{
	for (size_t i = 0; i < owner->use_count; i++) {
		const struct astra_use *use = &owner->uses[i];
		const struct astra_limit *l = &r->snap->limits[use->limit];

		if (l->used + use->amount > l->most &&
		    astra_job_leaves(job, owner, use->limit))
			return astra_job_may_take(r->snap, owner, job);
	}
	return false;
}

#define RIGHTS_SERVES_MAX 16 /* in a round */

static double rights_key(struct astra_usage u)
{
	return u.fair > 0 ? u.alloc / u.fair : 0;
}

/* Whether a has had a smaller part of its due than b. Compares tenants; within
 * a tenant, users; otherwise the jobs themselves. */
static bool rights_is_poorer(const struct round *r, const struct ejob *a,
			     const struct ejob *b)
{
	const struct astra_engine *e = r->e;
	const struct astra_fairness *f = e->account;
	double now = r->snap->now_sec;

	if (a->tenant != b->tenant)
		return rights_key(astra_fairness_tenant(
			       f, now, e->tenants[a->tenant].account)) <
		       rights_key(astra_fairness_tenant(
			       f, now, e->tenants[b->tenant].account));
	if (a->user != b->user && a->user != ASTRA_NONE &&
	    b->user != ASTRA_NONE)
		return rights_key(astra_fairness_user(
			       f, now, e->users[a->user].account)) <
		       rights_key(astra_fairness_user(
			       f, now, e->users[b->user].account));
	return rights_key(astra_fairness_job(f, now, a->account)) <
	       rights_key(astra_fairness_job(f, now, b->account));
}

/* Whether the job's lease has lasted a term. A lease counts as over then even
 * if the policy gives endless leases, or ends them at any time. */
static bool rights_is_over(const struct round *r, const struct ejob *j)
{
	return fmin(j->lease_end_sec, j->lease_start_sec + j->lease_sec) <=
	       r->snap->now_sec;
}

/* Mark as granted all leases that may not end for the contender. Returns
 * whether any lease may end. */
static bool rights_ask(const struct round *r, const struct contender *c)
{
	const struct ejob *next = &r->e->jobs[c->row];
	bool any = false;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *v = &r->contenders[i];
		const struct ejob *j = &r->e->jobs[v->row];

		v->granted = !v->expired || v->taken || !rights_is_over(r, j) ||
			     !rights_in_way(r, c->job, v->job) ||
			     !rights_is_poorer(r, next, j);
		any |= !v->granted;
	}
	return any;
}

/* Find a place for a contender. Returns 1 if it has one, 0 if not, or -1. */
static int rights_serve_one(struct round *r, struct contender *c)
{
	struct reclaim rc;
	size_t count = 0;
	int status = astra_reclaim_init(&rc, r, r->idle);

	if (!status)
		count = astra_reclaim_place(&rc, c);
	if (count) {
		astra_reclaim_take(&rc, c, count);
		c->taken = true;
		status =
			astra_grants_add(r->e, c->job->id, 0, rc.shares, count);
		r->e->jobs[c->row].served = r->e->jobs[c->row].collected = true;
		astra_idle_replace(r, rc.work);
		rc.work = NULL;
	}
	astra_reclaim_fini(&rc);
	return status < 0 ? -1 : count > 0;
}

int astra_rights_serve(struct round *r)
{
	int left = RIGHTS_SERVES_MAX, served = 0;

	if (!r->snap->limit_count)
		return 0;
	for (size_t i = 0; i < r->contender_count && left && served >= 0; i++) {
		struct contender *c = &r->contenders[i];

		if (c->expired || c->taken || !r->e->jobs[c->row].lacks ||
		    !rights_ask(r, c))
			continue;
		left--;
		served = rights_serve_one(r, c);
	}
	for (size_t i = 0; i < r->contender_count; i++)
		r->contenders[i].granted = false;
	return served < 0 ? -1 : 0;
}

/* Holds. */

double astra_rights_cut(const struct round *r, const struct astra_job *job,
			double end_sec)
{
	const struct astra_engine *e = r->e;

	if (!r->snap->limit_count || !job->use_count)
		return end_sec;
	for (size_t i = 0; i < e->hold_count; i++) {
		const struct hold *h = &e->holds[i];
		const struct ejob *j = astra_engine_find(r->e, h->job);

		if (h->start_sec < end_sec && h->job != job->id &&
		    rights_in_way(r, &r->snap->jobs[j->index], job))
			end_sec = h->start_sec;
	}
	return end_sec;
}
