/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the pool's time the first starts need that are due by a given
 * time. From the time at which it is due, a job has two terms: one until leases
 * end, and one for the jobs that are due before it. If these jobs need longer
 * than a term, its hold is planned earlier by the difference. Only so can all
 * deadlines be kept. (Liu and Layland, 1973: earliest deadline first keeps all
 * deadlines as long as the demand by each deadline fits into the time until
 * then.) */
#include <stdlib.h>

#include "src/common/number.h"
#include "src/engine/due.h"

#define BACKLOG_PARTS 4 /* buckets in a term */
#define BACKLOG_BUCKETS 128

/* Return the part of the pool that a job occupies: 1 / (number of jobs of its
 * size that the pool holds at once). It is 1 for a job that needs more than
 * half of the GPUs. */
static double backlog_part(const struct round *r, const struct ejob *j)
{
	uint64_t beside = r->usable_gpus / (j->gpus_least ? j->gpus_least : 1);

	return beside ? 1 / (double)beside : 1;
}

static size_t backlog_bucket(const struct round *r, double due_sec)
{
	double at = (due_sec - r->snap->now_sec) * BACKLOG_PARTS /
		    r->e->options.lease_sec;
	size_t whole;

	if (at <= 0)
		return 0;
	if (at > BACKLOG_BUCKETS - 1)
		return BACKLOG_BUCKETS;
	whole = (size_t)at;
	return whole + ((double)whole < at);
}

int astra_backlog_init(struct turns *t)
{
	t->backlog = calloc(BACKLOG_BUCKETS + 1, sizeof(*t->backlog));
	return t->backlog ? 0 : -1;
}

void astra_backlog_add(struct turns *t, const struct ejob *j, double due_sec)
{
	t->backlog[backlog_bucket(t->r, due_sec)] += backlog_part(t->r, j);
}

void astra_backlog_sum(struct turns *t)
{
	for (size_t b = 1; b < BACKLOG_BUCKETS; b++)
		t->backlog[b] += t->backlog[b - 1];
}

/* Return how long the jobs that are due before a job may take without its hold
 * being planned earlier, in terms. Under a policy that allocates this is half a
 * term less, since leases end by themselves and so up to half a term later. If
 * slots are longer than a term, leases last a slot. Then the result is
 * negative, and holds are planned earlier by it. */
static double backlog_spare(const struct round *r)
{
	double slot = r->e->options.slot_sec / r->e->options.lease_sec;

	if (r->e->policy->slots && slot > 1)
		return 1 - slot;
	return r->e->policy->allocate ? .5 : 1;
}

/* When to plan a hold for a job that is due at due_sec. before: the time that
 * the jobs due before it need, in terms. */
static double backlog_plan_sec(const struct turns *t, double due_sec,
			       double before)
{
	return due_sec - astra_max(0, before - backlog_spare(t->r)) *
				 t->r->e->options.lease_sec;
}

bool astra_backlog_due(const struct turns *t, const struct ejob *j,
		       double due_sec)
{
	double now = t->r->snap->now_sec, with_own;
	size_t bucket = backlog_bucket(t->r, due_sec);

	if (due_sec <= now || bucket == BACKLOG_BUCKETS)
		return due_sec <= now;
	with_own = t->backlog[bucket];
	return backlog_plan_sec(t, due_sec, with_own) <= now &&
	       backlog_plan_sec(t, due_sec, with_own - backlog_part(t->r, j)) <=
		       now;
}
