/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/seats.h"

#include <stdlib.h>

#include "src/policies/incentive/minima.h"
#include "src/policies/offer.h"

/* Stands for an unlimited amount of CPUs, or of memory in MiB. */
#define PLENTY UINT32_MAX

enum seat_kind { SEAT_GPUS, SEAT_CPUS, SEAT_MEM, SEAT_WHOLE, SEAT_KINDS };

struct astra_seats {
	const struct astra_offer *offer;
	uint32_t slots;
	struct astra_minima free[SEAT_KINDS]; /* slot by node */
	bool tight; /* GPUs may be free without the CPUs or memory to use
		     * them */
	/* Scratch of one search: */
	struct astra_space *space;
	uint32_t first, end; /* the slots that space shows; end 0: none */
	struct astra_share *shares;
	struct astra_market_part *parts;
};

/* What a node has without the jobs that leave or whose leases are over. */
struct vacancy {
	uint64_t gpus, cpus, mem_mib;
	uint32_t users; /* number of jobs that stay */
};

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void seats_leave(struct vacancy *v, const struct astra_share *s)
{
	v->gpus += s->gpus;
	v->cpus += s->cpus;
	v->mem_mib = plus(v->mem_mib, s->mem_mib);
}

static void stay(struct vacancy *v, const struct astra_share *s)
{
	v->gpus = minus(v->gpus, s->gpus);
	v->cpus = minus(v->cpus, s->cpus);
	if (v->mem_mib < UINT64_MAX)
		v->mem_mib = minus(v->mem_mib, s->mem_mib);
	v->users++;
}

/* Count what is free minus what is promised, plus what is held by jobs that do
 * not stay. */
static void count_vacancies(const struct astra_offer *offer, struct vacancy *v)
{
	for (size_t n = 0; n < offer->node_count; n++)
		v[n] = (struct vacancy){
			.gpus = offer->nodes[n].gpus_free,
			.cpus = offer->space ? offer->nodes[n].cpus_free
					     : PLENTY,
			.mem_mib = offer->space ? offer->nodes[n].mem_free_mib
						: UINT64_MAX,
		};
	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];
		bool stays = !d->open && d->held_count;

		for (size_t k = 0; k < d->job->held_count; k++)
			seats_leave(&v[d->job->held[k].node], &d->job->held[k]);
		for (size_t k = 0; stays && k < d->held_count; k++)
			stay(&v[d->held[k].node], &d->held[k]);
	}
}

/* Return a node's room. If a job is being cleaned up, or the host does not
 * report some GPUs as free yet, the missing part is counted: it will soon be
 * there. */
static struct astra_room seats_room_of(const struct astra_node *node,
				       const struct vacancy *v, uint32_t gpus)
{
	bool missing = node->settling || v->gpus < gpus;
	struct astra_room room = {
		.gpus = gpus,
		.cpus = v->cpus < PLENTY ? (uint32_t)v->cpus : PLENTY,
		.mem_mib = v->mem_mib,
		.whole = !v->users && gpus == node->gpus &&
			 (missing || v->cpus >= node->cpus),
	};

	if (missing && !v->users) {
		if (room.cpus < node->cpus)
			room.cpus = node->cpus;
		if (room.mem_mib < node->mem_mib)
			room.mem_mib = node->mem_mib;
	}
	return room;
}

static uint32_t *seats_cell(const struct astra_seats *s, enum seat_kind kind,
			    uint32_t slot, uint32_t node)
{
	return astra_minima_row(&s->free[kind], slot) + node;
}

static void seats_set_room(struct astra_seats *s, uint32_t node,
			   const struct astra_room *room)
{
	for (uint32_t i = 0; i < s->slots; i++) {
		*seats_cell(s, SEAT_GPUS, i, node) = room->gpus;
		*seats_cell(s, SEAT_CPUS, i, node) = room->cpus;
		*seats_cell(s, SEAT_MEM, i, node) =
			room->mem_mib < PLENTY ? (uint32_t)room->mem_mib
					       : PLENTY;
		*seats_cell(s, SEAT_WHOLE, i, node) = room->whole;
	}
}

/* Return the most CPUs and memory that a job takes with one GPU. A job with
 * whole nodes takes everything. */
static struct astra_share greediest(const struct astra_offer *offer)
{
	struct astra_share most = {0};

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_request *q = &offer->demands[i].job->request;
		struct astra_share share = astra_request_share(q, 0, 1);

		if (q->whole_node || share.cpus > most.cpus)
			most.cpus = q->whole_node ? PLENTY : share.cpus;
		if (share.mem_mib > most.mem_mib)
			most.mem_mib = share.mem_mib;
	}
	return most;
}

static void set_rooms(struct astra_seats *s,
		      const struct astra_market_room *servers,
		      const struct vacancy *vacancies)
{
	struct astra_share most = greediest(s->offer);

	for (uint32_t n = 0; n < s->offer->node_count; n++) {
		uint32_t gpus = servers[n].workers;
		struct astra_room room =
			seats_room_of(&s->offer->nodes[n], &vacancies[n], gpus);

		seats_set_room(s, n, &room);
		if (gpus && (!room.cpus || room.cpus / gpus < most.cpus ||
			     room.mem_mib / gpus < most.mem_mib))
			s->tight = true;
	}
	for (int kind = 0; kind < SEAT_KINDS; kind++)
		astra_minima_build(&s->free[kind]);
}

