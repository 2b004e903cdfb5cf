/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long-Term GPU-time Fairness: Ye et al., "ASTRAEA: A Fair Deep Learning
 * Scheduler for Multi-tenant GPU Clusters", TPDS 2022, Algorithms 1 and 2.
 */
#ifndef ASTRA_LTGF_H
#define ASTRA_LTGF_H

#include "src/policy/policy.h"

extern const struct astra_policy astra_ltgf;

#endif
