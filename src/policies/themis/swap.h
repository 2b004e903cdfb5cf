/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Swaps between apps. An app's speed depends on how far apart its GPUs are.
 * Which of several equally near machines it gets matters only to its running
 * jobs. */
#ifndef ASTRA_THEMIS_SWAP_H
#define ASTRA_THEMIS_SWAP_H

#include "src/policies/themis/division.h"

/* Lets apps exchange GPUs of machines in one rack, so that jobs whose GPUs are
 * offered get the same ones again. No app's GPUs get further apart or fewer.
 * Returns 0, or -1 when out of memory: then do not use the division. */
int astra_themis_swap(struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer);

#endif
