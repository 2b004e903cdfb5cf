/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hard caps of GPU time in a period (MaxGPUHours and its like), by tenant and
 * by user. To every policy a cap is one more limit. In each round, after the
 * accounts are up to date and before anything is decided, the round's copy of
 * the snapshot is changed:
 *   - a waiting job whose lease does not fit is BLOCKED, like a job that the
 *     host holds: it takes part in nothing and delays no other job;
 *   - an elastic job asks for no more GPUs than fit;
 *   - a lease that is over, and has no room for another one, has to end.
 * A lease fits if three amounts together are within the cap: the time used in
 * the period, the time that leases may still use to their ends, and the whole
 * new lease. If a round could grant more than there is room for, jobs are let
 * in one by one. Jobs of the user who has used the least go first, then jobs
 * with the higher precedence, then the older ones. Jobs at which the host balks
 * come last. Otherwise the policy chooses. As in a turn of LTGF, precedence
 * such as a PriorityTier does not take a tenant's cap from its other users.
 *
 * The host says in the snapshot when a period begins, as the engine has no
 * calendar. A lease is charged in advance with its whole term. So used time,
 * running leases and grants are together never more than the cap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/engine/engine_priv.h"
#include "src/policies/options.h"

#define HOUR_SEC 3600
/* GPU seconds lost to rounding. */
#define CAPS_EPSILON 1e-3

/* A waiting job. */
struct claim {
	struct ejob *j;
	struct astra_job *job;
	double cost_sec; /* GPU seconds of one lease on its fewest GPUs */
	double user_sec; /* GPU seconds that its user has used */
};

int astra_caps_begin(struct astra_engine *e, struct astra_snapshot *snap)
{
	if (!astra_capped(&e->options))
		return 0;
	if (astra_grow(&e->cap_jobs, &e->cap_job_room, snap->job_count + 1,
		       sizeof(*e->cap_jobs)) < 0)
		return -1;
	if (snap->job_count)
		memcpy(e->cap_jobs, snap->jobs,
		       snap->job_count * sizeof(*e->cap_jobs));
	snap->jobs = e->cap_jobs;
	snap->changes = NULL;
	for (size_t i = 0; i < snap->job_count; i++) {
		struct astra_job *job = &e->cap_jobs[i];
		struct ejob *j = astra_engine_find(e, job->id);

		if (j && job->state != ASTRA_JOB_PENDING)
			j->capped = ASTRA_CAPPED_NOT; /* the host holds it, not
						       * a cap */
		else if (j && j->capped)
			job->state = ASTRA_JOB_BLOCKED;
	}
	return 0;
}

/* What is left of the caps. */

static struct cap_room *caps_user(const struct astra_engine *e,
				  const struct ejob *j)
{
	return j->user == ASTRA_NONE ? NULL : &e->users[j->user].cap;
}

static struct cap_room caps_room(double hours, double used_sec)
{
	double cap_sec = hours * HOUR_SEC;

	return (struct cap_room){
		.cap_sec = cap_sec,
		.used_sec = used_sec,
		.left_sec = cap_sec - used_sec,
	};
}

/* Find the room in each tenant's cap. A tenant without users counts as one
 * user. */
static void caps_measure_tenants(struct astra_engine *e)
{
	double user = astra_cap_user(&e->options);

	for (size_t i = 0; i < e->tenant_count; i++)
		e->tenants[i].cap.lone = true;
	for (size_t i = 0; i < e->user_count; i++)
		e->tenants[e->users[i].tenant].cap.lone = false;
	for (size_t i = 0; i < e->tenant_count; i++) {
		struct etenant *t = &e->tenants[i];
		double hours = astra_cap_tenant(&e->options, t->name);
		bool lone = t->cap.lone && user < hours;

		t->cap = caps_room(lone ? user : hours,
				   astra_fairness_tenant_used(
					   e->account, e->now_sec, t->account));
		t->cap.lone = lone;
	}
}

