/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/seats.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/random.h"
#include "src/policies/offer.h"
#include "src/policies/themis/growth.h"
#include "src/policies/themis/themis.h"

/* GPUs that an app got in a round and that are not assigned to its jobs yet, by
 * machine. */
struct themis_hand {
	struct astra_themis_share *list;
	size_t count, room;
};

/* Adds GPUs of a machine. Returns 0, or -1 when out of memory. */
static int themis_hand_add(struct themis_hand *hand, uint32_t machine,
			   uint32_t gpus)
{
	if (astra_grow(&hand->list, &hand->room, hand->count + 1,
		       sizeof(*hand->list)) < 0)
		return -1;
	hand->list[hand->count++] = (struct astra_themis_share){machine, gpus};
	return 0;
}

/* Takes up to `most` GPUs of a machine out of a hand. Returns how many. */
static uint32_t themis_hand_take(struct themis_hand *hand, uint32_t machine,
				 uint32_t most)
{
	uint32_t taken = 0;

	for (size_t i = 0; i < hand->count && taken < most; i++) {
		struct astra_themis_share *h = &hand->list[i];
		uint32_t gpus = h->gpus < most - taken ? h->gpus : most - taken;

		if (h->machine != machine)
			continue;
		h->gpus -= gpus;
		taken += gpus;
	}
	return taken;
}

/* Returns the GPUs of a hand. */
static uint64_t themis_hand_gpus(const struct themis_hand *hand)
{
	uint64_t gpus = 0;

	for (size_t i = 0; i < hand->count; i++)
		gpus += hand->list[i].gpus;
	return gpus;
}

/* The shortest first lease of a job that starts in mid-term, in terms. */
#define LEASE_LEAST .5
/* For how many jobs of a round a place on all GPUs is searched. */
#define EXCHANGES_MAX 256

struct seating {
	const struct astra_offer *offer;
	const struct themis_parties *parties;
	const struct themis_division *division;
	struct astra_allocation *out;
	struct astra_space *left;  /* what is not awarded yet */
	struct astra_space *space; /* the part of `left` that may be awarded at
				    * present */
	struct astra_share *shares;
	struct themis_hand *hands; /* of each party */
	uint32_t *rest;	   /* by node: GPUs that no party has, or that the party
			    * which had them could not use */
	uint32_t *awarded; /* by demand: number of awards */
	bool *aside;	   /* for astra_themis_grow() */
	uint32_t *order;   /* the demands of a party */
	uint32_t *parties_order;
	uint32_t exchanges; /* how many may still be tried */
	bool resting;	    /* the rest is being given away */
};

static int seating_init(struct seating *s)
{
	size_t nodes = s->offer->node_count, parties = s->parties->count;

	s->exchanges = EXCHANGES_MAX;
	s->left = astra_offer_space(s->offer);
	s->space = astra_offer_empty(s->offer);
	s->shares = calloc(nodes + 1, sizeof(*s->shares));
	s->hands = calloc(parties + 1, sizeof(*s->hands));
	s->rest = calloc(nodes + 1, sizeof(*s->rest));
	s->awarded = calloc(s->offer->demand_count + 1, sizeof(*s->awarded));
	s->aside = calloc(s->offer->demand_count + 1, sizeof(*s->aside));
	s->order = calloc(s->offer->demand_count + 1, sizeof(*s->order));
	s->parties_order = calloc(parties + 1, sizeof(*s->parties_order));
	if (!s->left || !s->space || !s->shares || !s->hands || !s->rest ||
	    !s->awarded || !s->aside || !s->order || !s->parties_order)
		return -1;
	for (size_t n = 0; n < nodes; n++)
		s->rest[n] = s->division->free[n];
	return 0;
}

static void seating_fini(struct seating *s)
{
	for (size_t i = 0; s->hands && i < s->parties->count; i++)
		free(s->hands[i].list);
	astra_space_destroy(s->left);
	astra_space_destroy(s->space);
	free(s->shares);
	free(s->hands);
	free(s->rest);
	free(s->awarded);
	free(s->aside);
	free(s->order);
	free(s->parties_order);
}

