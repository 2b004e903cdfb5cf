/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/solver/game.h"

#include <math.h>
#include <string.h>

/* Sets the machine and the rack on which the bidder holds GPUs. */
static void find_home(struct astra_themis_player *player,
		      const struct astra_themis_machine *machines,
		      struct astra_themis_shares held)
{
	player->machine = player->rack = ASTRA_THEMIS_NONE;
	player->spread = ASTRA_LEVEL_SLOT;
	player->held = 0;
	for (size_t k = 0; k < held.count; k++) {
		uint32_t m = held.share[k].machine, rack = machines[m].rack;

		player->held += held.share[k].gpus;
		if (k == 0) {
			player->machine = m;
			player->rack = rack;
			player->spread = ASTRA_LEVEL_MACHINE;
		} else if (rack != player->rack) {
			player->spread = ASTRA_LEVEL_CROSS;
		} else if (player->spread == ASTRA_LEVEL_MACHINE) {
			player->spread = ASTRA_LEVEL_RACK;
		}
	}
	player->level = player->spread;
	if (player->spread == ASTRA_LEVEL_MACHINE &&
	    player->held <= machines[player->machine].slot)
		player->level = ASTRA_LEVEL_SLOT;
	if (player->spread != ASTRA_LEVEL_MACHINE)
		player->machine = ASTRA_THEMIS_NONE;
	if (player->spread == ASTRA_LEVEL_CROSS)
		player->rack = ASTRA_THEMIS_NONE;
}

static uint32_t game_room_of(const struct astra_themis_game *game,
			     const struct astra_themis_bidder *bidder,
			     uint32_t held)
{
	uint32_t room = 0;

	if (bidder->bid->gpus_max > held)
		room = bidder->bid->gpus_max - held;
	if (room > game->free)
		room = game->free;
	return room - room % bidder->quantum;
}

/* Returns log V if x GPUs are offered. */
static double game_log_v(const struct astra_themis_bidder *bidder,
			 const struct astra_themis_player *player,
			 enum astra_level level, uint32_t x)
{
	uint32_t k = player->held + x - x % bidder->quantum;

	if (x < bidder->quantum)
		level = player->level;
	if (k > bidder->bid->gpus_max)
		k = bidder->bid->gpus_max;
	return astra_themis_log_v(bidder->bid, level, k);
}

static double game_largest(const struct astra_themis_game *game)
{
	double sum = 0.0;

	for (size_t i = 0; i < game->count; i++) {
		const struct astra_themis_bid *bid = game->bidders[i].bid;
		size_t cells = ASTRA_LEVEL_COUNT * ((size_t)bid->gpus_max + 1);
		double most = 0.0;

		for (size_t k = 0; k < cells; k++)
			if (isfinite(bid->log_v[k]))
				most = fmax(most, fabs(bid->log_v[k]));
		if (bid->app && isfinite(bid->log_least))
			most = fmax(most, fabs(bid->log_least));
		sum += most;
	}
	return sum;
}

static double shifted_log(const struct astra_themis_game *game, double log_v)
{
	return isfinite(log_v) ? game->unit + log_v : 0.0;
}

static int fill_scores(struct astra_themis_game *game, size_t i)
{
	const struct astra_themis_bidder *bidder = &game->bidders[i];
	struct astra_themis_player *player = &game->players[i];
	size_t cells = (size_t)player->room + 1;
	double *score = astra_arena_take(
		&game->arena, cells * ASTRA_LEVEL_COUNT * sizeof(*score));

	if (!score)
		return -1;
	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		player->score[level] = score;
		for (uint32_t x = 0; x <= player->room; x++) {
			double v = game_log_v(bidder, player, level, x);

			*score++ = shifted_log(game, v);
		}
	}
	player->flat = true;
	for (int level = 1; level < ASTRA_LEVEL_COUNT; level++)
		player->flat &= !memcmp(player->score[level], player->score[0],
					cells * sizeof(*score));
	return 0;
}

static double most_at(const struct astra_themis_bid *bid, uint32_t k)
{
	return bid->log_most[k < bid->gpus_max ? k : bid->gpus_max];
}