static void caps_measure(struct astra_engine *e)
{
	caps_measure_tenants(e);
	for (size_t i = 0; i < e->user_count; i++) {
		struct euser *u = &e->users[i];

		u->cap = caps_room(astra_cap_user(&e->options),
				   astra_fairness_user_used(
					   e->account, e->now_sec, u->account));
	}
}

static bool caps_fit(const struct cap_room *room, double gpu_sec)
{
	return !room || room->left_sec + CAPS_EPSILON >= gpu_sec;
}

/* Return whose cap, if any, leaves the job no room for this many GPU
 * seconds. */
static enum astra_capped caps_over(const struct astra_engine *e,
				   const struct ejob *j, double gpu_sec)
{
	if (!caps_fit(&e->tenants[j->tenant].cap, gpu_sec))
		return ASTRA_CAPPED_TENANT;
	return caps_fit(caps_user(e, j), gpu_sec) ? ASTRA_CAPPED_NOT
						  : ASTRA_CAPPED_USER;
}

/* Take GPU seconds off the room. Without a cap there is room even for an
 * endless lease. */
static void caps_take(struct cap_room *room, double gpu_sec)
{
	if (room && room->left_sec < HUGE_VAL)
		room->left_sec -= gpu_sec;
}

/* Count this many GPU seconds as used. */
static void caps_commit(struct astra_engine *e, const struct ejob *j,
			double gpu_sec)
{
	caps_take(&e->tenants[j->tenant].cap, gpu_sec);
	caps_take(caps_user(e, j), gpu_sec);
}

/* Return the length of the job's lease, for its charge. */

static double caps_lease(const struct astra_engine *e, const struct ejob *j)
{
	return e->policy->allocate
		       ? astra_max(j->lease_sec, e->options.slot_sec)
		       : j->lease_sec;
}

double astra_caps_end(const struct astra_engine *e, const struct ejob *j,
		      double end_sec)
{
	return astra_capped(&e->options)
		       ? astra_min(end_sec, e->now_sec + caps_lease(e, j))
		       : end_sec;
}

static double caps_term(const struct astra_engine *e, const struct ejob *j,
			const struct astra_job *job)
{
	double term = caps_lease(e, j);

	if (!j->revocable || astra_will_keep(e, job))
		return job->time_limit_sec > 0 ? job->time_limit_sec : HUGE_VAL;
	return job->time_limit_sec > 0 ? astra_min(term, job->time_limit_sec)
				       : term;
}

/* Return the GPU seconds of one lease on `gpus` of the GPUs that the job asks
 * for. */
static double caps_cost(const struct astra_engine *e, const struct ejob *j,
			const struct astra_job *job, uint32_t gpus)
{
	const struct astra_request *q = &job->request;

	return astra_charge(q->charge, q->gpus) * gpus / q->gpus *
	       caps_term(e, j, job);
}

/* Return the GPU seconds of another lease on what the job holds. */
static double caps_renewal(const struct astra_engine *e, const struct ejob *j,
			   const struct astra_job *job)
{
	return j->held_charge * caps_term(e, j, job);
}

/* Return the GPU seconds that a running job may still use: to its lease's end
 * or, without a lease, to its time limit, but not beyond the period. */
static double caps_ahead(const struct round *r, const struct ejob *j,
			 const struct astra_job *job)
{
	double end = j->lease_end_sec, limit = HUGE_VAL;

	if (job->time_limit_sec > 0)
		limit = j->start_sec + job->time_limit_sec;
	if (j->phase == ASTRA_PHASE_LEAVING)
		return 0;
	if (j->phase == ASTRA_PHASE_GRACE)
		end = j->grace_end_sec;
	else if (!j->revocable)
		end = astra_min(limit, r->snap->period_end_sec > 0
					       ? r->snap->period_end_sec
					       : HUGE_VAL);
	else if (isinf(end))
		return 0; /* its lease may be renewed at any time */
	return j->held_charge *
	       astra_max(astra_min(end, limit) - r->snap->now_sec, 0);
}

/* Running jobs. */

