/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lower tier: each tenant has its own instance of the inner policy, with
 * its own state. */
#ifndef ASTRA_TIERS_TENANTS_H
#define ASTRA_TIERS_TENANTS_H

#include "src/policies/policy.h"

struct tiers_tenant {
	char *name;
	uint32_t tenant; /* its index in offers; ASTRA_NONE: not known yet */
	void *self;	 /* the instance */
	bool served;	 /* it got GPUs in the last round that offered any */
	bool seen;
	uint64_t auctions;     /* number of auctions that it has held */
	uint64_t last_auction; /* index, over all tenants, of the last round in
				* which it held an auction */
};

struct tiers_tenants {
	const struct astra_policy *inner;
	struct tiers_tenant *rows; /* sorted by name */
	size_t count, room;
};

/* Adds rows for tenants with active jobs. Forgets all other tenants, unless the
 * inner policy has reports to keep. Returns 0, or -1 with err set. */
int astra_tiers_tenants_see(struct tiers_tenants *tenants,
			    const struct astra_options *options,
			    const struct astra_offer *offer,
			    struct astra_error *err);

/* Returns the row of that name, or NULL. */
struct tiers_tenant *astra_tiers_tenant(const struct tiers_tenants *tenants,
					const char *name);

/* Returns the row of the tenant with that index in offers, or NULL. */
struct tiers_tenant *astra_tiers_tenant_at(const struct tiers_tenants *tenants,
					   uint32_t tenant);

/* Save and restore the rows, as a policy's save and restore do. Restore needs
 * an empty list. A tenant whose own part is damaged starts anew. */
int astra_tiers_tenants_save(const struct tiers_tenants *tenants,
			     struct astra_bytes *out);
int astra_tiers_tenants_restore(struct tiers_tenants *tenants,
				const struct astra_options *options,
				struct astra_reader *in);
void astra_tiers_tenants_save_rest(const struct tiers_tenants *tenants,
				   struct astra_bytes *out);
int astra_tiers_tenants_restore_rest(struct tiers_tenants *tenants,
				     struct astra_reader *in);
void astra_tiers_tenants_clear(struct tiers_tenants *tenants);

#endif
