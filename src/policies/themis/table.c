/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/table.h"

#include <stdlib.h>

#include "src/policies/themis/table_priv.h"
#include "src/policies/themis/themis.h"

/* The exact solver: dynamic programming over the subsets of few GPUs, from both
 * ends. The best allocation without a bidder combines two parts: the bidders
 * before it on one set of GPUs, and the bidders after it on the other GPUs. */

struct exact {
	const struct astra_themis_table_bidder *bidders;
	size_t bidder_count, sets; /* 2^gpus */
	struct table_score *value; /* of one bidder, for each set */
	/* [i * sets + set]: the best score of bidders < i (before), and of
	 * bidders >= i (after), within a set. */
	struct table_score *before, *after;
};

/* Whether score a is strictly better. Ties are broken by the final choice. */
static bool table_exact_better(struct table_score a, struct table_score b)
{
	return a.served != b.served ? a.served > b.served : a.log_v > b.log_v;
}

static void load_values(struct exact *e, size_t bidder)
{
	const struct astra_themis_table_bidder *b = &e->bidders[bidder];

	for (size_t set = 0; set < e->sets; set++)
		e->value[set] = (struct table_score){.served = -1};
	e->value[0] = table_score_of(b->rho_empty);
	for (size_t i = 0; i < b->listed_count; i++) {
		struct table_score score = table_score_of(b->listed[i].rho);
		size_t set = (size_t)b->listed[i].gpus[0];

		if (score.served && table_exact_better(score, e->value[set]))
			e->value[set] = score;
	}
}

/* Adds a bidder: sets to[set] from `from` of the set less the GPUs that the
 * bidder gets. */
static void table_exact_join(const struct exact *e,
			     const struct table_score *from,
			     struct table_score *to)
{
	for (size_t set = 0; set < e->sets; set++) {
		to[set] = table_sum(e->value[0], from[set]);
		for (size_t own = set; own; own = (own - 1) & set) {
			struct table_score sum;

			if (e->value[own].served < 0)
				continue;
			sum = table_sum(e->value[own], from[set ^ own]);
			if (table_exact_better(sum, to[set]))
				to[set] = sum;
		}
	}
}

/* Returns the choice of a bidder with the lowest index with which the optimum
 * is still possible. */
static uint32_t table_exact_choose(const struct exact *e, size_t bidder,
				   size_t *set)
{
	const struct astra_themis_table_bidder *b = &e->bidders[bidder];
	const struct table_score *next = e->after + (bidder + 1) * e->sets;
	struct table_score best = e->after[bidder * e->sets + *set];
	struct table_score none = table_choice(b, ASTRA_NONE);

	if (table_compare(table_sum(none, next[*set]), best) >= 0)
		return ASTRA_NONE;
	for (uint32_t i = 0; i < b->listed_count; i++) {
		struct table_score score = table_choice(b, i);
		size_t own = (size_t)b->listed[i].gpus[0];

		if (!score.served || (own & ~*set))
			continue;
		if (table_compare(table_sum(score, next[*set ^ own]), best) < 0)
			continue;
		*set ^= own;
		return i;
	}
	return ASTRA_NONE;
}

static struct table_score best_without(const struct exact *e, size_t bidder)
{
	const struct table_score *before = e->before + bidder * e->sets;
	const struct table_score *after = e->after + (bidder + 1) * e->sets;
	size_t all = e->sets - 1;
	struct table_score best = table_sum(before[all], after[0]);

	for (size_t set = 0; set < all; set++) {
		struct table_score sum =
			table_sum(before[set], after[all ^ set]);

		if (table_exact_better(sum, best))
			best = sum;
	}
	return best;
}

static void table_exact_solve(struct exact *e, uint32_t *pf,
			      struct table_score *without)
{
	size_t set = e->sets - 1;

	for (size_t i = 0; i < e->bidder_count; i++) {
		load_values(e, i);
		table_exact_join(e, e->before + i * e->sets,
				 e->before + (i + 1) * e->sets);
	}
	for (size_t i = e->bidder_count; i-- > 0;) {
		load_values(e, i);
		table_exact_join(e, e->after + (i + 1) * e->sets,
				 e->after + i * e->sets);
	}
	for (size_t i = 0; i < e->bidder_count; i++) {
		pf[i] = table_exact_choose(e, i, &set);
		without[i] = best_without(e, i);
	}
}

/* Two solvers follow. Both find pf, and set without[i] to the score of the best
 * allocation without bidder i. Return 0, or -1 when out of memory. */
static int themis_table_exact(uint32_t gpu_count,
			      const struct astra_themis_table_bidder *bidders,
			      size_t bidder_count, uint32_t *pf,
			      struct table_score *without)
{
	struct exact e = {
		.bidders = bidders,
		.bidder_count = bidder_count,
		.sets = (size_t)1 << gpu_count,
	};
	size_t rows = bidder_count + 1;

	/* Zero is the score of no bidders. */
	e.value = calloc((2 * rows + 1) * e.sets, sizeof(*e.value));
	if (!e.value)
		return -1;
	e.before = e.value + e.sets;
	e.after = e.before + rows * e.sets;
	table_exact_solve(&e, pf, without);
	free(e.value);
	return 0;
}

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

/* Returns, of the listed subsets of the bundle with at most `keep` GPUs, the
 * one with the smallest rho. */
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

/* Returns the factor c of a bidder: the other bidders' product of V with it,
 * divided by their product without it. */
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
			     ? themis_table_exact(gpu_count, bidders,
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
