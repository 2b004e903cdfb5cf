/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losers: the jobs whose lease is over and that were not granted another one.
 * They are sorted by node, and by the GPUs they hold. */
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"

#define LOSERS_STEPS 4096 /* enough to try all sets of twelve losers */

bool astra_loser(const struct contender *c)
{
	return c->expired && !c->taken && !c->spared && !c->barred &&
	       (!c->granted || c->lose_count);
}

const struct astra_share *astra_loser_shares(const struct contender *c,
					     size_t *count)
{
	*count = c->granted ? c->lose_count : c->job->held_count;
	return c->granted ? c->lose : c->job->held;
}

void astra_loser_give(const struct round *r, struct astra_space *space,
		      const struct contender *c)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	for (size_t i = 0; i < count; i++)
		if (r->snap->nodes[lost[i].node].usable)
			astra_space_give(space, &lost[i]);
}

void astra_loser_take(const struct round *r, struct astra_space *space,
		      const struct contender *c)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	for (size_t i = 0; i < count; i++)
		if (r->snap->nodes[lost[i].node].usable)
			astra_space_take(space, &lost[i]);
}

bool astra_loser_fits(const struct round *r, const struct astra_space *space,
		      const struct contender *c)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	for (size_t i = 0; i < count; i++)
		if (r->snap->nodes[lost[i].node].usable &&
		    astra_space_get(space, lost[i].node)->gpus < lost[i].gpus)
			return false;
	return true;
}

uint32_t astra_loser_cost(const struct contender *c)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	return astra_shares_gpus(lost, count);
}

static const struct contender *loser_at(const struct reclaim *rc, size_t i)
{
	return &rc->r->contenders[rc->losers[i]];
}

/* Collect the losers. Returns how many entries by_node will have. */
static size_t collect_losers(struct reclaim *rc)
{
	const struct round *r = rc->r;
	size_t entries = 0;

	for (size_t i = 0; i < r->contender_count; i++) {
		uint32_t cost;
		size_t count;

		if (!astra_loser(&r->contenders[i]))
			continue;
		cost = astra_loser_cost(&r->contenders[i]);
		if (cost > rc->cost_max)
			rc->cost_max = cost;
		astra_loser_shares(&r->contenders[i], &count);
		entries += count;
		rc->losers[rc->loser_count++] = (uint32_t)i;
	}
	return entries;
}

static int losers_allocate(struct reclaim *rc, const struct astra_space *space)
{
	const struct round *r = rc->r;
	size_t nodes = r->snap->node_count, entries;

	rc->losers = calloc(r->contender_count + 1, sizeof(*rc->losers));
	if (!rc->losers)
		return -1;
	entries = r->literal ? 0 : collect_losers(rc);
	rc->work = astra_space_copy(space);
	rc->all = astra_space_copy(space);
	rc->by_node = calloc(entries + 1, sizeof(*rc->by_node));
	rc->first = calloc(nodes + 2, sizeof(*rc->first));
	rc->by_cost = calloc(rc->loser_count + 1, sizeof(*rc->by_cost));
	rc->cost_first = calloc(rc->cost_max + 3, sizeof(*rc->cost_first));
	rc->cost_head = calloc(rc->cost_max + 3, sizeof(*rc->cost_head));
	rc->cost_next = calloc(rc->cost_max + 3, sizeof(*rc->cost_next));
	rc->shares = malloc((nodes + 1) * sizeof(*rc->shares));
	rc->victims = calloc(rc->loser_count + 1, sizeof(*rc->victims));
	rc->chosen = calloc(r->contender_count + 1, 1);
	if (!rc->work || !rc->all || !rc->by_node || !rc->first ||
	    !rc->by_cost || !rc->cost_first || !rc->cost_head ||
	    !rc->cost_next || !rc->shares || !rc->victims || !rc->chosen)
		return -1;
	return 0;
}

/* Counting sort: the losers on node n are by_node[first[n] .. first[n + 1]). */
static void sort_by_node(struct reclaim *rc)
{
	size_t nodes = rc->r->snap->node_count;

	for (size_t i = 0; i < rc->loser_count; i++) {
		size_t count;
		const struct astra_share *lost =
			astra_loser_shares(loser_at(rc, i), &count);

		for (size_t k = 0; k < count; k++)
			rc->first[lost[k].node + 2]++;
	}
	for (size_t n = 2; n < nodes + 2; n++)
		rc->first[n] += rc->first[n - 1];
	for (size_t i = 0; i < rc->loser_count; i++) {
		size_t count;
		const struct astra_share *lost =
			astra_loser_shares(loser_at(rc, i), &count);

		for (size_t k = 0; k < count; k++)
			rc->by_node[rc->first[lost[k].node + 1]++] =
				rc->losers[i];
	}
}