/* Sets job_gpus or `most`, if the bid's table is only an estimate. */
static int set_place(struct astra_themis_game *game, size_t i)
{
	const struct astra_themis_bid *bid = game->bidders[i].bid;
	struct astra_themis_player *player = &game->players[i];
	double *most;

	if (!bid->app)
		return 0;
	player->flat = false;
	if (bid->anywhere) {
		player->job_gpus = astra_themis_job_gpus(bid->app);
		return 0;
	}
	most = astra_arena_take(&game->arena,
				((size_t)player->room + 1) * sizeof(*most));
	if (!most)
		return -1;
	for (uint32_t x = 0; x <= player->room; x++)
		most[x] = shifted_log(game, most_at(bid, player->held + x));
	player->most = most;
	return 0;
}

int astra_themis_game_init(struct astra_themis_game *game,
			   const struct astra_themis_machine *machines,
			   size_t machine_count,
			   const struct astra_themis_bidder *bidders,
			   size_t bidder_count, struct astra_error *err)
{
	*game = (struct astra_themis_game){
		.machines = machines,
		.machine_count = machine_count,
		.bidders = bidders,
		.count = bidder_count,
	};
	for (size_t m = 0; m < machine_count; m++)
		game->free += machines[m].free;
	game->unit = exp2(ceil(log2(2.0 * game_largest(game) + 2.0)));
	game->players = astra_arena_take(
		&game->arena, (bidder_count + 1) * sizeof(*game->players));
	if (!game->players)
		return astra_error_nomem(err);
	for (size_t i = 0; i < bidder_count; i++) {
		struct astra_themis_player *player = &game->players[i];

		find_home(player, machines, bidders[i].held);
		if (bidders[i].bid->anywhere) {
			player->machine = player->rack = ASTRA_THEMIS_NONE;
			player->spread = player->level = ASTRA_LEVEL_SLOT;
		}
		player->room = game_room_of(game, &bidders[i], player->held);
		if (fill_scores(game, i) || set_place(game, i))
			return astra_error_nomem(err);
	}
	return 0;
}

void astra_themis_game_clear(struct astra_themis_game *game)
{
	astra_arena_free(&game->arena);
}

static enum astra_level game_join(const struct astra_themis_game *game,
				  const struct astra_themis_player *player,
				  const struct astra_themis_share *shares,
				  size_t count)
{
	uint32_t machine = player->machine, rack = player->rack;
	enum astra_level spread = player->spread;

	for (size_t k = 0; k < count; k++) {
		uint32_t m = shares[k].machine, r = game->machines[m].rack;

		if (spread == ASTRA_LEVEL_SLOT) {
			machine = m;
			rack = r;
			spread = ASTRA_LEVEL_MACHINE;
		} else if (spread == ASTRA_LEVEL_CROSS || r != rack) {
			return ASTRA_LEVEL_CROSS;
		} else if (m != machine) {
			spread = ASTRA_LEVEL_RACK;
		}
	}
	return spread;
}

double astra_themis_score(const struct astra_themis_game *game, size_t bidder,
			  const struct astra_themis_share *shares, size_t count)
{
	const struct astra_themis_player *player = &game->players[bidder];
	enum astra_level level = game_join(game, player, shares, count);
	uint32_t x = 0;

	for (size_t k = 0; k < count; k++)
		x += shares[k].gpus;
	if (x == 0)
		return player->score[0][0];
	if (game->bidders[bidder].bid->app)
		return shifted_log(game, astra_themis_log_v_on(
						 game->bidders[bidder].bid,
						 (struct astra_themis_shares){
							 shares, count}));
	if (level == ASTRA_LEVEL_MACHINE &&
	    x + player->held <= game->machines[shares[0].machine].slot)
		level = ASTRA_LEVEL_SLOT;
	return player->score[level][x];
}

size_t astra_themis_served(const struct astra_themis_game *game, double score,
			   double *log_product)
{
	double served = nearbyint(score / game->unit);

	*log_product = score - served * game->unit;
	return (size_t)served;
}
