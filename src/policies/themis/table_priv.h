/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What table.c shares with its two solvers. */
#ifndef ASTRA_THEMIS_TABLE_PRIV_H
#define ASTRA_THEMIS_TABLE_PRIV_H

#include <math.h>
#include <stdbool.h>

#include "src/common/number.h"
#include "src/model/model.h"
#include "src/policies/themis/table.h"

/* The score to maximise: `served` first, then log_v. */
struct table_score {
	int64_t served;
	double log_v; /* sum over those served */
};

static inline struct table_score table_sum(struct table_score a,
					   struct table_score b)
{
	return (struct table_score){a.served + b.served, a.log_v + b.log_v};
}

static inline struct table_score table_difference(struct table_score a,
						  struct table_score b)
{
	return (struct table_score){a.served - b.served, a.log_v - b.log_v};
}

/* Returns -1, 0 or 1 if a is worse than, tied with, or better than b. */
static inline int table_compare(struct table_score a, struct table_score b)
{
	if (a.served != b.served)
		return a.served < b.served ? -1 : 1;
	return astra_compare(a.log_v, b.log_v);
}

static inline struct table_score table_score_of(double rho)
{
	if (isinf(rho))
		return (struct table_score){0};
	return (struct table_score){.served = 1, .log_v = -log(rho)};
}

/* Returns the score of a bidder's choice. ASTRA_NONE: the choice of no GPUs. */
static inline struct table_score
table_choice(const struct astra_themis_table_bidder *bidder, uint32_t choice)
{
	return table_score_of(choice == ASTRA_NONE
				      ? bidder->rho_empty
				      : bidder->listed[choice].rho);
}

int astra_themis_table_search(uint32_t gpu_count,
			      const struct astra_themis_table_bidder *bidders,
			      size_t bidder_count, uint32_t *pf,
			      struct table_score *without);

#endif
