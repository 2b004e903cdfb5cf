/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/hold.h"
#include "src/policies/options.h"

static struct astra_fairness_options
fairness_options(const struct astra_options *o)
{
	return (struct astra_fairness_options){
		.quota_entitlement = o->quota_entitlement,
		.half_life_sec = o->half_life_sec,
		.lead_max_sec = o->lead_max_sec,
	};
}

struct astra_engine *
astra_engine_create_with(const struct astra_options *options,
			 const struct astra_policy *policy, double begin_sec,
			 struct astra_error *err)
{
	struct astra_engine *e = calloc(1, sizeof(*e));
	struct astra_fairness_options fair = fairness_options(options);

	if (!e) {
		astra_error_nomem(err);
		return NULL;
	}
	e->options = *options;
	e->begin_sec = e->now_sec = begin_sec;
	e->account = astra_fairness_create(&fair, begin_sec);
	e->policy = policy;
	if (!e->account) {
		astra_error_nomem(err);
	} else if (!e->policy) {
		astra_error_set(err, "Policy=%s: there is no such policy",
				options->policy);
	} else {
		e->policy_self = e->policy->create(options, err);
		if (e->policy_self)
			return e;
	}
	astra_engine_destroy(e);
	return NULL;
}

struct astra_engine *astra_engine_create(const struct astra_options *options,
					 double begin_sec,
					 struct astra_error *err)
{
	return astra_engine_create_with(
		options, astra_policy_find(options->policy), begin_sec, err);
}

void astra_engine_destroy(struct astra_engine *e)
{
	if (!e)
		return;
	if (e->policy)
		e->policy->destroy(e->policy_self);
	astra_fairness_destroy(e->account);
	for (size_t i = 0; i < e->tenant_count; i++)
		free(e->tenants[i].name);
	for (size_t i = 0; i < e->grant_count; i++)
		free(e->grants[i].shares);
	for (size_t i = 0; i < e->refusal_count; i++)
		free(e->refusals[i].nodes);
	free(e->tenants);
	for (size_t i = 0; i < e->user_count; i++)
		free(e->users[i].name);
	free(e->users);
	free(e->user_of);
	free(e->tenant_of);
	free(e->row_of);
	astra_roster_clear(&e->roster);
	astra_idle_clear(&e->idle);
	astra_fits_clear(&e->fits);
	for (size_t i = 0; i < e->job_count; i++)
		free(e->jobs[i].held);
	free(e->jobs);
	free(e->cap_jobs);
	free(e->reasons);
	free(e->vacant);
	free(e->contenders);
	free(e->candidates);
	free(e->choices);
	free(e->grants);
	free(e->refusals);
	free(e->repayments);
	astra_holds_clear(e);
	free(e->holds);
	astra_node_names_clear(&e->nodes);
	astra_node_names_clear(&e->back_nodes);
	astra_asides_clear(&e->asides);
	astra_idmap_clear(&e->by_id);
	free(e);
}

int astra_engine_configure(struct astra_engine *e,
			   const struct astra_options *options,
			   struct astra_error *err)
{
	struct astra_fairness_options fair = fairness_options(options);
	const struct astra_policy *policy = astra_policy_find(options->policy);
	void *self;

	if (!policy)
		return astra_error_set(err,
				       "Policy=%s: there is no such policy",
				       options->policy);
	self = astra_aside_change(e, policy, options, err);
	if (!self)
		return -1;
	e->policy->destroy(e->policy_self);
	e->policy = policy;
	e->policy_self = self;
	e->options = *options;
	if (!astra_capped(options))
		astra_caps_forget(e);
	for (size_t i = 0; i < e->tenant_count; i++)
		e->tenants[i].lacks_sec = 0;
	e->roster.known = false;
	astra_fits_clear(&e->fits);
	astra_leases_bound(e);
	astra_fairness_set_options(e->account, e->now_sec, &fair);
	return 0;
}

const struct astra_options *astra_engine_options(const struct astra_engine *e)
{
	return &e->options;
}

double astra_engine_time(const struct astra_engine *e)
{
	return e->now_sec;
}

/* Shift a time, unless it is 0, which stands for "none". */
static void engine_shift(double *at_sec, double by_sec)
{
	if (*at_sec > 0)
		*at_sec += by_sec;
}

