/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From which jobs GPUs are taken back to start a job: as few GPUs as possible.
 *
 * Losers are jobs whose lease is over and that were not granted a new one. For
 * a job that fits on one node the choice is exact: over all nodes, the cheapest
 * set of losers. A loser's cost is the number of GPUs that it holds anywhere.
 * This is a knapsack over a node's GPUs. If CPUs or memory are short too, sets
 * of losers are searched, exactly up to twelve losers. For a job on several
 * nodes two sets are compared: the one on the fewest nodes, and the one that
 * uses free GPUs first. Losers that turn out not to be needed stay. Either way
 * no job loses GPUs that the new job cannot use, except for the rest of the
 * last job taken. */
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"

#define CHOOSE_MAX 4096
#define LOOKS_MAX 64 /* nodes compared with the first one that fits */

static bool banned_node(const uint64_t *banned, uint32_t node)
{
	return banned && (banned[node / 64] >> (node % 64) & 1);
}

/* Return what is free on a node once these losers have left it. */
static struct astra_room room_after(const struct reclaim *rc, uint32_t node,
				    const uint32_t *victims, size_t count)
{
	struct astra_room room = *astra_space_get(rc->work, node);

	for (size_t i = 0; i < count; i++)
		astra_room_add(&room, &rc->r->contenders[victims[i]], node);
	room.whole = room.gpus >= rc->r->snap->nodes[node].gpus &&
		     room.cpus >= rc->r->snap->nodes[node].cpus;
	return room;
}

/* Return the first node that may have this many GPUs. Rooms in `all` only
 * shrink, so a node that was passed over need not be looked at again. */
static uint32_t first_with(struct reclaim *rc, uint32_t gpus)
{
	uint32_t *hint, n;

	if (gpus > ASTRA_KNAPSACK_GPUS)
		return 0;
	hint = &rc->hints[gpus];
	for (n = *hint; n < rc->r->snap->node_count; n++)
		if (astra_space_get(rc->all, n)->gpus >= gpus)
			break;
	*hint = n;
	return n;
}

/* Choose the losers that have to leave a node so that a request has its share
 * there. They are the cheapest for the GPUs. If CPUs or memory are then short,
 * they are the cheapest for all three. */
static uint32_t choose_on(const struct reclaim *rc,
			  const struct astra_request *request,
			  const struct astra_share *share, uint32_t *picked,
			  size_t *count)
{
	const struct astra_room *room = astra_space_get(rc->work, share->node);
	uint32_t have = room->gpus, cost;
	struct astra_room then;

	if (request->whole_node || astra_room_strange(room, request))
		return astra_losers_all(rc, share->node, picked, count);
	cost = astra_losers_cheapest(
		rc, share->node, have < share->gpus ? share->gpus - have : 0,
		picked, count);
	if (cost == UINT32_MAX)
		return cost;
	then = room_after(rc, share->node, picked, *count);
	if (astra_room_has(&then, share))
		return cost;
	return astra_losers_for(rc, share, picked, count);
}

/* Find the best single node, and choose the losers that have to leave it. */
static size_t place_on_one(struct reclaim *rc, const struct contender *c,
			   const uint64_t *banned)
{
	const struct astra_request *q = &c->job->request;
	uint32_t best = UINT32_MAX, at = 0, picked[ASTRA_KNAPSACK_JOBS];
	int looks = LOOKS_MAX;

	for (uint32_t n = first_with(rc, q->gpus);
	     n < rc->r->snap->node_count && looks; n++) {
		const struct astra_room *now = astra_space_get(rc->work, n);
		struct astra_share share = astra_request_share(q, n, q->gpus);
		uint32_t need, cost;
		struct astra_room then;
		size_t count;

		if (rc->first[n] == rc->first[n + 1] ||
		    astra_space_get(rc->all, n)->gpus < q->gpus ||
		    banned_node(banned, n) || !astra_node_allowed(q, n) ||
		    (q->required && !astra_node_required(q, n)))
			continue;
		looks -= best != UINT32_MAX;
		need = q->gpus > now->gpus ? q->gpus - now->gpus : 0;
		if (need >= best)
			continue;
		cost = choose_on(rc, q, &share, picked, &count);
		if (cost >= best)
			continue;
		then = room_after(rc, n, picked, count);
		if (astra_room_fits(&then, q) < q->gpus)
			continue;
		best = cost;
		at = n;
		memcpy(rc->victims, picked, count * sizeof(*picked));
		rc->victim_count = count;
		if (cost + rc->gpus_idle_max <= q->gpus)
			break; /* no other node costs less */
	}
	if (best == UINT32_MAX)
		return 0;
	rc->shares[0] = astra_request_share(q, at, q->gpus);
	return 1;
}