/* Lets `gpus` GPUs of a node be awarded, with all CPUs and memory that are left
 * on the node. */
static void set_free(struct seating *s, uint32_t node, uint32_t gpus)
{
	struct astra_room room = *astra_space_get(s->left, node);

	room.whole &= gpus >= room.gpus;
	if (gpus < room.gpus)
		room.gpus = gpus;
	astra_space_set(s->space, node, &room);
}

double astra_themis_lease_end(const struct astra_offer *offer, double term_sec)
{
	double grid = offer->lease_sec;
	double at = offer->now_sec + fmax(0, term_sec - grid);

	return ceil((at + grid * LEASE_LEAST) / grid) * grid;
}

static int seats_award(struct seating *s, uint32_t demand,
		       const struct astra_share *shares, size_t count)
{
	const struct astra_job *job = s->offer->demands[demand].job;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = shares[i].node;
		uint32_t may = astra_space_get(s->space, node)->gpus;

		astra_space_take(s->left, &shares[i]);
		set_free(s, node,
			 may > shares[i].gpus ? may - shares[i].gpus : 0);
	}
	s->awarded[demand]++;
	return astra_allocation_add(
		s->out, demand,
		astra_themis_lease_end(s->offer, job->lease_sec), shares,
		count);
}

static bool seats_wants(const struct seating *s, uint32_t demand)
{
	const struct astra_demand *d = &s->offer->demands[demand];

	return d->open && s->awarded[demand] < d->copies;
}

/* Returns the most GPUs for one job of a party's i-th demand, if it is elastic.
 * As far as the GPUs suffice, it leaves the jobs behind it the fewest GPUs that
 * they run on. */
static uint64_t most_for(const struct seating *s, const struct themis_party *p,
			 size_t i)
{
	const struct astra_request *q =
		&s->offer->demands[s->order[i]].job->request;
	uint64_t left = astra_space_gpus(s->space);
	uint32_t least = astra_request_least(q);

	if (!astra_request_elastic(q))
		return UINT64_MAX;
	for (size_t k = i; k < p->demand_count && left > least; k++) {
		const struct astra_demand *d = &s->offer->demands[s->order[k]];
		uint32_t next = astra_request_least(&d->job->request);
		uint32_t taken = s->awarded[s->order[k]] + (k == i);

		if (!d->open || taken >= d->copies)
			continue;
		if (least + (uint64_t)next * (d->copies - taken) > left)
			return least + (left - least) % next;
		left -= (uint64_t)next * (d->copies - taken);
	}
	return left > least ? left : least;
}

/* Places one of a demand's jobs on free GPUs; an elastic job gets at most
 * `most`. While the rest is given away, the job may get fewer GPUs than are
 * free. Returns whether it got a place, or -1. */
static int seats_place(struct seating *s, uint32_t demand, uint64_t most)
{
	const struct astra_demand *d = &s->offer->demands[demand];
	uint64_t have = astra_space_gpus(s->space);
	size_t count = 0;

	if (have > most)
		have = most;
	if (!seats_wants(s, demand))
		return 0;
	if (s->resting)
		count = astra_demand_place_most(s->space, d, have, s->shares);
	else
		count = astra_demand_place(s->space, d,
					   have < UINT32_MAX ? (uint32_t)have
							     : UINT32_MAX,
					   s->shares);
	if (!count)
		return 0;
	return seats_award(s, demand, s->shares, count) < 0 ? -1 : 1;
}

/* Looks for more GPUs for a running job. Returns the number of shares that it
 * gets instead, or 0. */
static size_t seats_grow(struct seating *s, const struct themis_party *p,
			 uint32_t demand)
{
	return astra_themis_grow(
		&(struct themis_growth){
			.offer = s->offer,
			.party = p,
			.awarded = s->awarded,
			.space = s->space,
			.aside = s->aside,
		},
		demand, s->shares);
}

