/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The book over a restart. The market is made again from what is booked; jobs
 * tell the rest themselves. With slots of another length it begins anew, but
 * for what was earned. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/oasis/book.h"

/* In place of the slots' length, which the first version begins with. The
 * second one knew GPUs only. */
#define VERSION (-3.0)
#define VERSION_GPUS_ONLY (-2.0)

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
	/* Whose it was is not told: one that ends meanwhile earns nothing. */
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

static int get_recent(struct oasis_book *book, double version,
		      struct astra_reader *in)
{
	if (version > 0)
		return oasis_recent_restore_old(&book->recent, in);
	if (version == VERSION_GPUS_ONLY)
		return oasis_recent_restore(&book->recent, 1, in);
	if (get_units(&book->amounts, in) < 0)
		return -1;
	return oasis_recent_restore(&book->recent, OASIS_POOL_RESOURCES, in);
}

static int book_state_get_all(struct oasis_book *book, double version,
			      struct astra_reader *in)
{
	uint32_t count;

	if (get_recent(book, version, in) < 0)
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
	double version = astra_get_f64(in), slot_sec, origin_sec;
	bool known = version > 0 || version == VERSION_GPUS_ONLY ||
		     version == VERSION;

	slot_sec = version > 0 ? version : astra_get_f64(in);
	origin_sec = astra_get_f64(in);
	if (in->failed || !known || !isfinite(origin_sec) ||
	    book_state_get_all(book, version, in) < 0)
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
