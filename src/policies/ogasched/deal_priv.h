/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of a deal. */
#ifndef ASTRA_OGAS_DEAL_PRIV_H
#define ASTRA_OGAS_DEAL_PRIV_H

#include "src/placement/placement.h"
#include "src/policies/ogasched/deal.h"

struct deal {
	struct ogas_classes *classes;
	const struct astra_offer *offer;
	const uint32_t *units;
	struct astra_allocation *out;
	double slot_sec;	       /* its length */
	double end_sec, start_end_sec; /* of leases that go on, that begin */
	size_t class_count, stride;
	uint64_t *left;	   /* per class: GPUs it may still be awarded */
	uint64_t *got;	   /* per class: GPUs it has in this slot */
	uint32_t *granted; /* per class */
	uint32_t *awarded; /* copies, per demand */
	size_t *award_of;  /* per demand: its last award, from 1; 0: none */
	uint32_t *order;   /* demands: by class, there as in the queue */
	uint32_t *queue;   /* those that ran less first, then who came first */
	/* What can be awarded: all of it; that nobody holds; of that, what the
	 * class at hand has a grant for. */
	struct astra_space *all, *idle, *near;
	uint32_t near_class;
	struct astra_share *shares;
};

static inline uint32_t deal_class(const struct deal *d, uint32_t demand)
{
	return d->classes->class_of[demand];
}

static inline uint32_t deal_less(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* What is offered, the demands in order, what each class may use. The fields
 * above `left` are set. Returns 0, or -1 when memory is out; end it in both
 * cases. */
int deal_begin(struct deal *d, bool fresh);
void deal_end(struct deal *d);

#endif
