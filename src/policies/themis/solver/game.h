/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An auction as its solvers see it: one number for each bundle. Private to the
 * auction.
 *
 * The aim "as many served as possible, then the largest sum of log V" is one
 * number here, the score: `unit` + log V for a bidder that is served, else 0.
 * The unit is a power of two that is more than twice any sum of log V. So sums
 * of scores compare as the pairs do. The cost is as many of the 53 bits as the
 * unit takes. */
#ifndef ASTRA_THEMIS_GAME_H
#define ASTRA_THEMIS_GAME_H

#include "src/common/arena.h"
#include "src/policies/themis/auction.h"

#define ASTRA_THEMIS_NONE UINT32_MAX

/* Differences of score sums up to this are rounding errors. */
#define ASTRA_THEMIS_GAIN 1e-10

/* As fmax() and fmin(), without a function call. */
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
	/* score[level][x] for x GPUs offered, 0 <= x <= room. For x = 0, at
	 * each level, it is the score of what is held. GPUs beyond a multiple
	 * of the quantum count for nothing. */
	const double *score[ASTRA_LEVEL_COUNT];
	uint32_t room;	  /* most GPUs that it can be offered */
	uint32_t held;	  /* GPUs */
	uint32_t machine; /* the only machine that it holds GPUs on, or NONE */
	uint32_t rack;	  /* the only rack, or NONE */
	enum astra_level spread; /* SLOT: it holds none; MACHINE: on one
				  * machine; RACK: on several machines of a
				  * rack; CROSS: on several racks */
	enum astra_level level;	 /* level of the GPUs that it holds */
	/* most[x]: an upper bound of the score of x GPUs. NULL: score[level][x]
	 * is such a bound. */
	const double *most;
	bool flat; /* the level makes no difference */
	/* The bidder chooses its machines itself, whatever the node: each of
	 * its jobs wants this many GPUs on one machine. 0: the node decides. */
	uint32_t job_gpus;
};

struct astra_themis_game {
	struct astra_arena arena;		     /* memory of all of it */
	const struct astra_themis_machine *machines; /* borrowed */
	size_t machine_count;
	const struct astra_themis_bidder *bidders; /* borrowed */
	size_t count;
	struct astra_themis_player *players;
	uint32_t free; /* GPUs of all machines */
	double unit;
	bool unproved; /* the search does not bound its result */
};

/* Initialises a game. Returns 0, or -1 with err set; clear it in both cases. */
int astra_themis_game_init(struct astra_themis_game *game,
			   const struct astra_themis_machine *machines,
			   size_t machine_count,
			   const struct astra_themis_bidder *bidders,
			   size_t bidder_count, struct astra_error *err);
void astra_themis_game_clear(struct astra_themis_game *game);

/* Returns how many bidders a sum of scores serves. Sets *log_product to the sum
 * of their log V. */
size_t astra_themis_served(const struct astra_themis_game *game, double score,
			   double *log_product);

/* Returns the score of a bidder that is offered these shares in addition to
 * what it holds. shares: no empty ones. */
double astra_themis_score(const struct astra_themis_game *game, size_t bidder,
			  const struct astra_themis_share *shares,
			  size_t count);

/* The exact solver. */

/* Whether the exact solver can be used: the product of (free + 1) is at most
 * 3000. */
bool astra_themis_exact_fits(const struct astra_themis_game *game);

/* Writes pf to out's shares and first, which have room for it. Sets without[i]
 * to the best sum of scores of the other bidders without bidder i. Returns 0,
 * or -1 with err set. */
int astra_themis_exact(const struct astra_themis_game *game,
		       struct astra_themis_auction *out, double *without,
		       struct astra_error *err);

/* As astra_themis_exact(), but by local search; also sets out's bounds unless
 * unproved. room: number of out's shares. own: gets the score of each bidder in
 * pf, to compare with `without`. It is the score of its place, or the table's
 * if that is an estimate. Returns 0, or -1 with err set. */
int astra_themis_search(struct astra_themis_game *game,
			struct astra_themis_auction *out, size_t room,
			double *own, double *without, struct astra_error *err);

#endif
