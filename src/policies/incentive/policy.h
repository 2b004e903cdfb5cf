/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ASTRA_INCENTIVE_POLICY_H
#define ASTRA_INCENTIVE_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_incentive;

#endif