/* Sort the losers by cost in the same way. cost_head moves on past losers that
 * are taken. */
static void sort_by_cost(struct reclaim *rc)
{
	for (size_t i = 0; i < rc->loser_count; i++)
		rc->cost_first[astra_loser_cost(loser_at(rc, i)) + 2]++;
	for (size_t n = 2; n < rc->cost_max + 3; n++)
		rc->cost_first[n] += rc->cost_first[n - 1];
	for (size_t i = 0; i < rc->loser_count; i++)
		rc->by_cost[rc->cost_first[astra_loser_cost(loser_at(rc, i)) +
					   1]++] = rc->losers[i];
	memcpy(rc->cost_head, rc->cost_first,
	       (rc->cost_max + 3) * sizeof(*rc->cost_head));
}

/* Let all losers leave: what they held becomes free. */
static void losers_have_left(struct reclaim *rc)
{
	for (size_t i = 0; i < rc->r->contender_count; i++) {
		const struct contender *c = &rc->r->contenders[i];

		if (!astra_loser(c))
			continue;
		astra_loser_give(rc->r, rc->work, c);
		astra_loser_give(rc->r, rc->all, c);
	}
}

int astra_reclaim_init(struct reclaim *rc, struct round *r,
		       const struct astra_space *space)
{
	*rc = (struct reclaim){.r = r};
	if (losers_allocate(rc, space) < 0 || astra_rights_init(rc) < 0)
		return -1;
	for (size_t i = 0; i < rc->loser_count; i++)
		astra_loser_give(r, rc->all, loser_at(rc, i));
	if (r->literal)
		losers_have_left(rc);
	rc->gpus_idle_max = astra_space_gpus_max(rc->work);
	sort_by_node(rc);
	sort_by_cost(rc);
	return 0;
}

void astra_reclaim_fini(struct reclaim *rc)
{
	astra_space_destroy(rc->work);
	astra_space_destroy(rc->all);
	free(rc->losers);
	free(rc->by_node);
	free(rc->first);
	free(rc->by_cost);
	free(rc->cost_first);
	free(rc->cost_head);
	free(rc->cost_next);
	free(rc->shares);
	free(rc->victims);
	free(rc->chosen);
	astra_rights_fini(rc);
}

static uint32_t gpus_on(const struct contender *c, uint32_t node)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	for (size_t i = 0; i < count; i++)
		if (lost[i].node == node)
			return lost[i].gpus;
	return 0;
}

/* Find the cheapest losers on a node that free at least `need` GPUs there.
 * picked: their indices, at most ASTRA_KNAPSACK_JOBS. Returns their cost, or
 * UINT32_MAX if all losers on the node together are not enough. */
