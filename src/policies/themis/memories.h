/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is remembered of apps from round to round. */
#ifndef ASTRA_THEMIS_MEMORIES_H
#define ASTRA_THEMIS_MEMORIES_H

#include <stdbool.h>
#include <stdint.h>

#include "src/common/bytes.h"

/* How many apps were active over an app's life: N_avg, by which T_id is
 * stretched. (Mahajan et al., NSDI'20, section 3; SPEC section 2)
 * One for all apps; plain numbers, to be saved and restored as they are. Zeroed
 * it stands for "nobody since time 0". */
struct astra_themis_census {
	double clock_sec;
	double app_sec; /* integral of the number of active apps until then */
	uint32_t active;
};

/* The integral at a time; not before the clock. */
double astra_themis_census_sum(const struct astra_themis_census *census,
			       double now_sec);

/* From now on so many are active. A time before the clock is the clock's. */
void astra_themis_census_set(struct astra_themis_census *census, double now_sec,
			     uint32_t active);

/* N_avg of an app: the mean number of active apps since its start, when the
 * integral was start_app_sec; the present number if that is now. */
double astra_themis_navg(const struct astra_themis_census *census,
			 double start_sec, double start_app_sec,
			 double now_sec);

/* How an app fared in the last auction that it wanted GPUs of. */
struct themis_fare {
	uint64_t auction;     /* its number; 0: it was in none */
	uint32_t rank, ranks; /* by rho */
	bool offered;
	uint32_t won, kept, given; /* GPUs */
	double c;		   /* its hidden payment's factor */
};

struct themis_memory {
	uint64_t key;	   /* of the app */
	double start_sec;  /* its first job's submission */
	double first_sec;  /* when it was seen first */
	double before;	   /* the census' sum then */
	double budget_sec; /* GPU-seconds: the most work it had at once */
	uint32_t gpus;	   /* the most that it asked for at once */
	struct themis_fare fare;
	bool seen;
};

struct themis_memories {
	struct themis_memory *rows; /* by key */
	size_t count, room;
	struct astra_themis_census census; /* of active apps */
};

/* What a round shows of an app. */
struct themis_sight {
	uint64_t key;
	double start_sec, budget_sec;
	uint32_t gpus;
};

/* Apps that are not seen are forgotten, new ones begin; then row i is of
 * sights[i].
 * sights: by key, each once.
 * Returns 0, or -1 when out of memory: then the memories are not to be used. */
int astra_themis_remember(struct themis_memories *memories,
			  const struct themis_sight *sights, size_t count,
			  double now_sec);

/* What is remembered of an app, or NULL. */
const struct themis_memory *
astra_themis_recall(const struct themis_memories *memories, uint64_t key);

/* Mean number of active apps over an app's life so far, N_avg. */
double astra_themis_life_navg(const struct themis_memories *memories,
			      const struct themis_memory *app, double now_sec);

/* As a policy's save, restore and shift, but for how apps fared. */
int astra_themis_memories_save(const struct themis_memories *memories,
			       struct astra_bytes *out);
int astra_themis_memories_restore(struct themis_memories *memories,
				  struct astra_reader *in);
/* How apps fared, for the same rows. */
void astra_themis_fares_save(const struct themis_memories *memories,
			     struct astra_bytes *out);
int astra_themis_fares_restore(struct themis_memories *memories,
			       struct astra_reader *in);
void astra_themis_memories_shift(struct themis_memories *memories,
				 double by_sec);
void astra_themis_memories_clear(struct themis_memories *memories);

#endif
