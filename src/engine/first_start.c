/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By when each job is to start for the first time, and how many jobs started
 * later. A job that waits and is not blocked has a bound. Counted from the
 * round that first sees it so, the bound is
 *   (2 + (own GPUs + GPUs before it) / Quota) LeaseTerm + graces.
 * "GPUs before it" are those of its tenant's jobs that never ran and wait
 * already. GPUs count as they are charged, as in quotas, and an elastic job
 * counts with its fewest GPUs. Quota is the tenant's (Ye et al., Eq. 6). The
 * graces are the time that jobs may take to leave. If shares go by user, the
 * same formula with its user's jobs and quota gives a second bound, and the
 * later one counts. So a user who submits many jobs does not use the shares of
 * other users. If a job before it ends before it has used a term, or gives its
 * place up, the bound comes forward by the rest (repay.c). The bound is
 * measured under every policy, even one that does not keep it.
 *
 * If a job asks for more GPUs later, or goes to another account, its start is
 * promised anew, behind the waiting jobs. A job of a tenant without weight is
 * promised its start as soon as the tenant has a weight. The tasks of an array
 * are due one after the other. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/engine_priv.h"

/* Whether only other jobs delay a job's first start. */
static bool first_start_waits(const struct ejob *j)
{
	return !j->ran && j->state == ASTRA_JOB_PENDING && !j->lacks &&
	       astra_ejob_active(j) && j->vain != ASTRA_WAIT_TOO_BIG;
}

/* Return the charge of the fewest GPUs that a job can run on. least may be 0,
 * if it is unknown after a restart. */
static double first_start_charge(double charge, uint32_t gpus, uint32_t least)
{
	return least && least < gpus ? charge * least / gpus : charge;
}

static double first_start_own(const struct ejob *j)
{
	return first_start_charge(j->charge, j->gpus, j->gpus_least);
}

/* The waiting jobs that never ran: their charges by tenant and by user, and a
 * list of the jobs that have a place. */
struct first_starts {
	double *tenants, *users;
	struct ejob **queue;
	size_t count;
};

static void first_start_add(struct first_starts *w, const struct ejob *j)
{
	double charge = first_start_own(j) * j->copies;

	w->tenants[j->tenant] += charge;
	if (j->user != ASTRA_NONE)
		w->users[j->user] += charge;
}

static double quota_sec(const struct astra_engine *e, double charge,
			double quota)
{
	return quota > 0 ? charge / quota * e->options.lease_sec : HUGE_VAL;
}

/* Return a place that says when the quotas have paid for the job and for the
 * GPUs before it. Payment begins at from_sec. of_tenant, of_user: GPUs of the
 * tenant's and of the user's jobs before it. */
static struct place first_start_place(const struct astra_engine *e,
				      const struct ejob *j, double of_tenant,
				      double of_user, double from_sec)
{
	uint32_t account = e->tenants[j->tenant].account;
	double own = first_start_own(j);
	struct place p = {
		.term_gpu_sec = own * e->options.lease_sec,
		.tenant_quota = astra_fairness_quota(e->account, account),
	};

	p.tenant_sec = from_sec + quota_sec(e, own + of_tenant, p.tenant_quota);
	if (!astra_shared_by_user(e, j))
		return p;
	account = e->users[j->user].account;
	p.user_quota = astra_fairness_user_quota(e->account, account);
	p.user_sec = from_sec + quota_sec(e, own + of_user, p.user_quota);
	return p;
}

/* Return how long the quotas need to pay for the job alone. */
static double first_start_paid_sec(const struct astra_engine *e,
				   const struct ejob *j)
{
	struct place p = first_start_place(e, j, 0, 0, 0);

	return fmax(p.tenant_sec, p.user_sec);
}

double astra_first_start_grace_sec(const struct astra_engine *e,
				   const struct astra_snapshot *snap)
{
	double leave_sec = astra_leave_sec(e, snap);

	return isfinite(leave_sec)
		       ? leave_sec
		       : e->options.grace_sec + e->options.round_sec;
}

double astra_first_start_due(const struct astra_engine *e,
			     const struct astra_snapshot *snap,
			     const struct ejob *j, size_t before)
{
	double due_sec = j->bound_sec - 2 * e->options.lease_sec;

	if (j->ran || !(j->bound_sec > 0))
		return HUGE_VAL;
	if (before)
		due_sec += (double)before * first_start_paid_sec(e, j);
	return due_sec - astra_first_start_grace_sec(e, snap);
}

struct place astra_first_start_earliest(const struct round *r,
					const struct ejob *j)
{
	return first_start_place(
		r->e, j, 0, 0,
		r->snap->now_sec + 2 * r->e->options.lease_sec +
			astra_first_start_grace_sec(r->e, r->snap));
}

