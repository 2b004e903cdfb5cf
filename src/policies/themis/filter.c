/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/filter.h"

#include <stdlib.h>

#include "src/common/number.h"

struct order {
	const struct astra_themis_claim *claims;
};

/* Larger first, then by index: of no two is the order open. */
static int worse_first(const void *a, const void *b, void *arg)
{
	const struct astra_themis_claim *claims =
		((const struct order *)arg)->claims;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct astra_themis_claim *x = &claims[i], *y = &claims[j];

	if (x->rho != y->rho)
		return x->rho > y->rho ? -1 : 1;
	if (isinf(x->rho) && x->waiting != y->waiting)
		return x->waiting > y->waiting ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool tied(const struct astra_themis_claim *x,
		 const struct astra_themis_claim *y)
{
	return isinf(x->rho) && isinf(y->rho)
		       ? astra_tied(x->waiting, y->waiting)
		       : astra_tied(x->rho, y->rho);
}

static int lower_first(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	return i < j ? -1 : i > j;
}

/* Those that are tied with the first of them go by index. */
static void settle_ties(const struct astra_themis_claim *claims,
			uint32_t *order, size_t count)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!tied(&claims[order[i]], &claims[order[end]]))
				break;
		qsort(order + i, end - i, sizeof(*order), lower_first);
	}
}

size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen)
{
	struct order of = {.claims = claims};
	size_t wanting = 0, offers;

	for (size_t i = 0; i < count; i++)
		if (claims[i].wants)
			chosen[wanting++] = (uint32_t)i;
	qsort_r(chosen, wanting, sizeof(*chosen), worse_first, &of);
	settle_ties(claims, chosen, wanting);
	offers = (size_t)astra_ceil((1 - f) * (double)wanting);
	if (!offers)
		offers = 1;
	if (offers > wanting)
		offers = wanting;
	return offers < gpus_free ? offers : gpus_free;
}
