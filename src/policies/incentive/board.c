/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/board.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/incentive/batch.h"
#include "src/policies/options.h"

void astra_board_clear(struct astra_board *b)
{
	free(b->quota);
	free(b->used);
	free(b->own);
	free(b->quotes);
	*b = (struct astra_board){.theta = b->theta, .unit = b->unit};
}

int astra_board_open(struct astra_board *b, uint32_t begin, uint32_t slots,
		     uint32_t tenants)
{
	astra_board_clear(b);
	b->quota = calloc((size_t)tenants + 1, sizeof(*b->quota));
	b->used = calloc((size_t)slots + 1, sizeof(*b->used));
	b->own = calloc((size_t)tenants * slots + 1, sizeof(*b->own));
	if (!b->quota || !b->used || !b->own) {
		astra_board_clear(b);
		return -1;
	}
	b->begin = begin;
	b->slots = slots;
	b->tenants = tenants;
	return 0;
}

double astra_board_price(const struct astra_board *b, uint32_t slot)
{
	return b->unit * astra_market_price(b->theta,
					    b->used[slot - b->begin - 1],
					    b->gpus);
}

static uint32_t *own_of(const struct astra_board *b, uint32_t tenant,
			uint32_t slot)
{
	return &b->own[(size_t)tenant * b->slots + slot - b->begin - 1];
}

/* Return for how many of these GPUs a tenant need not pay: those that fit into
 * what is left of its quota, which neither its own jobs use nor others
 * bought. */
static uint32_t unpaid(const struct astra_board *b, uint32_t tenant,
		       uint32_t slot, uint32_t gpus)
{
	uint32_t used = b->used[slot - b->begin - 1], left;

	if (tenant >= b->tenants || used >= b->gpus)
		return 0;
	left = b->quota[tenant] - *own_of(b, tenant, slot);
	left = left < b->gpus - used ? left : b->gpus - used;
	return gpus < left ? gpus : left;
}

bool astra_board_is_own(const struct astra_board *b, uint32_t tenant,
			uint32_t slot, uint32_t gpus)
{
	return unpaid(b, tenant, slot, gpus) == gpus;
}

double astra_board_overtime(const struct astra_board *b, uint32_t tenant,
			    uint32_t slot, uint32_t gpus)
{
	uint32_t paid = gpus - unpaid(b, tenant, slot, gpus);

	return paid ? astra_board_price(b, slot) * paid : 0;
}

double astra_board_use(struct astra_board *b, uint32_t tenant, uint32_t slot,
		       uint32_t gpus, double *incomes)
{
	uint32_t *used = &b->used[slot - b->begin - 1];
	double pay = astra_board_overtime(b, tenant, slot, gpus);
	double unused = b->gpus;

	for (uint32_t u = 0; u < b->tenants; u++)
		unused -= *own_of(b, u, slot);
	for (uint32_t u = 0; pay > 0 && unused > 0 && u < b->tenants; u++)
		incomes[u] +=
			pay * (b->quota[u] - *own_of(b, u, slot)) / unused;
	if (tenant < b->tenants)
		*own_of(b, tenant, slot) += unpaid(b, tenant, slot, gpus);
	*used += gpus < b->gpus - *used ? gpus : b->gpus - *used;
	return unused > 0 ? pay : 0;
}

int astra_board_quote(struct astra_board *b, const struct astra_quote *quote)
{
	if (astra_grow(&b->quotes, &b->quote_room, b->quote_count + 1,
		       sizeof(*quote)) < 0)
		return -1;
	b->quotes[b->quote_count++] = *quote;
	return 0;
}

static int compare_quotes(const void *a, const void *b)
{
	const struct astra_quote *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->sold != y->sold)
		return x->sold ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

void astra_board_sort(struct astra_board *b)
{
	if (b->quote_count)
		qsort(b->quotes, b->quote_count, sizeof(*b->quotes),
		      compare_quotes);
}

const struct astra_quote *astra_board_find(const struct astra_board *b,
					   uint32_t job)
{
	size_t from = 0, to = b->quote_count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (b->quotes[middle].job < job)
			from = middle + 1;
		else
			to = middle;
	}
	return from < b->quote_count && b->quotes[from].job == job
		       ? &b->quotes[from]
		       : NULL;
}

void astra_board_save(const struct astra_board *b, struct astra_bytes *out)
{
	astra_put_u32(out, b->begin);
	astra_put_u32(out, b->slots);
	astra_put_u32(out, b->gpus);
	astra_put_u32(out, b->tenants);
	for (uint32_t u = 0; u < b->tenants; u++)
		astra_put_u32(out, b->quota[u]);
	for (uint32_t i = 0; i < b->slots; i++)
		astra_put_u32(out, b->used[i]);
	for (size_t i = 0; i < (size_t)b->tenants * b->slots; i++)
		astra_put_u32(out, b->own[i]);
	astra_put_u32(out, (uint32_t)b->quote_count);
	for (size_t i = 0; i < b->quote_count; i++) {
		const struct astra_quote *q = &b->quotes[i];

		astra_put_u32(out, q->job);
		astra_put_u32(out, q->start);
		astra_put_u32(out, q->sold);
		astra_put_f64(out, q->worth);
		astra_put_f64(out, q->price);
	}
}

static int restore_quotes(struct astra_board *b, struct astra_reader *in)
{
	uint32_t count = astra_get_u32(in);

	for (uint32_t i = 0; i < count && !in->failed; i++) {
		struct astra_quote q = {.job = astra_get_u32(in)};

		q.start = astra_get_u32(in);
		q.sold = astra_get_u32(in) != 0;
		q.worth = astra_get_f64(in);
		q.price = astra_get_f64(in);
		if (!isfinite(q.worth) || !(q.price >= 0) || isinf(q.price) ||
		    astra_board_quote(b, &q) < 0)
			return -1;
	}
	astra_board_sort(b);
	return in->failed ? -1 : 0;
}

/* Read the uses of a window. They are valid if quotas add up to the GPUs and no
 * slot uses more than there are. */
static int restore_uses(struct astra_board *b, struct astra_reader *in)
{
	uint64_t sum = 0;
	bool sound = true;

	for (uint32_t u = 0; u < b->tenants; u++)
		sum += b->quota[u] = astra_get_u32(in);
	for (uint32_t i = 0; i < b->slots; i++) {
		b->used[i] = astra_get_u32(in);
		sound &= b->used[i] <= b->gpus;
	}
	for (uint32_t u = 0; u < b->tenants; u++)
		for (uint32_t i = 0; i < b->slots; i++) {
			uint32_t *own = own_of(b, u, b->begin + 1 + i);

			*own = astra_get_u32(in);
			sound &= *own <= b->quota[u];
		}
	return sound && sum == b->gpus && !in->failed ? 0 : -1;
}

int astra_board_restore(struct astra_board *b, struct astra_reader *in)
{
	uint32_t begin, slots, gpus, tenants;

	if (in->at == in->size)
		return 0;
	begin = astra_get_u32(in);
	slots = astra_get_u32(in);
	gpus = astra_get_u32(in);
	tenants = astra_get_u32(in);
	if (in->failed || slots > ASTRA_BATCH_SLOTS_MAX ||
	    begin > UINT32_MAX / 2 ||
	    (uint64_t)tenants * (slots ? slots : 1) > (in->size - in->at) / 4 ||
	    astra_board_open(b, begin, slots, tenants) < 0)
		return -1;
	b->gpus = gpus;
	return restore_uses(b, in) < 0 ? -1 : restore_quotes(b, in);
}