static int seats_keep(struct seating *s, const struct themis_party *p,
		      uint32_t demand)
{
	const struct astra_demand *d = &s->offer->demands[demand];
	size_t count;

	if (!d->open || s->awarded[demand] ||
	    !astra_demand_is_in(s->offer, s->space, d))
		return 0;
	count = seats_grow(s, p, demand);
	if (count)
		return seats_award(s, demand, s->shares, count);
	return seats_award(s, demand, d->job->held, d->job->held_count);
}

/* Keeps those running jobs that are first in the order, as far as the GPUs
 * suffice. */
static int seats_keep_first(struct seating *s, const struct themis_party *p)
{
	uint64_t left = astra_space_gpus(s->space);

	for (size_t i = 0; i < p->demand_count && left; i++) {
		const struct astra_demand *d = &s->offer->demands[s->order[i]];
		uint64_t gpus = d->job->request.gpus;

		if (!d->open)
			continue;
		if (seats_keep(s, p, s->order[i]) < 0)
			return -1;
		gpus *= d->copies;
		left -= gpus < left ? gpus : left;
	}
	return 0;
}

/* Seats a party's jobs on the GPUs that are free now. */
static int seats_seat_jobs(struct seating *s, const struct themis_party *p)
{
	astra_themis_order_jobs(p, s->offer, s->order);
	if (seats_keep_first(s, p) < 0)
		return -1;
	for (size_t i = 0; i < p->demand_count && astra_space_gpus(s->space);
	     i++) {
		int placed = 1;

		if (seats_keep(s, p, s->order[i]) < 0)
			return -1;
		while (placed > 0)
			placed = seats_place(s, s->order[i], most_for(s, p, i));
		if (placed < 0)
			return -1;
	}
	return 0;
}

/* Takes over GPUs of a machine that a party does not have. First it takes GPUs
 * of `rest`. Then it takes GPUs of parties with later turns, beginning with the
 * last; these get as many of its own GPUs in return. */
static int seats_take_over(struct seating *s, size_t turn, uint32_t machine,
			   uint32_t gpus)
{
	struct themis_hand *own = &s->hands[s->parties_order[turn]];
	uint32_t from = gpus < s->rest[machine] ? gpus : s->rest[machine];

	s->rest[machine] -= from;
	gpus -= from;
	for (size_t i = s->parties->count; gpus && i-- > turn + 1;) {
		struct themis_hand *other = &s->hands[s->parties_order[i]];
		uint32_t owed = themis_hand_take(other, machine, gpus);

		gpus -= owed;
		for (size_t k = 0; owed && k < own->count; k++) {
			uint32_t node = own->list[k].machine;
			uint32_t back = themis_hand_take(own, node, owed);

			owed -= back;
			if (back && themis_hand_add(other, node, back) < 0)
				return -1;
		}
	}
	return 0;
}

/* Seats a job that found no place on its party's GPUs on as many other GPUs.
 * First GPUs that no party has are tried, then an exchange with parties of
 * later turns. Returns whether the job got a place, or -1. */
static int seats_exchange(struct seating *s, size_t turn, uint32_t demand)
{
	uint32_t party = s->parties_order[turn];
	struct themis_hand *own = &s->hands[party];
	size_t count = 0;

	s->exchanges--;
	for (int others = 0; !count && others < 2; others++) {
		for (uint32_t n = 0; n < s->offer->node_count; n++)
			set_free(s, n, others ? UINT32_MAX : s->rest[n]);
		for (size_t k = 0; !others && k < own->count; k++)
			set_free(s, own->list[k].machine,
				 own->list[k].gpus +
					 s->rest[own->list[k].machine]);
		count = astra_demand_place_most(
			s->space, &s->offer->demands[demand],
			themis_hand_gpus(own), s->shares);
	}
	for (size_t k = 0; k < count; k++) {
		uint32_t node = s->shares[k].node, gpus = s->shares[k].gpus;

		gpus -= themis_hand_take(own, node, gpus);
		if (seats_take_over(s, turn, node, gpus) < 0)
			return -1;
	}
	return !count					      ? 0
	       : seats_award(s, demand, s->shares, count) < 0 ? -1
							      : 1;
}

