/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who owns the hold, and is served before all others. */
#include <math.h>
#include <stdlib.h>

#include "src/policy/engine_priv.h"

/* Serve the job that has a hold before all others, if it can be. */
int astra_hold_serve(struct round *r)
{
	struct reclaim rc;
	int status = 0;

	for (size_t i = 0; i < r->contender_count; i++)
		r->contenders[i].granted =
			r->e->jobs[r->contenders[i].row].spared;
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		size_t count;

		if (c->job->id != r->e->hold.job || c->expired)
			continue;
		if (astra_reclaim_init(&rc, r, r->idle) < 0) {
			astra_reclaim_fini(&rc);
			return -1;
		}
		count = astra_reclaim_place(&rc, c);
		if (count) {
			astra_reclaim_take(&rc, c, count);
			status = astra_grants_add(r->e, c->job->id, 0,
						  rc.shares, count);
			astra_space_destroy(r->idle);
			r->idle = rc.work;
			rc.work = NULL;
			c->taken = true;
			r->e->jobs[c->row].served = true;
			r->e->hold = (struct astra_hold_view){0};
		}
		astra_reclaim_fini(&rc);
		break;
	}
	return status;
}

/* Those who were taken leave the contest, and the served one too. */
void astra_hold_withdraw(struct round *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		struct ejob *j = &r->e->jobs[c->row];

		if (!c->taken) {
			r->contenders[kept++] = *c;
			continue;
		}
		if (c->expired) {
			j->phase = ASTRA_PHASE_DOOMED;
			j->doomed_for = c->winner;
		}
	}
	r->contender_count = kept;
}

static bool unserved(const struct round *r, uint32_t candidate)
{
	const struct contender *c = r->contenders + candidate;

	return candidate < r->contender_count && !c->expired && !c->share_count;
}

struct owner_search {
	struct round *r;
	struct ballot b;
	bool *wants;   /* by tenant: a job of it does not have what it wants */
	uint64_t left; /* GPUs by count */
};

/* Returns whether anybody does not have what it wants. */
static bool owner_find_wants(struct owner_search *s)
{
	const struct round *r = s->r;
	bool any = false;

	for (uint32_t i = 0; i < r->contender_count; i++) {
		if (!unserved(r, i))
			continue;
		s->wants[r->e->jobs[r->contenders[i].row].tenant] = true;
		any = true;
	}
	return any;
}

/* It has what it wants, and its tenant too: they run and go on, or were granted
 * GPUs. */
static bool owner_content(const struct owner_search *s, uint32_t candidate)
{
	const struct contender *c = s->r->contenders + candidate;

	if (s->wants[s->b.candidates[candidate].tenant])
		return false;
	return candidate >= s->r->contender_count || c->share_count ||
	       (c->expired && !c->taken);
}

/* The first of the ranking, from `from` on, if it waits. Jobs of tenants who
 * have all they want are passed over and spared, as long as they leave GPUs by
 * count. Returns its place, or the ranking's end. */
static size_t owner_next(struct owner_search *s, size_t from)
{
	const struct astra_ranking *ranking = &s->b.ranking;

	for (size_t i = from; s->left && i < ranking->count; i++) {
		const struct astra_choice *x = &ranking->choices[i];
		const struct astra_candidate *c =
			&s->b.candidates[x->candidate];

		if (unserved(s->r, x->candidate))
			return i;
		if (!owner_content(s, x->candidate))
			break;
		if (!x->granted)
			continue;
		s->left -= c->gpus;
		s->r->e->jobs[c->job].spared = true;
	}
	return ranking->count;
}

static int owner_try(struct round *r, const struct outcome *o,
		     struct contender *c, struct hold *hold)
{
	astra_hold_fini(hold);
	if (astra_hold_find(r, o->rc.work, o->places, c, hold) < 0)
		return -1;
	c->pinned = isinf(hold->start_sec);
	c->impossible = hold->impossible;
	if (!c->pinned)
		c->start_sec = hold->start_sec;
	return 0;
}

static int owner_find(struct owner_search *s, const struct outcome *o,
		      struct hold *hold, struct astra_error *err)
{
	int tries = ASTRA_HOLD_TRIES;

	if (astra_ballot_everybody(s->r, &s->b, err) < 0)
		return -1;
	s->left = s->b.contest.gpus;
	for (size_t i = 0; tries--; i++) {
		struct contender *c;

		i = owner_next(s, i);
		if (i == s->b.ranking.count)
			break;
		c = &s->r->contenders[s->b.ranking.choices[i].candidate];
		if (owner_try(s->r, o, c, hold) < 0)
			return astra_error_nomem(err);
		if (!c->pinned)
			break;
		/* It waits for no lease: its tenant keeps nobody from them. */
		s->wants[s->r->e->jobs[c->row].tenant] = false;
	}
	return 0;
}

/* Give a hold to the first of the ranking of all jobs that does not have what
 * it wants, if nobody has one: a tenant who has all it wants keeps nobody from
 * it. Jobs that no lease's end will make room for are passed over. */
int astra_hold_new(struct round *r, const struct outcome *o, struct hold *hold,
		   struct astra_error *err)
{
	struct owner_search s = {.r = r};
	int rc = 0;

	astra_hold_spare_nobody(r);
	s.wants = calloc(r->e->tenant_count + 1, sizeof(*s.wants));
	if (!s.wants)
		return astra_error_nomem(err);
	if (owner_find_wants(&s))
		rc = owner_find(&s, o, hold, err);
	astra_ballot_fini(&s.b);
	free(s.wants);
	return rc;
}

int astra_hold_renew(struct round *r, const struct outcome *o,
		     struct hold *hold, struct astra_error *err)
{
	for (size_t i = 0; i < r->contender_count; i++) {
		if (r->contenders[i].job->id != r->e->hold.job)
			continue;
		if (astra_hold_find(r, o->rc.work, o->places, &r->contenders[i],
				    hold) < 0)
			return astra_error_nomem(err);
		return 0;
	}
	return 0;
}