static void caps_leave(struct round *r, struct ejob *j, struct astra_job *job)
{
	double end =
		isinf(j->lease_end_sec) ? r->snap->now_sec : j->lease_end_sec;

	if (job->leave_sec <= 0 || job->leave_sec > end)
		job->leave_sec = end;
	if (isinf(j->lease_end_sec))
		astra_lease_set_end(r->e, j, end);
	astra_roster_put(r->e, j, job);
}

/* Whether the job's lease may be lengthened in this round. */
static bool caps_renewable(const struct round *r, const struct ejob *j,
			   const struct astra_job *job)
{
	return j->phase == ASTRA_PHASE_LEASED && !astra_lease_stays(j, job) &&
	       (r->e->policy->preempts || isinf(j->lease_end_sec) ||
		j->lease_end_sec <= r->snap->now_sec);
}

/* Count leases that continue. Then, for each lease that is over or that the
 * policy may renew at any time, count a next term. If there is no room for it,
 * let the lease end. */
static void caps_running(struct round *r)
{
	struct astra_engine *e = r->e;

	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		const struct ejob *j = &e->jobs[e->row_of[i]];

		if (j->held_charge > 0)
			caps_commit(e, j, caps_ahead(r, j, &e->cap_jobs[i]));
	}
	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		struct ejob *j = &e->jobs[e->row_of[i]];
		struct astra_job *job = &e->cap_jobs[i];
		double cost;

		if (!caps_renewable(r, j, job))
			continue;
		cost = astra_max(
			caps_renewal(e, j, job) - caps_ahead(r, j, job), 0);
		if (caps_over(e, j, cost))
			caps_leave(r, j, job);
		else
			caps_commit(e, j, cost);
	}
}

/* Count the leases that were promised to jobs. If a lowered cap leaves no room,
 * the promise is dropped. */
static void caps_granted(struct round *r)
{
	struct astra_engine *e = r->e;

	for (size_t i = e->grant_count; i-- > 0;) {
		const struct grant *g;
		const struct ejob *j;
		double cost;

		if (i >= e->grant_count)
			continue; /* all tasks of an array were dropped */
		g = &e->grants[i];
		j = astra_engine_find(e, g->job);
		if (!j || !astra_ejob_listed(j, r->snap))
			continue;
		cost = caps_cost(e, j, &e->cap_jobs[j->index],
				 astra_shares_gpus(g->shares, g->count));
		if (caps_over(e, j, cost))
			astra_grants_drop(e, g->job);
		else
			caps_commit(e, j, cost);
	}
}

/* Let an elastic job grow only as far as there is room for another lease. */
static void caps_cut_growth(struct round *r)
{
	struct astra_engine *e = r->e;

	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		const struct ejob *j = &e->jobs[e->row_of[i]];
		struct astra_job *job = &e->cap_jobs[i];
		struct astra_request *q = &job->request;

		if (astra_request_elastic(q) && j->held_gpus < q->gpus &&
		    caps_over(e, j, caps_cost(e, j, job, q->gpus)))
			*q = astra_request_sized(q, j->held_gpus > q->gpus_min
							    ? j->held_gpus
							    : q->gpus_min);
	}
}

/* Waiting jobs. */

static int caps_compare(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->j->balked != y->j->balked)
		return x->j->balked - y->j->balked;
	if (x->user_sec != y->user_sec)
		return x->user_sec < y->user_sec ? -1 : 1;
	if (x->job->precedence != y->job->precedence)
		return x->job->precedence > y->job->precedence ? -1 : 1;
	if (x->j->submit_sec != y->j->submit_sec)
		return x->j->submit_sec < y->j->submit_sec ? -1 : 1;
	return (x->j->id > y->j->id) - (x->j->id < y->j->id);
}

static struct claim *caps_claims(struct round *r, size_t *count)
{
	struct astra_engine *e = r->e;
	struct claim *list = calloc(r->snap->job_count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < r->snap->job_count; i++) {
		struct ejob *j = &e->jobs[e->row_of[i]];
		struct astra_job *job = &e->cap_jobs[i];
		const struct cap_room *user = caps_user(e, j);

