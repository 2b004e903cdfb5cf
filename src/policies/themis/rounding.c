/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/rounding.h"

#include "src/common/number.h"

uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum)
{
	uint32_t keep = (uint32_t)astra_floor(c * gpus) / quantum * quantum;

	if (keep < quantum)
		keep = quantum;
	return keep < gpus ? keep : gpus;
}

/* The share that lacks most of k g_m / g, all of them times g, or that has
 * most GPUs; among those with some left. */
static size_t neediest(struct astra_themis_shares bundle, uint32_t gpus,
		       uint32_t k, const uint32_t *kept)
{
	int64_t most = INT64_MIN;
	size_t at = 0;

	for (size_t i = 0; i < bundle.count; i++) {
		int64_t lacks = (int64_t)k * bundle.share[i].gpus -
				(int64_t)gpus * kept[i];

		if (kept[i] < bundle.share[i].gpus && lacks > most) {
			most = lacks;
			at = i;
		}
	}
	return at;
}

static size_t largest_unused(struct astra_themis_shares bundle,
			     const uint32_t *kept)
{
	size_t at = bundle.count;

	for (size_t i = 0; i < bundle.count; i++)
		if (!kept[i] && (at == bundle.count ||
				 bundle.share[i].gpus > bundle.share[at].gpus))
			at = i;
	return at;
}

void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept)
{
	uint32_t gpus = astra_themis_gpus(bundle), left = k;
	bool all = k >= bundle.count;

	for (size_t i = 0; i < bundle.count; i++)
		left -= kept[i] = all;
	while (left) {
		size_t i = all ? neediest(bundle, gpus, k, kept)
			       : largest_unused(bundle, kept);
		uint32_t more = bundle.share[i].gpus;

		if (all)
			more = 1;
		else if (more > left)
			more = left;
		kept[i] += more;
		left -= more;
	}
}
