/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/policy/engine.h"
#include "src/policy/policy.h"

#define POLICIES_MAX 16

static void *create_host(const struct astra_scheduler_setup *setup,
			 struct astra_error *err)
{
	struct astra_options options = *setup->options;

	snprintf(options.policy, sizeof(options.policy), "%s", setup->name);
	return astra_engine_create(&options, setup->begin_sec, err);
}

static void destroy_host(void *self)
{
	astra_engine_destroy(self);
}

/* slurmctld's plugin looks again each RoundInterval, for anything may have
 * happened there. Here the next round is when something is due. */
static int host_round(void *self, const struct astra_snapshot *snapshot,
		      const struct astra_oracle *oracle,
		      struct astra_plan *plan, struct astra_error *err)
{
	const struct astra_options *o = astra_engine_options(self);

	(void)oracle;
	if (astra_engine_round(self, snapshot, plan, err) < 0)
		return -1;
	if (!(o->urgency_sec > 0))
		plan->wake_sec = plan->due_sec;
	return 0;
}

const struct astra_scheduler *const *astra_host_schedulers(void)
{
	static struct astra_scheduler hosts[POLICIES_MAX];
	static const struct astra_scheduler *list[POLICIES_MAX + 1];
	const struct astra_policy *const *p = astra_policy_all();

	for (size_t i = 0; p[i] && i < POLICIES_MAX; i++) {
		hosts[i] = (struct astra_scheduler){
			.name = p[i]->name,
			.summary = p[i]->summary,
			.create = create_host,
			.destroy = destroy_host,
			.round = host_round,
		};
		list[i] = &hosts[i];
	}
	return list;
}
