/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OGASched's reward a slot beside that of its paper's four baselines (Zhao et
 * al., section 4), over the load, the number of ports and of nodes, the horizon
 * and the utilities. Means over seeds, the same instances for all.
 *
 * usage: bench_ogas_reward [SEEDS [TABLE]]    that table alone: its first
 * column
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testsuite/bench/ogas_earn.h"

static const struct ogas_way ways[] = {
	{.name = "oga"},
	{.name = "reactive", .reactive = true},
	{.name = "theory", .rate = ASTRA_OGAS_THEORY},
	{.name = "both", .rate = ASTRA_OGAS_THEORY, .reactive = true},
	{.name = "pool",
	 .rate = ASTRA_OGAS_THEORY,
	 .reactive = true,
	 .lent_steps = 5},
	{.name = "fixed", .fixed = true},
	{.name = "drf", .algo = ASTRA_OGAS_DRF},
	{.name = "fairness", .algo = ASTRA_OGAS_FAIRNESS},
	{.name = "binpacking", .algo = ASTRA_OGAS_BINPACKING},
	{.name = "spreading", .algo = ASTRA_OGAS_SPREADING},
};

enum { WAYS = sizeof(ways) / sizeof(*ways), LEARNERS = 5, RULES = 6 };

/* How many of the baselines a learner is ahead of. */
static int count_beaten(const double *earned, int learner)
{
	int count = 0;

	for (int i = RULES; i < WAYS; i++)
		count += earned[learner] > earned[i];
	return count;
}

static double earn(const struct ogas_instance *w, struct ogas_way way,
		   const struct ogas_way *rate)
{
	way.eta0 = way.fixed ? 0 : rate->eta0;
	way.decay = way.fixed ? 0 : rate->decay;
	return ogas_earn(w, &way);
}

static void row(const char *label, const struct ogas_instance *instance,
		const struct ogas_way *rate, int first_seed, int seeds)
{
	double mean[WAYS] = {0};
	int first[LEARNERS] = {0};

	for (int seed = 1; seed <= seeds; seed++) {
		struct ogas_instance w = *instance;
		double earned[WAYS];

		ogas_instance_fill(&w, (uint64_t)(first_seed + seed - 1));
		for (int i = 0; i < WAYS; i++) {
			earned[i] = earn(&w, ways[i], rate);
			mean[i] += earned[i] / seeds;
		}
		for (int i = 0; i < LEARNERS; i++)
			first[i] += count_beaten(earned, i) == WAYS - RULES;
		ogas_instance_clear(&w);
	}
	printf("| %s |", label);
	for (int i = 0; i < WAYS; i++)
		printf(" %.0f |", mean[i]);
	for (int i = 0; i < LEARNERS; i++)
		printf("%s%d", i ? ", " : " ", first[i]);
	printf(" |\n");
	fflush(stdout);
}

static void head(const char *what)
{
	printf("\n| %s |", what);
	for (int i = 0; i < WAYS; i++)
		printf(" %s |", ways[i].name);
	printf(" first |\n|---|");
	for (int i = 0; i < WAYS; i++)
		printf("---:|");
	printf("---|\n");
}

/* What differs from the usual; 0: nothing does. */
struct setting {
	const char *what, *label; /* what: the head of a new table */
	const char *utility;
	double arrival, demand, density, beta_least, beta_range;
	const double *unit;
	struct ogas_way rate; /* of it eta0 and decay */
	size_t ports, nodes, slots;
	int first_seed;
};

#define FIGURE_2 .demand = 2, .slots = 8000, .beta_least = 0.4, .first_seed = 11

#define FIGURE_4 .density = 0.2, FIGURE_2

/* Table II's, but seeds as of Figure 2. */
#define TABLE_3 .first_seed = 11

#define FIGURE_5                                                 \
	.demand = 2, .ports = 100, .nodes = 1024, .slots = 1000, \
	.first_seed = 11

#define SMALL_BETA .beta_least = 0.01, .beta_range = 0.005

/* At most 128 CPUs, 512 GiB of memory, 64 GPUs, 8 TPUs, 8 NPUs and 4 FPGAs a
 * node, as in a public implementation of the paper. */
static const double unlike_units[] = {2, 8, 1, 0.125, 0.125, 0.0625};

#define UNITS .demand = 2, .unit = unlike_units, TABLE_3

