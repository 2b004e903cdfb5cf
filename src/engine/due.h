/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that get a hold although it is not their turn. These are first starts
 * that are due, as the quota has paid for them; and jobs that ran and are owed
 * a turn, or have waited too long. First starts have a bound, so they go before
 * jobs that ran. There may be thousands of such jobs, and a round plans for a
 * few. So they are kept as a heap, the first on top.
 *
 * A first start is due when its tenant's quota has paid for its GPUs and for
 * those before it. Its hold is planned on leases of its own tenant and of
 * richer tenants, if these leave GPUs within half a term. Otherwise the hold is
 * planned on leases of any tenant, when they end by themselves. If the job's
 * tenant has had more than its share, the hold is planned on leases of any
 * tenant only if the bound would be missed otherwise. The first start that is
 * due earliest goes first. For half a term after a job is due, the next job of
 * a poorer tenant may go first. The due job must then still be able to start
 * within its bound a term later. */
#ifndef ASTRA_LEASE_DUE_H
#define ASTRA_LEASE_DUE_H

#include "src/engine/hold.h"

struct due {
	struct contender *c;
	double since_sec;
	enum astra_hold_claim claim;
	uint32_t nth; /* index among the job's waiting tasks */
	bool owed;    /* it has run already */
	bool again;   /* it has a hold already, but a late one */
};

/* backlog.c: make an empty t->backlog. Returns 0, or -1 when memory is out. */
int astra_backlog_init(struct turns *t);
/* Add a first start that is due at due_sec. */
void astra_backlog_add(struct turns *t, const struct ejob *j, double due_sec);
/* Call once all first starts are added. */
void astra_backlog_sum(struct turns *t);
/* Whether to plan the hold of a first start that is due at due_sec now. It is
 * planned from due_sec on, or earlier if the jobs due before it need longer
 * than a term. */
bool astra_backlog_due(const struct turns *t, const struct ejob *j,
		       double due_sec);

/* Whether a contender waits for its first start or is owed a turn. nth: index
 * of the task among its array's waiting tasks. A first start is added to the
 * backlog. */
bool astra_due_list(struct turns *turns, struct contender *c, uint32_t nth,
		    struct due *due);
/* Whether the job is due. Call once all jobs are listed. */
bool astra_due(const struct turns *turns, const struct due *due);

void astra_dues_sort(struct due *heap, size_t count);
/* Take the first job off the heap. *count > 0. */
struct due astra_dues_next(struct due *heap, size_t *count);

#endif
