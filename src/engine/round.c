/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job gets what in one round. The policy ranks the candidates and grants
 * each a number of GPUs. Placement then finds out whether that is possible.
 * Leases that continue keep their GPUs; the other jobs get GPUs that are free
 * or that losers hold. Jobs that find no place are left out and the policy is
 * asked again, so that no GPU that a job could use stays idle. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/engine/hold.h"

#define PASSES_MAX 32
#define RANKS_MAX 4 /* how often the policy ranks in a pass */

/* Place a contender. Returns 1 if it has a place now, 0 if there is none, or -1
 * when memory is out. */
static int round_place(struct outcome *o, struct contender *c)
{
	size_t count = astra_reclaim_place(&o->rc, c);

	if (!count)
		return 0;
	if (astra_grow(&o->places, &o->place_room, o->place_count + count,
		       sizeof(*o->places)) < 0)
		return -1;
	memcpy(o->places + o->place_count, o->rc.shares,
	       count * sizeof(*o->places));
	c->first_share = (uint32_t)o->place_count;
	c->share_count = (uint32_t)count;
	o->place_count += count;
	astra_reclaim_take(&o->rc, c, count);
	return 1;
}

/* Place the granted contenders. Returns whether every one found a place. Those
 * that found none are marked failed. */
static bool place_granted(struct round *r, struct outcome *o, bool *nomem)
{
	const struct ballot *b = &o->ballot;
	bool all = true;

	o->place_count = 0;
	for (size_t i = 0; i < b->ranking.count; i++) {
		uint32_t at = b->ranking.choices[i].candidate;
		struct contender *c = &r->contenders[at];
		int placed;

		if (!c->granted || c->expired || c->failed)
			continue;
		placed = round_place(o, c);
		if (!placed) {
			all = false;
			if (r->literal) {
				c->failed = true;
				return false;
			}
			placed = astra_round_yield(r, &o->rc, b, i);
			if (placed > 0)
				return false;
			c->failed = true;
		}
		if (placed < 0) {
			*nomem = true;
			return true;
		}
	}
	return all;
}

static int compare_shapes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Mark as failed all jobs without a place that have the shape of a failed
 * request. The last place may have been taken by jobs that come before them in
 * the ranking. */
static int spread_failure(struct round *r)
{
	uint64_t *shapes = calloc(r->contender_count + 1, sizeof(*shapes));
	size_t count = 0;

	if (!shapes)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++)
		if (r->contenders[i].failed)
			shapes[count++] = r->contenders[i].shape;
	qsort(shapes, count, sizeof(*shapes), compare_shapes);
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		if (!c->expired && !c->share_count &&
		    bsearch(&c->shape, shapes, count, sizeof(*shapes),
			    compare_shapes))
			c->failed = true;
	}
	free(shapes);
	return 0;
}

void astra_outcome_fini(struct outcome *o)
{
	astra_reclaim_fini(&o->rc);
	astra_ballot_fini(&o->ballot);
	free(o->places);
}

static int round_rank(struct round *r, struct ballot *b,
		      struct astra_error *err)
{
	if (astra_ballot_run(r, b, err) < 0)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		c->granted = c->runs;
		c->gpus = c->runs ? r->e->jobs[c->row].held_gpus : 0;
	}
	for (size_t i = 0; i < b->ranking.count; i++) {
		const struct astra_choice *choice = &b->ranking.choices[i];
		struct contender *c = &r->contenders[choice->candidate];

		c->granted = choice->granted;
		c->gpus = choice->gpus;
	}
	return 0;
}

/* Let the policy rank. Jobs that would grow by too little keep what they have.
 * Then the policy ranks again, as the others may get more. */
static int round_ask_policy(struct round *r, struct ballot *b,
			    struct astra_error *err)
{
	for (int again = RANKS_MAX; again--;) {
		if (round_rank(r, b, err) < 0)
			return -1;
		if (!r->elastic || !astra_elastic_cap(r, b->candidates))
			break;
	}
	return 0;
}

/* Whether the host balks at the job. If so, other jobs go first. */
static bool round_is_balked(const struct round *r, const struct contender *c)
{
	return r->e->jobs[c->row].balked;
}

static int round_one_pass(struct round *r, struct outcome *o, bool *settled,
			  struct astra_error *err)
{
	struct ballot *b = &o->ballot;
	bool nomem = false;

