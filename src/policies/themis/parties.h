/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The apps of a round: jobs that belong together, their remaining work, and
 * what they hold. */
#ifndef ASTRA_THEMIS_PARTIES_H
#define ASTRA_THEMIS_PARTIES_H

#include "src/policies/policy.h"
#include "src/policies/themis/memories.h"
#include "src/policies/themis/themis.h"

/* An app in one round. */
struct themis_party {
	uint64_t key;
	const uint32_t *demands; /* indices of its jobs' demands */
	size_t demand_count;
	struct astra_themis_phase phase; /* a phase with all its jobs */
	uint64_t job_count;		 /* number of jobs of these demands */
	uint64_t asked_gpus;		 /* GPUs that all its jobs ask for */
	uint64_t wanted_gpus;		 /* GPUs that its jobs which may get
					  * GPUs now ask for */
};

struct themis_parties {
	struct themis_party *list; /* sorted by key */
	size_t count;
	struct astra_themis_app *apps;	       /* by party */
	struct astra_themis_machine *machines; /* by node */
	struct astra_themis_home *homes; /* GPUs on offer on which jobs run */
	size_t home_count;
	/* Memory into which parties and apps point. */
	uint32_t *order;
	double *work;
	struct astra_themis_share *shares;
};

/* Finds the apps of an offer and updates the memories to its time. Afterwards
 * row i of the memories belongs to party i. trust: the rho that an app's bid
 * states may decide how badly off the app is. Returns 0, or -1 when out of
 * memory; clear parties in both cases. */
int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *memories,
			      const struct astra_offer *offer, bool trust);
void astra_themis_parties_clear(struct themis_parties *parties);

/* Lists a party's demands in the order in which they get its GPUs:
 * - as its agent says;
 * - then jobs that will be done within a term, the shortest first, so that no
 *   job of seconds waits for days;
 * - then the jobs with the most remaining work, as the app is done when its
 *   last job is.
 * A running job counts as longer by a term, so that two jobs of equal length do
 * not take turns. order: gets the indices of the demands. */
void astra_themis_order_jobs(const struct themis_party *party,
			     const struct astra_offer *offer, uint32_t *order);

#endif