static void reclaim_choose(struct reclaim *rc, uint32_t contender)
{
	rc->chosen[contender] = 1;
	rc->victims[rc->victim_count++] = contender;
	astra_loser_give(rc->r, rc->work, &rc->r->contenders[contender]);
}

static void unchoose(struct reclaim *rc, size_t i)
{
	uint32_t contender = rc->victims[i];

	rc->chosen[contender] = 0;
	astra_loser_take(rc->r, rc->work, &rc->r->contenders[contender]);
	rc->victims[i] = rc->victims[--rc->victim_count];
}

static void unchoose_all(struct reclaim *rc)
{
	while (rc->victim_count)
		unchoose(rc, rc->victim_count - 1);
}

/* Choose losers for a place found in `all`, node by node. Returns false if that
 * is impossible. */
static bool choose_for_shares(struct reclaim *rc,
			      const struct astra_request *request, size_t count)
{
	uint32_t picked[ASTRA_KNAPSACK_JOBS];

	for (size_t i = 0; i < count; i++) {
		size_t n;

		if (choose_on(rc, request, &rc->shares[i], picked, &n) ==
		    UINT32_MAX)
			return false;
		for (size_t k = 0; k < n; k++)
			reclaim_choose(rc, picked[k]);
	}
	return true;
}

/* Choose losers one by one, those that overshoot the need least first, until
 * the request has a place among what is free. */
static size_t choose_by_need(struct reclaim *rc, const struct contender *c,
			     const uint64_t *banned, uint32_t strict)
{
	astra_losers_begin(rc);
	for (;;) {
		uint64_t have = astra_space_gpus(rc->work);
		uint64_t need = c->job->request.gpus > have
					? c->job->request.gpus - have
					: 0;
		size_t count = 0;
		uint32_t next;

		if (!need)
			count = astra_place(rc->work, &c->job->request, banned,
					    strict, rc->shares);
		if (count)
			return count;
		next = astra_losers_by_need(rc, need);
		if (next == ASTRA_NONE || rc->victim_count > CHOOSE_MAX)
			return 0;
		reclaim_choose(rc, next);
	}
}

/* Unchoose each victim that the place does not need, the largest first. */
static size_t reclaim_prune(struct reclaim *rc, const struct contender *c,
			    const uint64_t *banned, uint32_t strict,
			    size_t count)
{
	for (size_t i = rc->victim_count; i-- > 0;) {
		uint32_t contender = rc->victims[i];
		size_t without;

		unchoose(rc, i);
		without = astra_place(rc->work, &c->job->request, banned,
				      strict, rc->shares);
		if (without) {
			count = without;
			continue;
		}
		reclaim_choose(rc, contender);
	}
	astra_place(rc->work, &c->job->request, banned, strict, rc->shares);
	return count;
}

static uint64_t victims_cost(const struct reclaim *rc)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < rc->victim_count; i++)
		cost += astra_loser_cost(&rc->r->contenders[rc->victims[i]]);
	return cost;
}

/* Undo the trial, and leave the chosen losers as victims. The caller takes
 * them. */
