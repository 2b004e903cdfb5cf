/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offers to ltgf+themis and its like, asked directly. */
#ifndef ASTRA_TEST_TIERS_OFFER_H
#define ASTRA_TEST_TIERS_OFFER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/policies/tiers/policy.h"
#include "testsuite/unit/unit.h"

#define NODES_MAX 8
#define TENANTS_MAX 4
#define JOBS_MAX 24

struct tiers_offer {
	struct astra_offer offer;
	struct astra_node nodes[NODES_MAX];
	uint32_t free[NODES_MAX];
	struct astra_contestant tenants[TENANTS_MAX];
	struct astra_demand demands[JOBS_MAX];
	struct astra_job jobs[JOBS_MAX];
	struct astra_share held[JOBS_MAX][NODES_MAX];
	uint64_t allowed[JOBS_MAX];
};

static const char *const tenant_names[TENANTS_MAX] = {"a", "b", "c", "d"};

static inline void clear_allocation(struct astra_allocation *out)
{
	free(out->awards);
	free(out->shares);
	*out = (struct astra_allocation){.wake_sec = HUGE_VAL};
}

/* An instance with that FairnessKnob. */
static inline void *new_tiers_of(const struct astra_policy *policy, double knob)
{
	struct astra_options options;

	astra_options_init(&options);
	options.fairness_knob = knob;
	return policy->create(&options, NULL);
}

static inline void *new_tiers(double knob)
{
	return new_tiers_of(&astra_ltgf_themis, knob);
}

#endif
