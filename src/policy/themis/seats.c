/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/themis/seats.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policy/placement.h"

/* The shortest first lease of a job that starts in mid-term, in terms. */
#define LEASE_LEAST .5

struct seating {
	const struct astra_offer *offer;
	const struct themis_parties *parties;
	const struct themis_division *division;
	struct astra_allocation *out;
	struct astra_space *space; /* what may be awarded at the moment */
	struct astra_share *shares;
	uint32_t *awarded; /* copies of each demand */
	uint32_t *order;   /* a party's demands, or the parties */
};

static int seating_init(struct seating *s)
{
	uint32_t most = 0, nodes = (uint32_t)s->offer->node_count;

	for (uint32_t n = 0; n < nodes; n++)
		if (s->offer->nodes[n].gpus > most)
			most = s->offer->nodes[n].gpus;
	s->space = astra_space_create(nodes, most);
	s->shares = calloc(nodes + 1, sizeof(*s->shares));
	s->awarded = calloc(s->offer->demand_count + 1, sizeof(*s->awarded));
	s->order = calloc(s->offer->demand_count + 1, sizeof(*s->order));
	return s->space && s->shares && s->awarded && s->order ? 0 : -1;
}

static void seating_fini(struct seating *s)
{
	astra_space_destroy(s->space);
	free(s->shares);
	free(s->awarded);
	free(s->order);
}

/* CPUs and memory are looked at when the award is carried out. */
static void set_free(struct seating *s, uint32_t node, uint32_t gpus)
{
	astra_space_set(s->space, node,
			&(struct astra_room){
				.gpus = gpus,
				.cpus = gpus ? UINT32_MAX / 2 : 0,
				.mem_mib = gpus ? UINT64_MAX / 2 : 0,
				.whole = gpus == s->offer->nodes[node].gpus,
			});
}

double astra_themis_lease_end(const struct astra_offer *offer, double term_sec)
{
	double grid = offer->lease_sec;
	double at = offer->now_sec + fmax(0, term_sec - grid);

	return ceil((at + grid * LEASE_LEAST) / grid) * grid;
}

static bool runs_there(const struct seating *s, const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count; i++)
		if (astra_space_get(s->space, job->held[i].node)->gpus <
		    job->held[i].gpus)
			return false;
	return job->held_count > 0;
}

static int award(struct seating *s, uint32_t demand,
		 const struct astra_share *shares, size_t count)
{
	const struct astra_job *job = s->offer->demands[demand].job;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = shares[i].node;

		set_free(s, node,
			 astra_space_get(s->space, node)->gpus -
				 shares[i].gpus);
	}
	s->awarded[demand]++;
	return astra_allocation_add(
		s->out, demand,
		astra_themis_lease_end(s->offer, job->lease_sec), shares,
		count);
}

/* A place for one of a demand's jobs on what is free: all its GPUs, or if it is
 * elastic as many as there are. Returns whether it got one, or -1. */
static int place(struct seating *s, uint32_t demand)
{
	const struct astra_demand *d = &s->offer->demands[demand];
	struct astra_request q = d->job->request;
	size_t count;

	if (!d->open || s->awarded[demand] >= d->copies)
		return 0;
	q.gpus = astra_request_size(&q, astra_space_gpus(s->space));
	if (!q.gpus)
		return 0;
	count = astra_place(s->space, &q, NULL, 0, s->shares);
	if (!count)
		return 0;
	return award(s, demand, s->shares, count) < 0 ? -1 : 1;
}

static int keep(struct seating *s, uint32_t demand)
{
	const struct astra_demand *d = &s->offer->demands[demand];

	if (!d->open || s->awarded[demand] || !runs_there(s, d->job))
		return 0;
	return award(s, demand, d->job->held, d->job->held_count);
}

/* Which of the jobs that run already are among the first for whom the GPUs
 * suffice: they stay. */
static int keep_first(struct seating *s, const struct themis_party *p)
{
	uint64_t left = astra_space_gpus(s->space);

	for (size_t i = 0; i < p->demand_count && left; i++) {
		const struct astra_demand *d = &s->offer->demands[s->order[i]];
		uint64_t gpus = d->job->request.gpus;

		if (!d->open)
			continue;
		if (keep(s, s->order[i]) < 0)
			return -1;
		gpus *= d->copies;
		left -= gpus < left ? gpus : left;
	}
	return 0;
}

/* A party's jobs on what is free now. */
static int seat_jobs(struct seating *s, const struct themis_party *p)
{
	astra_themis_order_jobs(p, s->offer, s->order);
	if (keep_first(s, p) < 0)
		return -1;
	for (size_t i = 0; i < p->demand_count && astra_space_gpus(s->space);
	     i++) {
		int placed = 1;

		if (keep(s, s->order[i]) < 0)
			return -1;
		while (placed > 0)
			placed = place(s, s->order[i]);
		if (placed < 0)
			return -1;
	}
	return 0;
}

/* What they do not use is free for others. */
static int seat_party(struct seating *s, size_t party, uint32_t *rest)
{
	const struct themis_division *division = s->division;
	size_t first = division->first[party], end = division->first[party + 1];

	if (first == end)
		return 0;
	for (size_t k = first; k < end; k++)
		set_free(s, division->shares[k].machine,
			 division->shares[k].gpus);
	if (seat_jobs(s, &s->parties->list[party]) < 0)
		return -1;
	for (size_t k = first; k < end; k++) {
		uint32_t node = division->shares[k].machine;

		rest[node] += astra_space_get(s->space, node)->gpus;
		set_free(s, node, 0);
	}
	return 0;
}

/* The parties in random order. */
static void shuffle(struct seating *s)
{
	struct astra_random random =
		astra_random_seed((uint64_t)s->offer->now_sec);

	for (uint32_t i = 0; i < s->parties->count; i++) {
		uint32_t j = (uint32_t)astra_random_below(&random, i + 1);

		s->order[i] = s->order[j];
		s->order[j] = i;
	}
}

static int seat_rest(struct seating *s, const uint32_t *rest, uint32_t *order)
{
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		if (rest[n])
			set_free(s, n, rest[n]);
	for (int others = 1; others >= 0; others--)
		for (size_t i = 0; i < s->parties->count; i++) {
			uint32_t at = order[i];

			if (s->division->participant[at] == others ||
			    !astra_space_gpus(s->space))
				continue;
			if (seat_jobs(s, &s->parties->list[at]) < 0)
				return -1;
		}
	return 0;
}

int astra_themis_seat(const struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer,
		      struct astra_allocation *out)
{
	struct seating s = {
		.offer = offer,
		.parties = parties,
		.division = division,
		.out = out,
	};
	size_t nodes = offer->node_count;
	uint32_t *rest = calloc(nodes + 1, sizeof(*rest));
	uint32_t *order = calloc(parties->count + 1, sizeof(*order));
	int rc = rest && order ? seating_init(&s) : -1;

	for (uint32_t n = 0; !rc && n < nodes; n++)
		rest[n] = division->free[n];
	for (size_t i = 0; !rc && i < parties->count; i++)
		rc = seat_party(&s, i, rest);
	if (!rc) {
		shuffle(&s);
		for (size_t i = 0; i < parties->count; i++)
			order[i] = s.order[i];
		rc = seat_rest(&s, rest, order);
	}
	out->moves = true; /* nearer together, or it would be pinned */
	out->spare_until_sec = astra_themis_lease_end(offer, 0);
	out->lend_until_sec = out->spare_until_sec;
	seating_fini(&s);
	free(rest);
	free(order);
	return rc;
}
