/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running jobs of apps that won as many GPUs as these hold stay where they are;
 * the others' GPUs are found around them. */
#ifndef ASTRA_THEMIS_PIN_H
#define ASTRA_THEMIS_PIN_H

#include "src/policies/themis/division.h"

/* Do so if nobody is worse off by it than by the division.
 * Returns 1 if it was done, 0 if somebody would be: then nothing has changed;
 * or -1 when out of memory. */
int astra_themis_pin(struct themis_division *division,
		     const struct themis_parties *parties,
		     const struct astra_offer *offer);

#endif