uint32_t astra_losers_cheapest(const struct reclaim *rc, uint32_t node,
			       uint32_t need, uint32_t *picked, size_t *count)
{
	uint32_t best[ASTRA_KNAPSACK_GPUS + 1];
	uint64_t set[ASTRA_KNAPSACK_GPUS + 1] = {0};
	uint32_t who[ASTRA_KNAPSACK_JOBS];
	size_t n = 0;

	if (need > ASTRA_KNAPSACK_GPUS)
		return UINT32_MAX;
	memset(best, 0xff, sizeof(best));
	best[0] = 0;
	for (size_t i = rc->first[node]; i < rc->first[node + 1]; i++) {
		const struct contender *c = &rc->r->contenders[rc->by_node[i]];
		uint32_t gain = gpus_on(c, node), cost = astra_loser_cost(c);

		if (!astra_loser(c) || rc->chosen[rc->by_node[i]] ||
		    n == ASTRA_KNAPSACK_JOBS)
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

void astra_room_add(struct astra_room *room, const struct contender *c,
		    uint32_t node)
{
	size_t count;
	const struct astra_share *lost = astra_loser_shares(c, &count);

	for (size_t i = 0; i < count; i++) {
		if (lost[i].node != node)
			continue;
		room->gpus += lost[i].gpus;
		room->cpus += lost[i].cpus;
		room->mem_mib += lost[i].mem_mib;
	}
}

/* A search for the cheapest losers on a node whose end leaves room for a
 * share. */
struct losers_search {
	const struct reclaim *rc;
	const struct astra_share *share;
	uint32_t who[ASTRA_KNAPSACK_JOBS]; /* sorted by cost */
	size_t count;
	struct astra_room room; /* with what the losers tried so far leave */
	uint64_t tried, best;	/* bitmaps of indices in who */
	uint32_t cost, best_cost;
	int steps; /* steps left */
};

static const struct contender *losers_at(const struct losers_search *s,
					 size_t i)
{
	return &s->rc->r->contenders[s->who[i]];
}

static void losers_collect(struct losers_search *s)
{
	const struct reclaim *rc = s->rc;
	uint32_t node = s->share->node;

	for (size_t i = rc->first[node];
	     i < rc->first[node + 1] && s->count < ASTRA_KNAPSACK_JOBS; i++) {
		const struct contender *c = &rc->r->contenders[rc->by_node[i]];
		size_t at = s->count;

		if (!astra_loser(c) || rc->chosen[rc->by_node[i]])
			continue;
		for (; at && astra_loser_cost(losers_at(s, at - 1)) >
				     astra_loser_cost(c);
		     at--)
			s->who[at] = s->who[at - 1];
		s->who[at] = rc->by_node[i];
		s->count++;
	}
}

/* Try sets that add losers from index `from` on to those tried already. */
static void losers_try(struct losers_search *s, size_t from)
{
	struct astra_room room = s->room;
	uint32_t cost = s->cost;

	if (cost >= s->best_cost)
		return;
	if (astra_room_has(&room, s->share)) {
		s->best = s->tried;
		s->best_cost = cost;
		return;
	}
	for (size_t i = from; i < s->count && s->steps-- > 0; i++) {
		const struct contender *c = losers_at(s, i);

		astra_room_add(&s->room, c, s->share->node);
		s->tried |= UINT64_C(1) << i;
		s->cost += astra_loser_cost(c);
		losers_try(s, i + 1);
		s->tried &= ~(UINT64_C(1) << i);
		s->room = room;
		s->cost = cost;
	}
}

/* Find the cheapest losers on a node whose end leaves room there for a share:
 * GPUs, CPUs and memory. Returns as astra_losers_cheapest(). If there are many
 * losers, the result is the cheapest that a bounded search finds. */
uint32_t astra_losers_for(const struct reclaim *rc,
			  const struct astra_share *share, uint32_t *picked,
			  size_t *count)
{
	struct losers_search s = {
		.rc = rc,
		.share = share,
		.room = *astra_space_get(rc->work, share->node),
		.best_cost = UINT32_MAX,
		.steps = LOSERS_STEPS,
	};

	losers_collect(&s);
	losers_try(&s, 0);
	*count = 0;
	for (size_t i = 0; i < s.count; i++)
		if (s.best_cost != UINT32_MAX && s.best >> i & 1)
			picked[(*count)++] = s.who[i];
	return s.best_cost;
}

/* Take all losers on a node, for a job that wants the node to itself. Returns
 * as astra_losers_cheapest(). */
uint32_t astra_losers_all(const struct reclaim *rc, uint32_t node,
			  uint32_t *picked, size_t *count)
{
	uint32_t cost = 0;

	*count = 0;
	for (size_t i = rc->first[node]; i < rc->first[node + 1]; i++) {
		const struct contender *c = &rc->r->contenders[rc->by_node[i]];

		if (!astra_loser(c) || rc->chosen[rc->by_node[i]])
			continue;
		if (*count == ASTRA_KNAPSACK_JOBS)
			return UINT32_MAX;
		cost += astra_loser_cost(c);
		picked[(*count)++] = rc->by_node[i];
	}
	return cost;
}

void astra_losers_begin(struct reclaim *rc)
{
	memcpy(rc->cost_next, rc->cost_head,
	       (rc->cost_max + 3) * sizeof(*rc->cost_next));
}

/* Return the first loser of this cost that is neither taken nor chosen. */
static uint32_t first_of_cost(struct reclaim *rc, size_t cost)
{
	size_t end = rc->cost_first[cost + 1];
	size_t *head = &rc->cost_head[cost], *next = &rc->cost_next[cost];

	while (*head < end &&
	       !astra_loser(&rc->r->contenders[rc->by_cost[*head]]))
		(*head)++; /* taken for good in this pass */
	if (*next < *head)
		*next = *head;
	while (*next < end &&
	       (rc->chosen[rc->by_cost[*next]] ||
		!astra_loser(&rc->r->contenders[rc->by_cost[*next]])))
		(*next)++;
	return *next < end ? rc->by_cost[*next] : ASTRA_NONE;
}

/* Return the smallest loser that covers the need; if there is none, the largest
 * loser. */
uint32_t astra_losers_by_need(struct reclaim *rc, uint64_t need)
{
	uint32_t found = ASTRA_NONE;

	for (size_t cost = need < rc->cost_max ? (size_t)need : rc->cost_max;
	     cost <= rc->cost_max && found == ASTRA_NONE; cost++)
		found = first_of_cost(rc, cost);
	for (size_t cost = rc->cost_max + 1; cost-- > 1 && found == ASTRA_NONE;)
		found = first_of_cost(rc, cost);
	return found;
}