	for (size_t i = 0; i < r->contender_count; i++) {
		struct contender *c = &r->contenders[i];

		c->taken = c->resized = false;
		c->share_count = 0;
		b->candidates[i].excluded =
			c->failed || c->awaits ||
			(!c->expired && round_is_balked(r, c));
	}
	if (round_ask_policy(r, b, err) < 0)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++)
		if (r->contenders[i].yields_to)
			r->contenders[i].granted = false;
	if (r->elastic)
		astra_elastic_offer(r);
	astra_reclaim_fini(&o->rc);
	if (astra_reclaim_init(&o->rc, r, r->idle) < 0)
		return astra_error_nomem(err);
	*settled = place_granted(r, o, &nomem);
	if (nomem || (!*settled && !r->literal && spread_failure(r) < 0))
		return astra_error_nomem(err);
	return 0;
}

/* Place jobs at which the host balks, on what all others leave idle. */
static int place_balked(struct round *r, struct outcome *o)
{
	const struct astra_ranking *ranking = &o->ballot.ranking;

	for (size_t i = 0; i < ranking->count; i++) {
		struct contender *c =
			&r->contenders[ranking->choices[i].candidate];

		if (!c->expired && !c->failed && round_is_balked(r, c) &&
		    round_place(o, c) < 0)
			return -1;
	}
	return 0;
}

/* Put all contenders on one ballot. They compete for GPUs that are free or held
 * by expired contenders. */
static int begin_contest(struct round *r, struct ballot *b,
			 struct astra_error *err)
{
	if (astra_ballot_init(b, r, r->contender_count) < 0)
		return astra_error_nomem(err);
	astra_ballot_charge(r, b);
	b->contest.candidate_count = r->contender_count;
	b->contest.gpus = astra_space_gpus(r->idle);
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		b->candidates[i] = astra_ballot_candidate(r, c->row, c->job);
		if (c->expired && !c->runs)
			b->contest.gpus += b->candidates[i].gpus;
		astra_elastic_candidate(r, c, &b->candidates[i]);
	}
	return 0;
}

int astra_round_contest(struct round *r, struct outcome *o,
			struct astra_error *err)
{
	size_t passes = r->literal ? r->contender_count + 1 : PASSES_MAX;
	bool settled = false;

	*o = (struct outcome){0};
	if (begin_contest(r, &o->ballot, err) < 0)
		return -1;
	while (!settled && passes--)
		if (round_one_pass(r, o, &settled, err) < 0)
			return -1;
	if ((settled && r->elastic && astra_round_grow(r, o) < 0) ||
	    place_balked(r, o) < 0)
		return astra_error_nomem(err);
	return 0;
}

/* Call before the contest: serve holds whose time has come, and take off the
 * GPUs that are kept from the contest. */
static int keep_promises(struct round *r)
{
	if (astra_contenders_find(r) < 0 || astra_elastic_find(r) < 0 ||
	    astra_await(r) < 0)
		return -1;
	if (!r->e->options.promise) {
		astra_holds_clear(r->e);
		return 0;
	}
	if (astra_holds_serve(r) < 0)
		return -1;
	r->grants_before = r->e->grant_count;
	astra_contenders_withdraw(r);
	/* Without holds, the first planned hold makes the table. */
	if ((r->e->hold_count || r->elastic) && astra_holds_table(r) < 0)
		return -1;
	astra_reserve_withhold(r);
	return 0;
}

/* Whether no contest is needed: at most one job waits, the job uses no limit,
 * all leases can continue, and no hold cuts them. *waits: the waiting job;
 * NULL: none. */
static bool round_is_alone(const struct round *r, struct contender **waits)
{
	*waits = NULL;
	if (r->e->hold_count || r->elastic || !r->e->policy->conserving)
		return false;
	for (size_t i = 0; i < r->contender_count; i++) {
		if (r->contenders[i].expired)
			continue;
		if (*waits || r->contenders[i].job->use_count)
			return false;
		*waits = &r->contenders[i];
	}
	return true;
}

/* Place the only waiting job on free GPUs. Returns 1 if it has a place, 0 if
 * not, or -1 when memory is out. */
static int place_alone(const struct round *r, struct outcome *o,
		       struct contender *c)
{
	const struct astra_request *q = &c->job->request;
	size_t most =
		q->gpus < r->snap->node_count ? q->gpus : r->snap->node_count;
	struct astra_choice *choice;

