/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The auction's optimum by dynamic programming over vectors of free GPUs.
 *
 * A state is a vector of GPUs, at most `free` on each machine. f_i(s) is the
 * best sum that bidders i, i + 1, … can have from s. The best sum without
 * bidder i is then the largest sum of f_{i+1}(s) and of what bidders 0 … i - 1
 * can have from the GPUs outside s. So two tables suffice for all the payments.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/themis/solver/game.h"

enum { STATES_MAX = 3000, MACHINES_MAX = 11 }; /* 2^12 > 3000 */

/* The machines with free GPUs. */
struct grid {
	const struct astra_themis_game *game;
	size_t dims;
	uint32_t machine[MACHINES_MAX], free[MACHINES_MAX];
	size_t stride[MACHINES_MAX];
	size_t states;
};

struct bundle {
	uint32_t x[MACHINES_MAX];
	uint32_t gpus;
	size_t offset; /* distance in the table from a state to the state
			* without the bundle */
	double score;
};

bool astra_themis_exact_fits(const struct astra_themis_game *game)
{
	uint64_t states = 1;

	for (size_t m = 0; m < game->machine_count; m++) {
		states *= (uint64_t)game->machines[m].free + 1;
		if (states > STATES_MAX)
			return false;
	}
	return true;
}

static void grid_init(struct grid *grid, const struct astra_themis_game *game)
{
	*grid = (struct grid){.game = game, .states = 1};
	for (size_t m = 0; m < game->machine_count; m++) {
		if (!game->machines[m].free)
			continue;
		grid->machine[grid->dims] = (uint32_t)m;
		grid->free[grid->dims++] = game->machines[m].free;
	}
	for (size_t d = grid->dims; d-- > 0;) {
		grid->stride[d] = grid->states;
		grid->states *= (size_t)grid->free[d] + 1;
	}
}

/* Steps to the next vector in the order of the states, with at most `top` in
 * each dimension. Returns false after the last one. */
static bool next_vector(uint32_t *x, const uint32_t *top, size_t dims)
{
	while (dims-- > 0) {
		if (x[dims] < top[dims]) {
			x[dims]++;
			return true;
		}
		x[dims] = 0;
	}
	return false;
}

/* Lists the shares of a vector. Returns how many. */
static size_t list_shares(const struct grid *grid, const uint32_t *x,
			  struct astra_themis_share *shares)
{
	size_t count = 0;

	for (size_t d = 0; d < grid->dims; d++)
		if (x[d])
			shares[count++] = (struct astra_themis_share){
				.machine = grid->machine[d], .gpus = x[d]};
	return count;
}

/* Lists the bundles that bidder i can be given and that are better than none.
 * The empty bundle is the first. Returns the number of bundles. */
static size_t list_bundles(const struct grid *grid, size_t i,
			   struct bundle *bundles)
{
	const struct astra_themis_player *player = &grid->game->players[i];
	uint32_t quantum = grid->game->bidders[i].quantum;
	uint32_t x[MACHINES_MAX] = {0};
	size_t count = 1;

	bundles[0] = (struct bundle){.score = player->score[0][0]};
	while (next_vector(x, grid->free, grid->dims)) {
		struct astra_themis_share shares[MACHINES_MAX];
		struct bundle b = {0};

		for (size_t d = 0; d < grid->dims; d++) {
			b.x[d] = x[d];
			b.gpus += x[d];
			b.offset += x[d] * grid->stride[d];
		}
		if (b.gpus > player->room || b.gpus % quantum)
			continue;
		b.score = astra_themis_score(grid->game, i, shares,
					     list_shares(grid, x, shares));
		if (b.score > bundles[0].score)
			bundles[count++] = b;
	}
	return count;
}

/* Sets to[s] = max(to[s], from[s - b] + score of b) for all s >= b. */
static void offer_bundle(const struct grid *grid, const struct bundle *b,
			 const double *restrict from, double *restrict to)
{
	size_t rows = grid->dims - 1, width;
	uint32_t at[MACHINES_MAX] = {0}, top[MACHINES_MAX] = {0};

	for (size_t d = 0; d < grid->dims; d++)
		top[d] = grid->free[d] - b->x[d];
	width = (size_t)top[rows] + 1;
	do {
		const double *old = from;
		double *new;

		for (size_t d = 0; d < rows; d++)
			old += at[d] * grid->stride[d];
		new = to + (old - from) + b->offset;
		for (size_t s = 0; s < width; s++) {
			double value = old[s] + b->score;

			new[s] = value > new[s] ? value : new[s];
		}
	} while (next_vector(at, top, rows));
}

