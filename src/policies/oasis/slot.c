/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which job gets which GPUs in the present slot. A job that holds as many GPUs
 * as it has booked keeps them without interruption. Guests are jobs that hold
 * GPUs but have booked none; they stay until other jobs need their GPUs. */
#include <stdlib.h>

#include "src/common/number.h"
#include "src/placement/placement.h"
#include "src/policies/oasis/book.h"
#include "src/policies/offer.h"

/* A job that wants GPUs in the present slot. */
struct turn {
	uint32_t demand;
	uint32_t gpus;		     /* number booked for the slot; 0: none */
	bool placed;		     /* keeps its GPUs, or is awarded some */
	const struct turn *left_for; /* the turn for which the guest gave up its
				      * GPUs */
	double submit_sec;
	struct oasis_booking *booking;
};

struct slot_round {
	struct oasis_book *book;
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct turn *turns; /* of open demands */
	size_t count;
	size_t served;		    /* how many of them are served; these come
				     * first, by submission */
	struct astra_space *space;  /* free GPUs, and those of jobs that move */
	struct astra_share *shares; /* scratch: of one place */
	double end_sec;		    /* of the slot */
};

/* For qsort() of turns. */
static int oasis_by_submission(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return x->demand < y->demand ? -1 : x->demand > y->demand;
}

/* Compare by payoff, the highest first: the job that missed its price by the
 * least. */
static int oasis_by_payoff(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->booking->payoff != y->booking->payoff)
		return x->booking->payoff > y->booking->payoff ? -1 : 1;
	return oasis_by_submission(a, b);
}

/* Whether to offer the job a schedule. It must have none, and must not have
 * been asked in this slot. A job that was refused but released since is asked
 * again. */
static bool is_due(const struct oasis_book *book, const struct turn *t)
{
	return (t->booking->offered != book->now || t->booking->denied) &&
	       oasis_next_booked(t->booking, book->now) < 0;
}

/* Whether the job's order matters: it holds GPUs, has booked some for this
 * slot, or is to be offered some. */
static bool is_served(const struct slot_round *r, const struct turn *t)
{
	return t->gpus || r->offer->demands[t->demand].job->held_count ||
	       is_due(r->book, t);
}

static struct turn slot_turn_of(const struct slot_round *r, uint32_t demand)
{
	const struct astra_demand *d = &r->offer->demands[demand];
	struct oasis_booking *b = oasis_book_find(r->book, d->job->id);

	return (struct turn){
		.demand = demand,
		.booking = b,
		.gpus = oasis_booked(b, r->book->now),
		.submit_sec = d->submit_sec,
	};
}

/* List the turns: those that are served, in order, then all others. */
static int list_turns(struct slot_round *r)
{
	r->turns = calloc(r->offer->demand_count + 1, sizeof(*r->turns));
	if (!r->turns)
		return -1;
	for (uint32_t i = 0; i < r->offer->demand_count; i++) {
		struct turn t;

		if (!r->offer->demands[i].open)
			continue;
		t = slot_turn_of(r, i);
		r->turns[r->count] = t;
		if (is_served(r, &t)) {
			r->turns[r->count] = r->turns[r->served];
			r->turns[r->served++] = t;
		}
		r->count++;
	}
	qsort(r->turns, r->served, sizeof(*r->turns), oasis_by_submission);
	return 0;
}

/* Offer a schedule to jobs that have none, once a slot. */
static int slot_make_offers(struct slot_round *r)
{
	struct oasis_book *book = r->book;

	for (size_t i = 0; i < r->served; i++) {
		struct turn *t = &r->turns[i];

		if (!is_due(book, t))
			continue;
		r->out->changed = true;
		if (oasis_book_offer(book, &r->offer->demands[t->demand],
				     r->offer->now_sec) < 0)
			return -1;
		t->gpus = oasis_booked(t->booking, book->now);
	}
	return 0;
}

/* Whether the pool, with its present nodes, could ever have room for the
 * job. */
static bool could_fit(const struct oasis_book *book,
		      const struct oasis_booking *b,
		      const struct astra_request *q)
{
	double least = astra_request_least(q);

	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		if (least * b->worker[r] > book->amounts.capacity[r])
			return false;
	return true;
}

/* Whether to refuse the job: it was not worth its price when it came. A job is
 * not refused if it is too large for the nodes that are up, or if it came when
 * nodes had just gone or come back. */
