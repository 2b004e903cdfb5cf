/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a round between apps: for each app, the GPUs of machines that
 * it won or was given. seats.h chooses which of the app's jobs get them. */
#ifndef ASTRA_THEMIS_DIVISION_H
#define ASTRA_THEMIS_DIVISION_H

#include "src/policies/themis/parties.h"
#include "src/policies/themis/themis.h"

struct themis_division {
	struct astra_themis_round round; /* its apps are the parties */
	bool *participant;		 /* by party: whether it took part in
					  * the auction */
	/* Shares of party i, by machine: shares[first[i]] up to shares[first[i
	 * + 1]]. */
	struct astra_themis_share *shares;
	size_t *first;
	uint32_t *free; /* by machine: GPUs that no party got; the round's
			 * array */
};

/* Divides the offer's GPUs between the parties. knob: f, from 0 to 1. Returns
 * 0, or -1 with err set; clear the division in both cases. */
int astra_themis_divide(struct themis_division *division,
			const struct themis_parties *parties,
			const struct astra_offer *offer, double knob,
			struct astra_error *err);
/* Shares and the parties that got them; taker: a party. */
struct themis_gains {
	struct astra_themis_gift *list;
	size_t count, room;
};

/* Appends a share. Returns 0, or -1 when out of memory. */
int astra_themis_gain(struct themis_gains *gains, uint32_t party,
		      struct astra_themis_share share);

/* Replaces the division's shares by these gains, sorted by party and machine;
 * several gains of one party on one machine become one share. Sorts the gains.
 * Returns 0, or -1 when out of memory: then nothing has changed. */
int astra_themis_write_down(struct themis_division *division, size_t parties,
			    struct themis_gains *gains);
void astra_themis_division_clear(struct themis_division *division);

#endif
