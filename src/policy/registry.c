/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <strings.h>

#include "src/policy/baselines/baseline.h"
#include "src/policy/incentive/policy.h"
#include "src/policy/ltgf.h"
#include "src/policy/oasis/policy.h"
#include "src/policy/ogasched/policy.h"
#include "src/policy/policy.h"
#include "src/policy/themis/policy.h"
#include "src/policy/tiers/policy.h"

static const struct astra_policy *const policies[] = {
	&astra_ltgf,
	&astra_themis,
	&astra_incentive,
	&astra_oasis,
	&astra_ogasched,
	&astra_ltgf_themis,
	&astra_ltgf_incentive,
	&astra_ltgf_oasis,
	&astra_ltgf_ogasched,
	&astra_fifo,
	NULL,
};

const struct astra_policy *const *astra_policy_all(void)
{
	return policies;
}

const struct astra_policy *astra_policy_find(const char *name)
{
	for (size_t i = 0; policies[i]; i++)
		if (!strcasecmp(policies[i]->name, name))
			return policies[i];
	return NULL;
}
