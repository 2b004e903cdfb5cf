/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lower tier: each tenant has an instance of Themis of its own, with its
 * own memory of its apps. */
#ifndef ASTRA_TIERS_TENANTS_H
#define ASTRA_TIERS_TENANTS_H

#include "src/policy/policy.h"

struct tiers_tenant {
	char *name;
	void *themis;
	bool served; /* got GPUs to share out when there were any last */
	bool seen;
	uint64_t auctions;     /* that it has held */
	uint64_t last_auction; /* the number of that round with auctions */
};

struct tiers_tenants {
	struct tiers_tenant *rows; /* by name */
	size_t count, room;
};

/* Tenants with active jobs have a row, all others are forgotten.
 * Returns 0, or -1 with err set. */
int astra_tiers_tenants_see(struct tiers_tenants *tenants,
			    const struct astra_options *options,
			    const struct astra_offer *offer,
			    struct astra_error *err);

/* The row of that name, or NULL. */
struct tiers_tenant *astra_tiers_tenant(const struct tiers_tenants *tenants,
					const char *name);

/* As a policy's save and restore; restore: into an empty list. */
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
