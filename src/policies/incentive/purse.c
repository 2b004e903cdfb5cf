/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/purse.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/model/model.h"
#include "src/policies/incentive/batch.h"

struct rest {
	double rest;
	size_t index;
};

static int quota_compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->rest > y->rest)
		return -1;
	if (x->rest < y->rest)
		return 1;
	return x->index < y->index ? -1 : 1;
}

int astra_batch_quotas(const double *weights, size_t count, uint32_t gpus,
		       struct astra_market_room *quotas)
{
	struct rest *rests = calloc(count + 1, sizeof(*rests));
	double sum = 0;
	uint32_t left = gpus;

	if (!rests)
		return -1;
	for (size_t i = 0; i < count; i++)
		sum += weights[i];
	for (size_t i = 0; i < count; i++) {
		double share = sum > 0 ? gpus * (weights[i] / sum)
				       : gpus / (double)count;
		uint32_t whole = (uint32_t)fmin(share, left);

		rests[i] = (struct rest){share - whole, i};
		quotas[i] = (struct astra_market_room){.workers = whole};
		left -= whole;
	}
	if (count)
		qsort(rests, count, sizeof(*rests), quota_compare_rests);
	for (size_t i = 0; count && left; i = (i + 1) % count, left--)
		quotas[rests[i].index].workers++;
	free(rests);
	return 0;
}

#define DAY_SEC 86400.0

int astra_purses_fill(struct astra_purses *p, size_t tenants, double now_sec)
{
	double refill = fmax(now_sec - p->filled_sec, 0) / DAY_SEC * p->daily;

	if (p->budget < 0)
		return 0;
	if (astra_grow(&p->credits, &p->room, tenants, sizeof(*p->credits)) < 0)
		return -1;
	for (size_t u = 0; u < p->count; u++)
		if (p->credits[u] < p->budget)
			p->credits[u] = fmin(p->credits[u] + refill, p->budget);
	while (p->count < tenants)
		p->credits[p->count++] = p->budget;
	p->filled_sec = now_sec;
	return 0;
}

double astra_purses_of(const struct astra_purses *p, uint32_t tenant)
{
	double sum = 0;

	if (!p->count || (tenant != ASTRA_NONE && tenant >= p->count))
		return NAN;
	for (size_t u = 0; u < p->count; u++)
		if (tenant == ASTRA_NONE || tenant == u)
			sum += p->credits[u];
	return sum;
}

void astra_purses_free(struct astra_purses *p)
{
	free(p->credits);
	p->credits = NULL;
	p->count = p->room = 0;
}

void astra_purses_save(const struct astra_purses *p, struct astra_bytes *out)
{
	astra_put_f64(out, p->filled_sec);
	astra_put_u32(out, (uint32_t)p->count);
	for (size_t u = 0; u < p->count; u++)
		astra_put_f64(out, p->credits[u]);
}

static int restore_credits(struct astra_purses *p, uint32_t count,
			   struct astra_reader *in)
{
	if (count > (in->size - in->at) / 8 ||
	    astra_grow(&p->credits, &p->room, count, sizeof(*p->credits)) < 0)
		return -1;
	while (p->count < count) {
		double credits = astra_get_f64(in);

		if (!isfinite(credits))
			return -1;
		p->credits[p->count++] = credits;
	}
	return 0;
}

int astra_purses_restore(struct astra_purses *p, struct astra_reader *in)
{
	if (in->at == in->size)
		return 0;
	p->filled_sec = astra_get_f64(in);
	if (!isfinite(p->filled_sec) ||
	    restore_credits(p, astra_get_u32(in), in) < 0 || in->failed)
		return -1;
	if (p->budget < 0)
		astra_purses_free(p);
	return 0;
}
