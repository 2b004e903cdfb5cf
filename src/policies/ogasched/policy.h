/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched as a policy of the engine. The ports are classes of jobs (tenant,
 * GPUs rounded up to a power of two, and shape). The resources are GPUs, CPUs
 * and memory of nodes, as far as the host reports them (classes.h).
 *
 * At the begin of each slot of SlotLength seconds the learner is told how many
 * waiting and running jobs each class has. What it has learned then, rounded to
 * whole GPUs, is what each class may use in this slot. */
#ifndef ASTRA_OGAS_POLICY_H
#define ASTRA_OGAS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_ogasched;

#endif
