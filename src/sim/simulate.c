/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: advance to the next event, decide, and apply the plan. */
#include "src/sim/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/grow.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"
#include "src/sim/metrics.h"
#include "src/sim/past.h"

/* Most rounds at one time: there are several if a round grants GPUs that the
 * last one freed. */
#define ROUNDS_AT_ONCE 16
/* Most rounds without effect while nothing runs and no job is to come. After
 * these the scheduler will never start anything. */
#define ROUNDS_IN_VAIN 2000
#define PROGRESS_NSEC 100000000

struct loop {
	struct astra_virtual v;
	const struct astra_scheduler *scheduler;
	void *self;
	struct astra_plan plan;
	uint32_t next; /* index of the next job to be submitted */
	double wake_sec;
	struct timespec shown;
	struct astra_options policy; /* options of the scheduler */
	double tune_sec;  /* time of the next choice of LeaseTerm=auto; else
			   * infinite */
	uint32_t in_vain; /* rounds without effect */
	bool seen;	  /* the scheduler has had a full snapshot; it now gets
			   * changes */
};

static void simulate_tell(struct loop *l)
{
	const struct astra_sim_options *o = l->v.options;
	struct timespec now;

	if (!o->progress || l->v.result->rounds % 64)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - l->shown.tv_sec) * 1000000000 + now.tv_nsec -
		    l->shown.tv_nsec <
	    PROGRESS_NSEC)
		return;
	l->shown = now;
	o->progress(o->progress_arg,
		    (double)l->v.done_count / (double)l->v.trace->job_count,
		    l->v.world.now_sec);
}

/* Returns when the next job is submitted, or a running job ends. */
static double next_event(const struct loop *l)
{
	const struct astra_trace *t = l->v.trace;
	double at =
		l->next < t->job_count ? t->jobs[l->next].submit_sec : HUGE_VAL;

	if (l->v.world.queue.count)
		at = fmin(at, l->v.world.queue.heap[0].at_sec);
	return at;
}

/* Applies all events up to until_sec. Ends of jobs come before submissions at
 * the same time. Returns 0 or -1. */
static int let_happen(struct loop *l, double until_sec)
{
	struct astra_world *w = &l->v.world;
	const struct astra_trace *t = l->v.trace;

	while (l->next < t->job_count &&
	       t->jobs[l->next].submit_sec <= until_sec) {
		if (astra_world_advance(w, t->jobs[l->next].submit_sec) < 0 ||
		    astra_virtual_submit(&l->v, l->next) < 0)
			return -1;
		l->next++;
	}
	return astra_world_advance(w, until_sec);
}

static int one_round(struct loop *l, struct astra_error *err)
{
	struct astra_virtual *v = &l->v;
	struct astra_changes changes = astra_world_changes(&v->world);
	const struct astra_sim_begin *begin = v->options->begin;
	struct astra_snapshot snapshot = {
		.now_sec = v->world.begin_sec + v->world.now_sec,
		.kill_wait_sec = begin ? begin->snapshot->kill_wait_sec : 0,
		.nodes = v->world.nodes,
		.node_count = v->cluster->node_count,
		.tenants = v->tenants,
		.tenant_count = v->trace->tenant_count,
		.users = v->users,
		.user_count = v->user_count,
		.preempts = begin ? begin->snapshot->preempts : NULL,
		.limits = v->world.limits,
		.limit_count = v->world.limit_count,
		.jobs = v->world.shown,
		.job_count = v->world.shown_count,
		.changes = l->seen ? &changes : NULL,
	};

	l->seen = true;

	if (!l->scheduler->blind)
		astra_virtual_look(v);
	astra_plan_clear(&l->plan);
	if (l->scheduler->round(l->self, &snapshot, &l->plan, err) < 0)
		return -1;
	v->result->rounds++;
	if (astra_world_forget(&v->world) < 0)
		return astra_error_nomem(err);
	v->released = 0;
	return astra_world_apply(&v->world, &l->plan, err);
}

static int simulate_decide(struct loop *l, struct astra_error *err)
{
	int times = 0;

	do {
		if (one_round(l, err) < 0)
			return -1;
	} while (l->v.released && ++times < ROUNDS_AT_ONCE);
	l->wake_sec = l->plan.wake_sec - l->v.world.begin_sec;
	simulate_tell(l);
	return 0;
}

/* Returns the time of the next round, for an event that is due at due_sec. */
static double round_at(const struct loop *l, double due_sec)
{
	double step = l->v.options->round_sec;
	double at = step > 0 ? ceil(due_sec / step - 1e-9) * step : due_sec;

	if (at <= l->v.world.now_sec && l->v.result->rounds)
		at = l->v.world.now_sec + (step > 0 ? step : 1);
	return at + 0.0; /* -0 is 0 */
}

