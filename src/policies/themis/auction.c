/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/themis/solver/game.h"

static double score_in_pf(const struct astra_themis_game *game,
			  const struct astra_themis_auction *auction, size_t i)
{
	struct astra_themis_shares pf = astra_themis_pf(auction, i);

	return astra_themis_score(game, i, pf.share, pf.count);
}

/* Returns the factor c of a bidder: the other bidders' product of V in pf,
 * divided by their product in the pf without this bidder. Returns 0 if pf
 * serves fewer of the others. pf: the score of all in pf. own: the bidder's
 * score in pf. without: the others' score in the pf without the bidder. */
static double hidden_payment(const struct astra_themis_game *game, double pf,
			     double own, double without)
{
	double have, could;
	size_t served = astra_themis_served(game, pf - own, &have);
	size_t alone = astra_themis_served(game, without, &could);

	if (served != alone)
		return served < alone ? 0.0 : 1.0;
	return fmin(1.0, exp(have - could));
}

/* Returns how many shares pf may have at most: one for each GPU, or one for
 * each bidder on each machine. */
static size_t shares_max(const struct astra_themis_game *game)
{
	size_t most = game->machine_count * game->count;

	return most < game->free ? most : game->free;
}

static int auction_make_room(const struct astra_themis_game *game,
			     struct astra_themis_auction *out)
{
	*out = (struct astra_themis_auction){
		.shares = calloc(shares_max(game) + 1, sizeof(*out->shares)),
		.first = calloc(game->count + 1, sizeof(*out->first)),
		.c = calloc(game->count + 1, sizeof(*out->c)),
		.served_bound = SIZE_MAX,
		.bound = INFINITY,
	};
	return out->shares && out->first && out->c ? 0 : -1;
}

/* Solves the game; sets pf, its bounds and c. own, without: scratch, one number
 * for each bidder. */
static int auction_solve(struct astra_themis_game *game,
			 struct astra_themis_auction *out, double *own,
			 double *without, struct astra_error *err)
{
	double pf = 0.0, compared = 0.0;

	out->exact = astra_themis_exact_fits(game);
	if (out->exact ? astra_themis_exact(game, out, without, err)
		       : astra_themis_search(game, out, shares_max(game), own,
					     without, err))
		return -1;
	for (size_t i = 0; i < game->count; i++) {
		double score = score_in_pf(game, out, i);

		if (out->exact)
			own[i] = score;
		pf += score;
		compared += own[i];
	}
	out->served = astra_themis_served(game, pf, &out->log_product);
	if (out->exact) {
		out->served_bound = out->served;
		out->bound = out->log_product;
	}
	for (size_t i = 0; i < game->count; i++)
		out->c[i] = hidden_payment(game, compared, own[i], without[i]);
	return 0;
}

static int auction_run(const struct astra_themis_machine *machines,
		       size_t machine_count,
		       const struct astra_themis_bidder *bidders,
		       size_t bidder_count, bool unproved,
		       struct astra_themis_auction *out,
		       struct astra_error *err)
{
	struct astra_themis_game game;
	double *without = NULL, *own = NULL;
	int rc = -1;

	*out = (struct astra_themis_auction){0};
	if (astra_themis_game_init(&game, machines, machine_count, bidders,
				   bidder_count, err))
		goto out;
	game.unproved = unproved;
	without = calloc(bidder_count + 1, sizeof(*without));
	own = calloc(bidder_count + 1, sizeof(*own));
	if (!without || !own || auction_make_room(&game, out)) {
		astra_error_nomem(err);
		goto out;
	}
	rc = auction_solve(&game, out, own, without, err);
out:
	free(without);
	free(own);
	astra_themis_game_clear(&game);
	return rc;
}

int astra_themis_auction_run(const struct astra_themis_machine *machines,
			     size_t machine_count,
			     const struct astra_themis_bidder *bidders,
			     size_t bidder_count,
			     struct astra_themis_auction *out,
			     struct astra_error *err)
{
	return auction_run(machines, machine_count, bidders, bidder_count,
			   false, out, err);
}

int astra_themis_auction_guess(const struct astra_themis_machine *machines,
			       size_t machine_count,
			       const struct astra_themis_bidder *bidders,
			       size_t bidder_count,
			       struct astra_themis_auction *out,
			       struct astra_error *err)
{
	return auction_run(machines, machine_count, bidders, bidder_count, true,
			   out, err);
}

void astra_themis_auction_clear(struct astra_themis_auction *auction)
{
	free(auction->shares);
	free(auction->first);
	free(auction->c);
	*auction = (struct astra_themis_auction){0};
}

double astra_themis_auction_gap(const struct astra_themis_auction *auction)
{
	if (auction->served_bound > auction->served)
		return INFINITY;
	if (auction->served == 0)
		return 0.0;
	return expm1((auction->bound - auction->log_product) /
		     (double)auction->served);
}
