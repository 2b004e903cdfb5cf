/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pool under incentive: slots of 100 s from the begin, 1000, on; windows are
 * (2, 4], (4, 8], then 4 slots each. */
#ifndef INCENTIVE_POOL_H
#define INCENTIVE_POOL_H

#include <string.h>

#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))
#define SLOT 100

static inline void begin_with(struct vcluster *vc, size_t nodes, uint32_t gpus,
			      bool own_share)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, "incentive");
	vc->options.slot_sec = SLOT;
	vc->options.batch_max = 4;
	vc->options.own_share = own_share;
	vc->options.lend_idle = vc->options.promise = false; /* the paper's */
	vc->options.lease_sec = 50;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

static inline void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	begin_with(vc, nodes, gpus, true);
}

/* A job that takes a little less than so many slots, worth so much a GPU. */
static inline struct vjob *submit(struct vcluster *vc, uint32_t tenant,
				  uint32_t gpus, double slots, double worth)
{
	struct vjob *v = vc_submit(vc, tenant, gpus, slots * SLOT - 10);

	v->job.forecast.work_sec = slots * SLOT - 10;
	v->job.forecast.utility = (struct astra_utility){
		.kind = ASTRA_UTILITY_LINEAR, .linear = {-.01, worth * gpus}};
	return v;
}

static inline const struct astra_reason *reason_of(const struct vcluster *vc,
						   const struct vjob *v)
{
	for (size_t i = 0; i < vc->plan.reason_count; i++)
		if (vc->plan.reasons[i].job == v->job.id)
			return &vc->plan.reasons[i];
	fail_msg("job %u has no reason", v->job.id);
	return NULL;
}

static inline struct astra_policy_report report(const struct vcluster *vc,
						const char *tenant)
{
	struct astra_policy_report sums;

	assert_true(astra_engine_policy_report(vc->engine, tenant, &sums));
	return sums;
}

#endif