	o->places = calloc(most + 1, sizeof(*o->places));
	if (!o->places || astra_grow(&r->e->choices, &r->e->choice_room, 1,
				     sizeof(*choice)) < 0)
		return -1;
	o->ballot.ranking.choices = choice = r->e->choices;
	c->share_count = (uint32_t)astra_place(
		r->idle, q, astra_refused_nodes(r->e, c->job->id),
		r->e->options.strict_placement ? r->node_gpus_max : 0,
		o->places);
	o->place_count = c->share_count;
	if (!c->share_count || q->nodes_wish > c->share_count) {
		c->share_count = 0;
		return 0;
	}
	c->granted = true;
	choice->candidate = (uint32_t)(c - r->contenders);
	choice->granted = true;
	choice->gpus = c->gpus = q->gpus;
	o->ballot.ranking.count = 1;
	return 1;
}

/* Whether no GPU is free and no lease is over. If so, a ranking would only
 * serve readers of the reasons. */
static bool is_vain(const struct round *r)
{
	if (!r->plan->terse || r->elastic || astra_space_gpus(r->idle) ||
	    r->reserve.gpus || !r->e->policy->conserving)
		return false;
	for (size_t i = 0; i < r->contender_count; i++)
		if (r->contenders[i].expired)
			return false;
	return true;
}

/* Decide without a ranking if every job can have the GPUs that it wants.
 * Returns as place_alone(). */
static int decide_alone(struct round *r, struct outcome *o)
{
	struct contender *c;
	int placed;

	*o = (struct outcome){0};
	if (!round_is_alone(r, &c))
		return 0;
	placed = c ? place_alone(r, o, c) : 1;
	if (placed == 0) {
		astra_outcome_fini(o);
		*o = (struct outcome){0};
	}
	return placed;
}

/* Decide which job has which place. Returns 1 if no ranking was needed and
 * waiting jobs need nothing more, 0 after a contest, or -1 with err set. */
static int decide_places(struct round *r, struct outcome *o,
			 struct astra_error *err)
{
	int alone = decide_alone(r, o);

	if (alone < 0)
		return astra_error_nomem(err);
	if (alone)
		return 1;
	if (!is_vain(r))
		return astra_round_contest(r, o, err);
	o->rc.work = astra_space_copy(r->idle);
	return o->rc.work ? 0 : astra_error_nomem(err);
}

/* Make leases of the places. done: whether decide_places() returned 1. */
static int round_carry_out(struct round *r, struct outcome *o, bool done)
{
	astra_settle_older(r, r->e->grant_count);
	if (astra_settle(r, o) < 0)
		return -1;
	if (!done && r->e->options.promise && astra_recall(r, &o->rc.work) < 0)
		return -1;
	if (astra_grants_start(r) < 0 || astra_revoke_doomed(r) < 0)
		return -1;
	return r->plan->terse
		       ? 0
		       : astra_explain(r, &o->ballot.ranking, o->rc.work);
}

int astra_round_decide(struct round *r, struct astra_error *err)
{
	struct outcome o = {0};
	int done;

	if (keep_promises(r) < 0 || astra_elastic_find_running(r) < 0 ||
	    (r->elastic && astra_levels_find(r) < 0))
		return astra_error_nomem(err);
	done = decide_places(r, &o, err);
	if (done >= 0 && round_carry_out(r, &o, done) < 0)
		done = astra_error_nomem(err);
	astra_outcome_fini(&o);
	return done < 0 ? -1 : 0;
}

/* Rank the jobs as if there were GPUs for all of them. Each ranked job is
 * charged to its tenant before the next one is chosen. */
int astra_round_order(struct round *r, struct astra_error *err)
{
	struct ballot b = {0};
	int rc = 0;

	while (r->e->grant_count)
		astra_grants_drop(r->e, r->e->grants[0].job);
	astra_holds_clear(r->e);
	if (astra_contenders_find(r) < 0)
		return astra_error_nomem(err);
	if (begin_contest(r, &b, err) < 0)
		return -1;
	b.contest.gpus = UINT64_MAX;
	rc = astra_ballot_run(r, &b, err);
	if (!rc && astra_explain(r, &b.ranking, NULL) < 0)
		rc = astra_error_nomem(err);
	astra_ballot_fini(&b);
	return rc;
}
