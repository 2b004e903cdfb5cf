/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Upper bounds of any deal. Private to the auction. */
#ifndef ASTRA_THEMIS_BOUND_H
#define ASTRA_THEMIS_BOUND_H

#include "src/policies/themis/solver/deal.h"

/* Bounds the auction by weak duality. The prices start from `deal`, which
 * should be good, but the bounds hold for any deal. served: no deal serves more
 * bidders. log_product: no deal that serves as many bidders as this one has a
 * larger sum of log V. Returns 0, or -1 when out of memory. */
int astra_themis_bound(const struct astra_themis_deal *deal, size_t *served,
		       double *log_product);

#endif