void astra_seats_destroy(struct astra_seats *s)
{
	if (!s)
		return;
	for (int kind = 0; kind < SEAT_KINDS; kind++)
		astra_minima_clear(&s->free[kind]);
	astra_space_destroy(s->space);
	free(s->shares);
	free(s->parts);
	free(s);
}

struct astra_seats *astra_seats_create(const struct astra_offer *offer,
				       const struct astra_market_room *servers,
				       uint32_t slots)
{
	struct astra_seats *s = calloc(1, sizeof(*s));
	struct vacancy *vacancies =
		calloc(offer->node_count + 1, sizeof(*vacancies));
	int rc = s && vacancies ? 0 : -1;

	if (!rc) {
		s->offer = offer;
		s->slots = slots;
		s->space = astra_offer_empty(offer);
		s->shares = calloc(offer->node_count + 1, sizeof(*s->shares));
		s->parts = calloc(offer->node_count + 1, sizeof(*s->parts));
		for (int kind = 0; kind < SEAT_KINDS; kind++)
			rc |= astra_minima_init(&s->free[kind], slots,
						offer->node_count);
		if (!s->space || !s->shares || !s->parts)
			rc = -1;
	}
	if (!rc) {
		count_vacancies(offer, vacancies);
		set_rooms(s, servers, vacancies);
	}
	free(vacancies);
	if (!rc)
		return s;
	astra_seats_destroy(s);
	return NULL;
}

/* Whether the job allows all nodes that have something for sale. */
static bool goes_anywhere(const struct astra_seats *s,
			  const struct astra_demand *d)
{
	const struct astra_request *q = &d->job->request;

	for (uint32_t n = 0; n < s->offer->node_count; n++)
		if (*seats_cell(s, SEAT_GPUS, 0, n) &&
		    (!astra_node_allowed(q, n) || astra_node_required(q, n)))
			return false;
	return !d->banned;
}

bool astra_seats_easy(const struct astra_seats *s, const struct astra_demand *d)
{
	const struct astra_request *q = &d->job->request;

	return !s->tight && q->nodes_min <= 1 && q->nodes_max <= 1 &&
	       astra_request_quantum(q) == (q->gpus_per_node ? q->gpus : 1) &&
	       goes_anywhere(s, d);
}

static uint32_t seats_least(const struct astra_seats *s, enum seat_kind kind,
			    uint32_t first, uint32_t end, uint32_t node)
{
	return astra_minima_at(
		astra_minima_of(&s->free[kind], first, end - first), node);
}

/* Set space to what each node has in all slots from first to end - 1. */
static void seats_show(struct astra_seats *s, uint32_t first, uint32_t end)
{
	if (s->first == first && s->end == end)
		return;
	s->first = first;
	s->end = end;
	for (uint32_t n = 0; n < s->offer->node_count; n++) {
		struct astra_room room = {
			.gpus = seats_least(s, SEAT_GPUS, first, end, n),
			.cpus = seats_least(s, SEAT_CPUS, first, end, n),
			.mem_mib = seats_least(s, SEAT_MEM, first, end, n),
			.whole = seats_least(s, SEAT_WHOLE, first, end, n),
		};

		if (room.mem_mib == PLENTY)
			room.mem_mib = UINT64_MAX;
		astra_space_set(s->space, n, &room);
	}
}

static size_t list_parts(struct astra_seats *s,
			 const struct astra_share *shares, size_t count,
			 uint32_t gpus, const struct astra_market_part **parts)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < found && s->parts[at].server != shares[i].node)
			at++;
		if (at == found)
			s->parts[found++] = (struct astra_market_part){
				.server = shares[i].node};
		s->parts[at].workers += shares[i].gpus;
		gpus -= shares[i].gpus;
	}
	*parts = s->parts;
	return gpus ? 0 : found;
}

size_t astra_seats_find(struct astra_seats *s, const struct astra_demand *d,
			uint32_t gpus, bool home, uint32_t first, uint32_t end,
			const struct astra_market_part **parts)
{
	size_t count = 0;

	seats_show(s, first, end);
	if (home && astra_demand_is_in(s->offer, s->space, d))
		count = list_parts(s, d->job->held, d->job->held_count, gpus,
				   parts);
	if (count)
		return count;
	count = astra_demand_place(s->space, d, gpus, s->shares);
	return list_parts(s, s->shares, count, gpus, parts);
}

static void take_of(const struct astra_seats *s, enum seat_kind kind,
		    uint32_t slot, uint32_t node, uint64_t amount)
{
	uint32_t *left = seats_cell(s, kind, slot, node);

	if (*left < PLENTY)
		*left = (uint32_t)minus(*left, amount);
}

void astra_seats_take(struct astra_seats *s, const struct astra_demand *d,
		      uint32_t first, uint32_t end,
		      const struct astra_market_part *parts, size_t count)
{
	const struct astra_request *q = &d->job->request;

	s->end = 0;
	for (size_t k = 0; k < count; k++) {
		uint32_t node = parts[k].server;
		struct astra_share share =
			astra_request_share(q, node, parts[k].workers);

		for (uint32_t i = first; i < end; i++) {
			take_of(s, SEAT_GPUS, i, node, share.gpus);
			take_of(s, SEAT_CPUS, i, node,
				q->whole_node ? PLENTY : share.cpus);
			take_of(s, SEAT_MEM, i, node,
				q->whole_node ? PLENTY : share.mem_mib);
			*seats_cell(s, SEAT_WHOLE, i, node) = 0;
		}
		for (int kind = 0; kind < SEAT_KINDS; kind++)
			astra_minima_update(&s->free[kind], node, first, end);
	}
}
