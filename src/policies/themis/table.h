/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partial-allocation auction for bids on listed sets of GPUs. Each bidder
 * gets at most one set, and only a listed one. (Mahajan et al., NSDI'20, Fig.
 * 4, Pseudocode 1; SPEC section 2) */
#ifndef ASTRA_THEMIS_TABLE_H
#define ASTRA_THEMIS_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Up to this many GPUs the auction is exact, for any bids. */
#define ASTRA_THEMIS_TABLE_EXACT 12

struct astra_themis_listed {
	const uint64_t *gpus; /* a bitmap, with no bit beyond gpu_count */
	double rho;	      /* > 0; infinite: the set is worth nothing */
};

/* A bidder. All pointers are borrowed. */
struct astra_themis_table_bidder {
	const struct astra_themis_listed *listed;
	size_t listed_count;
	double rho_empty; /* without GPUs; infinite unless the bid states it */
};

struct astra_themis_table {
	/* By bidder: an index into its list, or ASTRA_NONE. */
	uint32_t *pf;
	uint32_t *kept; /* after the hidden payment */
	double *c;
	size_t served;	    /* bidders with V > 0 in pf */
	double log_product; /* sum of log V of those served */
};

/* Holds the auction. pf serves the most bidders, and of such allocations has
 * the largest product of V. Ties go to the lower indices, beginning with the
 * first bidder. With more than ASTRA_THEMIS_TABLE_EXACT GPUs, pf is at least as
 * good as the greedy allocation, which adds GPUs one by one where the gain is
 * largest. It then also cannot be improved by changing one bidder's set, after
 * which the bidders that lose GPUs choose again. out: clear it in both cases.
 * Returns 0, or -1 when out of memory. */
int astra_themis_table_run(uint32_t gpu_count,
			   const struct astra_themis_table_bidder *bidders,
			   size_t bidder_count, struct astra_themis_table *out);
void astra_themis_table_clear(struct astra_themis_table *table);

#endif
