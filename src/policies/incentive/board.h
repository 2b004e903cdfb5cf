/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is published of a window once it is sold: the price of its slots, and
 * what each job was offered, or would have been. Overtime is charged by these
 * prices. */
#ifndef ASTRA_BOARD_H
#define ASTRA_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/policies/incentive/market.h"

#define ASTRA_QUOTES_MAX 256 /* most quotes for jobs that were sold nothing */

/* The best schedule of a job in the window. */
struct astra_quote {
	uint32_t job;	/* its id */
	uint32_t start; /* first slot; 0: there is no room for the job */
	bool sold;
	double worth, price; /* in credits; price: what the job pays, if sold */
};

/* The board of a window. If zeroed except for the rules, no window was sold. */
struct astra_board {
	/* The rules of prices. `unit`: the credits for a price of 1, for a GPU
	 * and slot. */
	double theta, unit;
	uint32_t begin, slots; /* slots begin + 1 … begin + slots */
	uint32_t gpus;	       /* GPUs for sale, the sum of the quotas */
	uint32_t tenants;
	uint32_t *quota; /* of each tenant */
	uint32_t *used;	 /* of each slot */
	uint32_t *own;	 /* [tenant][slot]: the part of used that is unpaid */
	struct astra_quote *quotes;
	size_t quote_count, quote_room;
};

/* Begin an empty window for `tenants` tenants: nothing is used and all quotas
 * are 0. Returns 0, or -1 when memory is out: the board is empty then. */
int astra_board_open(struct astra_board *board, uint32_t begin, uint32_t slots,
		     uint32_t tenants);

/* Whether a slot is in the window. */
static inline bool astra_board_has(const struct astra_board *board,
				   uint32_t slot)
{
	return slot > board->begin && slot - board->begin <= board->slots;
}

/* Return the price of a GPU for a slot of the window: unit (theta^(used / gpus)
 * - 1). */
double astra_board_price(const struct astra_board *board, uint32_t slot);

/* Return the cost of `gpus` more GPUs in a slot, beyond what was sold. GPUs
 * within what a tenant has left of its own quota cost nothing (the own phase).
 * The others cost the price before this use (SPEC section 3, Money). */
double astra_board_overtime(const struct astra_board *board, uint32_t tenant,
			    uint32_t slot, uint32_t gpus);

/* Whether all these GPUs fit into the tenant's own quota, without payment. */
bool astra_board_is_own(const struct astra_board *board, uint32_t tenant,
			uint32_t slot, uint32_t gpus);

/* Use these GPUs. incomes: by tenant; its part of the payment is added. By Eq.
 * 2 (Wang et al.), the parts are in proportion to what the tenants' own jobs
 * left unused. Returns the payment, which is 0 if nothing was left unused. */
double astra_board_use(struct astra_board *board, uint32_t tenant,
		       uint32_t slot, uint32_t gpus, double *incomes);

/* Add a quote. It is found only after astra_board_sort(). Returns 0, or -1 when
 * memory is out. */
int astra_board_quote(struct astra_board *board,
		      const struct astra_quote *quote);

void astra_board_sort(struct astra_board *board);

/* Return the first quote of a job, or NULL. If the job was sold a schedule,
 * this is its quote. Borrowed. */
const struct astra_quote *astra_board_find(const struct astra_board *board,
					   uint32_t job);

/* Forget the window, but not the rules. */
void astra_board_clear(struct astra_board *board);
void astra_board_save(const struct astra_board *board, struct astra_bytes *out);
/* Read a board into an empty one. Earlier releases saved none. Returns 0, or -1
 * when memory is out or the data is damaged. */
int astra_board_restore(struct astra_board *board, struct astra_reader *in);

#endif
