/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose GPUs are taken back to start a job: as few as possible.
 *
 * Losers are jobs whose lease is over and who were not granted a new one. For
 * a job that fits on one node the choice is exact: over all nodes the cheapest
 * set of losers, cost being all GPUs they hold anywhere (a knapsack over a
 * node's GPUs). For a job on several nodes two sets are compared, and losers
 * that turn out not to be needed stay: the fewest nodes, or the free GPUs
 * first. Either way nobody loses GPUs that the job has no use for, but for
 * the rest of the last job taken.
 */
#include <stdlib.h>
#include <string.h>

#include "src/policy/engine_priv.h"

static bool loser(const struct contender *c)
{
	return c->expired && !c->granted && !c->taken;
}

static void give_held(const struct round *r, struct astra_space *space,
		      const struct contender *c)
{
	for (size_t i = 0; i < c->job->held_count; i++)
		if (r->snap->nodes[c->job->held[i].node].usable)
			astra_space_give(space, &c->job->held[i]);
}

static void take_held(const struct round *r, struct astra_space *space,
		      const struct contender *c)
{
	for (size_t i = 0; i < c->job->held_count; i++)
		if (r->snap->nodes[c->job->held[i].node].usable)
			astra_space_take(space, &c->job->held[i]);
}

static uint32_t cost_of(const struct contender *c)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < c->job->held_count; i++)
		gpus += c->job->held[i].gpus;
	return gpus;
}

static int allocate(struct reclaim *rc)
{
	const struct round *r = rc->r;
	size_t nodes = r->snap->node_count, entries = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		if (!loser(&r->contenders[i]))
			continue;
		entries += r->contenders[i].job->held_count;
		if (cost_of(&r->contenders[i]) > rc->cost_max)
			rc->cost_max = cost_of(&r->contenders[i]);
	}
	rc->work = astra_space_copy(r->idle);
	rc->all = astra_space_copy(r->idle);
	rc->by_node = calloc(entries + 1, sizeof(*rc->by_node));
	rc->first = calloc(nodes + 2, sizeof(*rc->first));
	rc->by_cost = calloc(r->contender_count + 1, sizeof(*rc->by_cost));
	rc->cost_first = calloc(rc->cost_max + 3, sizeof(*rc->cost_first));
	rc->cost_head = calloc(rc->cost_max + 3, sizeof(*rc->cost_head));
	rc->shares = calloc(nodes + 1, sizeof(*rc->shares));
	rc->victims = calloc(r->contender_count + 1, sizeof(*rc->victims));
	rc->chosen = calloc(r->contender_count + 1, 1);
	if (!rc->work || !rc->all || !rc->by_node || !rc->first ||
	    !rc->by_cost || !rc->cost_first || !rc->cost_head || !rc->shares ||
	    !rc->victims || !rc->chosen)
		return -1;
	return 0;
}

/* Counting sort: the losers on node n are by_node[first[n] .. first[n + 1]). */
static void sort_by_node(struct reclaim *rc)
{
	const struct round *r = rc->r;
	size_t nodes = r->snap->node_count;

	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		for (size_t k = 0; loser(c) && k < c->job->held_count; k++)
			rc->first[c->job->held[k].node + 2]++;
	}
	for (size_t n = 2; n < nodes + 2; n++)
		rc->first[n] += rc->first[n - 1];
	for (size_t i = 0; i < r->contender_count; i++) {
		const struct contender *c = &r->contenders[i];

		for (size_t k = 0; loser(c) && k < c->job->held_count; k++)
			rc->by_node[rc->first[c->job->held[k].node + 1]++] =
				(uint32_t)i;
	}
}

/* The same by cost; cost_head moves past those that are taken. */
static void sort_by_cost(struct reclaim *rc)
{
	const struct round *r = rc->r;

	for (size_t i = 0; i < r->contender_count; i++)
		if (loser(&r->contenders[i]))
			rc->cost_first[cost_of(&r->contenders[i]) + 2]++;
	for (size_t n = 2; n < rc->cost_max + 3; n++)
		rc->cost_first[n] += rc->cost_first[n - 1];
	for (size_t i = 0; i < r->contender_count; i++)
		if (loser(&r->contenders[i]))
			rc->by_cost[rc->cost_first[cost_of(&r->contenders[i]) +
						   1]++] = (uint32_t)i;
	memcpy(rc->cost_head, rc->cost_first,
	       (rc->cost_max + 3) * sizeof(*rc->cost_head));
}

int astra_reclaim_init(struct reclaim *rc, struct round *r)
{
	*rc = (struct reclaim){.r = r};
	if (allocate(rc) < 0)
		return -1;
	for (size_t i = 0; i < r->contender_count; i++)
		if (loser(&r->contenders[i]))
			give_held(r, rc->all, &r->contenders[i]);
	for (uint32_t n = 0; n < r->snap->node_count; n++) {
		uint32_t idle = astra_space_get(rc->work, n)->gpus;

		if (idle > rc->gpus_idle_max)
			rc->gpus_idle_max = idle;
	}
	sort_by_node(rc);
	sort_by_cost(rc);
	return 0;
}

