/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The record of a round: the apps, and how they fared in the auction. */
#ifndef ASTRA_THEMIS_RECORD_H
#define ASTRA_THEMIS_RECORD_H

#include "src/model/auction.h"
#include "src/policies/themis/division.h"

struct themis_record {
	struct astra_auction auction; /* points into the members below */
	struct astra_auction_app *apps;
	size_t app_room;
	double *left;
	size_t left_room;
};

/* Notes how each app that wanted GPUs fared in the auction just held. Returns
 * 0, or -1 when out of memory. */
int astra_themis_record_auction(struct themis_record *record,
				const struct themis_division *division,
				const struct themis_parties *parties,
				struct themis_memories *memories,
				const struct astra_offer *offer);

/* Records the present apps. Estimates are recorded for at most 2,000 apps, and
 * for up to 256 GPUs each. Returns 0, or -1 when out of memory: then there is
 * no record. */
int astra_themis_record_apps(struct themis_record *record,
			     const struct themis_parties *parties,
			     const struct themis_memories *memories,
			     const struct astra_offer *offer);

/* Save and restore the record of the last auction without its apps. An earlier
 * release saved only its number. Restore returns 0, or -1 if the saved record
 * is invalid. */
void astra_themis_auction_save(const struct astra_auction *auction,
			       struct astra_bytes *out);
int astra_themis_auction_restore(struct astra_auction *auction,
				 struct astra_reader *in);

void astra_themis_record_clear(struct themis_record *record);

#endif
