/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/oasis/recent.h"

#include <math.h>

#include "src/policies/oasis/oasis_priv.h"

/* A U of more than 2^OUTLIER_EXPONENT times the median is an outlier. */
#define OUTLIER_EXPONENT 20

/* The exponent of the first bucket. */
#define LEAST_EXPONENT (-64)

static void generation_init(struct oasis_generation *generation)
{
	*generation = (struct oasis_generation){.history = {0}};
	astra_oasis_history_init(&generation->history);
}

void oasis_recent_init(struct oasis_recent *recent)
{
	generation_init(&recent->now);
	generation_init(&recent->before);
}

/* worth: > 0 */
static int recent_bucket_of(double worth)
{
	int exponent = ilogb(fmin(worth, ASTRA_OASIS_PRICE_MAX));

	if (exponent < LEAST_EXPONENT)
		return 0;
	if (exponent >= LEAST_EXPONENT + OASIS_WORTH_BUCKETS)
		return OASIS_WORTH_BUCKETS - 1;
	return exponent - LEAST_EXPONENT;
}

void oasis_recent_add(struct oasis_recent *recent,
		      const struct astra_oasis_job *job, double latest)
{
	double best = oasis_best(job);

	if (recent->now.history.jobs >= OASIS_GENERATION_JOBS) {
		recent->before = recent->now;
		generation_init(&recent->now);
	}
	astra_oasis_history_add(&recent->now.history, job, latest,
				OASIS_POOL_RESOURCES);
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		if (best > 0 && job->worker[r] > 0)
			recent->now.worths[r][recent_bucket_of(
				best / job->worker[r])]++;
}

/* Return 2^OUTLIER_EXPONENT times the median, rounded up to a power of two. */
static double cap_of(const struct oasis_recent *recent, size_t resource)
{
	const uint32_t *now = recent->now.worths[resource];
	const uint32_t *before = recent->before.worths[resource];
	uint64_t total = 0, below = 0;
	int i = 0;

	for (int k = 0; k < OASIS_WORTH_BUCKETS; k++)
		total += (uint64_t)now[k] + before[k];
	if (!total)
		return ASTRA_OASIS_PRICE_MAX;
	while (2 * (below += (uint64_t)now[i] + before[i]) < total)
		i++;
	return ldexp(1, LEAST_EXPONENT + i + 1 + OUTLIER_EXPONENT);
}

void oasis_recent_range(const struct oasis_recent *recent, double slots,
			double capacity, struct astra_oasis_range *out)
{
	const struct astra_oasis_history *a = &recent->now.history;
	const struct astra_oasis_history *b = &recent->before.history;
	struct astra_oasis_history both = *a;

	both.jobs += b->jobs;
	both.least1 = fmin(a->least1, b->least1);
	both.work1 = fmin(a->work1, b->work1);
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		both.u1[r] = fmin(fmax(a->u1[r], b->u1[r]), cap_of(recent, r));
	astra_oasis_history_range(&both, OASIS_POOL_RESOURCES, slots, capacity,
				  0, out);
}

static void put_generation(const struct oasis_generation *generation,
			   struct astra_bytes *out)
{
	astra_oasis_history_save(&generation->history, out);
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		for (size_t i = 0; i < OASIS_WORTH_BUCKETS; i++)
			astra_put_u32(out, generation->worths[r][i]);
}

static int get_generation(struct oasis_generation *generation,
			  struct astra_reader *in)
{
	if (astra_oasis_history_restore(&generation->history, in) < 0)
		return -1;
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		for (size_t i = 0; i < OASIS_WORTH_BUCKETS; i++)
			generation->worths[r][i] = astra_get_u32(in);
	return in->failed ? -1 : 0;
}

void oasis_recent_save(const struct oasis_recent *recent,
		       struct astra_bytes *out)
{
	put_generation(&recent->now, out);
	put_generation(&recent->before, out);
}

int oasis_recent_restore(struct oasis_recent *recent, struct astra_reader *in)
{
	oasis_recent_init(recent);
	if (get_generation(&recent->now, in) == 0 &&
	    get_generation(&recent->before, in) == 0)
		return 0;
	oasis_recent_init(recent);
	return -1;
}
