/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dynamic programming over the subsets of few GPUs, from both ends: what all
 * bidders but one can reach joins what those before it and those after it can
 * reach with a set and with the rest. */
#include <stdlib.h>

#include "src/policies/themis/table_priv.h"

struct exact {
	const struct astra_themis_table_bidder *bidders;
	size_t bidder_count, sets; /* 2^gpus */
	struct table_score *value; /* of one bidder, for each set */
	/* [i * sets + set]: the best of bidders < i, and >= i, within a set. */
	struct table_score *before, *after;
};

/* Plainly: ties are for the choice that is made in the end. */
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

/* One bidder more: to[set] from from[set less what it gets]. */
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

/* The lowest choice of a bidder that leaves the optimum within reach. */
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

int astra_themis_table_exact(uint32_t gpu_count,
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

	/* Zero is the score of no bidder. */
	e.value = calloc((2 * rows + 1) * e.sets, sizeof(*e.value));
	if (!e.value)
		return -1;
	e.before = e.value + e.sets;
	e.after = e.before + rows * e.sets;
	table_exact_solve(&e, pf, without);
	free(e.value);
	return 0;
}
