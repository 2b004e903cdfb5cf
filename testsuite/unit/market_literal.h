/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wang et al., Alg. 3 to 5 to the letter (SPEC.md section 3): every start,
 * number of workers, server and slot, without sums, shortcuts or sorting. */
#ifndef MARKET_LITERAL_H
#define MARKET_LITERAL_H

#include "src/policies/incentive/market_priv.h"

/* As market_search(), of which it is the test and the peer. Reads the market's
 * usage and prices, and changes nothing. */
bool market_literal(const struct astra_market *m,
		    const struct astra_market_job *job, bool shared,
		    struct market_best *best);

/* What a job of this user may use of a kind in a slot. */
uint32_t market_literal_limit(const struct astra_market *m, int kind,
			      uint32_t user, bool shared, uint32_t slot);

/* What a job of this user pays for one unit in a slot. */
double market_literal_price(const struct astra_market *m, int kind,
			    uint32_t user, bool shared, uint32_t slot);

#endif
