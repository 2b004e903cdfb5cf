/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a round between apps comes to: GPUs of machines for each app, won or
 * given. Which of its jobs get them is another matter (seats.h). */
#ifndef ASTRA_THEMIS_DIVISION_H
#define ASTRA_THEMIS_DIVISION_H

#include "src/policies/themis/parties.h"
#include "src/policies/themis/themis.h"

struct themis_division {
	struct astra_themis_round round; /* apps are parties */
	bool *participant;		 /* of each party */
	/* Of party i: shares[first[i]] up to shares[first[i + 1]], by machine.
	 */
	struct astra_themis_share *shares;
	size_t *first;
	uint32_t *free; /* of each machine: what is left; the round's */
};

/* knob: f, from 0 to 1.
 * Returns 0, or -1 with err set; clear it in both cases. */
int astra_themis_divide(struct themis_division *division,
			const struct themis_parties *parties,
			const struct astra_offer *offer, double knob,
			struct astra_error *err);
/* Who got what; taker: a party. */
struct themis_gains {
	struct astra_themis_gift *list;
	size_t count, room;
};

/* Append. Returns 0, or -1 when out of memory. */
int astra_themis_gain(struct themis_gains *gains, uint32_t party,
		      struct astra_themis_share share);

/* Replace the division's shares by these gains, by party and machine; what one
 * party got of one machine in several parts comes once. Sorts the gains.
 * Returns 0, or -1 when out of memory: then nothing has changed. */
int astra_themis_write_down(struct themis_division *division, size_t parties,
			    struct themis_gains *gains);
void astra_themis_division_clear(struct themis_division *division);

#endif
