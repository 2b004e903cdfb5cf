/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which machines an app has its GPUs matters by how far apart they are;
 * which of several that are as near does not, but for its jobs that run
 * already. */
#ifndef ASTRA_THEMIS_SWAP_H
#define ASTRA_THEMIS_SWAP_H

#include "src/policies/themis/division.h"

/* Let apps exchange GPUs of machines in one rack, so that those whose jobs hold
 * some that are offered get the same ones again. Nobody's GPUs get further
 * apart, or become fewer.
 * Returns 0, or -1 when out of memory: then the division is not to be used. */
int astra_themis_swap(struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer);

#endif