static void first_start_late(struct astra_engine *e, struct ejob *j,
			     double at_sec)
{
	if (j->late || !(j->bound_sec > 0) || at_sec <= j->bound_sec)
		return;
	j->late = true;
	e->counters.over_bound++;
}

void astra_first_start_next(struct astra_engine *e, const struct ejob *j)
{
	if (!j->late && j->bound_sec < e->first_bound_sec)
		e->first_bound_sec = j->bound_sec;
}

static int first_start_order(const void *a, const void *b)
{
	const struct ejob *x = *(struct ejob *const *)a;
	const struct ejob *y = *(struct ejob *const *)b;

	if (x->submit_sec != y->submit_sec)
		return x->submit_sec < y->submit_sec ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Add jobs that have a bound to `waiting`, and put the other jobs into
 * `unbound`. These include jobs whose tenant had no quota, for the tenant may
 * have one now. Returns the number of jobs in unbound. */
static size_t first_starts_gather(struct round *r, struct first_starts *waiting,
				  struct ejob **unbound)
{
	struct astra_engine *e = r->e;
	size_t count = 0;

	e->first_bound_sec = HUGE_VAL;
	ASTRA_ROSTER_EACH(i, &e->roster.waiting)
	{
		struct ejob *j = &e->jobs[e->row_of[i]];

		if (j->ran)
			continue;
		if (!first_start_waits(j)) {
			astra_first_start_quit(e, j);
		} else if (j->bound_sec > 0 && isfinite(j->bound_sec)) {
			first_start_add(waiting, j);
			first_start_late(e, j, r->snap->now_sec);
			astra_first_start_next(e, j);
			if (j->place.nth)
				waiting->queue[waiting->count++] = j;
		} else {
			unbound[count++] = j;
		}
	}
	return count;
}

static void first_start_bind(struct astra_engine *e,
			     const struct astra_snapshot *snap,
			     struct first_starts *waiting, struct ejob *j)
{
	double of_user = j->user == ASTRA_NONE ? 0 : waiting->users[j->user];

	j->place =
		first_start_place(e, j, waiting->tenants[j->tenant], of_user,
				  snap->now_sec + 2 * e->options.lease_sec +
					  astra_first_start_grace_sec(e, snap));
	j->bound_sec = fmax(j->place.tenant_sec, j->place.user_sec);
	if (isfinite(j->bound_sec))
		astra_place_take(e, j);
	else
		j->place = (struct place){0};
	first_start_add(waiting, j);
}

static void first_starts_bind(struct round *r, struct first_starts *waiting,
			      struct ejob **unbound, size_t count)
{
	struct astra_engine *e = r->e;
	size_t at = 1;

	e->unbound = false;
	while (at < count &&
	       first_start_order(&unbound[at - 1], &unbound[at]) < 0)
		at++;
	if (at < count) /* usually they are sorted, as in the snapshot */
		qsort(unbound, count, sizeof(*unbound), first_start_order);
	for (size_t i = 0; i < count; i++) {
		first_start_bind(e, r->snap, waiting, unbound[i]);
		astra_first_start_next(e, unbound[i]);
		e->unbound |= !isfinite(unbound[i]->bound_sec);
	}
}

int astra_first_starts_follow(struct round *r)
{
	struct astra_engine *e = r->e;
	struct first_starts waiting = {0};
	struct ejob **unbound;
	size_t count;
	int rc = -1;

	if (!e->unbound && !e->repayment_count &&
	    r->snap->now_sec <= e->first_bound_sec)
		return 0;
	waiting.tenants = calloc(e->tenant_count + 1, sizeof(double));
	waiting.users = calloc(e->user_count + 1, sizeof(double));
	waiting.queue = calloc(r->snap->job_count + 1, sizeof(*unbound));
	unbound = calloc(r->snap->job_count + 1, sizeof(*unbound));
	if (waiting.tenants && waiting.users && waiting.queue && unbound) {
		count = first_starts_gather(r, &waiting, unbound);
		rc = astra_places_repay(r, waiting.queue, waiting.count);
		first_starts_bind(r, &waiting, unbound, count);
	}
	free(waiting.tenants);
	free(waiting.users);
	free(waiting.queue);
	free(unbound);
	return rc;
}

static int first_start_by_place(const void *a, const void *b)
{
	const struct ejob *x = *(struct ejob *const *)a;
	const struct ejob *y = *(struct ejob *const *)b;

	return (x->place.nth > y->place.nth) - (x->place.nth < y->place.nth);
}

/* Compute new bounds for the jobs that have one, in the order of their
 * places. */
static void first_starts_renew_all(struct round *r,
				   struct first_starts *waiting)
{
	struct astra_engine *e = r->e;
	double from_sec = r->snap->now_sec + 2 * e->options.lease_sec +
			  astra_first_start_grace_sec(e, r->snap);

	ASTRA_ROSTER_EACH(i, &e->roster.waiting)
	{
		struct ejob *j = &e->jobs[e->row_of[i]];

		if (first_start_waits(j) && j->bound_sec > 0 && j->place.nth)
			waiting->queue[waiting->count++] = j;
	}
	qsort(waiting->queue, waiting->count, sizeof(*waiting->queue),
	      first_start_by_place);
	for (size_t i = 0; i < waiting->count; i++) {
		struct ejob *j = waiting->queue[i];
		double of_user =
			j->user == ASTRA_NONE ? 0 : waiting->users[j->user];
		struct place p = first_start_place(
			e, j, waiting->tenants[j->tenant], of_user, from_sec);

		j->kept_bound_sec = fmax(p.tenant_sec, p.user_sec);
		first_start_add(waiting, j);
	}
}

int astra_first_starts_renew(struct round *r)
{
	struct astra_engine *e = r->e;
	struct first_starts waiting = {
		.tenants = calloc(e->tenant_count + 1, sizeof(double)),
		.users = calloc(e->user_count + 1, sizeof(double)),
		.queue = calloc(r->snap->job_count + 1, sizeof(struct ejob *)),
	};
	bool found = waiting.tenants && waiting.users && waiting.queue;

	if (found)
		first_starts_renew_all(r, &waiting);
	free(waiting.tenants);
	free(waiting.users);
	free(waiting.queue);
	return found ? 0 : -1;
}

void astra_first_start_vain(struct astra_engine *e, struct ejob *j,
			    enum astra_wait vain)
{
	if (astra_vain_unleased(j->vain))
		j->blocked_sec = e->now_sec;
	e->unbound |=
		(j->vain == ASTRA_WAIT_TOO_BIG) != (vain == ASTRA_WAIT_TOO_BIG);
	j->vain = vain;
}

void astra_first_start_quit(struct astra_engine *e, struct ejob *j)
{
	j->bound_sec = j->kept_bound_sec = 0;
	astra_place_leave(e, j, 0);
}

/* If a job asks for more GPUs, or moves to another tenant or user, it goes
 * behind the waiting jobs, as if it came now. Otherwise a small job could be
 * promised a start and then grow. If only the charge changes, the bound moves,
 * in both directions, by the time in which the quota pays for the change. It
 * does not move into the past, since a charge may only be another estimate of
 * which nodes the job will have. */
void astra_first_start_change(struct astra_engine *e, struct ejob *j,
			      const struct astra_request *request,
			      const struct astra_title *title)
{
	uint32_t least = astra_request_least(request);
	bool moved = title->tenant != j->tenant ||
		     (title->user != j->user && title->user != ASTRA_NONE &&
		      j->user != ASTRA_NONE);
	double old = first_start_own(j), more, bound;

	if (j->ran || !(j->bound_sec > 0) || !j->gpus_least)
		return;
	if (moved || least > j->gpus_least) {
		astra_first_start_quit(e, j);
		return;
	}
	more = first_start_charge(title->charge, request->gpus, least) - old;
	if (!isfinite(j->bound_sec) || !(old > 0) || !(fabs(more) > 0))
		return;
	astra_place_change(&j->place, more * e->options.lease_sec);
	if (more > 0 && j->kept_bound_sec > 0)
		j->kept_bound_sec += more / old * first_start_paid_sec(e, j);
	bound = j->bound_sec + more / old * first_start_paid_sec(e, j);
	j->bound_sec = fmax(bound, fmin(j->bound_sec,
					e->now_sec + 2 * e->options.lease_sec));
}

void astra_first_start_split(const struct astra_engine *e, struct ejob *array,
			     struct ejob *task)
{
	task->bound_sec = array->bound_sec;
	task->kept_bound_sec = array->kept_bound_sec;
	task->late = array->late;
	if (!(array->bound_sec > 0))
		return;
	array->late = false;
	array->bound_sec += first_start_paid_sec(e, array);
	if (array->kept_bound_sec > 0)
		array->kept_bound_sec += first_start_paid_sec(e, array);
	astra_place_split(&array->place, &task->place,
			  first_start_own(array) * e->options.lease_sec);
}

void astra_first_start_begin(struct astra_engine *e, struct ejob *j,
			     double start_sec)
{
	if (j->ran || !(j->bound_sec > 0))
		return;
	first_start_late(e, j, start_sec);
	j->place.last = e->places;
	e->counters.first_starts++;
}
