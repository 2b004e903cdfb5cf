/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long-Term GPU-time Fairness: Ye et al., "ASTRAEA: A Fair Deep Learning
 * Scheduler for Multi-tenant GPU Clusters", TPDS 2022, Algorithms 1 and 2.
 */
#ifndef ASTRA_LTGF_H
#define ASTRA_LTGF_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_ltgf;

/* Return the key of a tenant, or of a user within one: the smallest key has its
 * turn first. The key is `alloc`, the GPU seconds that it has had, divided by
 * those that it was entitled to. */
double astra_ltgf_key(const struct astra_contestant *owner, double alloc,
		      double lease_sec);

#endif
