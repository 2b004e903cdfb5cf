/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A few GPUs on one node, kept from the contest so that new small jobs start at
 * once. Otherwise these jobs would wait for another job's checkpoint. After a
 * job has used GPUs of the reserve, leases are recalled in advance to refill
 * it.
 *
 * While jobs want more GPUs than there are, up to Reserve GPUs are kept, but at
 * most a 256th of the pool's GPUs. So a small cluster has no reserve. The
 * recalled lease is one of the richest tenant. */
#include <math.h>

#include "src/common/nodeset.h"
#include "src/engine/hold.h"

/* Whether waiting jobs ask for more GPUs than are idle. If not, the reserve
 * would keep no job waiting. */
static bool reserve_contended(const struct round *r)
{
	uint64_t idle = astra_space_gpus(r->idle), wanted = 0;

	for (size_t i = 0; i < r->contender_count && wanted <= idle; i++)
		if (!r->contenders[i].expired)
			wanted += r->contenders[i].job->request.gpus;
	return wanted > idle;
}

static uint32_t reserve_size(const struct round *r)
{
	uint64_t most = r->usable_gpus / ASTRA_RESERVE_PART;

	return r->e->options.reserve_gpus < most ? r->e->options.reserve_gpus
						 : (uint32_t)most;
}

/* Take the reserve on the first node with `free` free GPUs that has the CPUs
 * too. Returns whether there is such a node. */
static bool reserve_on(struct round *r, uint32_t free, uint32_t gpus)
{
	for (size_t n = astra_space_next(r->idle, free, 0); n != ASTRA_SET_END;
	     n = astra_space_next(r->idle, free, n + 1)) {
		const struct astra_room *room =
			astra_space_get(r->idle, (uint32_t)n);

		if (room->cpus < gpus)
			continue;
		r->reserve = (struct astra_share){
			.node = (uint32_t)n,
			.gpus = gpus,
			.cpus = gpus,
		};
		astra_space_take(r->idle, &r->reserve);
		return true;
	}
	return false;
}

/* Take the reserve from the node with the fewest free GPUs among those with
 * enough. If no node has enough, use the node with the most. */
void astra_reserve_withhold(struct round *r)
{
	uint32_t want = reserve_size(r);
	uint32_t most = astra_space_gpus_max(r->idle);

	if (!want || !reserve_contended(r))
		return;
	for (uint32_t free = want; free <= most; free++)
		if (reserve_on(r, free, want))
			return;
	for (uint32_t free = most < want ? most : want - 1; free; free--)
		if (reserve_on(r, free, free))
			return;
}

/* Return how many GPUs a node will have free without a recall. */
static uint32_t reserve_free(const struct round *r,
			     const struct astra_space *work, uint32_t node)
{
	return astra_space_get(work, node)->gpus + r->coming[node];
}

static bool reserve_waits(const struct round *r)
{
	for (size_t i = 0; i < r->contender_count; i++)
		if (!r->contenders[i].expired && !r->contenders[i].share_count)
			return true;
	return false;
}

bool astra_reserve_short(const struct round *r, const struct astra_space *work)
{
	uint32_t want = reserve_size(r);

	if (!want || !reserve_waits(r))
		return false;
	for (uint32_t n = 0; n < r->snap->node_count; n++)
		if (reserve_free(r, work, n) >= want)
			return false;
	return true;
}

static bool reserve_suits(const struct round *r, const struct astra_space *work,
			  const struct contender *v, uint32_t want)
{
	uint32_t cost = v->job->held_count == 1 ? v->job->held->gpus : 0;

	return !v->taken && cost && cost <= want &&
	       cost + reserve_free(r, work, v->job->held->node) >= want &&
	       !astra_holds_need(r, v->job->held->node);
}

void astra_reserve_refill(struct round *r, const struct turns *t,
			  const struct round *losers,
			  const struct astra_space *work)
{
	uint32_t want = reserve_size(r);
	struct ejob *best = NULL;

	if (!astra_reserve_short(r, work) || !astra_budget_allows(r))
		return;
	for (size_t i = 0; i < losers->contender_count; i++) {
		const struct contender *v = &losers->contenders[i];
		struct ejob *j = &r->e->jobs[v->row];

		if (j->phase == ASTRA_PHASE_LEASED &&
		    reserve_suits(r, work, v, want) &&
		    (!best || t->key[j->tenant] > t->key[best->tenant]))
			best = j;
	}
	if (!best)
		return;
	astra_budget_spend(r, best, ASTRA_NONE, r->snap->now_sec);
	astra_job_set_phase(r->e, best, ASTRA_PHASE_DOOMED);
	best->doomed_for = ASTRA_NONE;
	r->plan->changed = true;
}