void astra_engine_shift(struct astra_engine *e, double by_sec)
{
	e->begin_sec += by_sec;
	e->now_sec += by_sec;
	engine_shift(&e->first_bound_sec, by_sec);
	for (size_t i = 0; i < e->job_count; i++) {
		engine_shift(&e->jobs[i].start_sec, by_sec);
		engine_shift(&e->jobs[i].lease_start_sec, by_sec);
		engine_shift(&e->jobs[i].lease_end_sec, by_sec);
		engine_shift(&e->jobs[i].grace_end_sec, by_sec);
		engine_shift(&e->jobs[i].told_sec, by_sec);
		engine_shift(&e->jobs[i].bound_sec, by_sec);
		engine_shift(&e->jobs[i].kept_bound_sec, by_sec);
		e->jobs[i].place.tenant_sec += by_sec;
		e->jobs[i].place.user_sec += by_sec;
		engine_shift(&e->jobs[i].away_sec, by_sec);
		engine_shift(&e->jobs[i].planned_end_sec, by_sec);
		engine_shift(&e->jobs[i].vain_sec, by_sec);
		engine_shift(&e->jobs[i].blocked_sec, by_sec);
		engine_shift(&e->jobs[i].balk.refused_sec, by_sec);
		engine_shift(&e->jobs[i].balk.until_sec, by_sec);
	}
	for (size_t i = 0; i < e->tenant_count; i++)
		engine_shift(&e->tenants[i].lacks_sec, by_sec);
	e->roster.known = false;
	for (size_t i = 0; i < e->grant_count; i++) {
		engine_shift(&e->grants[i].until_sec, by_sec);
		engine_shift(&e->grants[i].told_sec, by_sec);
	}
	astra_budget_shift(e, by_sec);
	for (size_t i = 0; i < e->hold_count; i++)
		engine_shift(&e->holds[i].start_sec, by_sec);
	for (size_t i = 0; i < e->refusal_count; i++)
		engine_shift(&e->refusals[i].until_sec, by_sec);
	astra_fairness_shift(e->account, by_sec);
	astra_asides_shift(&e->asides, by_sec);
	if (e->policy->shift)
		e->policy->shift(e->policy_self, by_sec);
}

static double engine_earlier(double best, double at_sec, double now_sec)
{
	return at_sec > now_sec && at_sec < best ? at_sec : best;
}

static size_t count_starts(const struct astra_plan *plan)
{
	size_t starts = 0;

	for (size_t i = 0; i < plan->decision_count; i++)
		starts += plan->decisions[i].action == ASTRA_START;
	return starts;
}

/* Whether every waiting job starts now. */
static bool nobody_waits(const struct round *r)
{
	size_t waiting = 0, starts = count_starts(r->plan);

	if (r->e->grant_count > starts || r->e->hold_count)
		return false;
	ASTRA_ROSTER_EACH(i, &r->e->roster.waiting)
	{
		waiting += r->snap->jobs[i].copies;
		if (waiting > starts)
			return false;
	}
	return true;
}

/* Whether an elastic job could use idle GPUs. */
static bool engine_wants_more(const struct round *r)
{
	if (!r->e->roster.elastic || !astra_space_gpus(r->idle))
		return false;
	ASTRA_ROSTER_EACH(i, &r->e->roster.running)
	{
		const struct astra_job *job = &r->snap->jobs[i];

		if (astra_request_elastic(&job->request) &&
		    r->e->jobs[r->e->row_of[i]].held_gpus < job->request.gpus)
			return true;
	}
	return false;
}

/* Return the next end of a lease on a node that must be free then. */
static double next_must_end(const struct round *r)
{
	const struct astra_engine *e = r->e;
	double best = INFINITY;

	if (!e->roster.bound_to_leave && !r->emptying)
		return best;
	ASTRA_ROSTER_EACH(i, &e->roster.running)
	{
		const struct ejob *j = &e->jobs[e->row_of[i]];
		const struct astra_job *job = &r->snap->jobs[i];

		if (j->revocable && j->phase == ASTRA_PHASE_LEASED &&
		    (astra_lease_must_end(r->snap, job) ||
		     (job->leave_cuts && j->lease_end_sec >= job->leave_sec)))
			best = engine_earlier(best, j->lease_end_sec,
					      r->snap->now_sec);
	}
	return best;
}

/* Return the next time at which something ends by itself that a job may be
 * waiting for. */
static double next_due(const struct round *r)
{
	struct astra_engine *e = r->e;
	double now = r->snap->now_sec, best = INFINITY;

	if (!e->unwanted && r->plan->decision_count)
		best = now + e->options.round_sec; /* a start may have failed by
						    * then */
	ASTRA_ROSTER_EACH(i, &e->roster.leaving)
	{
		const struct ejob *j = &e->jobs[e->row_of[i]];

		if (j->state == ASTRA_JOB_REQUEUED ||
		    j->state == ASTRA_JOB_ENDING ||
		    j->phase == ASTRA_PHASE_LEAVING)
			best = engine_earlier(best, now + 1, now);
		if (j->phase == ASTRA_PHASE_GRACE)
			best = engine_earlier(best, j->grace_end_sec, now);
	}
	best = fmin(best, e->unwanted ? next_must_end(r)
				      : astra_roster_next_end(e, now));
	if (e->grant_count > count_starts(r->plan))
		best = engine_earlier(best, now + 1, now);
	for (size_t i = 0; i < e->hold_count; i++)
		best = engine_earlier(best, e->holds[i].start_sec, now);
	if (astra_capped(&e->options))
		best = engine_earlier(best, r->snap->period_end_sec, now);
	return engine_earlier(best, r->wake_sec, now);
}

