/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/table.h"

#include <stdlib.h>

#include "src/policies/themis/rounding.h"
#include "src/policies/themis/table_priv.h"

static uint32_t table_count_gpus(const uint64_t *set, size_t words)
{
	uint32_t gpus = 0;

	for (size_t w = 0; w < words; w++)
		gpus += (uint32_t)__builtin_popcountll(set[w]);
	return gpus;
}

static bool is_subset(const uint64_t *small, const uint64_t *large,
		      size_t words)
{
	for (size_t w = 0; w < words; w++)
		if (small[w] & ~large[w])
			return false;
	return true;
}

/* The listed subset of the bundle with at most `keep` GPUs and the smallest
 * rho. */
static uint32_t round_set(const struct astra_themis_table_bidder *bidder,
			  uint32_t bundle, double c, size_t words)
{
	const uint64_t *gpus = bidder->listed[bundle].gpus;
	uint32_t keep = astra_themis_keep(c, table_count_gpus(gpus, words), 1);
	uint32_t best = ASTRA_NONE;
	double rho = HUGE_VAL;

	for (uint32_t i = 0; i < bidder->listed_count; i++) {
		const struct astra_themis_listed *l = &bidder->listed[i];

		if (astra_compare(l->rho, rho) < 0 &&
		    is_subset(l->gpus, gpus, words) &&
		    table_count_gpus(l->gpus, words) <= keep) {
			best = i;
			rho = l->rho;
		}
	}
	return best;
}

/* c of a bidder: what the others have with it, over what they would have
 * without. */
static double factor(struct table_score others, struct table_score without)
{
	if (others.served < without.served)
		return 0;
	if (others.served > without.served)
		return 1;
	return exp(fmin(0, others.log_v - without.log_v));
}

static void table_settle(const struct astra_themis_table_bidder *bidders,
			 size_t bidder_count, size_t words,
			 const struct table_score *without,
			 struct astra_themis_table *out)
{
	struct table_score sum = {0};

	for (size_t i = 0; i < bidder_count; i++)
		sum = table_sum(sum, table_choice(&bidders[i], out->pf[i]));
	out->served = (size_t)sum.served;
	out->log_product = sum.log_v;
	for (size_t i = 0; i < bidder_count; i++) {
		struct table_score own = table_choice(&bidders[i], out->pf[i]);

		out->c[i] = factor(table_difference(sum, own), without[i]);
		out->kept[i] = out->pf[i] == ASTRA_NONE
				       ? ASTRA_NONE
				       : round_set(&bidders[i], out->pf[i],
						   out->c[i], words);
	}
}

int astra_themis_table_run(uint32_t gpu_count,
			   const struct astra_themis_table_bidder *bidders,
			   size_t bidder_count, struct astra_themis_table *out)
{
	struct table_score *without =
		calloc(bidder_count + 1, sizeof(*without));
	int rc = -1;

	*out = (struct astra_themis_table){
		.pf = calloc(bidder_count + 1, sizeof(*out->pf)),
		.kept = calloc(bidder_count + 1, sizeof(*out->kept)),
		.c = calloc(bidder_count + 1, sizeof(*out->c)),
	};
	if (without && out->pf && out->kept && out->c)
		rc = gpu_count <= ASTRA_THEMIS_TABLE_EXACT
			     ? astra_themis_table_exact(gpu_count, bidders,
							bidder_count, out->pf,
							without)
			     : astra_themis_table_search(gpu_count, bidders,
							 bidder_count, out->pf,
							 without);
	if (!rc)
		table_settle(bidders, bidder_count, astra_div_up(gpu_count, 64),
			     without, out);
	free(without);
	return rc;
}

void astra_themis_table_clear(struct astra_themis_table *table)
{
	free(table->pf);
	free(table->kept);
	free(table->c);
	*table = (struct astra_themis_table){0};
}
