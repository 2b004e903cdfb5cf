/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The apps of a round: jobs that belong together, their remaining work, and
 * what they hold. */
#ifndef ASTRA_THEMIS_PARTIES_H
#define ASTRA_THEMIS_PARTIES_H

#include "src/policies/policy.h"
#include "src/policies/themis/memories.h"
#include "src/policies/themis/themis.h"

/* One app in one round. */
struct themis_party {
	uint64_t key;
	const uint32_t *demands; /* indices of its jobs' demands */
	size_t demand_count;
	struct astra_themis_phase phase; /* all its jobs */
	uint64_t job_count;		 /* of these demands */
	uint64_t asked_gpus;		 /* of all its jobs */
	uint64_t wanted_gpus;		 /* of its jobs that may get GPUs now */
};

struct themis_parties {
	struct themis_party *list; /* sorted by key */
	size_t count;
	struct astra_themis_app *apps;	       /* of each party */
	struct astra_themis_machine *machines; /* of each node */
	struct astra_themis_home *homes; /* GPUs of running jobs on offer */
	size_t home_count;
	/* Memory that the parties and apps point into. */
	uint32_t *order;
	double *work;
	struct astra_themis_share *shares;
};

/* Finds the apps of an offer and brings the memories up to its time; afterwards
 * row i of the memories is of party i. trust: the rho that an app's bid states
 * may decide how badly off the app is. Returns 0, or -1 when out of memory;
 * clear parties in both cases. */
int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *memories,
			      const struct astra_offer *offer, bool trust);
void astra_themis_parties_clear(struct themis_parties *parties);

/* Lists a party's demands in the order in which they get its GPUs:
 * - as its agent says;
 * - then jobs that are done within a term, the shortest first, so that no job
 *   of seconds waits for days;
 * - then the job with the longest way to go, as its app is done when its last
 *   job is.
 * A running job counts as longer by a term, so that two jobs of equal length do
 * not take turns. order: gets the indices of the demands. */
void astra_themis_order_jobs(const struct themis_party *party,
			     const struct astra_offer *offer, uint32_t *order);

#endif
