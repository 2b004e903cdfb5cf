/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cheapest places in one slot, and the cost of a job's options there. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/policies/oasis/oasis_priv.h"

/* Return a value without its last bits. So values that differ only by rounding
 * are equal, and stay in the order of their index. */
static double without_noise(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = (bits + 0x800) & ~UINT64_C(0xfff);
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static bool stall_before(const struct oasis_stall *x,
			 const struct oasis_stall *y)
{
	return x->key != y->key ? x->key < y->key : x->server < y->server;
}

static void fill_sift_down(struct oasis_stall *heap, size_t count, size_t at)
{
	struct oasis_stall moved = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    stall_before(&heap[child + 1], &heap[child]))
			child++;
		if (!stall_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Make a heap of all servers by the cost of one worker there, the cheapest on
 * top. */
static void open_stalls(const struct astra_oasis_market *market,
			const struct oasis_side *side, size_t row,
			const double *demand, struct oasis_stall *heap)
{
	size_t n = side->count;

	for (size_t h = 0; h < n; h++)
		heap[h] = (struct oasis_stall){.server = (uint32_t)h};
	for (size_t r = 0; r < market->resources; r++) {
		const double *price =
			&side->price[(row * market->resources + r) * n];

		if (demand[r] <= 0)
			continue;
		for (size_t h = 0; h < n; h++)
			heap[h].cost += demand[r] * price[h];
	}
	for (size_t h = 0; h < n; h++)
		heap[h].key = without_noise(heap[h].cost);
	for (size_t i = n / 2; i-- > 0;)
		fill_sift_down(heap, n, i);
}

uint32_t oasis_room_at(const struct astra_oasis_market *market,
		       const struct oasis_side *side, size_t row, size_t server,
		       const double *demand, uint32_t most)
{
	double room = most;

	for (size_t r = 0; r < market->resources; r++) {
		size_t n = side->count;
		double left =
			side->capacity[r * n + server] -
			side->used[(row * market->resources + r) * n + server];

		if (demand[r] > 0 && left < demand[r] * room)
			room = fmin(room, astra_floor(left / demand[r]));
	}
	return room > 0 ? (uint32_t)room : 0;
}

int oasis_add_place(struct astra_oasis_places *out, int64_t slot,
		    uint32_t server, uint32_t count)
{
	if (astra_grow(&out->list, &out->room, out->count + 1,
		       sizeof(*out->list)) < 0)
		return -1;
	out->list[out->count++] = (struct astra_oasis_place){
		.slot = slot, .server = server, .count = count};
	return 0;
}

static int fill_compare_places(const void *a, const void *b)
{
	const struct astra_oasis_place *x = a, *y = b;

	return x->server < y->server ? -1 : x->server > y->server;
}

int64_t oasis_fill(const struct astra_oasis_market *market,
		   const struct oasis_side *side, struct oasis_search *search,
		   int64_t slot, const double *demand, uint32_t need,
		   double *sums, struct astra_oasis_places *out)
{
	struct oasis_stall *heap = search->stalls;
	size_t row = oasis_row_of(market, slot), count = side->count;
	size_t begin = out ? out->count : 0;
	uint32_t placed = 0;

	sums[0] = 0;
	if (!need)
		return 0;
	open_stalls(market, side, row, demand, heap);
	while (count && placed < need) {
		const struct oasis_stall top = heap[0];
		uint32_t fits = oasis_room_at(market, side, row, top.server,
					      demand, need - placed);

		if (fits && out &&
		    oasis_add_place(out, slot, top.server, fits) < 0)
			return -1;
		for (uint32_t i = 0; i < fits; i++, placed++)
			sums[placed + 1] = sums[placed] + top.cost;
		heap[0] = heap[--count];
		fill_sift_down(heap, count, 0);
	}
	if (out && out->count > begin)
		qsort(&out->list[begin], out->count - begin, sizeof(*out->list),
		      fill_compare_places);
	return placed;
}

/* Return the number of PSs for `workers` workers, z = ceil(n b/B), or
 * UINT32_MAX if that is more than n. If there are no servers for PSs, PSs that
 * need nothing are left out. */
static uint32_t ps_of(const struct astra_oasis_market *market,
		      const struct astra_oasis_job *job, uint32_t workers)
{
	double z = 0;
	bool idle = !market->ps.count;

	for (size_t r = 0; idle && r < market->resources; r++)
		idle = job->ps[r] <= 0;
	if (job->bandwidth > 0 && !idle)
		z = astra_ceil(workers * job->bandwidth / job->ps_bandwidth);
	return z > workers ? UINT32_MAX : z > 0 ? (uint32_t)z : 0;
}

/* Return the largest number of chunks d that n workers do in a slot: ceil(d p)
 * <= n. */
static uint64_t chunks_of(double chunk_slots, uint32_t workers, uint64_t total)
{
	uint64_t d;

	if ((double)total * chunk_slots <= workers)
		return total;
	d = (uint64_t)(workers / chunk_slots);
	while (d < total &&
	       astra_ceil((double)(d + 1) * chunk_slots) <= workers)
		d++;
	while (d && astra_ceil((double)d * chunk_slots) > workers)
		d--;
	return d;
}

/* Round the work up to a multiple of the greatest common divisor of all
 * options, such as a rigid job's size. */
static void round_total(struct oasis_search *search)
{
	uint64_t common = 0;

	for (size_t k = 1; k < search->option_count; k++) {
		uint64_t a = search->options[k].size;

		while (a) {
			uint64_t rest = common % a;

			common = a;
			a = rest;
		}
	}
	if (common)
		search->total = astra_div_up(search->total, common) * common;
}

static void fill_set_options(const struct astra_oasis_market *market,
			     struct oasis_search *search)
{
	const struct astra_oasis_job *job = search->job;
	double chunk_slots = astra_oasis_chunk_slots(job);
	size_t count = 1;

	search->options[0] = (struct oasis_option){0};
	for (uint32_t n = job->workers_min; n <= job->workers; n++) {
		struct oasis_option *o = &search->options[count];

		*o = (struct oasis_option){
			.workers = n, .ps = ps_of(market, job, n), .size = n};
		if (market->whole_chunks)
			o->size = chunks_of(chunk_slots, n, search->total);
		else if (o->size > search->total)
			o->size = search->total;
		if (o->ps == UINT32_MAX)
			break;
		count++;
		if (o->size == search->total)
			break;
	}
	search->option_count = count;
	round_total(search);
}

static int fill_make_room(const struct astra_oasis_market *market,
			  struct oasis_search *search)
{
	const struct astra_oasis_job *job = search->job;
	size_t options = (size_t)job->workers + 2, slots = search->slots;
	size_t servers = market->workers.count > market->ps.count
				 ? market->workers.count
				 : market->ps.count;

	return astra_grow(&search->options, &search->option_room, options,
			  sizeof(*search->options)) < 0 ||
			       astra_grow(&search->costs, &search->cost_room,
					  slots * options,
					  sizeof(*search->costs)) < 0 ||
			       astra_grow(&search->feasible,
					  &search->feasible_room, slots,
					  sizeof(*search->feasible)) < 0 ||
			       astra_grow(&search->sums, &search->sum_room,
					  2 * options,
					  sizeof(*search->sums)) < 0 ||
			       astra_grow(&search->stalls, &search->stall_room,
					  servers + 1,
					  sizeof(*search->stalls)) < 0
		       ? -1
		       : 0;
}

/* Compute the costs of the options in a slot. Each option needs more of
 * everything than the one before, so those that fit come first. Returns their
 * number. */
static uint32_t price_slot(const struct astra_oasis_market *market,
			   struct oasis_search *search, int64_t slot,
			   double *costs)
{
	const struct astra_oasis_job *job = search->job;
	const struct oasis_option *last =
		&search->options[search->option_count - 1];
	double *y = search->sums, *z = y + job->workers + 2;
	int64_t workers, ps;
	uint32_t k;

	workers = oasis_fill(market, &market->workers, search, slot,
			     job->worker, last->workers, y, NULL);
	ps = oasis_fill(market, &market->ps, search, slot, job->ps, last->ps, z,
			NULL);
	for (k = 0; k < search->option_count; k++) {
		const struct oasis_option *o = &search->options[k];

		if (o->workers > workers || o->ps > ps)
			break;
		costs[k] = y[o->workers] + z[o->ps];
	}
	return k;
}

int oasis_price(const struct astra_oasis_market *market,
		struct oasis_search *search)
{
	if (fill_make_room(market, search) < 0)
		return -1;
	fill_set_options(market, search);
	for (uint32_t t = 0; t < search->slots; t++)
		search->feasible[t] =
			price_slot(market, search, search->from + t,
				   &search->costs[t * search->option_count]);
	return 0;
}
