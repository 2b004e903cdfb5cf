/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/unleased.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/idmap.h"
#include "src/policies/options.h"

/* How much rounding may add to a share that is a whole number of GPUs. */
#define UNLEASED_EPSILON 1e-6

bool astra_unleased_counts(double limit_sec, double lease_sec)
{
	return limit_sec <= 0 || limit_sec > lease_sec;
}

double astra_unleased_quota(const struct astra_tenant *tenants, size_t count,
			    uint32_t tenant, uint64_t gpus)
{
	double weights = 0;

	for (size_t i = 0; i < count; i++)
		weights += tenants[i].weight;
	if (weights <= 0)
		return 0;
	return ceil((double)gpus * tenants[tenant].weight / weights -
		    UNLEASED_EPSILON);
}

static bool unleased_waits(const struct astra_unleased *u)
{
	return u->job->state == ASTRA_JOB_PENDING;
}

/* Compare by Slurm's order, jobs that hold GPUs first. Shares are not compared,
 * as GPUs without leases are not taken back. NoLeaseUserGPUs keeps GPUs for
 * other users. */
static int unleased_compare(const void *a, const void *b)
{
	const struct astra_unleased *x = a, *y = b;

	if (unleased_waits(x) != unleased_waits(y))
		return unleased_waits(x) - unleased_waits(y);
	if (x->job->precedence != y->job->precedence)
		return x->job->precedence > y->job->precedence ? -1 : 1;
	if (x->job->submit_sec != y->job->submit_sec)
		return x->job->submit_sec < y->job->submit_sec ? -1 : 1;
	return (x->job->id > y->job->id) - (x->job->id < y->job->id);
}

uint32_t astra_unleased_gpus(const struct astra_unleased *u)
{
	const struct astra_job *job = u->job;

	if (job->state == ASTRA_JOB_PENDING)
		return job->copies * job->request.gpus;
	return astra_held_gpus(job);
}

/* One bound: the GPUs in use. The key is 1 + the tenant's index or the uid. */
struct unleased_bound {
	struct astra_idmap used;
	enum astra_unleased_over over;
};

static uint32_t bound_used(const struct unleased_bound *b, uint32_t whose)
{
	uint32_t used = astra_idmap_get(&b->used, whose + 1);

	return used == ASTRA_IDMAP_NONE ? 0 : used;
}

static int bound_add(struct unleased_bound *b, uint32_t whose, uint32_t gpus)
{
	return astra_idmap_put(&b->used, whose + 1,
			       bound_used(b, whose) + gpus);
}

/* Return how many copies of a waiting job a bound admits. */
static uint32_t bound_room(const struct unleased_bound *b, uint32_t whose,
			   double limit, struct astra_unleased *u)
{
	uint32_t used = bound_used(b, whose);
	double room = floor((limit - used) / u->job->request.gpus);

	if (room >= 1)
		return room < u->job->copies ? (uint32_t)room : u->job->copies;
	u->over = b->over;
	u->limit = limit;
	u->used = used;
	return 0;
}

static int unleased_take(struct unleased_bound *tenants, double tenant_limit,
			 struct unleased_bound *users, double user_limit,
			 struct astra_unleased *u)
{
	struct astra_job *job = u->job;
	uint32_t gpus, of_tenant, of_user;

	if (unleased_waits(u)) {
		of_tenant = bound_room(tenants, job->tenant, tenant_limit, u);
		of_user = bound_room(users, u->user, user_limit, u);
		job->copies = of_tenant < of_user ? of_tenant : of_user;
		if (!job->copies) {
			job->copies = 1;
			job->state = ASTRA_JOB_BLOCKED;
			return 0;
		}
	}
	gpus = astra_unleased_gpus(u);
	if (bound_add(tenants, job->tenant, gpus) < 0)
		return -1;
	return bound_add(users, u->user, gpus);
}

bool astra_unleased_bounded(const struct astra_options *options)
{
	return options->leases &&
	       (options->unleased_gpus != ASTRA_GPUS_NONE ||
		options->unleased_user_gpus != ASTRA_GPUS_NONE);
}

double astra_unleased_limit_of(uint32_t option, double quota)
{
	if (option == ASTRA_GPUS_NONE)
		return HUGE_VAL;
	return option == ASTRA_GPUS_QUOTA ? quota : option;
}

int astra_unleased_deal(struct astra_unleased *list, size_t count,
			const struct astra_options *options,
			const struct astra_tenant *tenants, size_t tenant_count,
			uint64_t gpus)
{
	struct unleased_bound of_tenants = {.over = ASTRA_OVER_TENANT};
	struct unleased_bound of_users = {.over = ASTRA_OVER_USER};
	int rc = 0;

	if (count)
		qsort(list, count, sizeof(*list), unleased_compare);
	for (size_t i = 0; i < count && !rc; i++) {
		double quota = astra_unleased_quota(tenants, tenant_count,
						    list[i].job->tenant, gpus);

		rc = unleased_take(
			&of_tenants,
			astra_unleased_limit_of(options->unleased_gpus, quota),
			&of_users,
			astra_unleased_limit_of(options->unleased_user_gpus,
						quota),
			&list[i]);
	}
	astra_idmap_clear(&of_tenants.used);
	astra_idmap_clear(&of_users.used);
	return rc;
}
