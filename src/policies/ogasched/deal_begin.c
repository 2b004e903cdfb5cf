/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/policies/offer.h"
#include "src/policies/ogasched/deal_priv.h"

/* The first level of jobs is of those that have run for less than so many slots
 * (an hour, by default); the last one has no end. */
#define LEVEL_SLOTS 6
#define LEVEL_GROWTH 8
#define LEVELS 3

/* A class's grant is what all its jobs may use: those that run on do. */
static void count_grants(struct deal *d, bool fresh)
{
	for (size_t l = 0; l < d->class_count; l++) {
		uint64_t units = 0;

		for (size_t n = 0; n < d->stride; n++)
			units += d->units[l * d->stride + n];
		d->granted[l] =
			(uint32_t)(units < UINT32_MAX ? units : UINT32_MAX);
		if (fresh)
			units += (uint64_t)d->classes->saved[l];
		d->left[l] = units;
	}
	for (uint32_t i = 0; i < d->offer->demand_count; i++) {
		const struct astra_demand *at = &d->offer->demands[i];
		uint64_t gpus = astra_shares_gpus(at->held, at->held_count);
		uint32_t class = deal_class(d, i);

		if (at->open)
			continue;
		d->got[class] += gpus;
		d->left[class] -= gpus < d->left[class] ? gpus : d->left[class];
	}
}

/* How long it has run, in levels that are each eight times as long as the one
 * before. What will be short has run for a short time, so long jobs of a class
 * don't keep short ones waiting; nor do two long ones take turns. The paper has
 * nothing of this: there a job lasts a slot. */
static unsigned deal_begin_level_of(const struct deal *d, uint32_t demand)
{
	double most = LEVEL_SLOTS * d->slot_sec;
	unsigned level = 0;

	while (level < LEVELS && d->offer->demands[demand].ran_sec >= most) {
		most *= LEVEL_GROWTH;
		level++;
	}
	return level;
}

static int compare_queue(const void *a, const void *b, void *arg)
{
	const struct deal *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double s = d->offer->demands[x].submit_sec;
	double t = d->offer->demands[y].submit_sec;
	unsigned i = deal_begin_level_of(d, x), j = deal_begin_level_of(d, y);

	if (i != j)
		return i < j ? -1 : 1;
	if (s != t)
		return s < t ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The queue, and from it the order: class by class as in the queue. */
static int deal_begin_sort(struct deal *d)
{
	size_t count = d->offer->demand_count;
	size_t *at = calloc(d->class_count + 1, sizeof(*at));

	if (!at)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		d->queue[i] = i;
		at[deal_class(d, i) + 1]++;
	}
	qsort_r(d->queue, count, sizeof(*d->queue), compare_queue, d);
	for (size_t l = 0; l < d->class_count; l++)
		at[l + 1] += at[l];
	for (size_t i = 0; i < count; i++)
		d->order[at[deal_class(d, d->queue[i])]++] = d->queue[i];
	free(at);
	return 0;
}

/* Of what is offered that which nobody holds. */
static void clear_held(struct deal *d)
{
	const struct astra_offer *offer = d->offer;

	for (size_t i = 0; i < offer->demand_count; i++)
		if (offer->demands[i].open)
			astra_demand_take(offer, d->idle, &offer->demands[i]);
}

static int deal_begin_init(struct deal *d)
{
	size_t demands = d->offer->demand_count, nodes = d->offer->node_count;

	d->left = calloc(d->class_count + 1, sizeof(*d->left));
	d->got = calloc(d->class_count + 1, sizeof(*d->got));
	d->granted = calloc(d->class_count + 1, sizeof(*d->granted));
	d->awarded = calloc(demands + 1, sizeof(*d->awarded));
	d->award_of = calloc(demands + 1, sizeof(*d->award_of));
	d->order = calloc(demands + 1, sizeof(*d->order));
	d->queue = calloc(demands + 1, sizeof(*d->queue));
	d->shares = calloc(nodes + 1, sizeof(*d->shares));
	d->all = astra_offer_space(d->offer);
	d->idle = astra_offer_space(d->offer);
	d->near = astra_offer_empty(d->offer);
	if (d->left && d->got && d->granted && d->awarded && d->award_of &&
	    d->order && d->queue && d->shares && d->all && d->idle && d->near)
		return 0;
	return -1;
}

void deal_end(struct deal *d)
{
	free(d->left);
	free(d->got);
	free(d->granted);
	free(d->awarded);
	free(d->award_of);
	free(d->order);
	free(d->queue);
	free(d->shares);
	astra_space_destroy(d->all);
	astra_space_destroy(d->idle);
	astra_space_destroy(d->near);
}

int deal_begin(struct deal *d, bool fresh)
{
	if (deal_begin_init(d) < 0 || deal_begin_sort(d) < 0)
		return -1;
	clear_held(d);
	count_grants(d, fresh);
	return 0;
}
