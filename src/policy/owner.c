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

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];
		size_t count;

		if (c->job->id != r->e->hold.job || c->expired)
			continue;
		if (astra_reclaim_init(&rc, r) < 0) {
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

/* Give a hold to the neediest job of all, if it does not fit and nobody has
 * one. Jobs that no lease's end will make room for are passed over. */
int astra_hold_new(struct round *r, const struct outcome *o, struct hold *hold,
		   struct astra_error *err)
{
	const struct astra_ranking *first = &o->ballot.ranking;
	struct ballot b;
	int tries = ASTRA_HOLD_TRIES, rc;

	/* The neediest of all is the neediest candidate, or one that runs. */
	if (!first->count || !unserved(r, first->choices[0].candidate))
		return 0;
	rc = astra_ballot_everybody(r, &b, err);
	for (size_t i = 0; !rc && tries && i < b.ranking.count; i++) {
		uint32_t at = b.ranking.choices[i].candidate;

		if (!unserved(r, at))
			break;
		tries--;
		astra_hold_fini(hold);
		if (astra_hold_find(r, o->rc.work, o->places,
				    &r->contenders[at], hold) < 0)
			rc = astra_error_nomem(err);
		r->contenders[at].pinned = isinf(hold->start_sec);
		r->contenders[at].impossible = hold->impossible;
		if (isfinite(hold->start_sec))
			r->contenders[at].start_sec = hold->start_sec;
		if (!r->contenders[at].pinned)
			break;
	}
	astra_ballot_fini(&b);
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
