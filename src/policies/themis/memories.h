/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of apps between rounds. */
#ifndef ASTRA_THEMIS_MEMORIES_H
#define ASTRA_THEMIS_MEMORIES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/bytes.h"

/* Counts how many apps are active over time, to compute N_avg, by which T_id is
 * multiplied. (Mahajan et al., NSDI'20, section 3; SPEC section 2) One census
 * serves all apps; its members can be saved and restored as they are. If
 * zeroed, no app was active since time 0. */
struct astra_themis_census {
	double clock_sec;
	double app_sec; /* integral of the number of active apps up to clock_sec
			 */
	uint32_t active;
};

/* Returns the integral of active apps at a time. A time before the census'
 * clock counts as the clock's. */
double astra_themis_census_sum(const struct astra_themis_census *census,
			       double now_sec);

/* Sets how many apps are active from now_sec on. A time before the census'
 * clock counts as the clock's. */
void astra_themis_census_set(struct astra_themis_census *census, double now_sec,
			     uint32_t active);

/* Returns N_avg of an app: the mean number of active apps since its start, when
 * the integral was start_app_sec. If it starts now, returns the present
 * number. */
double astra_themis_navg(const struct astra_themis_census *census,
			 double start_sec, double start_app_sec,
			 double now_sec);

/* How an app fared in the last auction in which it wanted GPUs. */
struct themis_fare {
	uint64_t auction;     /* index of the auction; 0: none yet */
	uint32_t rank, ranks; /* rank by rho, and how many apps were ranked */
	bool offered;
	uint32_t won, kept, given; /* numbers of GPUs */
	double c;		   /* factor of its hidden payment */
};

struct themis_memory {
	uint64_t key;	   /* of the app */
	double start_sec;  /* its first job's submission */
	double first_sec;  /* when a round first saw it */
	double before;	   /* the census' integral at first_sec */
	double budget_sec; /* the most work that it had at one time, in
			    * GPU-seconds */
	uint32_t gpus;	   /* the most GPUs that it asked for at one time */
	struct themis_fare fare;
	bool seen;
};

struct themis_memories {
	struct themis_memory *rows; /* sorted by key */
	size_t count, room;
	struct astra_themis_census census; /* of active apps */
};

/* What a round sees of an app. */
struct themis_sight {
	uint64_t key;
	double start_sec, budget_sec;
	uint32_t gpus;
};

/* Forgets the apps that are not seen and adds new ones. Afterwards row i
 * belongs to sights[i]. sights: sorted by key, each key once. Returns 0, or -1
 * when out of memory: then do not use the memories. */
int astra_themis_remember(struct themis_memories *memories,
			  const struct themis_sight *sights, size_t count,
			  double now_sec);

/* Returns what is remembered of an app, or NULL. */
const struct themis_memory *
astra_themis_recall(const struct themis_memories *memories, uint64_t key);

/* Returns the mean number of active apps over an app's life so far, N_avg. */
double astra_themis_life_navg(const struct themis_memories *memories,
			      const struct themis_memory *app, double now_sec);

/* Save, restore and shift the memories, as the policy's functions of these
 * names do. Fares are not included. */
int astra_themis_memories_save(const struct themis_memories *memories,
			       struct astra_bytes *out);
int astra_themis_memories_restore(struct themis_memories *memories,
				  struct astra_reader *in);
/* Save and restore the fares of the rows that the functions above handle. */
void astra_themis_fares_save(const struct themis_memories *memories,
			     struct astra_bytes *out);
int astra_themis_fares_restore(struct themis_memories *memories,
			       struct astra_reader *in);
void astra_themis_memories_shift(struct themis_memories *memories,
				 double by_sec);
void astra_themis_memories_clear(struct themis_memories *memories);

#endif
