/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An auction as its solvers see it: one number for each bundle. Private to the
 * auction.
 *
 * "As many served as possible, then the largest sum of log V" is one number
 * here: the score, which is `unit` + log V for somebody who is served and 0 for
 * somebody who is not. The unit is a power of two that is more than twice any
 * sum of log V, so that sums of scores compare as the pairs do; it costs that
 * many bits of the 53.
 */
#ifndef ASTRA_THEMIS_GAME_H
#define ASTRA_THEMIS_GAME_H

#include "src/common/arena.h"
#include "src/policies/themis/auction.h"

#define ASTRA_THEMIS_NONE UINT32_MAX

/* What is more than rounding when two sums of scores are compared. */
#define ASTRA_THEMIS_GAIN 1e-10

/* fmax() and fmin() are calls. */
static inline double astra_themis_max(double a, double b)
{
	return a > b ? a : b;
}

static inline double astra_themis_min(double a, double b)
{
	return a < b ? a : b;
}

/* A bidder, with scores for its bid. */
struct astra_themis_player {
	/* score[level][x] for x GPUs offered, 0 <= x <= room. At x = 0 it is
	 * that of what is held, at each level. What is over a multiple of the
	 * quantum counts for nothing. */
	const double *score[ASTRA_LEVEL_COUNT];
	uint32_t room;	  /* most that it can be offered */
	uint32_t held;	  /* GPUs */
	uint32_t machine; /* that it holds GPUs on, the only one, or NONE */
	uint32_t rack;	  /* likewise */
	enum astra_level spread; /* SLOT: holds none; MACHINE: on one machine;
				  * RACK: on several of one rack; CROSS */
	enum astra_level level;	 /* of what it holds */
	/* most[x]: no x GPUs have a larger score; NULL: none at a level have a
	 * larger one than score[level][x]. */
	const double *most;
	bool flat; /* the level makes no difference */
	/* Where it gets GPUs is its own choice, whatever the node: of its jobs
	 * each wants so many on one machine. 0: the node says where. */
	uint32_t job_gpus;
};

struct astra_themis_game {
	struct astra_arena arena;		     /* has all of it */
	const struct astra_themis_machine *machines; /* borrowed */
	size_t machine_count;
	const struct astra_themis_bidder *bidders; /* borrowed */
	size_t count;
	struct astra_themis_player *players;
	uint32_t free; /* GPUs of all machines */
	double unit;
	bool unproved; /* the search need not say how good it is */
};

/* Returns 0, or -1 with err set; clear it in both cases. */
int astra_themis_game_init(struct astra_themis_game *game,
			   const struct astra_themis_machine *machines,
			   size_t machine_count,
			   const struct astra_themis_bidder *bidders,
			   size_t bidder_count, struct astra_error *err);
void astra_themis_game_clear(struct astra_themis_game *game);

/* How many a sum of scores serves, and their sum of log V. */
size_t astra_themis_served(const struct astra_themis_game *game, double score,
			   double *log_product);

/* The score of a bidder that is offered these x GPUs on those machines beside
 * what it holds. shares: without empty ones. */
double astra_themis_score(const struct astra_themis_game *game, size_t bidder,
			  const struct astra_themis_share *shares,
			  size_t count);

/* The exact solver. */

/* Whether the product of (free + 1) is at most 3000. */
bool astra_themis_exact_fits(const struct astra_themis_game *game);

/* Write pf to out's shares and first, which have room for it, and to
 * without[i] the best sum of scores that the others have without bidder i.
 * Returns 0, or -1 with err set. */
int astra_themis_exact(const struct astra_themis_game *game,
		       struct astra_themis_auction *out, double *without,
		       struct astra_error *err);

/* The local search, likewise, and out's bounds, none if unproved.
 * room: of out's shares.
 * own: gets the score of each bidder in pf, for comparison with `without`: that
 *   of its place, or the table's where that is an estimate. */
int astra_themis_search(struct astra_themis_game *game,
			struct astra_themis_auction *out, size_t room,
			double *own, double *without, struct astra_error *err);

#endif
