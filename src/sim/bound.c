/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bounds on how long each job may wait for its first start. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/simulate.h"

struct bound_moment {
	double sec;
	uint32_t job;
};

static int bound_order(const void *a, const void *b)
{
	const struct bound_moment *x = a, *y = b;

	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Whether the job has a bound. Only such jobs count as being before others. */
static bool bound_counts(const struct astra_sim_result *r, size_t job)
{
	return !r->jobs[job].misfit && r->trace->jobs[job].gpus <= r->gpus;
}

/* Collects the first starts, by time. Returns their count. */
static size_t bound_starts(const struct astra_sim_result *r,
			   struct bound_moment *starts)
{
	size_t count = 0;

	for (uint32_t i = 0; i < r->trace->job_count; i++)
		if (r->jobs[i].start_sec >= 0 && bound_counts(r, i))
			starts[count++] =
				(struct bound_moment){r->jobs[i].start_sec, i};
	qsort(starts, count, sizeof(*starts), bound_order);
	return count;
}

/* Collects the jobs' ends, by time. Returns their count. */
static size_t bound_ends(const struct astra_sim_result *r,
			 struct bound_moment *ends)
{
	size_t count = 0;

	for (uint32_t i = 0; i < r->trace->job_count; i++)
		if (r->jobs[i].end_sec >= 0)
			ends[count++] = (struct bound_moment){
				fmax(r->jobs[i].end_sec,
				     r->trace->jobs[i].submit_sec),
				i};
	qsort(ends, count, sizeof(*ends), bound_order);
	return count;
}

/* Users get indices over all tenants, in no particular order. */

struct bound_title {
	uint32_t tenant, user, job;
};

static int title_order(const void *a, const void *b)
{
	const struct bound_title *x = a, *y = b;

	if (x->tenant != y->tenant)
		return x->tenant < y->tenant ? -1 : 1;
	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Sets user_of, by job. Returns 0, or -1 if out of memory. */
static int bound_users(const struct astra_trace *t, uint32_t *user_of)
{
	struct bound_title *titles = calloc(t->job_count + 1, sizeof(*titles));
	uint32_t number = 0;

	if (!titles)
		return -1;
	for (uint32_t i = 0; i < t->job_count; i++)
		titles[i] = (struct bound_title){t->jobs[i].tenant,
						 t->jobs[i].user, i};
	qsort(titles, t->job_count, sizeof(*titles), title_order);
	for (size_t i = 0; i < t->job_count; i++) {
		number += i && (titles[i].tenant != titles[i - 1].tenant ||
				titles[i].user != titles[i - 1].user);
		user_of[titles[i].job] = number;
	}
	free(titles);
	return 0;
}

/* State of the walk through time, from one submission to the next. */
struct bound_walk {
	struct astra_sim_result *r;
	struct bound_moment *starts, *ends;
	size_t start_count, end_count;
	size_t started, ended, come; /* counts of jobs that have */
	double weight_sum;
	double *tenant_waits; /* GPUs of jobs that never ran, by tenant */
	double *user_waits;
	uint32_t *user_of;	/* by job */
	uint32_t *user_jobs;	/* unfinished jobs, by user */
	uint32_t *tenant_users; /* users with such jobs, by tenant of the
				 * users */
};

static int bound_init(struct bound_walk *w, struct astra_sim_result *r)
{
	const struct astra_trace *t = r->trace;
	size_t jobs = t->job_count + 1, tenants = t->tenant_count + 1;

	*w = (struct bound_walk){
		.r = r,
		.starts = calloc(jobs, sizeof(*w->starts)),
		.ends = calloc(jobs, sizeof(*w->ends)),
		.tenant_waits = calloc(tenants, sizeof(*w->tenant_waits)),
		.user_waits = calloc(jobs, sizeof(*w->user_waits)),
		.user_of = calloc(jobs, sizeof(*w->user_of)),
		.user_jobs = calloc(jobs, sizeof(*w->user_jobs)),
		.tenant_users = calloc(tenants, sizeof(*w->tenant_users)),
	};
	if (!w->starts || !w->ends || !w->tenant_waits || !w->user_waits ||
	    !w->user_of || !w->user_jobs || !w->tenant_users)
		return -1;
	for (size_t i = 0; i < t->tenant_count; i++)
		w->weight_sum += t->tenants[i].weight;
	w->start_count = bound_starts(r, w->starts);
	w->end_count = bound_ends(r, w->ends);
	return bound_users(t, w->user_of);
}

static void bound_fini(struct bound_walk *w)
{
	free(w->starts);
	free(w->ends);
	free(w->tenant_waits);
	free(w->user_waits);
	free(w->user_of);
	free(w->user_jobs);
	free(w->tenant_users);
}

static void bound_wait(struct bound_walk *w, size_t job, double gpus)
{
	w->tenant_waits[w->r->trace->jobs[job].tenant] += gpus;
	w->user_waits[w->user_of[job]] += gpus;
}

static void bound_come(struct bound_walk *w, size_t job)
{
	if (!w->user_jobs[w->user_of[job]]++)
		w->tenant_users[w->r->trace->jobs[job].tenant]++;
}

static void bound_go(struct bound_walk *w, size_t job)
{
	if (!--w->user_jobs[w->user_of[job]])
		w->tenant_users[w->r->trace->jobs[job].tenant]--;
}

/* Moves the walk on to the time of a submission. Jobs that start at exactly
 * that time still count as waiting. Jobs that end at that time have ended, and
 * all jobs submitted at that time are there. */
static void bound_pass(struct bound_walk *w, double now_sec)
{
	const struct astra_trace *t = w->r->trace;

	for (;
	     w->started < w->start_count && w->starts[w->started].sec < now_sec;
	     w->started++) {
		uint32_t job = w->starts[w->started].job;

		bound_wait(w, job, -(double)t->jobs[job].gpus);
	}
	for (; w->come < t->job_count && t->jobs[w->come].submit_sec <= now_sec;
	     w->come++)
		bound_come(w, w->come);
	for (; w->ended < w->end_count && w->ends[w->ended].sec <= now_sec;
	     w->ended++)
		bound_go(w, w->ends[w->ended].job);
}

/* Returns how many terms of quota the job and the jobs before it need: of the
 * tenant's quota or, if shares go by user, of the user's part if that needs
 * more. */
static double bound_paid(const struct bound_walk *w, size_t job)
{
	const struct astra_sim_result *r = w->r;
	uint32_t tenant = r->trace->jobs[job].tenant;
	double weight = r->trace->tenants[tenant].weight;
	double quota =
		weight > 0 ? (double)r->gpus * weight / w->weight_sum : 0;
	double paid = w->tenant_waits[tenant] / quota;

	if (!r->within_users)
		return paid;
	return fmax(paid, w->user_waits[w->user_of[job]] *
				  w->tenant_users[tenant] / quota);
}

/* Sets the bounds of all jobs, in the order of their submission. */
static void bound_walk(struct bound_walk *w)
{
	struct astra_sim_result *r = w->r;

	for (size_t i = 0; i < r->trace->job_count; i++) {
		bound_pass(w, r->trace->jobs[i].submit_sec);
		if (!bound_counts(r, i))
			continue;
		bound_wait(w, i, r->trace->jobs[i].gpus);
		r->jobs[i].bound_sec =
			(2 + bound_paid(w, i)) * r->term_sec + r->grace_sec;
	}
}

int astra_bounds_fill(struct astra_sim_result *r)
{
	struct bound_walk w;
	int rc = bound_init(&w, r);

	for (size_t i = 0; i < r->trace->job_count; i++)
		r->jobs[i].bound_sec = 0;
	if (!rc && r->term_sec > 0)
		bound_walk(&w);
	bound_fini(&w);
	return rc;
}
