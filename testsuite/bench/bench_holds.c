/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What promises cost a round: 1,000 nodes that are full, 10,000 jobs that wait,
 * some of them gangs for which GPUs are held. RecallAfter=0, so that a hold
 * lasts as long as leases do; or 2:00, by which GPUs come sooner. The peers, of
 * the same run, round by round after each other: the same jobs without
 * promises, and with promises the same number of jobs without gangs. Of rounds
 * in the middle of a term; nothing is asserted. */
#include "src/policy/engine_priv.h"
#include "testsuite/bench/bench_world.h"

enum {
	NODES = 1000,
	TENANTS = 100,
	FILLERS = 2600, /* they fill the nodes */
	WAITING = 10000,
	JOBS = FILLERS + WAITING,
	FILL_ROUNDS = 30, /* 30 s each: leases end one after the other */
	WARM_ROUNDS = 60, /* 10 s each */
	ROUNDS = 45,
};

static const struct scene {
	const char *title;
	size_t gangs;
	double recall_sec;
} scenes[] = {
	{"200 gangs, RecallAfter=0", 200, 0},
	{"200 gangs", 200, 120},
	{"5000 gangs, RecallAfter=0", 5000, 0},
	{"5000 gangs", 5000, 120},
};

/* A world and what its rounds took. */
struct runner {
	struct bench_world world;
	double ms[ROUNDS], sum_ms, holds, waiting;
};

/* Gangs are evenly among those that wait. */
static uint32_t size_of(size_t job, size_t gangs)
{
	static const uint32_t small[] = {1, 1, 1, 2, 4, 8};
	static const uint32_t large[] = {16, 32, 32, 64, 128};

	if (job < FILLERS || !gangs || (job - FILLERS) % (WAITING / gangs))
		return small[(uint32_t)rand() % 6];
	return large[(uint32_t)rand() % 5];
}

/* The nodes fill up, then the others come. */
static void fill(struct bench_world *w)
{
	for (size_t i = 1; i <= FILL_ROUNDS; i++) {
		w->snap.job_count = FILLERS * i / FILL_ROUNDS;
		bench_round_ms(w, 30);
	}
	w->snap.job_count = JOBS;
}

static void runner_init(struct runner *r, const struct scene *scene,
			bool promise, size_t gangs)
{
	struct astra_options options;

	astra_options_init(&options);
	options.promise = promise;
	options.recall_sec = scene->recall_sec;
	memset(r, 0, sizeof(*r));
	srand(1);
	bench_world_init(&r->world, &options, JOBS, NODES, TENANTS);
	for (size_t i = 0; i < JOBS; i++)
		bench_set_gpus(&r->world.jobs[i], size_of(i, gangs));
	fill(&r->world);
}

static void runner_round(struct runner *r, int number)
{
	struct bench_world *w = &r->world;
	double ms = bench_round_ms(w, 10);

	if (number < 0)
		return;
	r->ms[number] = ms;
	r->sum_ms += ms;
	r->holds += (double)w->engine->hold_count / ROUNDS;
	for (size_t i = 0; i < JOBS; i++)
		r->waiting += (w->jobs[i].state == ASTRA_JOB_PENDING) /
			      (double)ROUNDS;
}

static void runner_print(struct runner *r, const char *title,
			 const struct runner *held)
{
	double worst = 0, median;

	for (size_t i = 0; i < ROUNDS; i++)
		worst = r->ms[i] > worst ? r->ms[i] : worst;
	median = bench_median(r->ms, ROUNDS);
	printf("  %-26s %5.0f %7.0f %9.2f %8.2f %8.2f", title, r->holds,
	       r->waiting, median, r->sum_ms / ROUNDS, worst);
	if (held)
		printf(" %8.2f %6.2f", held->ms[ROUNDS / 2] / median,
		       held->sum_ms / r->sum_ms);
	putchar('\n');
	bench_world_fini(&r->world);
}

static void run_scene(const struct scene *scene)
{
	static struct runner held, paper, small;

	runner_init(&held, scene, true, scene->gangs);
	runner_init(&paper, scene, false, scene->gangs);
	runner_init(&small, scene, true, 0);
	for (int i = -WARM_ROUNDS; i < ROUNDS; i++) {
		runner_round(&held, i);
		runner_round(&paper, i);
		runner_round(&small, i);
	}
	runner_print(&held, scene->title, NULL);
	runner_print(&paper, "  Promise=no", &held);
	runner_print(&small, "  no gangs", &held);
}

int main(void)
{
	printf("one round in ms, %d nodes, %d rounds 10 s apart; x=: the round "
	       "with holds\nbeside this one\n\n"
	       "  %-26s %5s %7s %9s %8s %8s %8s %6s\n",
	       NODES, ROUNDS, "", "holds", "waiting", "median", "mean", "worst",
	       "median x=", "mean x=");
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		run_scene(&scenes[i]);
	return 0;
}