/* Return when the host is to run the next round: at plan->due_sec, but after a
 * round interval at the latest, or after a second if there are grants. */
static double engine_next_wake(const struct round *r)
{
	const struct astra_engine *e = r->e;
	double now = r->snap->now_sec;
	double period = e->grant_count ? fmin(1, e->options.round_sec)
				       : e->options.round_sec;

	return fmin(r->plan->due_sec, now + period);
}

/* Update the accounts with what happened since the last round, and find what is
 * free. */
static int engine_follow(struct round *r, struct astra_error *err)
{
	struct astra_engine *e = r->e;
	double last_sec = e->now_sec;

	if (!r->snap->changes) {
		e->idle.known = false;
		e->unbound = true;
		astra_engine_follow_nodes(e, r->snap);
	}
	astra_refusals_forget(e, r->snap->now_sec);
	if (astra_account_sync(r, err) < 0)
		return -1;
	if (astra_rights_sync(r) < 0 || astra_caps_deal(r) < 0)
		return astra_error_nomem(err);
	if (e->unwanted)
		astra_leases_catch_up(e, r->snap, last_sec, &r->plan->changed);
	if (astra_idle_build(r) < 0 || astra_first_starts_follow(r) < 0)
		return astra_error_nomem(err);
	return 0;
}

static int engine_decide(struct round *r, struct astra_error *err)
{
	uint64_t free_gpus = astra_space_gpus(r->idle);

	if (!r->e->options.leases)
		return astra_round_order(r, err);
	if (astra_grants_revise(r) < 0 || astra_keep_follow(r, free_gpus) < 0)
		return astra_error_nomem(err);
	return r->e->policy->allocate ? astra_round_allot(r, err)
				      : astra_round_decide(r, err);
}

static void engine_end(struct round *r, bool failed)
{
	struct astra_engine *e = r->e;

	if (failed) {
		r->plan->decision_count = 0;
		e->roster.known = e->idle.known = false;
	}
	e->counters.rounds++;
	e->unwanted = !failed && e->options.leases && !e->policy->allocate &&
		      !astra_capped(&e->options) && nobody_waits(r) &&
		      !engine_wants_more(r);
	r->plan->due_sec = next_due(r);
	r->plan->wake_sec = engine_next_wake(r);
	astra_idle_end(r);
	e->contenders = r->contenders;
	e->contender_room = r->contender_room;
	free(r->node_holds);
	free(r->missing);
	free(r->least);
	free(r->levels);
	free(r->contestants);
	free(r->lost);
}

int astra_engine_round(struct astra_engine *e,
		       const struct astra_snapshot *snapshot,
		       struct astra_plan *plan, struct astra_error *err)
{
	struct astra_snapshot snap = *snapshot;
	struct round r = {
		.e = e,
		.snap = &snap,
		.plan = plan,
		.told = snapshot->changes != NULL,
		.wake_sec = INFINITY,
		.contenders = e->contenders,
		.contender_room = e->contender_room,
	};
	int rc;

	if (!e->roster.known || !e->idle.known)
		snap.changes = NULL;
	astra_plan_clear(plan);
	rc = astra_caps_begin(e, &snap) < 0 ? astra_error_nomem(err)
					    : engine_follow(&r, err);
	if (!rc)
		rc = engine_decide(&r, err);
	engine_end(&r, rc < 0);
	return rc;
}

size_t astra_engine_tenant_count(const struct astra_engine *e)
{
	return e->tenant_count;
}

/* Return the number of rows, vacant ones included. The view of a vacant row has
 * id 0. */
size_t astra_engine_job_count(const struct astra_engine *e)
{
	return e->job_count;
}

void astra_engine_tenant_view(const struct astra_engine *e, size_t index,
			      double now_sec, struct astra_tenant_view *out)
{
	const struct etenant *t = &e->tenants[index];

	*out = (struct astra_tenant_view){
		.name = t->name,
		.listed = t->listed,
		.weight = t->weight,
		.quota = astra_fairness_quota(e->account, t->account),
		.demand_gpus = astra_fairness_demand(e->account, t->account),
		.alloc_gpus = astra_fairness_alloc(e->account, t->account),
		.usage = astra_fairness_tenant(e->account, now_sec, t->account),
		.used_gpu_sec = astra_fairness_tenant_used(e->account, now_sec,
							   t->account),
		.cap_gpu_sec =
			t->cap.lone
				? t->cap.cap_sec
				: 3600 * astra_cap_tenant(&e->options, t->name),
	};
	out->rho = astra_rho(out->usage, out->quota > 0);
}