/* Adds a bidder: sets for each state the best sum that includes this bidder. */
static void add_bidder(const struct grid *grid, const struct bundle *bundles,
		       size_t count, const double *from, double *to)
{
	for (size_t s = 0; s < grid->states; s++)
		to[s] = from[s] + bundles[0].score;
	for (size_t k = 1; k < count; k++)
		offer_bundle(grid, &bundles[k], from, to);
}

/* Whether b fits into the state. */
static bool exact_fits(const struct grid *grid, const struct bundle *b,
		       size_t state)
{
	for (size_t d = 0; d < grid->dims; d++)
		if (b->x[d] >
		    state / grid->stride[d] % ((size_t)grid->free[d] + 1))
			return false;
	return true;
}

/* Returns the smallest of the bundles that lead to the best sum. There is
 * always one, as the sum was computed from the same numbers. */
static const struct bundle *pick(const struct grid *grid,
				 const struct bundle *bundles, size_t count,
				 const double *rest, size_t state, double best)
{
	const struct bundle *found = NULL;
	double slack = 1e-14 * fabs(best);

	for (size_t k = 0; k < count; k++) {
		const struct bundle *b = &bundles[k];

		if ((!found || b->gpus < found->gpus) &&
		    exact_fits(grid, b, state) &&
		    rest[state - b->offset] + b->score >= best - slack)
			found = b;
	}
	return found;
}

static void trace(const struct grid *grid, struct bundle *bundles,
		  const double *tables, struct astra_themis_auction *out)
{
	size_t state = grid->states - 1;

	out->first[0] = 0;
	for (size_t i = 0; i < grid->game->count; i++) {
		const double *table = tables + i * grid->states;
		size_t count = list_bundles(grid, i, bundles);
		size_t first = out->first[i];
		const struct bundle *b =
			pick(grid, bundles, count, table + grid->states, state,
			     table[state]);

		state -= b->offset;
		out->first[i + 1] =
			first + list_shares(grid, b->x, out->shares + first);
	}
}

/* Computes for each bidder the best sum without it. before, scratch: a table
 * each. */
static void exact_price(const struct grid *grid, struct bundle *bundles,
			const double *tables, double *before, double *scratch,
			double *without)
{
	memset(before, 0, grid->states * sizeof(*before));
	for (size_t i = 0; i < grid->game->count; i++) {
		const double *after = tables + (i + 1) * grid->states;
		size_t count = list_bundles(grid, i, bundles);
		double *swap = before;

		without[i] = 0.0;
		for (size_t s = 0; s < grid->states; s++)
			without[i] =
				fmax(without[i],
				     before[s] + after[grid->states - 1 - s]);
		add_bidder(grid, bundles, count, before, scratch);
		before = scratch;
		scratch = swap;
	}
}

int astra_themis_exact(const struct astra_themis_game *game,
		       struct astra_themis_auction *out, double *without,
		       struct astra_error *err)
{
	struct bundle *bundles;
	struct grid grid;
	double *tables;

	grid_init(&grid, game);
	bundles = malloc(grid.states * sizeof(*bundles));
	tables = calloc((game->count + 3) * grid.states, sizeof(*tables));
	if (!bundles || !tables) {
		free(bundles);
		free(tables);
		return astra_error_nomem(err);
	}
	for (size_t i = game->count; i-- > 0;) {
		double *table = tables + i * grid.states;
		size_t count = list_bundles(&grid, i, bundles);

		add_bidder(&grid, bundles, count, table + grid.states, table);
	}
	trace(&grid, bundles, tables, out);
	exact_price(&grid, bundles, tables,
		    tables + (game->count + 1) * grid.states,
		    tables + (game->count + 2) * grid.states, without);
	free(bundles);
	free(tables);
	return 0;
}
