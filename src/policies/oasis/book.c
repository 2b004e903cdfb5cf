/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/oasis/book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/forecast.h"

#define HOUR_SEC 3600

/* The demand of a parameter server. A worker is a GPU with all that goes with
 * it, including parameter servers, so these have no demand of their own. */
static const double nothing[OASIS_POOL_RESOURCES];

int64_t oasis_slot_of(const struct oasis_book *book, double at_sec)
{
	return (int64_t)floor((at_sec - book->origin_sec) / book->slot_sec +
			      1e-7);
}

double oasis_slot_start(const struct oasis_book *book, int64_t slot)
{
	return book->origin_sec + (double)slot * book->slot_sec;
}

struct oasis_booking *oasis_book_find(const struct oasis_book *book,
				      uint32_t job)
{
	uint32_t index = astra_idmap_get(&book->by_job, job);

	return index == ASTRA_IDMAP_NONE ? NULL : &book->bookings[index];
}

uint32_t oasis_booked(const struct oasis_booking *booking, int64_t slot)
{
	size_t i = 0;

	while (i < booking->y.count && booking->y.list[i].slot < slot)
		i++;
	return i < booking->y.count && booking->y.list[i].slot == slot
		       ? booking->y.list[i].count
		       : 0;
}

int64_t oasis_next_booked(const struct oasis_booking *booking, int64_t slot)
{
	for (size_t i = 0; i < booking->y.count; i++)
		if (booking->y.list[i].slot >= slot)
			return booking->y.list[i].slot;
	return -1;
}

static struct astra_oasis_range range_of(const struct oasis_book *book)
{
	struct astra_oasis_range range;
	double capacity = 0;

	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		capacity += book->amounts.capacity[r];
	oasis_recent_range(&book->recent, book->slots, capacity, &range);
	return range;
}

static void commit(struct oasis_book *book, const struct oasis_booking *b,
		   const struct astra_oasis_places *places, bool give_back)
{
	const struct astra_oasis_places none = {0};
	const struct astra_oasis_job job = {.worker = b->worker, .ps = nothing};

	astra_oasis_market_commit(book->market, &job, places, &none, give_back);
}

/* Open a market and commit what is booked: at the begin and after a restart. */
static int open_market(struct oasis_book *book)
{
	const struct astra_oasis_setup setup = {
		.resources = OASIS_POOL_RESOURCES,
		.slots = book->slots,
		.first = book->now,
		.workers = {book->amounts.capacity, 1},
		.range = range_of(book),
	};

	book->market = astra_oasis_market_create(&setup, NULL);
	if (!book->market)
		return -1;
	for (size_t i = 0; i < book->count; i++)
		commit(book, &book->bookings[i], &book->bookings[i].y, false);
	return 0;
}

/* Update the amounts from the offer. If units change, the history begins anew,
 * since worth is per unit. Returns whether the market has to be changed. */
static bool see_amounts(struct oasis_book *book,
			const struct astra_offer *offer)
{
	const struct oasis_amounts was = book->amounts;
	bool changed = oasis_amounts_see(&book->amounts, offer);

	if (changed)
		oasis_recent_init(&book->recent);
	for (size_t i = 0; changed && i < book->count; i++)
		book->bookings[i].known = false;
	return changed || memcmp(was.capacity, book->amounts.capacity,
				 sizeof(was.capacity)) != 0;
}

static int book_turn_to(struct oasis_book *book,
			const struct astra_offer *offer)
{
	bool other = see_amounts(book, offer);

	book->now = oasis_slot_of(book, offer->now_sec);
	if (book->gpus != offer->gpus || !book->market)
		book->gpus_since_sec = offer->now_sec;
	book->gpus = offer->gpus;
	if (!book->market)
		return open_market(book);
	if (other) {
		struct astra_oasis_range range = range_of(book);

		astra_oasis_market_set_capacity(book->market, 0,
						book->amounts.capacity);
		astra_oasis_market_set_range(book->market, &range);
	}
	/* The clock was set back: the market begins in what is now the
	 * future. */
	if (book->now < astra_oasis_market_first(book->market)) {
		astra_oasis_market_destroy(book->market);
		return open_market(book);
	}
	astra_oasis_market_advance(book->market, book->now);
	return 0;
}

static struct oasis_booking *add_booking(struct oasis_book *book, uint32_t job)
{
	struct oasis_booking *b;

