/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tenants gain by the market of Wang et al., beside its batches without a
 * market and schedulers of slots. Payments are from tenant to tenant, so all
 * gains sum to the utility of all jobs: that is the revenue here.
 *
 * usage: bench_incentive_revenue [SEEDS]
 */
#include "testsuite/bench/incentive_slots.h"

struct way {
	const char *name;
	slots_rule rule; /* NULL: the market's */
	bool own;	 /* the market's, but nothing is sold */
	bool batches;	 /* see slots_run() */
};

static const struct way ways[] = {
	{.name = "incentive"},
	{.name = "batchsche", .own = true},
	{.name = "fifo", .rule = slots_fifo},
	{.name = "drf", .rule = slots_drf},
	{.name = "slaq", .rule = slots_slaq},
	{.name = "batches: fifo", .rule = slots_fifo, .batches = true},
	{.name = "drf", .rule = slots_drf, .batches = true},
	{.name = "slaq", .rule = slots_slaq, .batches = true},
};

enum { WAYS = sizeof(ways) / sizeof(*ways), ALONE = 1 };

/* 0: as usual, see world_of(). */
static const struct setting {
	const char *label;
	double load;
	uint32_t users, servers;
	bool convex;
} settings[] = {
	{"linear, load 0.3", .load = 0.3},
	{"0.7", .load = 0.7},
	{"1", .load = 1},
	{"1.5", .load = 1.5},
	{"2", .load = 2},
	{"4", .load = 4},
	{"2, 5 users", .load = 2, .users = 5},
	{"2, 20 users", .load = 2, .users = 20},
	{"2, 40 servers", .load = 2, .servers = 40},
	{"convex, load 0.3", .load = 0.3, .convex = true},
	{"0.7", .load = 0.7, .convex = true},
	{"1", .load = 1, .convex = true},
	{"1.5", .load = 1.5, .convex = true},
	{"2", .load = 2, .convex = true},
	{"4", .load = 4, .convex = true},
};

enum { SETTINGS = sizeof(settings) / sizeof(*settings) };

/* Means over seeds. */
struct outcome {
	double part[WAYS];     /* of the utility there could be */
	double variance[WAYS]; /* of users' parts of theirs */
	double money;	       /* the same of their gains: incentive's */
	double worse[WAYS];    /* users who gain 1 % less than each alone */
};

static struct world world_of(const struct setting *s)
{
	return (struct world){
		.servers = s->servers ? s->servers : 20,
		.users = s->users ? s->users : 10,
		.intervals = 8,
		.load = s->load,
		.convex = s->convex,
	};
}

static struct world_result run(const struct world *w, const struct way *way)
{
	return way->rule ? slots_run(w, way->rule, way->batches)
			 : world_sell(w, way->own);
}

/* Over users, of what each has of the most that it could have. */
static double variance(const struct world *w, const double *worth)
{
	double sum = 0, squares = 0, n = w->users;

	for (uint32_t u = 0; u < w->users; u++) {
		double most = world_most(w, u);
		double part = most > 0 ? worth[u] / most : 1;

		sum += part;
		squares += part * part;
	}
	return squares / n - sum / n * (sum / n);
}

static int count_worse(const struct world *w, const double *gain,
		       const double *alone)
{
	int count = 0;

	for (uint32_t u = 0; u < w->users; u++)
		count += gain[u] < 0.99 * alone[u];
	return count;
}

static void add(struct outcome *o, const struct world *w, double weight)
{
	struct world_result r[WAYS];
	double most = 0;

	for (uint32_t u = 0; u < w->users; u++)
		most += world_most(w, u);
	for (int i = 0; i < WAYS; i++)
		r[i] = run(w, &ways[i]);
	for (int i = 0; i < WAYS; i++) {
		o->part[i] += weight * r[i].utility / most;
		o->variance[i] += weight * variance(w, r[i].worth);
		o->worse[i] +=
			weight * count_worse(w, r[i].gain, r[ALONE].gain);
	}
	o->money += weight * variance(w, r[0].gain);
}

static void head(const char *what, const char *last)
{
	printf("\n%s\n\n| |", what);
	for (int i = 0; i < WAYS; i++)
		printf(" %s |", ways[i].name);
	printf("%s\n|---|", last);
	for (int i = 0; i < WAYS; i++)
		printf("---:|");
	printf("%s\n", *last ? "---:|" : "");
}

static void print_row(const char *label, const double *values, int digits)
{
	printf("| %s |", label);
	for (int i = 0; i < WAYS; i++)
		printf(" %.*f |", digits, values[i]);
}

static void print_all(const struct outcome *all)
{
	head("utility, of what there could be", "");
	for (int k = 0; k < SETTINGS; k++) {
		print_row(settings[k].label, all[k].part, 3);
		printf("\n");
	}
	head("variance of users' parts of their utility", " gains |");
	for (int k = 0; k < SETTINGS; k++) {
		print_row(settings[k].label, all[k].variance, 4);
		printf(" %.4f |\n", all[k].money);
	}
	head("users who gain over 1 % less than each on its quota", "");
	for (int k = 0; k < SETTINGS; k++) {
		print_row(settings[k].label, all[k].worse, 1);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	int seeds = argc > 1 ? atoi(argv[1]) : 1;
	struct outcome all[SETTINGS] = {0};

	printf("incentive, seeds 1 to %d\n", seeds);
	for (int k = 0; k < SETTINGS; k++)
		for (int seed = 1; seed <= seeds; seed++) {
			struct world w = world_of(&settings[k]);

			world_fill(&w, (uint64_t)seed);
			add(&all[k], &w, 1.0 / seeds);
			world_clear(&w);
		}
	print_all(all);
	return 0;
}
