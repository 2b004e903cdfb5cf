/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How good any deal can be at most. Private to the auction. */
#ifndef ASTRA_THEMIS_BOUND_H
#define ASTRA_THEMIS_BOUND_H

#include "src/policies/themis/solver/deal.h"

/* Bounds of the auction by weak duality.
 * deal: a good one, which the prices start from; the bounds hold whatever it
 *   is.
 * served: no deal serves more. log_product: no deal that serves as many as this
 *   one has more.
 * Returns 0, or -1 when out of memory. */
int astra_themis_bound(const struct astra_themis_deal *deal, size_t *served,
		       double *log_product);

#endif
