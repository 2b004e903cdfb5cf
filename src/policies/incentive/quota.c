/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

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
