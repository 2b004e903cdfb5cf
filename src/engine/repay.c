/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs that end early leave to the jobs behind them.
 *
 * A job that waits for its first start counts one lease term of each job of its
 * tenant, and of its user, that has a place before it: first_start.c. A job
 * that is over before it has used its term, or that gives its place up, leaves
 * the rest to the jobs that count it. These are behind it, and got their places
 * before it began to run. Their bounds come forward by rest / Quota, for the
 * quota by which they count it. Two rules ensure that no waiting job is due
 * before the quota can pay for it. First, no bound is earlier than that of a
 * job that came now as the first of its queue. Second, a bound that comes
 * forward stays at least (own GPUs / Quota) terms behind that of the job before
 * it. So not all jobs are due at once if their tenant had to wait. The rests
 * are collected while the round looks at the jobs, and repaid together. They
 * are sorted by place, so each job finds by bisection what all jobs before it
 * left. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/engine/engine_priv.h"

void astra_place_take(struct astra_engine *e, struct ejob *j)
{
	j->place.tasks = j->copies ? j->copies : 1;
	j->place.nth = e->places + 1;
	e->places += j->place.tasks;
}

/* Move the job's bounds back by the time in which the quotas pay for
 * gpu_sec. */
static void place_delay(struct place *place, double gpu_sec)
{
	if (place->tenant_quota > 0)
		place->tenant_sec += gpu_sec / place->tenant_quota;
	if (place->user_quota > 0)
		place->user_sec += gpu_sec / place->user_quota;
}

void astra_place_split(struct place *array, struct place *task, double gpu_sec)
{
	if (!array->nth)
		return;
	*task = *array;
	task->tasks = array->tasks ? 1 : 0;
	place_delay(array, gpu_sec);
	if (!array->tasks)
		return;
	array->tasks--;
	array->nth += array->tasks > 0;
}

void astra_place_change(struct place *place, double gpu_sec)
{
	place_delay(place, gpu_sec);
	if (gpu_sec < 0)
		place->term_gpu_sec =
			astra_max(place->term_gpu_sec + gpu_sec, 0);
}

/* Collecting the rests. */

static void repay_add(struct astra_engine *e, struct repayment rest)
{
	if (astra_grow(&e->repayments, &e->repayment_room,
		       e->repayment_count + 1, sizeof(rest)) == 0)
		e->repayments[e->repayment_count++] = rest;
}

/* Repay the jobs of the same tenant and of the same user with places behind the
 * job, up to place `last`. */
static void repay_behind(struct astra_engine *e, const struct ejob *j,
			 uint64_t last, double gpu_sec)
{
	const uint32_t users[] = {ASTRA_NONE, j->user};

	for (size_t i = 0; i < 1 + (j->user != ASTRA_NONE); i++) {
		struct repayment rest = {
			.tenant = j->tenant,
			.user = users[i],
			.behind = j->place.nth,
			.gpu_sec = gpu_sec,
		};

		repay_add(e, rest);
		rest.behind = last;
		rest.gpu_sec = -gpu_sec;
		repay_add(e, rest);
	}
}

void astra_place_leave(struct astra_engine *e, struct ejob *j,
		       double used_gpu_sec)
{
	struct place *p = &j->place;
	uint64_t last = j->ran ? p->last : e->places;
	double rest = p->tasks * p->term_gpu_sec -
		      fmin(used_gpu_sec, p->term_gpu_sec);

	if (p->nth && p->tasks && rest > 0 && last > p->nth)
		repay_behind(e, j, last, rest);
	*p = (struct place){0};
}

void astra_place_end(struct astra_engine *e, const struct astra_snapshot *snap,
		     struct ejob *j, double at_sec)
{
	double used = astra_fairness_job(e->account, at_sec, j->account).alloc;

	if (j->place.nth)
		astra_place_leave(
			e, j,
			used + j->charge *
					astra_first_start_grace_sec(e, snap));
}

/* Repaying. */

static int repay_order(const void *a, const void *b)
{
	const struct repayment *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->behind > y->behind) - (x->behind < y->behind);
}

