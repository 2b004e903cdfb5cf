/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The apps of a round: jobs that belong together, what they have left to do,
 * and what they hold. */
#ifndef ASTRA_THEMIS_PARTIES_H
#define ASTRA_THEMIS_PARTIES_H

#include "src/policies/policy.h"
#include "src/policies/themis/memories.h"
#include "src/policies/themis/themis.h"

/* One app in one round. */
struct themis_party {
	uint64_t key;
	const uint32_t *demands; /* indices of its jobs' */
	size_t demand_count;
	struct astra_themis_phase phase; /* all its jobs */
	uint64_t job_count;		 /* of them */
	uint64_t asked_gpus;		 /* of them */
	uint64_t wanted_gpus;		 /* of those that may get some now */
};

struct themis_parties {
	struct themis_party *list; /* by key */
	size_t count;
	struct astra_themis_app *apps;	       /* of each party */
	struct astra_themis_machine *machines; /* of each node */
	struct astra_themis_home *homes; /* what running jobs compete for */
	size_t home_count;
	/* What the parties and apps point into. */
	uint32_t *order;
	double *work;
	struct astra_themis_share *shares;
};

/* Find the apps of an offer and bring the memories up to its time; their rows
 * are by party then.
 * trust: how badly off an app is may be told by the rho of its bid.
 * Returns 0, or -1 when out of memory; clear parties in both cases. */
int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *memories,
			      const struct astra_offer *offer, bool trust);
void astra_themis_parties_clear(struct themis_parties *parties);

/* A party's jobs in the order in which they are to get its GPUs: as its agent
 * says; else those that are done within a term, the shortest first, so that no
 * job of seconds waits for days beside one of days; then the one with the
 * longest way to go first, as its app is done when its last job is. Of these
 * one that runs stays ahead by a term of another, so that two of a length do
 * not take turns. order: gets the indices of its demands. */
void astra_themis_order_jobs(const struct themis_party *party,
			     const struct astra_offer *offer, uint32_t *order);

#endif