static int simulate_note_term(struct loop *l, const struct astra_term_choice *c)
{
	struct astra_sim_result *r = l->v.result;

	if (astra_grow(&r->terms, &r->term_room, r->term_count + 1,
		       sizeof(*r->terms)) < 0)
		return -1;
	r->terms[r->term_count++] = (struct astra_sim_term){
		.at_sec = l->v.world.now_sec,
		.before_sec = c->before_sec,
		.term_sec = c->term_sec,
		.jobs = c->verdict == ASTRA_TERM_FEW ? 0 : c->jobs,
	};
	r->term_sec = fmax(r->term_sec, c->term_sec);
	return 0;
}

/* If LeaseTerm=auto and midnight has passed, sets the term that is best for the
 * last days. Returns 0, or -1 with err set. */
static int simulate_tune(struct loop *l, struct astra_error *err)
{
	struct astra_term_choice choice;

	if (l->v.world.now_sec < l->tune_sec)
		return 0;
	while (l->tune_sec <= l->v.world.now_sec)
		l->tune_sec += ASTRA_TERM_EVERY_SEC;
	if (astra_past_choose(&l->v, l->next, &l->policy, &choice, err) < 0)
		return -1;
	if (simulate_note_term(l, &choice) < 0)
		return astra_error_nomem(err);
	if (choice.verdict != ASTRA_TERM_CHANGED)
		return 0;
	l->policy.lease_sec = l->v.lease_sec = choice.term_sec;
	return l->scheduler->configure(l->self, &l->policy, err);
}

static bool simulate_stopped(const struct loop *l)
{
	const struct astra_sim_options *o = l->v.options;

	return o->go_on && !o->go_on(o->go_on_arg);
}

