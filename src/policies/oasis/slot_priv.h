/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a round of the present slot is made of. */
#ifndef ASTRA_OASIS_SLOT_PRIV_H
#define ASTRA_OASIS_SLOT_PRIV_H

#include "src/placement/placement.h"
#include "src/policies/oasis/book.h"

/* One that wants GPUs in the present slot. */
struct turn {
	uint32_t demand;
	uint32_t gpus;		     /* booked; 0: none */
	bool placed;		     /* keeps its GPUs, or is awarded some */
	const struct turn *left_for; /* that one is looking for a place */
	double submit_sec;
	struct oasis_booking *booking;
};

struct slot_round {
	struct oasis_book *book;
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct turn *turns; /* of open demands */
	size_t count;
	size_t served;		    /* so many are first, by submission */
	struct astra_space *space;  /* what nobody holds, or who moves holds */
	struct astra_share *shares; /* scratch: of one place */
	double end_sec;		    /* of the slot */
};

/* For qsort() of turns. */
int oasis_by_submission(const void *a, const void *b);

/* The highest payoff first: what was refused by the least. */
int oasis_by_payoff(const void *a, const void *b);

/* Award the place that was found, which the round's shares are. Returns 0, or
 * -1 when memory is out. */
int oasis_take_place(struct slot_round *r, struct turn *t, size_t count);

/* Idle GPUs, to the slot's end: to those that wait for a slot of theirs, and
 * to those that were refused. Returns 0, or -1 when memory is out. */
int oasis_lend(struct slot_round *r);

#endif
