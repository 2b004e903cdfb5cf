/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of a window once it is sold: what its slots cost, and what each
 * job was, or would be, offered there. Overtime is charged by it. */
#ifndef ASTRA_BOARD_H
#define ASTRA_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/policies/incentive/market.h"

#define ASTRA_QUOTES_MAX 256 /* of jobs that were not sold anything */

/* The best schedule of a job in the window. */
struct astra_quote {
	uint32_t job;	/* its id */
	uint32_t start; /* its first slot; 0: there is no room for it */
	bool sold;
	double worth, price; /* credits; price: sold: what it pays */
};

/* Zeroed with rules: no window was sold. */
struct astra_board {
	/* The rules: of prices; `unit` credits is a GPU for a slot. */
	double theta, unit;
	uint32_t begin, slots; /* slots begin + 1 … begin + slots */
	uint32_t gpus;	       /* that were for sale; the quotas' sum */
	uint32_t tenants;
	uint32_t *quota; /* of each tenant */
	uint32_t *used;	 /* of each slot */
	uint32_t *own;	 /* [tenant][slot]: of these unpaid */
	struct astra_quote *quotes;
	size_t quote_count, quote_room;
};

/* An empty window of so many tenants, in which nothing is used and all quotas
 * are 0. Returns 0, or -1 when out of memory: the board is empty then. */
int astra_board_open(struct astra_board *board, uint32_t begin, uint32_t slots,
		     uint32_t tenants);

/* Whether a slot is in the window. */
static inline bool astra_board_has(const struct astra_board *board,
				   uint32_t slot)
{
	return slot > board->begin && slot - board->begin <= board->slots;
}

/* Of a GPU for a slot of the window: unit (theta^(used / gpus) - 1). */
double astra_board_price(const struct astra_board *board, uint32_t slot);

/* What so many GPUs cost in a slot beyond what was sold: what a tenant has left
 * of its own quota costs nothing (the own phase), the others the price before
 * them (SPEC section 3, Money). */
double astra_board_overtime(const struct astra_board *board, uint32_t tenant,
			    uint32_t slot, uint32_t gpus);

/* Whether a tenant's own quota has room for them, for nothing. */
bool astra_board_is_own(const struct astra_board *board, uint32_t tenant,
			uint32_t slot, uint32_t gpus);

/* Use them; incomes: of each tenant; its part of what is paid is added, by Eq.
 * 2 in proportion to what its own jobs left unused. Returns what is paid, which
 * is 0 if nobody left anything. */
double astra_board_use(struct astra_board *board, uint32_t tenant,
		       uint32_t slot, uint32_t gpus, double *incomes);

/* Found after the next astra_board_sort() only. Returns 0, or -1 when memory is
 * out. */
int astra_board_quote(struct astra_board *board,
		      const struct astra_quote *quote);

void astra_board_sort(struct astra_board *board);

/* The first quote of a job, which is of what it was sold first, or NULL;
 * borrowed. */
const struct astra_quote *astra_board_find(const struct astra_board *board,
					   uint32_t job);

/* Forget the window; the rules stay. */
void astra_board_clear(struct astra_board *board);
void astra_board_save(const struct astra_board *board, struct astra_bytes *out);
/* Into an empty one; an earlier release wrote none. Returns 0, or -1 when
 * out of memory or the data is damaged. */
int astra_board_restore(struct astra_board *board, struct astra_reader *in);

#endif
