/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a result that a comparison needs. It has no pointers, so that it
 * can be in memory that processes share. */
#ifndef ASTRA_DIGEST_H
#define ASTRA_DIGEST_H

#include "src/sim/metrics.h"

#define ASTRA_CURVE_POINTS 201 /* quantiles 0, 0.5 %, ... 100 % */
#define ASTRA_TIMELINE_SLOTS 120
#define ASTRA_BOX_POINTS 5 /* quantiles 5, 25, 50, 75, 95 % */

enum astra_curve {
	ASTRA_CURVE_JOB_RHO,
	ASTRA_CURVE_SLOWDOWN,
	ASTRA_CURVE_SHARE_FTF,
	ASTRA_CURVE_COUNT,
};

struct astra_digest {
	struct astra_metrics metrics;
	struct astra_wait_size waits[ASTRA_WAIT_SIZES];
	/* All NaN if no job has a value. */
	double curves[ASTRA_CURVE_COUNT][ASTRA_CURVE_POINTS];
	double cell_box[ASTRA_BOX_POINTS]; /* rho of tenants by interval */
	double stop_sec;
	double slot_sec;
	size_t slot_count, tenant_count;
	double more[]; /* first rho of each tenant, then the GPUs of each
			* tenant, slot by slot */
};

/* Returns the size in bytes of a digest for this many tenants. */
size_t astra_digest_size(size_t tenant_count);

/* Fills a digest. out: zeroed, of astra_digest_size() for the trace's tenants.
 * Returns 0, or -1 if out of memory. */
int astra_digest_fill(const struct astra_sim_result *result,
		      struct astra_digest *out);

/* Returns the tenant's rho over the whole run; NaN if the tenant had neither
 * use nor entitlement. */
double astra_digest_tenant_rho(const struct astra_digest *digest,
			       size_t tenant);

/* Returns how many GPUs the tenant held on average in the slot. */
double astra_digest_gpus(const struct astra_digest *digest, size_t slot,
			 size_t tenant);

#endif