static double user_rho(const struct astra_engine *e, double now_sec,
		       uint32_t user)
{
	uint32_t account;

	if (user == ASTRA_NONE)
		return (double)NAN;
	account = e->users[user].account;
	return astra_rho(astra_fairness_user(e->account, now_sec, account),
			 astra_fairness_user_quota(e->account, account) > 0);
}

void astra_engine_job_view(const struct astra_engine *e, size_t index,
			   double now_sec, struct astra_job_view *out)
{
	const struct ejob *j = &e->jobs[index];
	double quota;
	bool explained =
		index < e->reason_room && e->reasons[index].job == j->id;

	*out = (struct astra_job_view){.id = j->id};
	if (!j->id)
		return;
	*out = (struct astra_job_view){
		.id = j->id,
		.tenant = j->tenant,
		.gpus = j->gpus,
		.copies = j->copies,
		.state = j->state,
		.phase = j->phase,
		.revocable = j->revocable,
		.weight = j->weight,
		.submit_sec = j->submit_sec,
		.bound_sec = isfinite(j->bound_sec) ? j->bound_sec : 0,
		.start_sec = j->start_sec,
		.uncharged = j->uncharged,
		.lease_start_sec = j->lease_start_sec,
		.lease_end_sec = j->lease_end_sec,
		.grace_end_sec = j->grace_end_sec,
		.lent = j->lent,
		.leases = j->leases,
		.revoked = j->revoked,
		.refused = j->balk.rounds,
		.lost_sec = j->lost_sec,
		.usage = astra_fairness_job(e->account, now_sec, j->account),
	};
	if (explained)
		out->reason = e->reasons[index];
	quota = astra_fairness_quota(e->account, e->tenants[j->tenant].account);
	out->rho = astra_rho(out->usage, quota > 0 && j->weight > 0);
	out->user_rho = user_rho(e, now_sec, j->user);
}

double astra_engine_run_start(const struct astra_engine *e, uint32_t job,
			      uint32_t run)
{
	uint32_t row = astra_idmap_get(&e->by_id, job);
	const struct ejob *j = row == ASTRA_IDMAP_NONE ? NULL : &e->jobs[row];

	return j && j->state == ASTRA_JOB_RUNNING && j->restart_cnt == run
		       ? j->start_sec
		       : 0;
}

/* Return the hold that begins first. The views of jobs show the other holds. */
struct astra_hold_view astra_engine_hold(const struct astra_engine *e)
{
	struct astra_hold_view first = {0};

	for (size_t i = 0; i < e->hold_count; i++)
		if (!first.job || e->holds[i].start_sec < first.start_sec)
			first = (struct astra_hold_view){
				.job = e->holds[i].job,
				.start_sec = e->holds[i].start_sec,
			};
	return first;
}

struct astra_counters astra_engine_counters(const struct astra_engine *e)
{
	struct astra_counters counters = e->counters;

	counters.recall_hour_gpu_sec = astra_budget_spent(e);
	for (size_t i = 0; i < e->job_count; i++)
		counters.refused_jobs += e->jobs[i].id && e->jobs[i].balked;
	return counters;
}

bool astra_engine_policy_report(const struct astra_engine *e,
				const char *tenant,
				struct astra_policy_report *out)
{
	uint32_t index = ASTRA_NONE;

	*out = (struct astra_policy_report){NAN, NAN, NAN, NAN, NAN, NAN};
	if (!e->policy->report)
		return false;
	for (uint32_t i = 0; tenant && i < e->tenant_count; i++)
		if (!strcmp(e->tenants[i].name, tenant))
			index = i;
	if (tenant && index == ASTRA_NONE)
		return false;
	e->policy->report(e->policy_self, index, out);
	return true;
}

bool astra_engine_price(const struct astra_engine *e, size_t nth,
			struct astra_policy_price *out)
{
	return e->policy->price && e->policy->price(e->policy_self, nth, out);
}

bool astra_engine_classes(const struct astra_engine *e,
			  void (*each)(const struct astra_class *class,
				       void *arg),
			  void *arg)
{
	if (e->policy->classes)
		e->policy->classes(e->policy_self, each, arg);
	return e->policy->classes != NULL;
}

const struct astra_auction *astra_engine_auction(const struct astra_engine *e)
{
	return e->policy->auction ? e->policy->auction(e->policy_self) : NULL;
}

size_t astra_engine_bytes_per_job(void)
{
	return sizeof(struct ejob) + sizeof(uint32_t) + 4 * sizeof(uint32_t) +
	       astra_fairness_bytes_per_job();
}