static bool is_denied(const struct slot_round *r, const struct turn *t)
{
	const struct oasis_book *book = r->book;
	const struct astra_demand *d = &r->offer->demands[t->demand];
	const struct oasis_booking *b = t->booking;

	return book->refuse && !r->offer->part && d->candidate.fresh &&
	       !b->admitted && b->offered == book->now && !t->gpus &&
	       b->payoff <= ASTRA_TIE && could_fit(book, b, &d->job->request) &&
	       r->offer->now_sec - book->gpus_since_sec >= book->slot_sec;
}

static int refuse_denied(struct slot_round *r)
{
	for (size_t i = 0; i < r->count; i++) {
		struct turn *t = &r->turns[i];

		t->booking->denied = is_denied(r, t);
		if (t->booking->denied &&
		    astra_allocation_refuse(r->out, t->demand) < 0)
			return -1;
	}
	return 0;
}

/* Whether the job could stay on the nodes that it has. */
static bool can_stay(const struct astra_offer *offer,
		     const struct astra_demand *d)
{
	for (size_t i = 0; i < d->job->held_count; i++) {
		const struct astra_node *n =
			&offer->nodes[d->job->held[i].node];

		if (!n->usable || n->emptying)
			return false;
	}
	return d->job->held_count > 0;
}

/* Make a space of the offered GPUs, minus those that expired leases hold. */
static int open_space(struct slot_round *r)
{
	const struct astra_offer *offer = r->offer;

	r->space = astra_offer_space(offer);
	r->shares = calloc(offer->node_count + 1, sizeof(*r->shares));
	if (!r->space || !r->shares)
		return -1;
	for (size_t i = 0; i < r->served; i++)
		astra_demand_take(offer, r->space,
				  &offer->demands[r->turns[i].demand]);
	return 0;
}

static int slot_award(struct slot_round *r, struct turn *t,
		      const struct astra_share *shares, size_t count)
{
	t->placed = true;
	return astra_allocation_add(r->out, t->demand, r->end_sec, shares,
				    count);
}

/* Let jobs continue that hold as many GPUs as they have booked. Jobs that hold
 * more or fewer leave their GPUs first. */
static int keep_places(struct slot_round *r)
{
	for (size_t i = 0; i < r->served; i++) {
		struct turn *t = &r->turns[i];
		const struct astra_demand *d = &r->offer->demands[t->demand];

		if (!d->job->held_count)
			continue;
		if (!can_stay(r->offer, d) ||
		    (t->gpus && t->gpus != astra_held_gpus(d->job)))
			astra_demand_give(r->offer, r->space, d);
		else if (!t->gpus)
			t->placed = true; /* unless another job gets its GPUs */
		else if (slot_award(r, t, d->job->held, d->job->held_count) < 0)
			return -1;
	}
	return 0;
}

/* Award a job the place in r->shares. Returns 0, or -1 when memory is out. */
static int oasis_take_place(struct slot_round *r, struct turn *t, size_t count)
{
	for (size_t i = 0; i < count; i++)
		astra_space_take(r->space, &r->shares[i]);
	return slot_award(r, t, r->shares, count);
}

/* Return the next guest to leave: the one that was worth least. */
static struct turn *next_guest(const struct slot_round *r)
{
	struct turn *guest = NULL;

	for (size_t i = 0; i < r->served; i++) {
		struct turn *t = &r->turns[i];

		if (t->placed && !t->gpus &&
		    (!guest || oasis_by_payoff(t, guest) > 0))
			guest = t;
	}
	return guest;
}

/* Let guests stay that gave up their GPUs for a turn which did not need
 * them. */
static void recall_guests(struct slot_round *r, const struct turn *for_whom)
{
	for (size_t i = 0; i < r->served; i++) {
		struct turn *t = &r->turns[i];
		const struct astra_demand *d = &r->offer->demands[t->demand];

		if (t->left_for != for_whom)
			continue;
		t->left_for = NULL;
		t->placed = astra_demand_is_in(r->offer, r->space, d);
		if (t->placed)
			astra_demand_take(r->offer, r->space, d);
	}
}