		if (!job->request.gpus ||
		    (job->state != ASTRA_JOB_PENDING &&
		     (job->state != ASTRA_JOB_BLOCKED || !j->capped)))
			continue;
		list[(*count)++] = (struct claim){
			.j = j,
			.job = job,
			.cost_sec = caps_cost(
				e, j, job, astra_request_least(&job->request)),
			.user_sec = user ? user->used_sec : 0,
		};
	}
	if (*count)
		qsort(list, *count, sizeof(*list), caps_compare);
	return list;
}

/* Return how many copies have no grant yet. */
static uint32_t caps_copies(const struct ejob *j)
{
	return j->copies > j->grants ? j->copies - j->grants : 0;
}

/* Note how much the job asks for. A round can grant no more than all GPUs for
 * the longest term, and no more than is asked for. If there is room for that,
 * no job has to be stopped. */
static void caps_ask(struct astra_engine *e, const struct claim *c)
{
	const struct astra_request *q = &c->job->request;
	double most = caps_cost(e, c->j, c->job, q->gpus) * caps_copies(c->j);
	double all = astra_engine_capacity(e) * caps_term(e, c->j, c->job);
	struct cap_room *rooms[] = {&e->tenants[c->j->tenant].cap,
				    caps_user(e, c->j)};

	for (size_t i = 0; i < 2 && rooms[i]; i++) {
		rooms[i]->asked_sec += most;
		rooms[i]->most_sec = astra_max(rooms[i]->most_sec, all);
	}
}

static bool caps_tight(const struct cap_room *room)
{
	return room &&
	       room->left_sec < astra_min(room->asked_sec, room->most_sec);
}

/* Return how many GPUs the job may ask for: as many as fit if it is elastic,
 * else all that it asks for. */
static uint32_t caps_size(const struct astra_engine *e, const struct claim *c)
{
	struct astra_request *q = &c->job->request;
	double room = astra_min(
		e->tenants[c->j->tenant].cap.left_sec,
		caps_user(e, c->j) ? caps_user(e, c->j)->left_sec : HUGE_VAL);
	double gpus =
		floor((room + CAPS_EPSILON) / caps_cost(e, c->j, c->job, 1));

	if (!astra_request_elastic(q) || !(gpus < q->gpus))
		return q->gpus; /* gpus is NaN: an endless lease and no cap */
	return astra_request_size(q, (uint64_t)gpus);
}

/* Return how many leases of this cost fit into the room. */
static double caps_leases(const struct cap_room *room, double cost_sec)
{
	return room ? floor((room->left_sec + CAPS_EPSILON) / cost_sec)
		    : HUGE_VAL;
}

/* Let in as many of the job's copies as fit. Returns their number. */
static uint32_t caps_let_in(struct astra_engine *e, const struct claim *c,
			    uint32_t copies)
{
	struct cap_room *rooms[] = {&e->tenants[c->j->tenant].cap,
				    caps_user(e, c->j)};
	uint32_t size = caps_size(e, c), let = copies;
	double cost = caps_cost(e, c->j, c->job, size);

	if (size != c->job->request.gpus) {
		c->job->request = astra_request_sized(&c->job->request, size);
		c->j->shape = 0;
	}
	for (size_t i = 0; i < 2; i++)
		if (caps_tight(rooms[i]))
			let = (uint32_t)astra_min(let,
						  caps_leases(rooms[i], cost));
	for (size_t i = 0; i < 2; i++)
		if (caps_tight(rooms[i]))
			rooms[i]->left_sec -= let * cost;
	return let;
}

/* Block the job, or let it go on. Do nothing if that is as in the last
 * round. */
static void caps_set(struct round *r, const struct claim *c,
		     enum astra_capped capped)
{
	struct astra_engine *e = r->e;
	struct ejob *j = c->j;
	bool changed = !j->capped != !capped;

	j->capped = capped;
	c->job->state = capped ? ASTRA_JOB_BLOCKED : ASTRA_JOB_PENDING;
	if (!changed && j->state == c->job->state)
		return;
	j->state = c->job->state;
	astra_fairness_set_active(e->account, e->now_sec, j->account,
				  astra_ejob_active(j) ? j->copies : 0);
	if (!j->ran && capped)
		astra_first_start_quit(e, j);
	else if (!j->ran)
		e->unbound = true;
	astra_roster_put(e, j, c->job);
	r->plan->changed = true;
}

