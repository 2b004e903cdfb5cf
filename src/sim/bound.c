/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long each job may wait for its first start. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/simulate.h"

struct bound_start {
	double sec;
	uint32_t job;
};

static int bound_order(const void *a, const void *b)
{
	const struct bound_start *x = a, *y = b;

	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static bool bound_counts(const struct astra_sim_result *r, size_t job)
{
	return !r->jobs[job].misfit && r->trace->jobs[job].gpus <= r->gpus;
}

/* The first starts by time. Returns how many. */
static size_t bound_starts(const struct astra_sim_result *r,
			   struct bound_start *starts)
{
	size_t count = 0;

	for (uint32_t i = 0; i < r->trace->job_count; i++)
		if (r->jobs[i].start_sec >= 0 && bound_counts(r, i))
			starts[count++] =
				(struct bound_start){r->jobs[i].start_sec, i};
	qsort(starts, count, sizeof(*starts), bound_order);
	return count;
}

static double bound_quota(const struct astra_sim_result *r, uint32_t tenant,
			  double weight_sum)
{
	double weight = r->trace->tenants[tenant].weight;

	return weight > 0 ? (double)r->gpus * weight / weight_sum : 0;
}

/* waiting: GPUs of the never-run jobs of each tenant. Jobs are in the order of
 * their submission; one that starts in the moment of another's has not yet. */
static void bound_walk(struct astra_sim_result *r,
		       const struct bound_start *starts, size_t count,
		       double *waiting)
{
	const struct astra_trace *t = r->trace;
	double weight_sum = 0;
	size_t next = 0;

	for (size_t i = 0; i < t->tenant_count; i++)
		weight_sum += t->tenants[i].weight;
	for (size_t i = 0; i < t->job_count; i++) {
		const struct astra_trace_job *job = &t->jobs[i];
		double *mine = &waiting[job->tenant];

		for (; next < count && starts[next].sec < job->submit_sec;
		     next++) {
			const struct astra_trace_job *s =
				&t->jobs[starts[next].job];

			waiting[s->tenant] -= s->gpus;
		}
		if (!bound_counts(r, i))
			continue;
		*mine += job->gpus;
		r->jobs[i].bound_sec =
			(2 + *mine / bound_quota(r, job->tenant, weight_sum)) *
				r->term_sec +
			r->grace_sec;
	}
}

int astra_bounds_fill(struct astra_sim_result *r)
{
	struct bound_start *starts =
		calloc(r->trace->job_count + 1, sizeof(*starts));
	double *waiting = calloc(r->trace->tenant_count + 1, sizeof(*waiting));
	int rc = starts && waiting ? 0 : -1;

	for (size_t i = 0; i < r->trace->job_count; i++)
		r->jobs[i].bound_sec = 0;
	if (!rc && r->term_sec > 0)
		bound_walk(r, starts, bound_starts(r, starts), waiting);
	free(starts);
	free(waiting);
	return rc;
}