void astra_reclaim_fini(struct reclaim *rc)
{
	astra_space_destroy(rc->work);
	astra_space_destroy(rc->all);
	free(rc->by_node);
	free(rc->first);
	free(rc->by_cost);
	free(rc->cost_first);
	free(rc->cost_head);
	free(rc->shares);
	free(rc->victims);
	free(rc->chosen);
}

static uint32_t gpus_on(const struct contender *c, uint32_t node)
{
	for (size_t i = 0; i < c->job->held_count; i++)
		if (c->job->held[i].node == node)
			return c->job->held[i].gpus;
	return 0;
}

#define KNAPSACK_GPUS ASTRA_KNAPSACK_GPUS
#define KNAPSACK_JOBS 64
#define CHOOSE_MAX 4096
#define LOOKS_MAX 64 /* nodes compared with the first one that would do */

/* The cheapest losers on a node that free at least `need` GPUs of it.
 * picked: their numbers, at most KNAPSACK_JOBS. Returns the cost, or
 * UINT32_MAX when all of them together do not suffice. */
static uint32_t cheapest(const struct reclaim *rc, uint32_t node, uint32_t need,
			 uint32_t *picked, size_t *count)
{
	uint32_t best[KNAPSACK_GPUS + 1];
	uint64_t set[KNAPSACK_GPUS + 1] = {0};
	uint32_t who[KNAPSACK_JOBS];
	size_t n = 0;

	if (need > KNAPSACK_GPUS)
		return UINT32_MAX;
	memset(best, 0xff, sizeof(best));
	best[0] = 0;
	for (size_t i = rc->first[node]; i < rc->first[node + 1]; i++) {
		const struct contender *c = &rc->r->contenders[rc->by_node[i]];
		uint32_t gain = gpus_on(c, node), cost = cost_of(c);

		if (!loser(c) || rc->chosen[rc->by_node[i]] ||
		    n == KNAPSACK_JOBS)
			continue;
		who[n] = rc->by_node[i];
		for (uint32_t have = need; have-- > 0;) {
			uint32_t to = have + gain < need ? have + gain : need;

			if (best[have] == UINT32_MAX ||
			    best[have] + cost >= best[to])
				continue;
			best[to] = best[have] + cost;
			set[to] = set[have] | UINT64_C(1) << n;
		}
		n++;
	}
	*count = 0;
	for (size_t i = 0; i < n && best[need] != UINT32_MAX; i++)
		if (set[need] >> i & 1)
			picked[(*count)++] = who[i];
	return best[need];
}

static bool banned_node(const uint64_t *banned, uint32_t node)
{
	return banned && (banned[node / 64] >> (node % 64) & 1);
}

/* What is free on a node once these losers have left it. */
static struct astra_room room_after(const struct reclaim *rc, uint32_t node,
				    const uint32_t *victims, size_t count)
{
	struct astra_room room = *astra_space_get(rc->work, node);

	for (size_t i = 0; i < count; i++) {
		const struct contender *c = &rc->r->contenders[victims[i]];

		for (size_t k = 0; k < c->job->held_count; k++) {
			if (c->job->held[k].node != node)
				continue;
			room.gpus += c->job->held[k].gpus;
			room.cpus += c->job->held[k].cpus;
			room.mem_mib += c->job->held[k].mem_mib;
		}
	}
	room.whole = room.gpus >= rc->r->snap->nodes[node].gpus &&
		     room.cpus >= rc->r->snap->nodes[node].cpus;
	return room;
}

/* The first node that may have so many GPUs. Rooms in `all` only shrink, so
 * those passed over once stay so. */
static uint32_t first_with(struct reclaim *rc, uint32_t gpus)
{
	uint32_t *hint, n;

	if (gpus > KNAPSACK_GPUS)
		return 0;
	hint = &rc->hints[gpus];
	for (n = *hint; n < rc->r->snap->node_count; n++)
		if (astra_space_get(rc->all, n)->gpus >= gpus)
			break;
	*hint = n;
	return n;
}

/* The best single node, and who has to leave it. */
static size_t place_on_one(struct reclaim *rc, const struct contender *c,
			   const uint64_t *banned)
{
	const struct astra_request *q = &c->job->request;
	uint32_t best = UINT32_MAX, at = 0, picked[KNAPSACK_JOBS];
	int looks = LOOKS_MAX;

	for (uint32_t n = first_with(rc, q->gpus);
	     n < rc->r->snap->node_count && looks; n++) {
		const struct astra_room *now = astra_space_get(rc->work, n);
		uint32_t need, cost;
		struct astra_room then;
		size_t count;

		if (rc->first[n] == rc->first[n + 1] ||
		    astra_space_get(rc->all, n)->gpus < q->gpus ||
		    banned_node(banned, n) || !astra_node_allowed(q, n))
			continue;
		looks -= best != UINT32_MAX;
		need = q->gpus > now->gpus ? q->gpus - now->gpus : 0;
		if (need >= best)
			continue;
		cost = cheapest(rc, n, need, picked, &count);
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
			break; /* nobody can do with less */
	}
	if (best == UINT32_MAX)
		return 0;
	rc->shares[0] = astra_request_share(q, at, q->gpus);
	return 1;
}

