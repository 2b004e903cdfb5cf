/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched as a policy of the engine: the ports are classes of jobs (tenant,
 * GPUs to the next power of two, and shape), the resources are GPUs, CPUs and
 * memory of nodes, as far as the host tells (classes.h).
 *
 * At the begin of each slot of SlotLength seconds the learner is told how many
 * jobs each class has, waiting and running, and what it has learned then,
 * rounded to whole GPUs, is what each class may use in this slot.
 */
#ifndef ASTRA_OGAS_POLICY_H
#define ASTRA_OGAS_POLICY_H

#include "src/policies/policy.h"

extern const struct astra_policy astra_ogasched;

#endif
