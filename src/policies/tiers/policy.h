/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_TIERS_POLICY_H
#define ASTRA_TIERS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_ltgf_themis, astra_ltgf_incentive,
	astra_ltgf_oasis, astra_ltgf_ogasched;

#endif