/* Find a place for a job, if necessary on GPUs of guests. */
static int slot_seat(struct slot_round *r, struct turn *t)
{
	const struct astra_demand *d = &r->offer->demands[t->demand];
	struct turn *guest;
	size_t count;
	int rc = 0;

	while (!(count = astra_demand_place(r->space, d, t->gpus, r->shares)) &&
	       (guest = next_guest(r))) {
		guest->placed = false;
		guest->left_for = t;
		astra_demand_give(r->offer, r->space,
				  &r->offer->demands[guest->demand]);
	}
	if (count)
		rc = oasis_take_place(r, t, count);
	else
		oasis_book_return(r->book, t->booking, r->book->now, false);
	recall_guests(r, t);
	return rc;
}

/* Place the jobs that have booked. A job may find no place because leases hold
 * GPUs or these are scattered. It then loses this slot. */
static int seat_booked(struct slot_round *r)
{
	for (size_t i = 0; i < r->served; i++)
		if (r->turns[i].gpus && !r->turns[i].placed &&
		    slot_seat(r, &r->turns[i]) < 0)
			return -1;
	return 0;
}

/* Lending GPUs that are not booked for the present slot. */

static void lend_sink(struct turn **heap, size_t count, size_t at)
{
	struct turn *moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    oasis_by_payoff(heap[child], heap[child + 1]) > 0)
			child++;
		if (oasis_by_payoff(heap[child], moved) >= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* List the waiting jobs that could use idle GPUs, as a heap by payoff with the
 * best one on top. */
static size_t list_borrowers(const struct slot_round *r, struct turn **heap)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct turn *t = &r->turns[i];
		const struct astra_demand *d = &r->offer->demands[t->demand];

		if (!t->placed && !t->booking->denied &&
		    astra_request_least(&d->job->request) <=
			    astra_space_gpus(r->space))
			heap[count++] = t;
	}
	for (size_t i = count / 2; i-- > 0;)
		lend_sink(heap, count, i);
	return count;
}

static int lend_slot_to(struct slot_round *r, struct turn *t)
{
	const struct astra_demand *d = &r->offer->demands[t->demand];
	size_t count =
		astra_demand_place_most(r->space, d, UINT64_MAX, r->shares);

	return count ? oasis_take_place(r, t, count) : 0;
}

/* Idle GPUs are lent to the slot's end. */
/* Lend idle GPUs until the slot's end to jobs that wait for a later slot of
 * theirs, and to jobs that were not admitted. Returns 0, or -1 when memory is
 * out. */
static int oasis_lend(struct slot_round *r)
{
	struct turn **heap;
	size_t count;
	int rc = 0;

	if (!astra_space_gpus(r->space))
		return 0;
	heap = calloc(r->count + 1, sizeof(struct turn *));
	if (!heap)
		return -1;
	count = list_borrowers(r, heap);
	while (!rc && count && astra_space_gpus(r->space)) {
		struct turn *t = heap[0];

		heap[0] = heap[--count];
		if (count)
			lend_sink(heap, count, 0);
		rc = lend_slot_to(r, t);
	}
	free(heap);
	return rc;
}

/* Return the bookings of tasks that start now. A task that leaves its array
 * gets another id, under which its remaining work is offered. */
static void forget_tasks(struct slot_round *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct turn *t = &r->turns[i];
		const struct astra_demand *d = &r->offer->demands[t->demand];

		if (t->placed && d->copies > 1)
			oasis_book_return(r->book, t->booking, r->book->now,
					  true);
	}
}

int oasis_slot_round(struct oasis_book *book, const struct astra_offer *offer,
		     struct astra_allocation *out)
{
	struct slot_round r = {.book = book, .offer = offer, .out = out};
	int rc = -1;

	if (oasis_book_look(r.book, offer) < 0 || list_turns(&r) < 0)
		goto out;
	r.end_sec = oasis_slot_start(r.book, r.book->now + 1);
	if (slot_make_offers(&r) < 0 || refuse_denied(&r) < 0 ||
	    open_space(&r) < 0 || keep_places(&r) < 0 || seat_booked(&r) < 0 ||
	    (r.book->lend && oasis_lend(&r) < 0))
		goto out;
	forget_tasks(&r);
	out->spare_until_sec = out->lend_until_sec = r.end_sec;
	if (offer->demand_count)
		out->wake_sec = r.end_sec;
	rc = 0;
out:
	free(r.turns);
	free(r.shares);
	astra_space_destroy(r.space);
	return rc;
}
