/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs get which GPUs in a slot, given what each class may use on each
 * node.
 *
 * A class's grant counts in total. On which nodes it is, is only a preference,
 * so that no job moves because a fraction did. A gang that is larger than its
 * class's grant gets nothing, and the class saves its grants until they are
 * enough. GPUs that are left go to jobs that run or wait; nothing is learned
 * from that. */
#ifndef ASTRA_OGAS_DEAL_H
#define ASTRA_OGAS_DEAL_H

#include "src/policies/ogasched/classes.h"
#include "src/policies/policy.h"

/* Award what is offered. In this order:
 *
 *   jobs larger than their class's grant, for which it has saved enough;
 *   jobs that continue, while their class's grant covers them;
 *   jobs that wait, within their class's grant;
 *   with GPUs that are left: jobs that continue, then jobs that wait;
 *   elastic jobs that can grow; running ones only when a slot begins.
 *
 * Within each group, jobs that have run for less time go first. They are
 * compared by levels, each eight times as long as the one before; then earlier
 * jobs go first. A job gets all its GPUs or none: if possible from its class's
 * grant, else idle GPUs, else GPUs of expired leases. units: GPUs,
 * [class][learner's node]. slot_end_sec: end of all leases. fresh: a slot
 * begins, and classes may use what they have saved. If a job waits, what its
 * class does not use is saved, up to what the job needs. Returns 0, or -1 when
 * memory is out. */
int ogas_deal(struct ogas_classes *classes, const struct astra_offer *offer,
	      const uint32_t *units, double slot_end_sec, double slot_sec,
	      bool fresh, struct astra_allocation *out);

#endif
