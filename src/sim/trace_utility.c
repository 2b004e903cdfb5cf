/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs are worth by when they end. */
#include <string.h>

#include "src/common/grow.h"
#include "src/common/random.h"
#include "src/sim/trace.h"

/* Of the last ones, as profiles are. */
#define UTILITIES_LOOKED_AT 64

uint32_t astra_trace_utility(struct astra_trace *trace,
			     const struct astra_utility *utility)
{
	size_t n = trace->utility_count;

	for (size_t i = n; i-- && n - i <= UTILITIES_LOOKED_AT;)
		if (!memcmp(&trace->utilities[i], utility, sizeof(*utility)))
			return (uint32_t)i + 1;
	if (astra_grow(&trace->utilities, &trace->utility_room, n + 1,
		       sizeof(*utility)) < 0)
		return ASTRA_NONE;
	trace->utilities[trace->utility_count++] = *utility;
	return (uint32_t)trace->utility_count;
}

/* FNV-1a, to begin a job's own random numbers with. */
static uint64_t trace_utility_hash_of(const struct astra_trace_job *job)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *c = job->name ? job->name : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	return hash + job->line * UINT64_C(0x9e3779b97f4a7c15);
}

static double between(struct astra_random *random, double least, double most)
{
	return least + (most - least) * astra_random_uniform(random);
}

/* The classes of OASiS (Bao et al., INFOCOM'18, section V): of the jobs 10 %
 * do not mind when they end, 55 % do, and of 35 % the time is critical. An hour
 * is a slot there. A job's worth does not grow with its GPUs. */
static struct astra_utility make_up(struct astra_random *random)
{
	struct astra_utility u = {.kind = ASTRA_UTILITY_SIGMOID};
	double kind = astra_random_uniform(random);

	u.sigmoid.g1 = between(random, 1, 100);
	u.sigmoid.g3 = between(random, 1, 15);
	if (kind >= .65)
		u.sigmoid.g2 = between(random, 4, 6);
	else if (kind >= .1)
		u.sigmoid.g2 = between(random, .01, 1);
	return u;
}

struct astra_utility astra_trace_job_utility(const struct astra_trace *trace,
					     uint32_t job, uint64_t seed)
{
	const struct astra_trace_job *t = &trace->jobs[job];
	struct astra_random random;

	if (t->utility)
		return trace->utilities[t->utility - 1];
	random = astra_random_seed(seed ^ trace_utility_hash_of(t));
	return make_up(&random);
}
