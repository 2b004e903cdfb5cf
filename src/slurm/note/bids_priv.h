/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For bids.c and bids_state.c only. */
#ifndef ASTRA_BIDS_PRIV_H
#define ASTRA_BIDS_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"

#define BIDS_POOL_BYTES 64

/* The place that an app's agent wants for a job, or for all jobs of an
 * array. */
struct bids_turn {
	uint32_t job, turn;
};

struct bids_entry {
	uint64_t app;
	char pool[BIDS_POOL_BYTES];
	uint32_t uid;
	double time_sec; /* when the table was sent; 0: there is no table */
	double rho_now;
	uint32_t gpus_max;
	double *table;
	double order_sec;	 /* when the order was sent; 0: there is no
				  * order */
	struct bids_turn *order; /* sorted by job */
	uint32_t order_count;
	bool seen; /* an active job of it was seen since astra_bids_begin() */
};

void bids_entry_save(const struct bids_entry *entry, struct astra_bytes *out);

/* Read saved bids. list: owned by the caller, who frees it after
 * bids_entry_clear() of each entry. Returns 0, or -1 when memory is out or the
 * data is invalid; then there is nothing to free. */
int bids_list_restore(struct bids_entry **list, size_t *count,
		      struct astra_reader *in, uint32_t version,
		      double now_sec);
void bids_entry_clear(struct bids_entry *entry);

#endif
