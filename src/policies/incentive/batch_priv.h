/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sale in the making: batch.c holds it, batch_open.c says what is for sale,
 * batch_enter.c writes down its deals. */
#ifndef ASTRA_BATCH_PRIV_H
#define ASTRA_BATCH_PRIV_H

#include "src/policies/incentive/batch.h"
#include "src/policies/incentive/seats.h"

/* A job of the market, and whose it is. */
struct ware {
	uint32_t demand;
	double work; /* GPU slots in all */
	bool sold, gift;
	size_t home_from; /* in the sale's homes */
};

struct sale {
	const struct astra_batch *batch;
	const struct astra_offer *offer;
	struct astra_market_room *servers, *quotas;
	struct astra_seats *seats; /* NULL: of a part of a pool */
	struct astra_market *market;
	struct astra_market_job *jobs;
	struct ware *wares; /* of each */
	size_t count, room, ware_room;
	double stretch; /* the largest d_max / d_min */
	struct astra_market_part *homes;
	size_t home_count, home_room;
	uint32_t *offered;
	struct astra_market_book book;
};

/* It runs on, or was promised GPUs and waits for them. */
static inline bool sale_is_bound(const struct astra_demand *d)
{
	return !d->open && d->held_count;
}

/* Open the market for the sale's jobs (batch_open.c). Returns 0, or -1 with err
 * set. */
int astra_sale_open(struct sale *sale, struct astra_error *err);

/* Make a job a part of so many slots on all its GPUs; below 1 an elastic one's
 * of fewer. Returns whether that is to be offered: not the same part again, nor
 * less than a slot of its fewest GPUs. */
bool astra_sale_cut(struct sale *sale, uint32_t index, double slots);

/* After a part of so many slots comes one of so many; 0: none. */
double astra_sale_next_part(const struct sale *sale, double slots);

/* Write down who was sold what, pay, and tell what the others were offered.
 * Returns 0, or -1 when memory is out. */
int astra_sale_enter(struct sale *sale, struct astra_calendar *calendar,
		     struct astra_market_account *accounts);

#endif
