/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy oasis: jobs are admitted at prices that rise with the booked
 * amount, and get their GPUs slot by slot, as their schedules say. (Bao et al.,
 * INFOCOM 2018) */
#ifndef ASTRA_OASIS_POLICY_H
#define ASTRA_OASIS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_oasis;

#endif