static void choose(struct reclaim *rc, uint32_t contender)
{
	rc->chosen[contender] = 1;
	rc->victims[rc->victim_count++] = contender;
	give_held(rc->r, rc->work, &rc->r->contenders[contender]);
}

static void unchoose(struct reclaim *rc, size_t i)
{
	uint32_t contender = rc->victims[i];

	rc->chosen[contender] = 0;
	take_held(rc->r, rc->work, &rc->r->contenders[contender]);
	rc->victims[i] = rc->victims[--rc->victim_count];
}

static void unchoose_all(struct reclaim *rc)
{
	while (rc->victim_count)
		unchoose(rc, rc->victim_count - 1);
}

/* Take back what a place found in `all` needs on each of its nodes. */
static bool choose_for_shares(struct reclaim *rc, size_t count)
{
	uint32_t picked[KNAPSACK_JOBS];

	for (size_t i = 0; i < count; i++) {
		const struct astra_share *s = &rc->shares[i];
		uint32_t have = astra_space_get(rc->work, s->node)->gpus;
		size_t n;

		if (have >= s->gpus)
			continue;
		if (cheapest(rc, s->node, s->gpus - have, picked, &n) ==
		    UINT32_MAX)
			return false;
		for (size_t k = 0; k < n; k++)
			choose(rc, picked[k]);
	}
	return true;
}

/* The first loser of a cost that is still to be had. */
static uint32_t first_of_cost(struct reclaim *rc, size_t cost)
{
	size_t end = rc->cost_first[cost + 1];
	size_t *head = &rc->cost_head[cost];

	while (*head < end && !loser(&rc->r->contenders[rc->by_cost[*head]]))
		(*head)++; /* taken for good in this pass */
	for (size_t i = *head; i < end; i++)
		if (!rc->chosen[rc->by_cost[i]] &&
		    loser(&rc->r->contenders[rc->by_cost[i]]))
			return rc->by_cost[i];
	return ASTRA_NONE;
}

/* The smallest loser that covers the need, else the largest one. */
static uint32_t next_by_need(struct reclaim *rc, uint64_t need)
{
	uint32_t found = ASTRA_NONE;

	for (size_t cost = need < rc->cost_max ? (size_t)need : rc->cost_max;
	     cost <= rc->cost_max && found == ASTRA_NONE; cost++)
		found = first_of_cost(rc, cost);
	for (size_t cost = rc->cost_max + 1; cost-- > 1 && found == ASTRA_NONE;)
		found = first_of_cost(rc, cost);
	return found;
}

/* Losers one by one, those that overshoot the need least first, until the
 * request has a place among what is free. */
static size_t choose_by_need(struct reclaim *rc, const struct contender *c,
			     const uint64_t *banned, uint32_t strict)
{
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
		next = next_by_need(rc, need);
		if (next == ASTRA_NONE || rc->victim_count > CHOOSE_MAX)
			return 0;
		choose(rc, next);
	}
}

/* Let go whoever the place can do without, the largest first. */
static size_t prune(struct reclaim *rc, const struct contender *c,
		    const uint64_t *banned, uint32_t strict, size_t count)
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
		choose(rc, contender);
	}
	astra_place(rc->work, &c->job->request, banned, strict, rc->shares);
	return count;
}

static uint64_t victims_cost(const struct reclaim *rc)
{
	uint64_t cost = 0;

	for (size_t i = 0; i < rc->victim_count; i++)
		cost += cost_of(&rc->r->contenders[rc->victims[i]]);
	return cost;
}

/* The caller takes the victims itself: undo what was tried. */
static void hand_over(struct reclaim *rc)
{
	for (size_t i = 0; i < rc->victim_count; i++) {
		rc->chosen[rc->victims[i]] = 0;
		take_held(rc->r, rc->work, &rc->r->contenders[rc->victims[i]]);
	}
}

/* The fewest nodes, and whoever is on them. */
static size_t place_consolidated(struct reclaim *rc, const struct contender *c,
				 const uint64_t *banned, uint32_t strict)
{
	size_t count = astra_place(rc->all, &c->job->request, banned, strict,
				   rc->shares);

	if (!count || !choose_for_shares(rc, count))
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
	/* Nobody can do with less than what is missing. */
	if (!count || cost + have > c->job->request.gpus) {
		unchoose_all(rc);
		count = choose_by_need(rc, c, banned, strict);
		if (count)
			count = prune(rc, c, banned, strict, count);
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

size_t astra_reclaim_place(struct reclaim *rc, const struct contender *c)
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

void astra_reclaim_take(struct reclaim *rc, const struct contender *c,
			size_t count)
{
	for (size_t i = 0; i < rc->victim_count; i++) {
		struct contender *victim = &rc->r->contenders[rc->victims[i]];

		give_held(rc->r, rc->work, victim);
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
