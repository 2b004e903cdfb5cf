/* SPDX-License-Identifier: GPL-2.0-or-later */
/* U and L of a pool that runs all year: by the jobs of late, not by all there
 * ever were, and not by one that claims to be worth more than anything.
 *
 * U and L are of the last 1,000 to 2,000 jobs, in two generations. U is the
 * paper's, max f/w by resource (Bao et al.), but no more than 2^20 times the
 * median of what jobs are worth a GPU: with one absurd worth for U, GPUs that
 * are half in use would cost more than anybody has. Both are saved with the
 * plans. They begin anew with another SlotLength, whose unit they have. They
 * also begin anew if the nodes' CPUs or memory for a GPU have more than doubled
 * or halved.
 */
#ifndef ASTRA_OASIS_RECENT_H
#define ASTRA_OASIS_RECENT_H

#include "src/policies/oasis/oasis.h"

/* Resources that a pool has prices for. */
enum oasis_resource {
	OASIS_GPUS,
	OASIS_CPUS,
	OASIS_MEMORY,
	OASIS_POOL_RESOURCES
};

/* Jobs in a generation. U and L are from the last jobs: between one and two
 * generations. */
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

/* As astra_oasis_history_range() of both generations, except that no U1^r is
 * more than 2^20 times the median of f(D - 1) / w^r over the jobs. Otherwise a
 * single extreme worth would let a half full market cost more than anybody has.
 * capacity: the sum of the pool's over all resources. */
void oasis_recent_range(const struct oasis_recent *recent, double slots,
			double capacity, struct astra_oasis_range *out);

void oasis_recent_save(const struct oasis_recent *recent,
		       struct astra_bytes *out);

/* Restore. Returns 0, or -1 when it is damaged; then recent is as after
 * init. */
int oasis_recent_restore(struct oasis_recent *recent, struct astra_reader *in);

#endif
