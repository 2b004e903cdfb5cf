/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round of both tiers: each tenant's inner policy shares out what LTGF gives
 * the tenant among its jobs. */
#ifndef ASTRA_TIERS_SERVE_H
#define ASTRA_TIERS_SERVE_H

#include "src/policies/options.h"
#include "src/policies/tiers/split.h"
#include "src/policies/tiers/tenants.h"

struct tiers {
	struct astra_options options;
	void *ltgf;
	struct tiers_tenants tenants;
};

/* Answers an offer. Tenants with demands must have rows. Returns 0, or -1 with
 * err set. */
int astra_tiers_serve(struct tiers *tiers, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err);

#endif