/* Exchanges GPUs that a party won but cannot use where they are. */
static int exchange_all(struct seating *s, size_t turn)
{
	uint32_t party = s->parties_order[turn];
	const struct themis_party *p = &s->parties->list[party];
	int rc = 0;

	if (!themis_hand_gpus(&s->hands[party]) || !s->exchanges)
		return 0;
	astra_themis_order_jobs(p, s->offer, s->order);
	for (size_t i = 0; rc >= 0 && i < p->demand_count; i++) {
		uint32_t demand = s->order[i];
		const struct astra_job *job = s->offer->demands[demand].job;

		do {
			if (!seats_wants(s, demand) || !s->exchanges ||
			    themis_hand_gpus(&s->hands[party]) <
				    astra_request_least(&job->request))
				break;
			rc = seats_exchange(s, turn, demand);
		} while (rc > 0);
	}
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		set_free(s, n, 0);
	return rc;
}

/* Seats a party's jobs. GPUs that they do not use become free for other
 * parties. */
static int seat_party(struct seating *s, size_t turn)
{
	uint32_t party = s->parties_order[turn];
	struct themis_hand *hand = &s->hands[party];

	if (!hand->count)
		return 0;
	for (size_t k = 0; k < hand->count; k++)
		set_free(
			s, hand->list[k].machine,
			hand->list[k].gpus +
				astra_space_get(s->space, hand->list[k].machine)
					->gpus);
	if (seats_seat_jobs(s, &s->parties->list[party]) < 0)
		return -1;
	for (size_t k = 0; k < hand->count; k++) {
		uint32_t node = hand->list[k].machine;

		hand->list[k].gpus = astra_space_get(s->space, node)->gpus;
		set_free(s, node, 0);
	}
	if (exchange_all(s, turn) < 0)
		return -1;
	for (size_t k = 0; k < hand->count; k++)
		s->rest[hand->list[k].machine] += hand->list[k].gpus;
	hand->count = 0;
	return 0;
}

/* Gives each party what it won or was given, and sets the order of turns:
 * bidders first, the worst off at the front, then the parties that took no
 * part. */
static int deal_hands(struct seating *s)
{
	const struct themis_division *division = s->division;
	const struct astra_themis_round *round = &division->round;
	size_t turns = 0;

	for (size_t i = 0; i < round->bidder_count; i++)
		s->parties_order[turns++] = round->bidders[i];
	for (uint32_t i = 0; i < s->parties->count; i++) {
		if (!division->participant[i])
			s->parties_order[turns++] = i;
		for (size_t k = division->first[i]; k < division->first[i + 1];
		     k++)
			if (themis_hand_add(&s->hands[i],
					    division->shares[k].machine,
					    division->shares[k].gpus) < 0)
				return -1;
	}
	return 0;
}

static void seats_shuffle(struct seating *s)
{
	struct astra_random random =
		astra_random_seed((uint64_t)s->offer->now_sec);

	for (uint32_t i = 0; i < s->parties->count; i++) {
		uint32_t j = (uint32_t)astra_random_below(&random, i + 1);

		s->parties_order[i] = s->parties_order[j];
		s->parties_order[j] = i;
	}
}

/* Gives the remaining GPUs to the parties in random order. */
static int seat_rest(struct seating *s)
{
	s->resting = true;
	seats_shuffle(s);
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		if (s->rest[n])
			set_free(s, n, s->rest[n]);
	for (int others = 1; others >= 0; others--)
		for (size_t i = 0; i < s->parties->count; i++) {
			uint32_t at = s->parties_order[i];

			if (s->division->participant[at] == others ||
			    !astra_space_gpus(s->space))
				continue;
			if (seats_seat_jobs(s, &s->parties->list[at]) < 0)
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
	int rc = seating_init(&s);

	if (!rc)
		rc = deal_hands(&s);
	for (size_t i = 0; !rc && i < parties->count; i++)
		rc = seat_party(&s, i);
	if (!rc)
		rc = seat_rest(&s);
	out->moves = true; /* jobs move to nearer nodes; otherwise pin.c keeps
			    * them */
	out->spare_until_sec = astra_themis_lease_end(offer, 0);
	out->lend_until_sec = out->spare_until_sec;
	seating_fini(&s);
	return rc;
}