static int simulate_run(struct loop *l, struct astra_error *err)
{
	double until = l->v.options->until_sec > 0 ? l->v.options->until_sec
						   : HUGE_VAL;

	while (l->v.done_count < l->v.trace->job_count) {
		double event = next_event(l);
		double due = fmin(event, l->wake_sec);

		l->in_vain = isfinite(event) ? 0 : l->in_vain + 1;
		if (l->in_vain > ROUNDS_IN_VAIN)
			return 0;

		if (!isfinite(due)) /* no event will come */
			return 0;
		due = round_at(l, fmin(due, l->tune_sec));
		if (let_happen(l, fmin(due, until)) < 0)
			return astra_error_nomem(err);
		if (due > until)
			return 0;
		if (simulate_stopped(l))
			return astra_error_set(err, "the simulation was "
						    "stopped");
		if (simulate_tune(l, err) < 0)
			return -1;
		if (simulate_decide(l, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns the options for the scheduler's policy, which may have defaults of
 * its own. */
static struct astra_options options_of(const struct astra_scheduler *scheduler,
				       const struct astra_options *options)
{
	const struct astra_policy *policy = astra_policy_find(scheduler->name);
	struct astra_options own = *options;

	if (policy && strcmp(own.policy, scheduler->name) != 0)
		astra_options_set(&own, "Policy", scheduler->name, NULL);
	if (policy && (policy->slots || policy->endless || !own.leases))
		own.lease_auto = false;
	if (own.lease_auto)
		own.lease_sec = astra_auto_bound(&own, own.lease_sec);
	return own;
}

/* Whether shares go by user. Most policies with an allocator of their own only
 * know tenants and jobs. */
static bool goes_by_user(const struct astra_scheduler *scheduler,
			 const struct astra_options *options)
{
	const struct astra_policy *policy = astra_policy_find(scheduler->name);

	return policy && (!policy->allocate || policy->users) &&
	       options->within_users;
}

/* Refuses terms that are too short for progress. Jobs that take turns in such
 * terms never end, so the simulation would not end either. */
static int simulate_check(const struct astra_sim_options *options,
			  const struct astra_options *policy,
			  struct astra_error *err)
{
	double least_sec = policy->lease_auto ? astra_auto_least_sec(policy)
					      : policy->lease_sec;

	if (!policy->leases || least_sec > options->cold_start_sec)
		return 0;
	return astra_error_set(err,
			       "%s=%g is over before a job has started, "
			       "for that takes %g s: say with --cold-start "
			       "what it takes, less than that",
			       policy->lease_auto ? "LeaseMin" : "LeaseTerm",
			       least_sec, options->cold_start_sec);
}

static int simulate_begin(struct loop *l, const struct astra_options *policy,
			  struct astra_error *err)
{
	struct astra_virtual *v = &l->v;
	struct astra_scheduler_setup setup = {
		.options = policy,
		.trace = v->trace,
		.begin = v->options->begin,
		.lies = v->options->lies,
	};

	astra_plan_init(&l->plan);
	l->plan.terse = true;
	v->lease_sec = policy->lease_sec;
	v->keeps_unprepared = policy->unprepared == ASTRA_UNPREPARED_KEEP;
	l->wake_sec = HUGE_VAL;
	if (astra_virtual_init(v, policy->quota_entitlement) < 0)
		return astra_error_nomem(err);
	setup.begin_sec = v->world.begin_sec;
	l->seen = !v->options->begin;
	l->self = l->scheduler->create(&setup, err);
	return l->self ? 0 : -1;
}

/* Takes the scheduler's final report. Returns 0, or -1 if out of memory. */
static int simulate_ask(struct loop *l)
{
	struct astra_sim_result *r = l->v.result;
	struct astra_scheduler_report report = {.revenue = NAN, .reward = NAN};

	if (!l->scheduler->report)
		return 0;
	r->income = calloc(r->trace->tenant_count + 1, sizeof(*r->income));
	r->gain = calloc(r->trace->tenant_count + 1, sizeof(*r->gain));
	if (!r->income || !r->gain)
		return -1;
	report.income = r->income;
	report.net = r->gain;
	l->scheduler->report(l->self, &report);
	for (size_t i = 0; i < r->trace->job_count; i++)
		r->gain[r->trace->jobs[i].tenant] += astra_job_worth(r, i);
	r->revenue = report.revenue;
	r->reward = report.reward;
	r->late = report.late;
	return 0;
}

/* Finishes the result. rc: result of the run. Returns rc, or -1 with err
 * set. */
static int simulate_finish(struct loop *l, int rc, struct astra_error *err)
{
	struct astra_sim_result *r = l->v.result;
	const struct astra_watch *w = &l->v.watch;

	r->events = l->v.world.happened;
	r->stop_sec = fmax(l->v.world.now_sec, r->end_sec);
	if (!rc &&
	    (astra_virtual_stop(&l->v, r->stop_sec) < 0 ||
	     astra_watch_finish(&l->v.watch, r->stop_sec) < 0 ||
	     simulate_ask(l) < 0 || astra_virtual_find_misfits(&l->v) < 0 ||
	     astra_bounds_fill(r) < 0))
		rc = astra_error_nomem(err);
	if (w->full)
		return astra_error_set(err,
				       "intervals of %g s are too short: by "
				       "second %.0f tenants have more than %d",
				       r->interval_sec, w->next_sec,
				       ASTRA_WATCH_ROWS);
	return rc;
}

int astra_simulate(const struct astra_trace *trace,
		   const struct astra_cluster *cluster,
		   const struct astra_scheduler *scheduler,
		   const struct astra_options *policy,
		   const struct astra_sim_options *options,
		   struct astra_sim_result *result, struct astra_error *err)
{
	struct loop l = {
		.v = {.trace = trace,
		      .cluster = cluster,
		      .options = options,
		      .result = result},
		.scheduler = scheduler,
		.policy = options_of(scheduler, policy),
		.tune_sec = HUGE_VAL,
	};
	const struct astra_options *own = &l.policy;
	int rc;

	*result = (struct astra_sim_result){
		.trace = trace,
		.scheduler = scheduler,
		.interval_sec = options->interval_sec,
		.gpus = cluster->gpus,
		.term_sec = own->lease_sec,
		.term_auto = own->lease_auto,
		.grace_sec = options->checkpoint_sec + options->cold_start_sec,
		.within_users = goes_by_user(scheduler, own),
		.revenue = NAN,
		.reward = NAN,
		.seed = options->seed,
	};
	if (own->lease_auto)
		l.tune_sec = ASTRA_TERM_EVERY_SEC;
	rc = simulate_check(options, own, err);
	if (!rc)
		rc = simulate_begin(&l, own, err);
	if (!rc)
		rc = simulate_run(&l, err);
	rc = simulate_finish(&l, rc, err);
	if (l.self)
		scheduler->destroy(l.self);
	astra_plan_destroy(&l.plan);
	astra_virtual_clear(&l.v);
	if (rc < 0)
		astra_sim_result_clear(result);
	return rc;
}

void astra_sim_result_clear(struct astra_sim_result *r)
{
	free(r->jobs);
	free(r->tenants);
	free(r->users);
	free(r->cells);
	free(r->used_gpu_sec);
	free(r->runs);
	free(r->terms);
	free(r->income);
	free(r->gain);
	*r = (struct astra_sim_result){0};
}