	if (astra_grow(&book->bookings, &book->room, book->count + 1,
		       sizeof(*book->bookings)) < 0 ||
	    astra_idmap_put(&book->by_job, job, (uint32_t)book->count) < 0)
		return NULL;
	b = &book->bookings[book->count++];
	*b = (struct oasis_booking){.job = job, .offered = INT64_MIN};
	return b;
}

/* Set what a job takes with each GPU, when it is first seen (after a restart
 * too) or its request has changed. Its bookings are changed accordingly. */
static void set_demand(struct oasis_book *book, struct oasis_booking *b,
		       const struct astra_request *request)
{
	double worker[OASIS_POOL_RESOURCES];

	oasis_amounts_demand(&book->amounts, request, worker);
	if (!memcmp(worker, b->worker, sizeof(worker)))
		return;
	commit(book, b, &b->y, true);
	memcpy(b->worker, worker, sizeof(worker));
	commit(book, b, &b->y, false);
}

static int book_place(struct oasis_booking *b, int64_t slot, uint32_t count)
{
	size_t at = 0;

	while (at < b->y.count && b->y.list[at].slot < slot)
		at++;
	if (astra_grow(&b->y.list, &b->y.room, b->y.count + 1,
		       sizeof(*b->y.list)) < 0)
		return -1;
	memmove(&b->y.list[at + 1], &b->y.list[at],
		(b->y.count - at) * sizeof(*b->y.list));
	b->y.list[at] =
		(struct astra_oasis_place){.slot = slot, .count = count};
	b->y.count++;
	return 0;
}

/* Book what a job holds beyond its booking, until its lease's end. It may have
 * been lent GPUs, another policy may have started it, or it runs to its own
 * end. */
static int book_held(struct oasis_book *book, struct oasis_booking *b,
		     const struct astra_demand *demand)
{
	double until_sec = demand->until_sec;
	uint32_t held = astra_shares_gpus(demand->held, demand->held_count);
	uint32_t booked = oasis_booked(b, book->now);
	struct astra_oasis_place more = {.slot = book->now};
	struct astra_oasis_places places = {.list = &more, .count = 1};
	int64_t last;

	b->held = demand->job->state == ASTRA_JOB_RUNNING;
	if (demand->open || !held)
		return 0;
	if (isinf(until_sec))
		until_sec = oasis_slot_start(book, book->now) +
			    astra_left_sec(demand);
	last = oasis_slot_of(book, until_sec - 1);
	if (last - book->now >= book->slots)
		last = book->now + book->slots - 1;
	if (booked >= held && oasis_booked(b, last) >= held)
		return 0;
	for (; more.slot <= last; more.slot++) {
		booked = oasis_booked(b, more.slot);
		if (booked >= held)
			continue;
		oasis_book_return(book, b, more.slot, false);
		more.count = held;
		if (book_place(b, more.slot, held) < 0)
			return -1;
		commit(book, b, &places, false);
	}
	return 0;
}

static int book_look_at(struct oasis_book *book,
			const struct astra_demand *demand)
{
	struct oasis_booking *b = oasis_book_find(book, demand->job->id);

	if (!b)
		b = add_booking(book, demand->job->id);
	if (!b)
		return -1;
	b->seen = true;
	b->tenant = demand->tenant;
	b->submit_sec = demand->submit_sec;
	b->utility = astra_job_utility(demand->job);
	set_demand(book, b, &demand->job->request);
	return book_held(book, b, demand);
}

/* Close the booking of a job that is gone. If the job ran to its end, its worth
 * is added to its tenant's. */
static void close_booking(struct oasis_book *book, size_t index, double now_sec)
{
	struct oasis_booking *b = &book->bookings[index];

	if (b->held && b->tenant < book->tenant_count)
		book->utility[b->tenant] += astra_utility_value(
			&b->utility,
			fmax(now_sec - b->submit_sec, 1) / HOUR_SEC);
	oasis_book_return(book, b, book->now, true);
	free(b->y.list);
	astra_idmap_del(&book->by_job, b->job);
	*b = book->bookings[--book->count];
	if (index < book->count) /* the job has an entry, so this cannot fail */
		astra_idmap_put(&book->by_job, b->job, (uint32_t)index);
}

/* Drop bookings in slots that are over. */
static void drop_past(struct oasis_book *book, struct oasis_booking *b)
{
	size_t past = 0;

	while (past < b->y.count && b->y.list[past].slot < book->now)
		past++;
	if (!past)
		return;
	b->y.count -= past;
	memmove(b->y.list, b->y.list + past, b->y.count * sizeof(*b->y.list));
}

