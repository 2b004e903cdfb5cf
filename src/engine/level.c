/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The level of a tenant, or of a user of a tenant: how many GPUs each of its
 * active jobs would have if the GPUs that it may use were divided evenly among
 * them,
 *
 *   sum over jobs of min(gpus, level) = max(Quota, what they hold)
 *
 * A job that asks for less leaves the rest to the others. At this size an
 * elastic job permanently has what a rigid job beside it has by turns. */
#include <math.h>
#include <stdlib.h>

#include "src/engine/engine_priv.h"

/* The number of GPUs that each of `copies` jobs of a line can use. A line is a
 * tenant or a user. */
struct level_cap {
	uint32_t line, copies;
	double gpus;
};

/* Return a job's line: the index of its tenant if it has no user, else the
 * number of tenants plus the index of its user. */
static uint32_t level_line(const struct astra_engine *e, const struct ejob *j)
{
	return j->user == ASTRA_NONE ? j->tenant
				     : (uint32_t)e->tenant_count + j->user;
}

static int level_order(const void *a, const void *b)
{
	const struct level_cap *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

static bool level_active(const struct ejob *j)
{
	return j->id && j->copies && astra_ejob_active(j);
}

static double level_quota(const struct astra_engine *e, size_t line)
{
	if (line < e->tenant_count)
		return astra_fairness_quota(e->account,
					    e->tenants[line].account);
	return astra_fairness_user_quota(
		e->account, e->users[line - e->tenant_count].account);
}

/* Return the level of a line; infinite: there are enough GPUs for all its jobs.
 * caps: those of the line, sorted by gpus. */
static double level_pour(const struct level_cap *caps, size_t count,
			 double gpus)
{
	double jobs = 0;

	for (size_t i = 0; i < count; i++)
		jobs += caps[i].copies;
	for (size_t i = 0; i < count; i++) {
		if (caps[i].gpus * jobs >= gpus)
			return gpus / jobs;
		gpus -= caps[i].gpus * caps[i].copies;
		jobs -= caps[i].copies;
	}
	return HUGE_VAL;
}

/* Collect the caps of active jobs. held: by line, what its jobs hold. Returns
 * the number of caps. */
static size_t level_collect(const struct astra_engine *e,
			    struct level_cap *caps, double *held)
{
	size_t count = 0;

	for (size_t i = 0; i < e->job_count; i++) {
		const struct ejob *j = &e->jobs[i];

		if (!level_active(j))
			continue;
		caps[count++] = (struct level_cap){
			.line = level_line(e, j),
			.copies = j->copies,
			.gpus = j->gpus,
		};
		if (j->state == ASTRA_JOB_RUNNING)
			held[level_line(e, j)] += j->held_gpus;
	}
	qsort(caps, count, sizeof(*caps), level_order);
	return count;
}

int astra_levels_find(struct round *r)
{
	const struct astra_engine *e = r->e;
	size_t lines = e->tenant_count + e->user_count, count;
	struct level_cap *caps;
	double *held;
	int rc = -1;

	if (r->levels)
		return 0;
	caps = calloc(e->job_count + 1, sizeof(*caps));
	held = calloc(lines + 1, sizeof(*held));
	r->levels = calloc(lines + 1, sizeof(*r->levels));
	if (!caps || !held || !r->levels)
		goto out;
	count = level_collect(e, caps, held);
	for (size_t i = 0, end; i < count; i = end) {
		uint32_t line = caps[i].line;

		for (end = i; end < count && caps[end].line == line; end++)
			;
		r->levels[line] =
			level_pour(&caps[i], end - i,
				   fmax(level_quota(e, line), held[line]));
	}
	rc = 0;
out:
	free(caps);
	free(held);
	return rc;
}

uint32_t astra_level_gpus(const struct round *r, const struct ejob *j)
{
	return (uint32_t)fmin(r->levels[level_line(r->e, j)], j->gpus);
}
