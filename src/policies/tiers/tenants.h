/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lower tier: each tenant has an instance of the inner policy of its own,
 * with its own memory of its jobs. */
#ifndef ASTRA_TIERS_TENANTS_H
#define ASTRA_TIERS_TENANTS_H

#include "src/policies/policy.h"

struct tiers_tenant {
	char *name;
	uint32_t tenant; /* its index in offers; none has it: not known yet */
	void *self;	 /* of the inner policy */
	bool served;	 /* got GPUs to share out when there were any last */
	bool seen;
	uint64_t auctions;     /* that it has held */
	uint64_t last_auction; /* the number of that round with auctions */
};

struct tiers_tenants {
	const struct astra_policy *inner;
	struct tiers_tenant *rows; /* by name */
	size_t count, room;
};

/* Tenants with active jobs have a row. All others are forgotten, unless the
 * inner policy keeps sums for reports.
 * Returns 0, or -1 with err set. */
int astra_tiers_tenants_see(struct tiers_tenants *tenants,
			    const struct astra_options *options,
			    const struct astra_offer *offer,
			    struct astra_error *err);

/* The row of that name, or NULL. */
struct tiers_tenant *astra_tiers_tenant(const struct tiers_tenants *tenants,
					const char *name);

/* The row of the tenant with that index in offers, or NULL. */
struct tiers_tenant *astra_tiers_tenant_at(const struct tiers_tenants *tenants,
					   uint32_t tenant);

/* As a policy's save and restore; restore: into an empty list. A tenant whose
 * own part is damaged begins anew. */
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