static const struct setting settings[] = {
	{"utility", "any of these", .utility = NULL},
	{NULL, "linear", .utility = "linear"},
	{NULL, "log", .utility = "log"},
	{NULL, "reciprocal", .utility = "reciprocal"},
	{NULL, "poly", .utility = "poly"},
	{"jobs arrive", "0.1", .arrival = 0.1},
	{NULL, "0.3", .arrival = 0.3},
	{NULL, "0.5", .arrival = 0.5},
	{NULL, "0.9", .arrival = 0.9},
	{NULL, "1", .arrival = 1},
	{"requests", "0.1", .demand = 0.1},
	{NULL, "0.3", .demand = 0.3},
	{NULL, "3", .demand = 3},
	{NULL, "10", .demand = 10},
	{"ports", "5", .ports = 5},
	{NULL, "15", .ports = 15},
	{NULL, "20", .ports = 20},
	{"nodes", "32", .nodes = 32},
	{NULL, "64", .nodes = 64},
	{NULL, "256", .nodes = 256},
	{"edges", "0.3", .density = 0.3},
	{NULL, "0.6", .density = 0.6},
	{"slots", "250", .slots = 250},
	{NULL, "500", .slots = 500},
	{NULL, "1000", .slots = 1000},
	{NULL, "4000", .slots = 4000},
	{NULL, "8000", .slots = 8000},
	/* Figure 2's: of ten ports so many may use a node (Table III, "graph
	 * dense"), and what is learned pays. */
	{"Figure 2: ports a node", "2", .density = 0.2, FIGURE_2},
	{NULL, "2.5", .density = 0.25, FIGURE_2},
	{NULL, "3", .density = 0.3, FIGURE_2},
	{"Figure 4: eta", "5", .rate.eta0 = 5, FIGURE_4},
	{NULL, "25", FIGURE_4},
	{NULL, "100", .rate.eta0 = 100, FIGURE_4},
	{"Figure 4: decay", "0.995", .rate.decay = 0.995, FIGURE_4},
	{NULL, "0.9999", FIGURE_4},
	{NULL, "1", .rate.decay = 1, FIGURE_4},
	{"Table III: ports a node, requests", "2/x2", .density = 0.2,
	 .demand = 2, TABLE_3},
	{NULL, "2/x3", .density = 0.2, .demand = 3, TABLE_3},
	{NULL, "2/x4", .density = 0.2, .demand = 4, TABLE_3},
	{NULL, "2/x5", .density = 0.2, .demand = 5, TABLE_3},
	{NULL, "2.5/x2", .density = 0.25, .demand = 2, TABLE_3},
	{NULL, "2.5/x3", .density = 0.25, .demand = 3, TABLE_3},
	{NULL, "2.5/x4", .density = 0.25, .demand = 4, TABLE_3},
	{NULL, "2.5/x5", .density = 0.25, .demand = 5, TABLE_3},
	{NULL, "3/x2", .density = 0.3, .demand = 2, TABLE_3},
	{NULL, "3/x3", .density = 0.3, .demand = 3, TABLE_3},
	{NULL, "3/x4", .density = 0.3, .demand = 4, TABLE_3},
	{NULL, "3/x5", .density = 0.3, .demand = 5, TABLE_3},
	{"Table III: jobs arrive", "0.3", .arrival = 0.3, .density = 0.2,
	 .demand = 2, TABLE_3},
	{NULL, "0.5", .arrival = 0.5, .density = 0.2, .demand = 2, TABLE_3},
	{NULL, "0.7", .arrival = 0.7, .density = 0.2, .demand = 2, TABLE_3},
	{NULL, "0.9", .arrival = 0.9, .density = 0.2, .demand = 2, TABLE_3},
	{"Table III: unlike units", "2", .density = 0.2, UNITS},
	{NULL, "2.5", .density = 0.25, UNITS},
	{NULL, "3", .density = 0.3, UNITS},
	{"Figure 5: ports a node", "2", .density = 0.02, SMALL_BETA, FIGURE_5},
	{NULL, "20", .density = 0.2, SMALL_BETA, FIGURE_5},
	{NULL, "2/beta-0.4", .density = 0.02, .beta_least = 0.4, FIGURE_5},
};

static double or_usual(double value, double usual)
{
	return value > 0 ? value : usual;
}

static void measure(const struct setting *s, int seeds)
{
	const struct ogas_instance w = {
		.ports = s->ports ? s->ports : 10,
		.nodes = s->nodes ? s->nodes : 128,
		.types = 6,
		.slots = s->slots ? s->slots : 2000,
		.utility = s->utility,
		.arrival = or_usual(s->arrival, 0.7),
		.demand = or_usual(s->demand, 1),
		.density = or_usual(s->density, 1),
		.beta_least = or_usual(s->beta_least, 0.3),
		.beta_range = s->beta_range,
		.unit = s->unit,
	};

	if (s->what)
		head(s->what);
	row(s->label, &w, &s->rate, s->first_seed ? s->first_seed : 1, seeds);
}

int main(int argc, char **argv)
{
	int seeds = argc > 1 ? atoi(argv[1]) : 1;

	const char *table = NULL;

	printf("ogasched, mean reward of a slot; %d seeds, from 1 on, of figures and Table III from 11 on\n",
	       seeds);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		if (settings[i].what)
			table = settings[i].what;
		if (argc < 3 || !strcmp(table, argv[2]))
			measure(&settings[i], seeds);
	}
	return 0;
}
