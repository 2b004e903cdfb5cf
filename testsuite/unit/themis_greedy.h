/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plain way to an auction's pf: one GPU after the other to whoever gains
 * most by it, lowest bidder and machine first. */
#ifndef ASTRA_TEST_THEMIS_GREEDY_H
#define ASTRA_TEST_THEMIS_GREEDY_H

#include <stdlib.h>

#include "src/policies/themis/solver/game.h"

struct greedy {
	const struct astra_themis_game *game;
	uint32_t *given; /* [bidder * machine_count + machine] */
	uint32_t *left;
	double *value;
	struct astra_themis_share *shares;
};

static inline double greedy_score(const struct greedy *greedy, size_t i)
{
	const struct astra_themis_game *game = greedy->game;
	const uint32_t *row = greedy->given + i * game->machine_count;
	size_t count = 0;

	for (uint32_t m = 0; m < game->machine_count; m++)
		if (row[m])
			greedy->shares[count++] = (struct astra_themis_share){
				.machine = m, .gpus = row[m]};
	return astra_themis_score(game, i, greedy->shares, count);
}

static inline uint32_t greedy_total(const struct greedy *greedy, size_t i)
{
	const uint32_t *row = greedy->given + i * greedy->game->machine_count;
	uint32_t x = 0;

	for (uint32_t m = 0; m < greedy->game->machine_count; m++)
		x += row[m];
	return x;
}

/* Give one more GPU; false if nobody gains by one. */
static inline bool greedy_step(struct greedy *greedy, size_t without)
{
	const struct astra_themis_game *game = greedy->game;
	size_t machines = game->machine_count, best = SIZE_MAX;
	double most = ASTRA_THEMIS_GAIN;

	for (size_t i = 0; i < game->count; i++) {
		if (i == without ||
		    greedy_total(greedy, i) >= game->players[i].room)
			continue;
		for (size_t m = 0; m < machines; m++) {
			double gain;

			if (!greedy->left[m])
				continue;
			greedy->given[i * machines + m]++;
			gain = greedy_score(greedy, i) - greedy->value[i];
			greedy->given[i * machines + m]--;
			if (gain > most) {
				most = gain;
				best = i * machines + m;
			}
		}
	}
	if (best == SIZE_MAX)
		return false;
	greedy->given[best]++;
	greedy->left[best % machines]--;
	greedy->value[best / machines] = greedy_score(greedy, best / machines);
	return true;
}

/* The sum of scores that it comes to, without one bidder (or SIZE_MAX). */
static inline double greedy_sum(const struct astra_themis_game *game,
				size_t without)
{
	size_t n = game->count, machines = game->machine_count;
	struct greedy greedy = {
		.game = game,
		.given = calloc(n * machines + 1, sizeof(uint32_t)),
		.left = calloc(machines + 1, sizeof(uint32_t)),
		.value = calloc(n + 1, sizeof(double)),
		.shares =
			calloc(machines + 1, sizeof(struct astra_themis_share)),
	};
	double sum = 0.0;

	if (!greedy.given || !greedy.left || !greedy.value || !greedy.shares)
		abort();
	for (size_t m = 0; m < machines; m++)
		greedy.left[m] = game->machines[m].free;
	for (size_t i = 0; i < n; i++)
		greedy.value[i] = game->players[i].score[0][0];
	while (greedy_step(&greedy, without))
		;
	for (size_t i = 0; i < n; i++)
		if (i != without)
			sum += greedy.value[i];
	free(greedy.given);
	free(greedy.left);
	free(greedy.value);
	free(greedy.shares);
	return sum;
}

#endif