int astra_caps_deal(struct round *r)
{
	struct astra_engine *e = r->e;
	struct claim *list;
	size_t count;

	if (!astra_capped(&e->options))
		return 0;
	caps_measure(e);
	caps_running(r);
	caps_granted(r);
	list = caps_claims(r, &count);
	if (!list)
		return -1;
	for (size_t i = 0; i < count; i++)
		caps_ask(e, &list[i]);
	for (size_t i = 0; i < count; i++) {
		const struct claim *c = &list[i];
		enum astra_capped over = caps_over(e, c->j, c->cost_sec);

		c->j->cap_copies =
			over ? 0 : caps_let_in(e, c, caps_copies(c->j));
		caps_set(r, c, c->j->grants ? ASTRA_CAPPED_NOT : over);
	}
	free(list);
	caps_cut_growth(r);
	return 0;
}

void astra_caps_forget(struct astra_engine *e)
{
	for (size_t i = 0; i < e->job_count; i++)
		e->jobs[i].capped = ASTRA_CAPPED_NOT;
	for (size_t i = 0; i < e->tenant_count; i++)
		e->tenants[i].cap.lone = false;
}

void astra_caps_explain(const struct round *r, const struct ejob *j,
			const struct astra_job *job,
			struct astra_reason *reason)
{
	const struct cap_room *room = j->capped == ASTRA_CAPPED_USER
					      ? caps_user(r->e, j)
					      : &r->e->tenants[j->tenant].cap;

	if (!j->capped || !room)
		return;
	reason->wait = ASTRA_WAIT_CAP;
	reason->cap_user = j->capped == ASTRA_CAPPED_USER || room->lone;
	reason->cap_hours = room->cap_sec / HOUR_SEC;
	reason->cap_used = (room->cap_sec - room->left_sec) / HOUR_SEC;
	reason->cap_asked =
		caps_cost(r->e, j, job, astra_request_least(&job->request)) /
		HOUR_SEC;
	reason->retry_sec = r->snap->period_end_sec;
}

/* Saving caps for restarts and in images. */

void astra_caps_put(const struct astra_engine *e, struct astra_bytes *out)
{
	astra_put_f64(out, e->period_begin_sec);
	for (size_t i = 0; i < e->tenant_count; i++)
		astra_put_f64(
			out, astra_fairness_tenant_used(e->account, e->now_sec,
							e->tenants[i].account));
	for (size_t i = 0; i < e->user_count; i++)
		astra_put_f64(out,
			      astra_fairness_user_used(e->account, e->now_sec,
						       e->users[i].account));
	for (size_t i = 0; i < e->job_count; i++)
		if (e->jobs[i].id)
			astra_put_u32(out, e->jobs[i].capped);
}

int astra_caps_get(struct astra_engine *e, struct astra_reader *in)
{
	if (in->at == in->size)
		return 0;
	e->period_begin_sec = astra_get_f64(in);
	for (size_t i = 0; i < e->tenant_count + e->user_count; i++) {
		double used = astra_get_f64(in);

		if (in->failed || !(used >= 0) || !isfinite(used))
			return -1;
		if (i < e->tenant_count)
			astra_fairness_restore_tenant_used(
				e->account, e->now_sec, e->tenants[i].account,
				used);
		else
			astra_fairness_restore_user_used(
				e->account, e->now_sec,
				e->users[i - e->tenant_count].account, used);
	}
	for (size_t i = 0; i < e->job_count; i++) {
		uint32_t capped = e->jobs[i].id ? astra_get_u32(in) : 0;

		if (in->failed || capped > ASTRA_CAPPED_USER ||
		    (capped == ASTRA_CAPPED_USER &&
		     e->jobs[i].user == ASTRA_NONE))
			return -1;
		e->jobs[i].capped = (enum astra_capped)capped;
	}
	return in->failed || !isfinite(e->period_begin_sec) ? -1 : 0;
}