static void hand_over(struct reclaim *rc)
{
	for (size_t i = 0; i < rc->victim_count; i++) {
		rc->chosen[rc->victims[i]] = 0;
		astra_loser_take(rc->r, rc->work,
				 &rc->r->contenders[rc->victims[i]]);
	}
}

/* Find a place on the fewest nodes, and choose the losers on them. */
static size_t place_consolidated(struct reclaim *rc, const struct contender *c,
				 const uint64_t *banned, uint32_t strict)
{
	size_t count = astra_place(rc->all, &c->job->request, banned, strict,
				   rc->shares);

	if (!count || !choose_for_shares(rc, &c->job->request, count))
		return 0;
	return astra_place(rc->work, &c->job->request, banned, strict,
			   rc->shares);
}

static size_t place_on_many(struct reclaim *rc, const struct contender *c,
			    const uint64_t *banned, uint32_t strict)
{
	uint64_t have = astra_space_gpus(rc->work), cost = UINT64_MAX;
	size_t count = place_consolidated(rc, c, banned, strict);

	if (count)
		cost = victims_cost(rc);
	/* No place can cost less than the GPUs that are missing. */
	if (!count || cost + have > c->job->request.gpus) {
		unchoose_all(rc);
		count = choose_by_need(rc, c, banned, strict);
		if (count)
			count = reclaim_prune(rc, c, banned, strict, count);
		if (!count || victims_cost(rc) >= cost) {
			unchoose_all(rc);
			count = place_consolidated(rc, c, banned, strict);
		}
	}
	hand_over(rc);
	if (!count)
		rc->victim_count = 0;
	return count;
}

static size_t reclaim_search(struct reclaim *rc, const struct contender *c)
{
	const struct astra_request *q = &c->job->request;
	const uint64_t *banned = astra_refused_nodes(rc->r->e, c->job->id);
	uint32_t strict =
		rc->r->e->options.strict_placement ? rc->r->node_gpus_max : 0;
	size_t count;

	rc->victim_count = 0;
	if (astra_space_gpus(rc->all) < q->gpus)
		return 0;
	if (astra_space_gpus(rc->work) >= q->gpus) {
		count = astra_place(rc->work, q, banned, strict, rc->shares);
		if (count)
			return count;
	}
	if (rc->r->e->jobs[c->row].balked)
		return 0; /* no lease ends for this job */
	if (q->nodes_min <= 1 &&
	    (!q->gpus_per_node || q->gpus_per_node == q->gpus)) {
		count = place_on_one(rc, c, banned);
		if (count)
			return count;
	}
	if (q->gpus_per_node == q->gpus || q->nodes_max == 1)
		return 0;
	return place_on_many(rc, c, banned, strict);
}

size_t astra_reclaim_place(struct reclaim *rc, const struct contender *c)
{
	size_t count = 0;

	rc->victim_count = 0;
	if (astra_rights_begin(rc, c))
		count = reclaim_search(rc, c);
	astra_rights_end(rc, count > 0);
	return count;
}

static bool has_required(const struct reclaim *rc,
			 const struct astra_request *q,
			 const struct astra_share *shares, size_t count)
{
	size_t named = 0, found = 0;

	for (uint32_t n = 0; q->required && n < rc->r->snap->node_count; n++)
		named += astra_node_required(q, n);
	for (size_t i = 0; i < count; i++)
		found += astra_node_required(q, shares[i].node);
	return found == named;
}

/* Whether the request allows this place: the number of nodes, each node, and
 * the GPUs on it. */
static bool shape_allowed(const struct astra_request *q, const uint64_t *banned,
			  const struct astra_share *shares, size_t count)
{
	if (count < q->nodes_min || (q->nodes_max && count > q->nodes_max))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!astra_node_allowed(q, shares[i].node) ||
		    banned_node(banned, shares[i].node) ||
		    (q->gpus_per_node && shares[i].gpus != q->gpus_per_node) ||
		    (q->gpus_quantum && shares[i].gpus % q->gpus_quantum))
			return false;
	return true;
}

