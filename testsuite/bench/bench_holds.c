/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What promises cost a round: 1,000 nodes that are full and some 10,000 jobs
 * that wait. Most of them ran before, then large gangs come, for which GPUs are
 * held (RecallAfter=0, so that holds last as long as leases do; and 2:00). Or
 * all are new at once, and there are more to plan for than a round plans for.
 * The peers, of the same run, round by round after each other: the same jobs
 * without promises, and with promises the same number of jobs without gangs.
 * "quiet": rounds that give nobody a new hold. Nothing is asserted. */
#include "src/engine/hold.h"
#include "testsuite/bench/bench_world.h"

enum {
	NODES = 1000,
	TENANTS = 100,
	FILLERS = 2600, /* they fill the nodes */
	WAITING = 10000,
	JOBS = FILLERS + WAITING,
	FILL_ROUNDS = 90, /* 10 s each: leases end one after the other */
	SETTLE_ROUNDS = 150,
	SETTLE_STEP_SEC = 60,
	WARM_ROUNDS = 60, /* 10 s each */
	ROUNDS = 45,
};

static const struct scene {
	const char *title;
	size_t gangs;
	bool settled; /* the others ran before */
	double recall_sec;
} scenes[] = {
	{"400 gangs, RecallAfter=0", 400, true, 0},
	{"400 gangs", 400, true, 120},
	{"all new, 400 gangs", 400, false, 120},
	{"all new, 5000 gangs", 5000, false, 120},
};

/* A world and what its rounds took. */
struct runner {
	struct bench_world world;
	uint32_t held[ASTRA_HOLDS_MAX]; /* for these jobs, at the last look */
	size_t held_count;
	double ms[ROUNDS], quiet_ms[ROUNDS];
	size_t quiet;
	double sum_ms, holds, waiting;
};

/* A gang has its nodes to itself. */
static void make_gang(struct astra_job *job, uint32_t gpus)
{
	bench_set_gpus(job, gpus);
	job->request.gpus_per_node = BENCH_NODE_GPUS;
	job->request.nodes_min = gpus / BENCH_NODE_GPUS;
	job->request.nodes_max = job->request.nodes_min;
}

static uint32_t pick(const uint32_t *sizes, size_t count)
{
	return sizes[(uint32_t)rand() % count];
}

/* The last ones are gangs; some of the others are older. */
static void make_sizes(struct bench_world *w, size_t gangs)
{
	static const uint32_t small[] = {1, 1, 1, 2, 4, 8};
	static const uint32_t large[] = {16, 24, 32};

	for (size_t i = 0; i < JOBS; i++) {
		if (i < JOBS - gangs)
			bench_set_gpus(&w->jobs[i], pick(small, 6));
		else
			make_gang(&w->jobs[i], pick(large, 3));
		w->jobs[i].submit_sec = (uint32_t)rand() % 1000;
	}
}

static void settle(struct bench_world *w, size_t jobs, int rounds,
		   double step_sec)
{
	for (int i = 1; i <= rounds; i++) {
		w->snap.job_count = jobs;
		bench_round_ms(w, step_sec);
	}
}

/* The nodes fill up, then the others come. */
static void fill(struct bench_world *w, const struct scene *scene)
{
	for (size_t i = 1; i <= FILL_ROUNDS; i++)
		settle(w, FILLERS * i / FILL_ROUNDS, 1, 10);
	if (scene->settled)
		settle(w, JOBS - scene->gangs, SETTLE_ROUNDS, SETTLE_STEP_SEC);
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
	make_sizes(&r->world, gangs);
	fill(&r->world, scene);
}

/* Whether a hold is there that was not at the last look. */
static bool look_at_holds(struct runner *r)
{
	const struct astra_engine *e = r->world.engine;
	bool any = false;

	for (size_t i = 0; i < e->hold_count; i++) {
		bool had = false;

		for (size_t k = 0; k < r->held_count; k++)
			had |= r->held[k] == e->holds[i].job;
		any |= !had;
	}
	r->held_count = e->hold_count;
	for (size_t i = 0; i < e->hold_count; i++)
		r->held[i] = e->holds[i].job;
	return any;
}

static void runner_round(struct runner *r, int number)
{
	struct bench_world *w = &r->world;
	double ms = bench_round_ms(w, 10);
	bool new_holds = look_at_holds(r);

	if (number < 0)
		return;
	r->ms[number] = ms;
	r->sum_ms += ms;
	if (!new_holds)
		r->quiet_ms[r->quiet++] = ms;
	r->holds += (double)w->engine->hold_count / ROUNDS;
	for (size_t i = 0; i < JOBS; i++)
		r->waiting += (w->world.shown[i].state == ASTRA_JOB_PENDING) /
			      (double)ROUNDS;
}

/* The medians of all rounds and of quiet ones; NaN where there are none. */
static void runner_medians(struct runner *r, double medians[2])
{
	medians[0] = bench_median(r->ms, ROUNDS);
	medians[1] =
		r->quiet ? bench_median(r->quiet_ms, r->quiet) : (double)NAN;
}

/* held: the world with holds, to compare with; NULL: it is this one. */
static void runner_print(struct runner *r, const char *title,
			 const struct runner *held, const double of_held[2])
{
	double medians[2];

	runner_medians(r, medians);
	printf("  %-25s %5.0f %7.0f %7.2f %7.2f %7.2f %7.2f", title, r->holds,
	       r->waiting, medians[1], medians[0], r->sum_ms / ROUNDS,
	       r->ms[ROUNDS - 1]);
	if (held)
		printf(" %6.2f %6.2f %6.2f", of_held[1] / medians[1],
		       of_held[0] / medians[0], held->sum_ms / r->sum_ms);
	putchar('\n');
	bench_world_fini(&r->world);
}

static void run_scene(const struct scene *scene)
{
	static struct runner held, paper, small;
	double of_held[2];

	runner_init(&held, scene, true, scene->gangs);
	runner_init(&paper, scene, false, scene->gangs);
	runner_init(&small, scene, true, 0);
	for (int i = -WARM_ROUNDS; i < ROUNDS; i++) {
		runner_round(&held, i);
		runner_round(&paper, i);
		runner_round(&small, i);
	}
	runner_medians(&held, of_held);
	runner_print(&held, scene->title, NULL, NULL);
	runner_print(&paper, "  Promise=no", &held, of_held);
	runner_print(&small, "  no gangs", &held, of_held);
}

int main(void)
{
	printf("CPU time of a round in ms, %d nodes, %d rounds 10 s apart; x=: "
	       "the world with\nholds beside this one\n\n"
	       "  %-25s %5s %7s %7s %7s %7s %7s %6s %6s %6s\n",
	       NODES, ROUNDS, "", "holds", "waiting", "quiet", "median", "mean",
	       "worst", "quiet=", "med.=", "mean=");
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++)
		run_scene(&scenes[i]);
	return 0;
}
