/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/arrival.h"

#include <stdatomic.h>

#include "src/policies/policy.h"
#include "src/slurm/out/env.h"
#include "src/slurm/out/recover.h"

/* came: how many jobs were turned away since the start. served: the value of
 * came when the last round that decided began. A pool is open if known is true
 * and the two are equal. */
static atomic_uint came[ASTRA_ROOM_POOLS];
static atomic_uint served[ASTRA_ROOM_POOLS];
static atomic_bool known[ASTRA_ROOM_POOLS]; /* set by a round that left no job
					     * waiting */

static unsigned int noted[ASTRA_ROOM_POOLS]; /* value of came when the round
					      * began */

void astra_arrival_close(size_t pool)
{
	if (pool < ASTRA_ROOM_POOLS)
		came[pool]++;
}

static void reopen(size_t pool)
{
	unsigned int before;

	if (pool >= ASTRA_ROOM_POOLS)
		return;
	before = came[pool] - 1;
	(void)atomic_compare_exchange_strong(&served[pool], &before,
					     came[pool]);
}

void astra_arrival_start(job_record_t *job, size_t pool)
{
	const struct astra_pool_config *p = &astra_config_active()->pools[pool];
	struct astra_env_lease lease = astra_env_lease_of(job, p);

	reopen(pool);
	astra_env_start(job, &lease);
	info("astraea: start %pJ NodeList=%s Partition=%s at its submission",
	     job, job->job_resrcs ? job->job_resrcs->nodes : "",
	     job->part_ptr->name);
	astra_recover_started(job);
	astra_recover_launched(job);
}

bool astra_arrival_is_open(size_t pool)
{
	return pool < ASTRA_ROOM_POOLS && known[pool] &&
	       served[pool] == came[pool];
}

void astra_arrival_forget(void)
{
	for (size_t i = 0; i < ASTRA_ROOM_POOLS; i++)
		known[i] = false;
}

void astra_arrival_round_begins(void)
{
	for (size_t i = 0; i < ASTRA_ROOM_POOLS; i++)
		noted[i] = came[i];
}

/* Whether a job waits that has precedence over new jobs. Jobs that Slurm has
 * refused again and again do not count. */
static bool somebody_waits(const struct astra_pool *pool)
{
	const struct astra_plan *plan = &pool->plan;

	for (size_t i = 0; i < plan->reason_count; i++)
		if (plan->reasons[i].wait != ASTRA_WAIT_BLOCKED &&
		    !astra_wait_is_vain(plan->reasons[i].wait) &&
		    astra_engine_refused(pool->engine, plan->reasons[i].job) <
			    ASTRA_BALK_ROUNDS)
			return true;
	return false;
}

void astra_arrival_decided(size_t index, const struct astra_pool *pool,
			   const struct astra_applied *applied)
{
	const struct astra_options *o = astra_engine_options(pool->engine);
	const struct astra_policy *policy = astra_policy_find(o->policy);

	if (index >= ASTRA_ROOM_POOLS)
		return;
	known[index] = o->leases && policy && policy->arrivals &&
		       !astra_capped(o) &&
		       applied->refused == applied->balked &&
		       !applied->skipped && !somebody_waits(pool);
	served[index] = noted[index];
}
