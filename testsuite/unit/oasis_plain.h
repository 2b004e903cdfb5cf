/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS as the paper has it, without a shortcut: every price is a power, every
 * slot sorts its servers, and the dynamic programme tries everything. To
 * compare with; and random instances. */
#ifndef ASTRA_OASIS_PLAIN_H
#define ASTRA_OASIS_PLAIN_H

#include "src/common/random.h"
#include "src/policies/oasis/oasis.h"

enum { PLAIN_RESOURCES = 3, PLAIN_JOBS = 64 };

struct plain_side {
	size_t count;
	double *capacity, *used; /* by server; by slot, then server */
	const double *upper;
	double lower;
};

struct plain_world {
	uint32_t slots;
	bool whole_chunks;
	struct plain_side workers, ps;
	struct astra_oasis_range range;
	struct astra_oasis_job jobs[PLAIN_JOBS]; /* by arrival */
	double demand[PLAIN_JOBS][2][PLAIN_RESOURCES];
	size_t job_count;
};

/* How large a random world is at most. */
struct plain_size {
	uint32_t slots, servers, ps_servers, jobs, workers;
	double epochs;
	double capacity; /* in workers of average size */
};

/* Units that a slot does with n workers, and what they cost there. */
struct plain_best {
	double payoff, cost;
	uint32_t ending;  /* slot, from 0 */
	uint32_t *counts; /* workers per slot */
};

void plain_world_random(struct plain_world *world,
			const struct plain_size *size, uint64_t seed);
/* Higher prices L, so that more is refused. */
void plain_world_raise(struct plain_world *world, double times);

void plain_world_free(struct plain_world *world);

struct astra_oasis_setup plain_setup(const struct plain_world *world);

/* Cost of n workers and their PSs in a slot (from 0); infinite where there is
 * no room. */
double plain_cost(const struct plain_world *world,
		  const struct astra_oasis_job *job, uint32_t slot, uint32_t n);

/* The dynamic programme for every ending. counts: room for all slots. */
void plain_offer(const struct plain_world *world,
		 const struct astra_oasis_job *job, struct plain_best *out);

/* Use what a schedule uses. Returns -1 where a server has not so much. */
int plain_commit(struct plain_world *world, const struct astra_oasis_job *job,
		 const struct astra_oasis_offer *offer);

#endif
