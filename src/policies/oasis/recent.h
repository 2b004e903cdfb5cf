/* SPDX-License-Identifier: GPL-2.0-or-later */
/* U and L of a pool that runs all year. They are estimated from recent jobs,
 * not from all jobs ever, and not from one job that claims to be worth more
 * than anything.
 *
 * U and L are those of the last 1,000 to 2,000 jobs, kept in two generations. U
 * is the paper's, max f/w by resource (Bao et al.), but no more than 2^20 times
 * the median of what jobs are worth per GPU. If one absurd worth set U, GPUs
 * that are half in use would cost more than any job is worth. Both are saved
 * with the plans. They begin anew if SlotLength changes, which is the unit of
 * time, or if the nodes' CPUs or memory per GPU have more than doubled or
 * halved. */
#ifndef ASTRA_OASIS_RECENT_H
#define ASTRA_OASIS_RECENT_H

#include "src/policies/oasis/oasis.h"

/* The resources of a pool that have prices. */
enum oasis_resource {
	OASIS_GPUS,
	OASIS_CPUS,
	OASIS_MEMORY,
	OASIS_POOL_RESOURCES
};

/* Jobs in a generation. U and L come from the last one to two generations. */
#define OASIS_GENERATION_JOBS 1000

/* Histogram of jobs' worth per unit of a resource, by powers of two. */
#define OASIS_WORTH_BUCKETS 128

struct oasis_generation {
	struct astra_oasis_history history;
	uint32_t worths[OASIS_POOL_RESOURCES][OASIS_WORTH_BUCKETS];
};

/* The last two generations. */
struct oasis_recent {
	struct oasis_generation now, before;
};

void oasis_recent_init(struct oasis_recent *recent);

/* As astra_oasis_history_add(). */
void oasis_recent_add(struct oasis_recent *recent,
		      const struct astra_oasis_job *job, double latest);

/* Estimate U and L from both generations, as astra_oasis_history_range(). But
 * no U1^r is more than 2^20 times the median of f(D - 1) / w^r over the jobs.
 * Otherwise a single extreme worth would make a half-full market cost more than
 * any job is worth. capacity: the pool's, summed over all resources. */
void oasis_recent_range(const struct oasis_recent *recent, double slots,
			double capacity, struct astra_oasis_range *out);

void oasis_recent_save(const struct oasis_recent *recent,
		       struct astra_bytes *out);

/* Restore both generations. Returns 0, or -1 when the data is damaged; then
 * recent is as after oasis_recent_init(). */
int oasis_recent_restore(struct oasis_recent *recent, struct astra_reader *in);

#endif
