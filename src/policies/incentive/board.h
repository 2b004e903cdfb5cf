/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is published of a window once it is sold: the price of its slots, and
 * what each job was, or would be, offered. Overtime is charged by it. */
#ifndef ASTRA_BOARD_H
#define ASTRA_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/policies/incentive/market.h"

#define ASTRA_QUOTES_MAX 256 /* of jobs that were sold nothing */

/* The best schedule of a job in the window. */
struct astra_quote {
	uint32_t job;	/* its id */
	uint32_t start; /* first slot; 0: there is no room for it */
	bool sold;
	double worth, price; /* in credits; price: what it pays, if sold */
};

/* Zeroed except for the rules, no window was sold. */
struct astra_board {
	/* The rules of prices; `unit` credits are the unit for a GPU and
	 * slot. */
	double theta, unit;
	uint32_t begin, slots; /* slots begin + 1 … begin + slots */
	uint32_t gpus;	       /* for sale; sum of the quotas */
	uint32_t tenants;
	uint32_t *quota; /* of each tenant */
	uint32_t *used;	 /* of each slot */
	uint32_t *own;	 /* [tenant][slot]: the unpaid part of used */
	struct astra_quote *quotes;
	size_t quote_count, quote_room;
};

/* Make an empty window for so many tenants, with nothing used and all quotas 0.
 * Returns 0, or -1 when memory is out: the board is empty then. */
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

/* Return the cost of so many GPUs in a slot beyond what was sold. What a tenant
 * has left of its own quota costs nothing (the own phase); the others cost the
 * price before them (SPEC section 3, Money). */
double astra_board_overtime(const struct astra_board *board, uint32_t tenant,
			    uint32_t slot, uint32_t gpus);

/* Whether a tenant's own quota has room for these GPUs without payment. */
bool astra_board_is_own(const struct astra_board *board, uint32_t tenant,
			uint32_t slot, uint32_t gpus);

/* Use these GPUs. incomes: of each tenant; its part of the payment is added, by
 * Eq. 2 (Wang et al.) in proportion to what its own jobs left unused. Returns
 * the payment, which is 0 if nothing was left unused. */
double astra_board_use(struct astra_board *board, uint32_t tenant,
		       uint32_t slot, uint32_t gpus, double *incomes);

/* Add a quote. It is found only after astra_board_sort(). Returns 0, or -1 when
 * memory is out. */
int astra_board_quote(struct astra_board *board,
		      const struct astra_quote *quote);

void astra_board_sort(struct astra_board *board);

/* Return the first quote of a job, which is the one that it was sold if any, or
 * NULL. Borrowed. */
const struct astra_quote *astra_board_find(const struct astra_board *board,
					   uint32_t job);

/* Forget the window, but not the rules. */
void astra_board_clear(struct astra_board *board);
void astra_board_save(const struct astra_board *board, struct astra_bytes *out);
/* Read into an empty board; earlier releases saved none. Returns 0, or -1 when
 * memory is out or the data is damaged. */
int astra_board_restore(struct astra_board *board, struct astra_reader *in);

#endif
