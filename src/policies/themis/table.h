/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The partial-allocation auction for bids on listed sets of GPUs, at most one
 * set for each bidder; what is not listed cannot be given. (Mahajan et al.,
 * NSDI'20, Fig. 4, Pseudocode 1; SPEC section 2) */
#ifndef ASTRA_THEMIS_TABLE_H
#define ASTRA_THEMIS_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Up to so many GPUs the auction is exact, whatever the bids. */
#define ASTRA_THEMIS_TABLE_EXACT 12

struct astra_themis_listed {
	const uint64_t *gpus; /* a bitmap, with no bit beyond gpu_count */
	double rho;	      /* > 0; infinite: of no value */
};

/* Everything is borrowed. */
struct astra_themis_table_bidder {
	const struct astra_themis_listed *listed;
	size_t listed_count;
	double rho_empty; /* of no GPU; infinite unless the bid states it */
};

struct astra_themis_table {
	/* Of each bidder an index into its list, or ASTRA_NONE. */
	uint32_t *pf;
	uint32_t *kept; /* after the hidden payment */
	double *c;
	size_t served;	    /* with V > 0 in pf */
	double log_product; /* sum of log V of those served */
};

/* pf has the most bidders served and then the largest product of V; of several
 * such ones the one with the lower indices, those of the first bidder first.
 * Beyond ASTRA_THEMIS_TABLE_EXACT GPUs it is at least as good as adding GPU by
 * GPU what gains most, and no change of one bidder's set, those that it takes
 * GPUs from choosing again, makes it better.
 * out: clear it in both cases. Returns 0, or -1 when out of memory. */
int astra_themis_table_run(uint32_t gpu_count,
			   const struct astra_themis_table_bidder *bidders,
			   size_t bidder_count, struct astra_themis_table *out);
void astra_themis_table_clear(struct astra_themis_table *table);

#endif
