/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs stay where they are if their app won as many GPUs as they hold.
 * The GPUs of other jobs are found around them. */
#ifndef ASTRA_THEMIS_PIN_H
#define ASTRA_THEMIS_PIN_H

#include "src/policies/themis/division.h"

/* Changes the division accordingly, if no party is worse off than by the
 * division. Returns 1 if the division was changed, 0 if a party would be worse
 * off and nothing has changed, or -1 when out of memory. */
int astra_themis_pin(struct themis_division *division,
		     const struct themis_parties *parties,
		     const struct astra_offer *offer);

#endif
