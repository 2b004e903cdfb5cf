/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs without leases: of srun, salloc, --no-requeue and --lease=none. Nothing
 * takes their GPUs back, so there is a bound on what a tenant and a user hold
 * in this way. Further jobs wait, as over a limit. A job whose time limit is no
 * longer than a lease does not count: it holds its GPUs no longer than jobs
 * with leases. */
#ifndef ASTRA_UNLEASED_H
#define ASTRA_UNLEASED_H

#include "src/model/model.h"

struct astra_options;

enum astra_unleased_over {
	ASTRA_WITHIN,
	ASTRA_OVER_TENANT, /* NoLeaseGPUs */
	ASTRA_OVER_USER,   /* NoLeaseUserGPUs */
};

/* A job without a lease that counts, and that runs or could run. */
struct astra_unleased {
	struct astra_job *job;
	uint32_t user;
	enum astra_unleased_over over; /* result */
	double limit, used; /* result: the bound in GPUs of the tenant or user;
			     * used: the GPUs of its other jobs */
};

/* Whether a job that is not revocable counts: it may hold its GPUs for longer
 * than one lease. limit_sec: its time limit, 0: none; lease_sec: a term. */
bool astra_unleased_counts(double limit_sec, double lease_sec);

/* Return the GPUs that a job holds or, if it waits, would get. */
uint32_t astra_unleased_gpus(const struct astra_unleased *u);

/* Whether there is any bound. */
bool astra_unleased_bounded(const struct astra_options *options);

/* Return a bound in GPUs, from an option and a share; infinite if the option
 * sets no bound. */
double astra_unleased_limit_of(uint32_t option, double quota);

/* Return a tenant's share of `gpus`, rounded up. gpus: of the pool's usable
 * nodes. */
double astra_unleased_quota(const struct astra_tenant *tenants, size_t count,
			    uint32_t tenant, uint64_t gpus);

/* First count the jobs that hold GPUs. Then admit waiting jobs, by precedence
 * and age, while there is room; the others become BLOCKED. Sets `copies` to the
 * number of tasks that each job may start, and sorts the list in this order.
 * tenants, gpus: as above. Returns 0, or -1 when memory is out. */
int astra_unleased_deal(struct astra_unleased *list, size_t count,
			const struct astra_options *options,
			const struct astra_tenant *tenants, size_t tenant_count,
			uint64_t gpus);

#endif
