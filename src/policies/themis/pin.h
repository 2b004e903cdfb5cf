/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pinning: running jobs stay where they are if their app won as many GPUs as
 * they hold. Other jobs get GPUs around them. */
#ifndef ASTRA_THEMIS_PIN_H
#define ASTRA_THEMIS_PIN_H

#include "src/policies/themis/division.h"

/* Changes the division so that running jobs stay, unless this makes a party
 * worse off. Returns 1 if the division was changed, 0 if a party would be worse
 * off and nothing has changed, or -1 when out of memory. */
int astra_themis_pin(struct themis_division *division,
		     const struct themis_parties *parties,
		     const struct astra_offer *offer);

#endif
