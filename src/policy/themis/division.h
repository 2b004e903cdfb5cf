/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round between apps: who is offered GPUs, who wins which, who gets what is
 * left over. The outcome is GPUs of machines for each app; which of its jobs
 * get them is another matter (seats.h). */
#ifndef ASTRA_THEMIS_DIVISION_H
#define ASTRA_THEMIS_DIVISION_H

#include "src/policy/themis/parties.h"

struct themis_division {
	bool *participant; /* of each party */
	/* Of party i: shares[first[i]] up to shares[first[i + 1]], by machine.
	 */
	struct astra_themis_share *shares;
	size_t *first;
	uint32_t *free; /* of each machine: what nobody got */
};

/* knob: f, from 0 to 1.
 * Returns 0, or -1 with err set; clear it in both cases. */
int astra_themis_divide(struct themis_division *division,
			const struct themis_parties *parties,
			const struct astra_offer *offer, double knob,
			struct astra_error *err);
void astra_themis_division_clear(struct themis_division *division);

#endif
