/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who gets which GPUs in a slot, given what each class may use on each node.
 *
 * A class's grant counts in total; where it is on the nodes is a wish, so that
 * nobody moves because a fraction did. A gang larger than its class's grant
 * gets nothing, and the class saves the grant up until it is enough. What is
 * left goes to jobs that run or wait; nothing is learned from it.
 */
#ifndef ASTRA_OGAS_DEAL_H
#define ASTRA_OGAS_DEAL_H

#include "src/policies/ogasched/classes.h"
#include "src/policies/policy.h"

/* Award what is offered. In this order:
 *
 *   jobs larger than their class's grant, for which it has saved enough;
 *   jobs that go on, while their class's grant covers them;
 *   jobs that wait, within their class's grant;
 *   what is left: jobs that go on, then jobs that wait, of all classes;
 *   elastic jobs, with more; those that go on when a slot begins.
 *
 * Within each group, jobs that have run for less go first, by levels of which
 * each is eight times as long as the one before; then earlier jobs. A job gets
 * all its GPUs or none: if possible in its class's grant, else idle ones, else
 * those of expired leases.
 * units: GPUs, [class][learner's node]. slot_end_sec: end of all leases. fresh:
 * a slot begins: classes may use what they have saved, and what they do not use
 * although a job waits is saved, up to what that job needs. Returns 0, or -1
 * when memory is out. */
int ogas_deal(struct ogas_classes *classes, const struct astra_offer *offer,
	      const uint32_t *units, double slot_end_sec, double slot_sec,
	      bool fresh, struct astra_allocation *out);

#endif