static bool repay_same(const struct repayment *x, const struct repayment *y)
{
	return x->tenant == y->tenant && x->user == y->user;
}

/* Turn each repayment into the sum of all repayments up to its place. */
static void repay_sum(struct repayment *list, size_t count)
{
	if (count)
		qsort(list, count, sizeof(*list), repay_order);
	for (size_t i = 1; i < count; i++)
		if (repay_same(&list[i - 1], &list[i]))
			list[i].gpu_sec += list[i - 1].gpu_sec;
}

/* Return what all jobs before place `nth` have left. */
static double repay_sum_at(const struct astra_engine *e, uint32_t tenant,
			   uint32_t user, uint64_t nth)
{
	const struct repayment own = {tenant, user, nth, 0};
	size_t low = 0, high = e->repayment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (repay_order(&e->repayments[middle], &own) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !repay_same(&e->repayments[low - 1], &own))
		return 0;
	return astra_max(e->repayments[low - 1].gpu_sec, 0);
}

static int place_order(const void *a, const void *b)
{
	const struct ejob *x = *(struct ejob *const *)a;
	const struct ejob *y = *(struct ejob *const *)b;

	return (x->place.nth > y->place.nth) - (x->place.nth < y->place.nth);
}

/* Sort by place. The queue usually has this order already, from the
 * snapshot. */
static void repay_sort(struct ejob **queue, size_t count)
{
	size_t at = 1;

	while (at < count && place_order(&queue[at - 1], &queue[at]) < 0)
		at++;
	if (at < count)
		qsort(queue, count, sizeof(struct ejob *), place_order);
}

/* Move one quota's part of a bound forward, but not before `least_sec`, nor so
 * near to the part of the job before it that the quota cannot pay for both.
 * before_sec: the part of the job before it; set to the part of this job's last
 * task. Returns the new part. */
static double repay_part(const struct place *p, double part_sec, double quota,
			 double rest, double least_sec, double *before_sec)
{
	double own_sec = p->term_gpu_sec / quota;

	if (rest > 0)
		part_sec = fmin(part_sec,
				fmax(part_sec - rest / quota,
				     fmax(least_sec, *before_sec + own_sec)));
	*before_sec = part_sec;
	if (p->tasks > 1)
		*before_sec += (p->tasks - 1) * own_sec;
	return part_sec;
}

/* Repay a job. tenants, users: the parts of the bounds of the jobs before
 * it. */
static void repay_job(const struct round *r, struct ejob *j, double *tenants,
		      double *users)
{
	struct astra_engine *e = r->e;
	struct place *p = &j->place, least = astra_first_start_earliest(r, j);
	double was_sec = fmax(p->tenant_sec, p->user_sec), is_sec;

	if (p->tenant_quota > 0)
		p->tenant_sec = repay_part(
			p, p->tenant_sec, p->tenant_quota,
			repay_sum_at(e, j->tenant, ASTRA_NONE, p->nth),
			least.tenant_sec, &tenants[j->tenant]);
	if (p->user_quota > 0 && j->user != ASTRA_NONE)
		p->user_sec =
			repay_part(p, p->user_sec, p->user_quota,
				   repay_sum_at(e, j->tenant, j->user, p->nth),
				   least.user_sec, &users[j->user]);
	is_sec = fmax(p->tenant_sec, p->user_sec);
	/* If the bound is later than both parts, because of other quotas, it
	 * comes forward by as much as they did. */
	if (is_sec < was_sec)
		j->bound_sec =
			fmin(j->bound_sec,
			     fmax(is_sec, j->bound_sec - (was_sec - is_sec)));
	astra_first_start_next(e, j);
}

int astra_places_repay(struct round *r, struct ejob **queue, size_t count)
{
	struct astra_engine *e = r->e;
	double *before;

	if (!e->repayment_count)
		return 0;
	before = calloc(e->tenant_count + e->user_count + 1, sizeof(*before));
	if (!before)
		return -1;
	repay_sort(queue, count);
	repay_sum(e->repayments, e->repayment_count);
	for (size_t i = 0; i < count; i++)
		repay_job(r, queue[i], before, before + e->tenant_count);
	e->repayment_count = 0;
	free(before);
	return 0;
}
