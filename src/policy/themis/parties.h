/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The apps of a round: jobs that belong together, what they have left to do,
 * what they hold, and what is remembered of them from round to round. */
#ifndef ASTRA_THEMIS_PARTIES_H
#define ASTRA_THEMIS_PARTIES_H

#include "src/policy/policy.h"
#include "src/policy/themis/app.h"
#include "src/policy/themis/filter.h"

/* What is remembered of an app. */
struct themis_memory {
	uint64_t key;
	double start_sec;     /* its first job's submission */
	double first_sec;     /* when it was seen first */
	double before;	      /* active apps, integrated up to then */
	double budget_sec;    /* GPU-seconds: the most work it had at once */
	uint32_t rank, ranks; /* in the last round, by rho; 0: none */
	bool seen;
};

struct themis_memories {
	struct themis_memory *rows; /* by key */
	size_t count, room;
	double last_sec;    /* of the last round */
	double active;	    /* apps, integrated over time */
	double active_apps; /* since then */
};

/* One app in one round. */
struct themis_party {
	uint64_t key;
	const uint32_t *demands; /* indices of its jobs' */
	size_t demand_count;
	struct astra_themis_app app;
	struct astra_themis_phase phase;
	uint32_t held_gpus;
	uint64_t asked_gpus;  /* of all its jobs */
	uint32_t least_gpus;  /* of those, what the smallest one needs */
	uint64_t wanted_gpus; /* of its jobs that may get some now */
};

struct themis_parties {
	struct themis_party *list; /* by key */
	size_t count;
	struct astra_themis_claim *claims;     /* of each party */
	struct astra_themis_machine *machines; /* of each node */
	/* What the parties point into. */
	uint32_t *order;
	double *work;
	struct astra_themis_share *held;
};

/* The number of the app that a job belongs to: that of --app, its array, or its
 * own. */
uint64_t astra_themis_key(const struct astra_job *job);

/* Find the apps of an offer, how badly off they are, and bring the memories up
 * to its time. The memories' rows are by party then.
 * Returns 0, or -1 when memory is out; clear parties in both cases. */
int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *memories,
			      const struct astra_offer *offer);
void astra_themis_parties_clear(struct themis_parties *parties);

/* What is remembered of an app, or NULL. */
const struct themis_memory *
astra_themis_recall(const struct themis_memories *memories, uint64_t key);

/* GPU-seconds of work left of one of a demand's jobs, on one GPU. */
double astra_themis_left(const struct astra_job *job);

#endif
