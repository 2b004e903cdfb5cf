/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of a round: the auctions of all tenants as one. */
#ifndef ASTRA_TIERS_RECORD_H
#define ASTRA_TIERS_RECORD_H

#include "src/model/auction.h"
#include "src/policies/tiers/tenants.h"

struct tiers_record {
	struct astra_auction auction; /* points into the rest, and into the
				       * tenants' instances */
	struct astra_auction_app *apps;
	size_t app_room;
};

/* Write down how the tenants' last auctions went. The auctions of one round
 * count as one, and have its number.
 * Returns 0, or -1 when memory is out: then there is nothing to be told. */
int astra_tiers_record(struct tiers_record *record,
		       struct tiers_tenants *tenants);

void astra_tiers_record_clear(struct tiers_record *record);

#endif
