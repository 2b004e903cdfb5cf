/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/common/clock.h"
#include "src/history/past.h"
#include "src/slurm/ahead/tuner_priv.h"

#define CPU_SEC 600 /* most CPU time for one choice */
#define DAY_SEC 86400.0

/* The cost of an interruption. How long a job takes to start again is not
 * measured. */
#define REVOKED_LEAST 10 /* with fewer interruptions their mean is not used */
#define CHECKPOINT_PART 0.5 /* fraction of the grace, if nothing is known */
#define COLD_START_SEC 40
#define COLD_START_PART 0.2 /* of the shortest term, at most */

static void tuner_add_node(struct astra_cluster *c,
			   const struct astra_node *node)
{
	size_t at = c->node_count++;

	c->nodes[at] = *node;
	c->nodes[at].gpu_type = NULL;
	c->nodes[at].name = c->names[at];
	c->nodes[at].gpus_free = node->gpus;
	c->nodes[at].gpus_scattered = 0;
	c->nodes[at].cpus_free = node->cpus;
	c->nodes[at].mem_free_mib = node->mem_mib;
	c->nodes[at].emptying = c->nodes[at].settling = false;
	snprintf(c->names[at], sizeof(*c->names), "%s",
		 node->name ? node->name : "");
	c->gpus += node->gpus;
}

static int tuner_ask_nodes(const struct astra_snapshot *s,
			   struct astra_cluster *c)
{
	c->nodes = calloc(s->node_count + 1, sizeof(*c->nodes));
	c->names = calloc(s->node_count + 1, sizeof(*c->names));
	if (!c->nodes || !c->names)
		return -1;
	for (size_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].usable && s->nodes[i].gpus)
			tuner_add_node(c, &s->nodes[i]);
	return 0;
}

static int tuner_ask_tenants(const struct astra_snapshot *s,
			     struct astra_trace *t)
{
	for (size_t i = 0; i < s->tenant_count; i++) {
		uint32_t at = astra_trace_tenant(t, s->tenants[i].name);

		if (at == ASTRA_NONE)
			return -1;
		t->tenants[at].weight = s->tenants[i].weight;
	}
	return 0;
}

struct astra_tuner_question *
astra_tuner_ask(const char *pool, const struct astra_options *options,
		const struct astra_snapshot *snapshot)
{
	struct astra_tuner_question *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	snprintf(q->pool, sizeof(q->pool), "%s", pool);
	q->options = *options;
	q->now_sec = snapshot->now_sec;
	astra_trace_init(&q->trace);
	q->trace.source = "the history";
	if (tuner_ask_nodes(snapshot, &q->cluster) == 0 &&
	    tuner_ask_tenants(snapshot, &q->trace) == 0)
		return q;
	astra_tuner_free(q);
	return NULL;
}

void astra_tuner_free(struct astra_tuner_question *q)
{
	if (!q)
		return;
	astra_cluster_clear(&q->cluster);
	astra_trace_clear(&q->trace);
	free(q);
}

/* Reading. */

struct tuner_reading {
	struct astra_tuner_question *q;
	size_t ended;
	double first_sec; /* earliest submission of any job */
	double revoked, lost_sec;
};

static int tuner_take_job(void *arg, const struct astra_history_past_job *job)
{
	struct tuner_reading *r = arg;
	struct astra_trace *t = &r->q->trace;
	const struct astra_trace_job j = {
		.tenant = astra_trace_tenant(t, job->tenant),
		.user = astra_trace_user(t, job->user),
		.gpus = job->gpus,
		.submit_sec = job->submit_sec,
		.duration_sec = job->ran_sec,
		.start_sec = -1,
	};

	if (job->gpus > r->q->cluster.gpus)
		return 0;
	r->ended += job->ended;
	r->first_sec = fmin(r->first_sec, job->submit_sec);
	r->revoked += job->revoked;
	r->lost_sec += fmax(0, job->lost_sec);
	if (j.tenant == ASTRA_NONE || j.user == ASTRA_NONE)
		return -1;
	return astra_trace_add(t, &j, "");
}

/* Return how long it took on average until an interrupted job's GPUs were
 * free. */
static double tuner_checkpoint_sec(const struct tuner_reading *r)
{
	double grace_sec = r->q->options.grace_sec;

	if (r->revoked < REVOKED_LEAST)
		return CHECKPOINT_PART * grace_sec;
	return fmin(r->lost_sec / r->revoked,
		    astra_auto_least_sec(&r->q->options) / 2);
}

/* What ends a simulation. */
struct tuner_bound {
	const atomic_bool *stop;
	double cpu_sec;
};

static bool tuner_go_on(void *arg)
{
	const struct tuner_bound *bound = arg;

	return !atomic_load(bound->stop) &&
	       astra_now_sec(CLOCK_THREAD_CPUTIME_ID) < bound->cpu_sec;
}

static int tuner_simulate(const struct tuner_reading *r,
			  const atomic_bool *stop,
			  struct astra_term_choice *out,
			  struct astra_error *err)
{
	double least_sec = astra_auto_least_sec(&r->q->options);
	struct tuner_bound bound = {
		stop, astra_now_sec(CLOCK_THREAD_CPUTIME_ID) + CPU_SEC};
	const struct astra_term_past past = {
		.trace = &r->q->trace,
		.ended = r->ended,
		.span_sec = r->q->now_sec - r->first_sec,
	};
	const struct astra_sim_options sim = {
		.round_sec = 1,
		.checkpoint_sec = tuner_checkpoint_sec(r),
		.cold_start_sec =
			fmin(COLD_START_SEC, COLD_START_PART * least_sec),
		.slowdown = {1, 1, 1, 1},
		.interval_sec = 3600,
		.seed = 1,
		.go_on = tuner_go_on,
		.go_on_arg = &bound,
	};

	if (astra_term_choose(&past, &r->q->cluster, &r->q->options, &sim, out,
			      err) == 0)
		return 0;
	if (!atomic_load(stop) &&
	    astra_now_sec(CLOCK_THREAD_CPUTIME_ID) >= bound.cpu_sec)
		astra_error_set(err,
				"simulations of %zu jobs take more than %d "
				"seconds",
				r->q->trace.job_count, CPU_SEC);
	return -1;
}

int astra_tuner_choose(struct astra_tuner_question *q, const atomic_bool *stop,
		       struct astra_term_choice *out, struct astra_error *err)
{
	struct tuner_reading r = {.q = q, .first_sec = q->now_sec};
	const struct astra_history_past past = {
		.pool = q->pool,
		.since_sec = q->now_sec - ASTRA_TERM_DAYS * DAY_SEC,
		.most = ASTRA_TERM_JOBS_MOST,
		.take = tuner_take_job,
		.arg = &r,
	};

	if (astra_history_past(&past, err) < 0)
		return 1;
	if (q->trace.job_count && astra_trace_finish(&q->trace, err) < 0)
		return -1;
	return tuner_simulate(&r, stop, out, err);
}