int oasis_book_look(struct oasis_book *book, const struct astra_offer *offer)
{
	if (astra_grow(&book->utility, &book->tenant_room, offer->tenant_count,
		       sizeof(*book->utility)) < 0)
		return -1;
	if (book->tenant_count < offer->tenant_count)
		book->tenant_count = offer->tenant_count;
	if (book_turn_to(book, offer) < 0)
		return -1;
	for (size_t i = 0; i < book->count; i++) {
		drop_past(book, &book->bookings[i]);
		book->bookings[i].seen = false;
	}
	for (size_t i = 0; i < offer->demand_count; i++)
		if (book_look_at(book, &offer->demands[i]) < 0)
			return -1;
	for (size_t i = book->count; i-- > 0;)
		if (!book->bookings[i].seen)
			close_booking(book, i, offer->now_sec);
	return 0;
}

void oasis_book_return(struct oasis_book *book, struct oasis_booking *b,
		       int64_t slot, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->y.count; i++) {
		struct astra_oasis_place p = b->y.list[i];
		struct astra_oasis_places one = {.list = &p, .count = 1};

		if (p.slot == slot || (all && p.slot > slot))
			commit(book, b, &one, true);
		else
			b->y.list[kept++] = p;
	}
	b->y.count = kept;
}

/* Return the demand as a job of the market. If the job is too long for the
 * horizon, half a horizon of it is offered now. That part is worth its fraction
 * of what the whole job is worth at its later end. The part of the present slot
 * that has passed is added to the work. */
static struct astra_oasis_job book_job_of(const struct oasis_book *book,
					  const struct oasis_booking *b,
					  const struct astra_demand *demand,
					  double now_sec)
{
	const struct astra_request *q = &demand->job->request;
	double left = fmin(astra_left_sec(demand) / book->slot_sec, 1e9);
	double part = left;
	struct astra_utility hours = astra_job_utility(demand->job);
	struct astra_oasis_job job = {.worker = b->worker, .ps = nothing};

	job.arrival = oasis_slot_of(book, demand->submit_sec);
	job.utility = astra_utility_scaled(&hours, book->slot_sec / HOUR_SEC);
	if (left > .75 * book->slots) {
		part = .5 * book->slots;
		job.utility = astra_utility_times(&job.utility, part / left);
		job.arrival -= (int64_t)(left - part);
	}
	if (job.utility.kind == ASTRA_UTILITY_CONVEX)
		job.arrival--; /* f is infinite at 0 */
	job.epochs = part + (now_sec - oasis_slot_start(book, book->now)) /
				    book->slot_sec;
	job.batches = job.batch_slots = 1;
	job.workers = q->gpus < book->gpus ? q->gpus : (uint32_t)book->gpus;
	job.workers_min = astra_request_least(q);
	return job;
}

int oasis_book_offer(struct oasis_book *book, const struct astra_demand *demand,
		     double now_sec)
{
	struct oasis_booking *b = oasis_book_find(book, demand->job->id);
	struct astra_oasis_job job = book_job_of(book, b, demand, now_sec);
	struct astra_oasis_offer *offer = &book->offer;
	struct astra_oasis_range range;

	if (!b->known) {
		oasis_recent_add(&book->recent, &job, book->slots - 1);
		range = range_of(book);
		astra_oasis_market_set_range(book->market, &range);
		b->known = true;
	}
	b->offered = book->now;
	if (astra_oasis_market_offer(book->market, &job, offer, NULL) < 0)
		return -1;
	b->payoff = offer->payoff;
	b->cost = offer->cost;
	if (!offer->accepted)
		return 0;
	b->admitted = true;
	for (size_t i = 0; i < offer->y.count; i++) {
		const struct astra_oasis_place *p = &offer->y.list[i];

		if (book_place(b, p->slot, p->count) < 0)
			return -1;
	}
	commit(book, b, &offer->y, false);
	return 0;
}

void oasis_book_clear(struct oasis_book *book)
{
	for (size_t i = 0; i < book->count; i++)
		free(book->bookings[i].y.list);
	free(book->bookings);
	free(book->utility);
	astra_idmap_clear(&book->by_job);
	astra_oasis_offer_clear(&book->offer);
	astra_oasis_market_destroy(book->market);
	book->market = NULL;
}

/* Saving the book for a restart. The market is made again from what is booked;
 * the jobs provide all other data. If SlotLength has changed, the book begins
 * anew, except for the utility earned so far. */

#define VERSION (-3.0)

