/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <strings.h>

#include "src/policies/baselines/baseline.h"
#include "src/policies/incentive/policy.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/oasis/policy.h"
#include "src/policies/ogasched/policy.h"
#include "src/policies/policy.h"
#include "src/policies/themis/policy.h"
#include "src/policies/tiers/policy.h"

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
	&astra_slurm,
	&astra_drf,
	&astra_yarn_cs,
	&astra_hived,
	&astra_allox,
	&astra_tiresias,
	&astra_gandiva,
	&astra_gandiva_fair,
	&astra_optimus,
	&astra_srtf,
	&astra_srsf,
	&astra_ftf,
	&astra_batchsche,
	&astra_rrh,
	&astra_dorm,
	&astra_slaq,
	&astra_oga_drf,
	&astra_oga_fairness,
	&astra_oga_binpacking,
	&astra_oga_spreading,
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
