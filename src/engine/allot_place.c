/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/engine/allot_priv.h"

/* Whether an award is valid. If one award is invalid, nothing is started. */
static bool allot_place_is_sound(const struct allotment *a,
				 const struct astra_award *award)
{
	const struct astra_request *q;
	uint64_t gpus = 0;

	if (award->demand >= a->demand_count ||
	    !a->demands[award->demand].open ||
	    a->sources[award->demand].awarded >=
		    a->demands[award->demand].copies)
		return false;
	q = &a->demands[award->demand].job->request;
	for (size_t i = 0; i < award->share_count; i++) {
		const struct astra_share *s =
			&a->answer.shares[award->first_share + i];

		if (s->node >= a->r->snap->node_count || !s->gpus)
			return false;
		gpus += s->gpus;
	}
	return gpus <= q->gpus && gpus >= astra_request_least(q);
}

static bool allot_place_is_held(const struct astra_job *job,
				const struct astra_share *shares, size_t count)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < job->held_count; k++)
			same += shares[i].node == job->held[k].node &&
				shares[i].gpus == job->held[k].gpus;
	return same == count && count == job->held_count;
}

/* Find the contender of each award. Contenders that keep their GPUs come first,
 * since the places of the others depend on which jobs lose their GPUs. */
static int match_awards(struct allotment *a, struct contender **winners,
			struct astra_error *err)
{
	for (size_t i = 0; i < a->answer.award_count; i++) {
		struct astra_award *award = &a->answer.awards[i];
		struct contender *c;

		if (!allot_place_is_sound(a, award))
			return astra_error_set(
				err, "policy %s: award %zu of %zu is not sound",
				a->r->e->policy->name, i,
				a->answer.award_count);
		c = &a->r->contenders[a->sources[award->demand].contender +
				      a->sources[award->demand].awarded++];
		a->sources[award->demand].award = i;
		c->until_sec = award->until_sec;
		winners[i] = c;
		if (c->expired)
			c->granted = allot_place_is_held(
				c->job, a->answer.shares + award->first_share,
				award->share_count);
	}
	return 0;
}

/* Take a job that moves off its GPUs. Any job may then get these GPUs, even the
 * job itself. */
static void lift(struct allotment *a, struct contender *c)
{
	c->taken = true;
	c->winner = c->job->id;
	astra_loser_give(a->r, a->rc.work, c);
}

static void put_back(struct allotment *a, struct contender *c)
{
	c->taken = false;
	astra_loser_take(a->r, a->rc.work, c);
}

static uint64_t award_gpus(const struct allotment *a,
			   const struct astra_award *award)
{
	return astra_shares_gpus(a->answer.shares + award->first_share,
				 award->share_count);
}

/* Place an award anywhere. An elastic job gets as many GPUs as it was awarded,
 * in whole steps. Returns the number of shares, 0 if there is no place. */
static size_t allot_place_elsewhere(struct allotment *a,
				    const struct contender *c,
				    const struct astra_award *award)
{
	struct contender sized = *c;
	struct astra_job job;
	uint32_t gpus;

	if (!astra_request_elastic(&c->job->request))
		return astra_reclaim_place(&a->rc, c);
	gpus = astra_request_size(&c->job->request, award_gpus(a, award));
	sized.elastic = c->job;
	sized = astra_elastic_sized(&sized, gpus, &job);
	return gpus ? astra_reclaim_place(&a->rc, &sized) : 0;
}

/* Place an award where the policy said, or anywhere if CPUs or memory are short
 * there. */
static int place_award(struct allotment *a, struct contender *c,
		       const struct astra_award *award)
{
	struct astra_engine *e = a->r->e;
	bool lifted = c->expired && !c->taken;
	size_t count;

	if (lifted)
		lift(a, c);
	count = astra_reclaim_place_at(&a->rc, c,
				       a->answer.shares + award->first_share,
				       award->share_count);
	if (!count && !c->expired)
		count = allot_place_elsewhere(a, c, award);
	if (!count ||
	    !astra_allot_cut(a, c, a->rc.shares, count, &c->until_sec)) {
		c->failed = true;
		if (lifted)
			put_back(a, c);
		return 0;
	}
	astra_reclaim_take(&a->rc, c, count);
	c->share_count = (uint32_t)count;
	a->r->plan->changed = true;
	return astra_grants_add(e, c->job->id, c->until_sec, a->rc.shares,
				count);
}

/* Whether an award is no more than what the job holds. If no other job needs
 * the difference, the job may keep it. */
static bool is_less(const struct allotment *a, const struct contender *c,
		    const struct astra_award *award)
{
	return c->expired && award_gpus(a, award) <= astra_loser_cost(c);
}

/* Place first the awards of jobs that start or grow, then the awards of jobs
 * that only shrink or move. */
static int allot_place_all(struct allotment *a, struct contender **winners)
{
	for (int less = 0; less < 2; less++)
		for (size_t i = 0; i < a->answer.award_count; i++) {
			const struct astra_award *award = &a->answer.awards[i];
			struct contender *c = winners[i];

			if (c->granted || is_less(a, c, award) != less)
				continue;
			if (less && !c->taken && !a->answer.moves)
				c->granted = true;
			else if (place_award(a, c, award) < 0)
				return -1;
		}
	return 0;
}

int astra_allot_place(struct allotment *a, struct astra_error *err)
{
	struct contender **winners =
		calloc(a->answer.award_count + 1, sizeof(*winners));
	double until = a->answer.lend_until_sec;
	bool lends = a->r->e->options.lend_idle && until > 0;
	int rc = winners ? 0 : astra_error_nomem(err);

	if (!rc)
		rc = match_awards(a, winners, err);
	if (!rc && astra_reclaim_init(&a->rc, a->r, a->r->idle) < 0)
		rc = astra_error_nomem(err);
	if (!rc && (allot_place_all(a, winners) < 0 ||
		    (lends && astra_allot_lend(a, until) < 0)))
		rc = astra_error_nomem(err);
	free(winners);
	return rc;
}