static void put_booking(struct astra_bytes *out, const struct oasis_booking *b)
{
	astra_put_u32(out, b->job);
	astra_put_u32(out, (uint32_t)b->known | (uint32_t)b->held << 1 |
				   (uint32_t)b->admitted << 2);
	astra_put_u64(out, (uint64_t)b->offered);
	astra_put_f64(out, b->payoff);
	astra_put_u32(out, (uint32_t)b->y.count);
	for (size_t i = 0; i < b->y.count; i++) {
		astra_put_u64(out, (uint64_t)b->y.list[i].slot);
		astra_put_u32(out, b->y.list[i].count);
	}
}

int oasis_book_save(const struct oasis_book *book, struct astra_bytes *out)
{
	astra_put_f64(out, VERSION);
	astra_put_f64(out, book->slot_sec);
	astra_put_f64(out, book->origin_sec);
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		astra_put_f64(out, book->amounts.unit[r]);
	oasis_recent_save(&book->recent, out);
	astra_put_u32(out, (uint32_t)book->tenant_count);
	for (size_t i = 0; i < book->tenant_count; i++)
		astra_put_f64(out, book->utility[i]);
	astra_put_u32(out, (uint32_t)book->count);
	for (size_t i = 0; i < book->count; i++)
		put_booking(out, &book->bookings[i]);
	return out->failed ? -1 : 0;
}

static int get_places(struct oasis_booking *b, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t i = 0; i < count && !in->failed; i++) {
		struct astra_oasis_place p = {0};

		p.slot = (int64_t)astra_get_u64(in);
		p.count = astra_get_u32(in);
		if (!p.count ||
		    (i && p.slot <= b->y.list[b->y.count - 1].slot) ||
		    astra_grow(&b->y.list, &b->y.room, b->y.count + 1,
			       sizeof(*b->y.list)) < 0)
			return -1;
		b->y.list[b->y.count++] = p;
	}
	return in->failed ? -1 : 0;
}

static int get_booking(struct oasis_book *book, struct astra_reader *in)
{
	struct oasis_booking *b;
	uint32_t flags;

	if (astra_grow(&book->bookings, &book->room, book->count + 1,
		       sizeof(*book->bookings)) < 0)
		return -1;
	b = &book->bookings[book->count++];
	*b = (struct oasis_booking){.job = astra_get_u32(in)};
	flags = astra_get_u32(in);
	b->known = flags & 1;
	b->held = flags >> 1 & 1;
	b->admitted = flags >> 2 & 1;
	b->offered = (int64_t)astra_get_u64(in);
	b->payoff = astra_get_f64(in);
	/* Its tenant is not saved: if the job ends before it is seen again, its
	 * utility is not counted. */
	b->tenant = UINT32_MAX;
	if (get_places(b, in) < 0 || !b->job || isnan(b->payoff) ||
	    oasis_book_find(book, b->job))
		return -1;
	b->admitted |= b->y.count > 0;
	return astra_idmap_put(&book->by_job, b->job,
			       (uint32_t)book->count - 1);
}

static int get_units(struct oasis_amounts *amounts, struct astra_reader *in)
{
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++) {
		amounts->unit[r] = astra_get_f64(in);
		if (!(amounts->unit[r] >= 0 && isfinite(amounts->unit[r])))
			return -1;
	}
	return in->failed ? -1 : 0;
}

static int book_state_get_all(struct oasis_book *book, struct astra_reader *in)
{
	uint32_t count;

	if (get_units(&book->amounts, in) < 0 ||
	    oasis_recent_restore(&book->recent, in) < 0)
		return -1;
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count && !in->failed; i++) {
		if (astra_grow(&book->utility, &book->tenant_room,
			       book->tenant_count + 1,
			       sizeof(*book->utility)) < 0)
			return -1;
		book->utility[book->tenant_count++] = astra_get_f64(in);
	}
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count; i++)
		if (in->failed || get_booking(book, in) < 0)
			return -1;
	return in->failed ? -1 : 0;
}

int oasis_book_restore(struct oasis_book *book, struct astra_reader *in)
{
	double version = astra_get_f64(in);
	double slot_sec = astra_get_f64(in), origin_sec = astra_get_f64(in);

	if (in->failed || version != VERSION || !isfinite(origin_sec) ||
	    book_state_get_all(book, in) < 0)
		return -1;
	book->origin_sec = origin_sec;
	if (slot_sec == book->slot_sec)
		return 0;
	oasis_recent_init(&book->recent);
	for (size_t i = 0; i < book->count; i++) {
		book->bookings[i].y.count = 0;
		book->bookings[i].known = false;
		book->bookings[i].offered = INT64_MIN;
	}
	return 0;
}
