/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/leftovers.h"

#include <stdlib.h>

#include "src/common/random.h"

/* Those of one kind that have room for a quantum. */
struct queue {
	uint32_t *taker;
	size_t count;
};

struct giving {
	const struct astra_themis_taker *takers;
	uint32_t *room;
	uint32_t *free_gpus;
	uint64_t left; /* sum of free_gpus */
	size_t machine;
	struct astra_random random;
	struct astra_themis_gift *gifts;
	size_t gift_count;
};

static void enqueue(struct queue *queue, const struct giving *g, size_t count,
		    bool participants)
{
	for (size_t i = 0; i < count; i++) {
		const struct astra_themis_taker *t = &g->takers[i];

		if (t->participant == participants && t->room >= t->quantum)
			queue->taker[queue->count++] = (uint32_t)i;
	}
}

/* One GPU of the first machine that has one. */
static void give_one(struct giving *g, uint32_t taker)
{
	while (!g->free_gpus[g->machine])
		g->machine++;
	g->free_gpus[g->machine]--;
	g->left--;
	g->room[taker]--;
	g->gifts[g->gift_count++] = (struct astra_themis_gift){
		.taker = taker,
		.share = {.machine = (uint32_t)g->machine, .gpus = 1},
	};
}

static void leftovers_serve(struct giving *g, struct queue *queue)
{
	while (g->left && queue->count) {
		size_t at = astra_random_below(&g->random, queue->count);
		uint32_t taker = queue->taker[at];
		uint32_t quantum = g->takers[taker].quantum;
		uint32_t gpus = quantum <= g->left ? quantum : 0;

		while (gpus--)
			give_one(g, taker);
		if (g->room[taker] < quantum || g->left < quantum)
			queue->taker[at] = queue->taker[--queue->count];
	}
}

static int by_taker(const void *a, const void *b)
{
	const struct astra_themis_gift *x = a, *y = b;

	if (x->taker != y->taker)
		return x->taker < y->taker ? -1 : 1;
	if (x->share.machine != y->share.machine)
		return x->share.machine < y->share.machine ? -1 : 1;
	return 0;
}

/* Returns how many there are when each pair is named once. */
static size_t leftovers_merge(struct astra_themis_gift *gifts, size_t count)
{
	size_t kept = 0;

	qsort(gifts, count, sizeof(*gifts), by_taker);
	for (size_t i = 0; i < count; i++) {
		if (kept && !by_taker(&gifts[kept - 1], &gifts[i]))
			gifts[kept - 1].share.gpus++;
		else
			gifts[kept++] = gifts[i];
	}
	return kept;
}

static void give_all(struct giving *g, size_t taker_count, uint32_t *memory)
{
	struct queue others = {.taker = memory};
	struct queue participants = {.taker = memory};

	enqueue(&others, g, taker_count, false);
	leftovers_serve(g, &others);
	enqueue(&participants, g, taker_count, true);
	leftovers_serve(g, &participants);
	g->gift_count = leftovers_merge(g->gifts, g->gift_count);
}

int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count)
{
	struct giving g = {.takers = takers, .free_gpus = free_gpus};
	uint32_t *memory = malloc(2 * (taker_count + 1) * sizeof(*memory));

	for (size_t i = 0; i < machine_count; i++)
		g.left += free_gpus[i];
	g.gifts = malloc((g.left + 1) * sizeof(*g.gifts));
	if (!memory || !g.gifts) {
		free(memory);
		free(g.gifts);
		return -1;
	}
	g.room = memory + taker_count;
	for (size_t i = 0; i < taker_count; i++)
		g.room[i] = takers[i].room;
	g.random = astra_random_seed(seed);
	give_all(&g, taker_count, memory);
	free(memory);
	*gifts = g.gifts;
	*gift_count = g.gift_count;
	return 0;
}