/* Add the CPUs and memory that go with the GPUs. Returns whether the space has
 * all of these. */
static bool fill_shares(struct reclaim *rc, const struct astra_space *space,
			const struct astra_request *q,
			const struct astra_share *shares, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct astra_room *room =
			astra_space_get(space, shares[i].node);
		struct astra_share *s = &rc->shares[i];

		*s = astra_request_share(q, shares[i].node, shares[i].gpus);
		if (q->whole_node) {
			s->cpus = room->cpus;
			s->mem_mib = room->mem_mib;
		}
		if (astra_room_fits(room, q) < s->gpus ||
		    room->cpus < s->cpus || room->mem_mib < s->mem_mib)
			return false;
	}
	return true;
}

static size_t reclaim_search_at(struct reclaim *rc, const struct contender *c,
				const struct astra_share *shares, size_t count)
{
	const struct astra_request *q = &c->job->request;
	bool found;

	if (!has_required(rc, q, shares, count) ||
	    !shape_allowed(q, astra_refused_nodes(rc->r->e, c->job->id), shares,
			   count) ||
	    !fill_shares(rc, rc->all, q, shares, count))
		return 0;
	found = (rc->r->e->jobs[c->row].balked ||
		 choose_for_shares(rc, q, count)) &&
		fill_shares(rc, rc->work, q, shares, count);
	if (found)
		hand_over(rc);
	else
		unchoose_all(rc);
	return found ? count : 0;
}

size_t astra_reclaim_place_at(struct reclaim *rc, const struct contender *c,
			      const struct astra_share *shares, size_t count)
{
	size_t found = 0;

	rc->victim_count = 0;
	if (astra_rights_begin(rc, c))
		found = reclaim_search_at(rc, c, shares, count);
	astra_rights_end(rc, found > 0);
	return found;
}

void astra_reclaim_give(struct reclaim *rc, const struct astra_share *shares,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t free_gpus;

		if (!rc->r->snap->nodes[shares[i].node].usable)
			continue;
		astra_space_give(rc->work, &shares[i]);
		astra_space_give(rc->all, &shares[i]);
		free_gpus = astra_space_get(rc->work, shares[i].node)->gpus;
		if (free_gpus > rc->gpus_idle_max)
			rc->gpus_idle_max = free_gpus;
	}
	memset(rc->hints, 0, sizeof(rc->hints));
}

void astra_reclaim_spare(struct reclaim *rc, struct contender *loser)
{
	astra_loser_take(rc->r, rc->all, loser);
	loser->spared = true;
}

bool astra_reclaim_spare_none(struct reclaim *rc)
{
	bool some = false;

	for (size_t i = 0; i < rc->loser_count; i++) {
		struct contender *c = &rc->r->contenders[rc->losers[i]];

		if (!c->spared)
			continue;
		c->spared = false;
		some = true;
		astra_loser_give(rc->r, rc->all, c);
	}
	if (some)
		memset(rc->hints, 0, sizeof(rc->hints));
	return some;
}

void astra_reclaim_take(struct reclaim *rc, const struct contender *c,
			size_t count)
{
	astra_rights_take(rc, c);
	for (size_t i = 0; i < rc->victim_count; i++) {
		struct contender *victim = &rc->r->contenders[rc->victims[i]];

		astra_loser_give(rc->r, rc->work, victim);
		victim->taken = true;
		victim->winner = c->job->id;
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t left;

		astra_space_take(rc->work, &rc->shares[i]);
		astra_space_take(rc->all, &rc->shares[i]);
		left = astra_space_get(rc->work, rc->shares[i].node)->gpus;
		if (left > rc->gpus_idle_max)
			rc->gpus_idle_max = left;
	}
}
