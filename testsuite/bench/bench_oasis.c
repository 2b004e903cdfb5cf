/* SPDX-License-Identifier: GPL-2.0-or-later */
/* OASiS: one job's offer, and its commit, in a market that fills up. Peers in
 * the same run: the plain dynamic programme that prices and sorts anew for each
 * number of workers, exactly and by whole chunks, which is the paper's
 * Algorithm 2 to the letter. The paper: less than 1 s a job at 100 slots and 80
 * servers. */
#include <stdio.h>
#include <stdlib.h>

#include "testsuite/bench/bench.h"
#include "testsuite/unit/oasis_plain.h"

enum { JOBS = 200, PEER_JOBS = 3 };

static const struct scene {
	uint32_t slots, servers, workers, work; /* servers of each kind */
} scenes[] = {
	{100, 40, 50, 1000},
	{100, 80, 50, 1000},
	{100, 80, 100, 5000},
	{300, 50, 50, 5000},
};

enum { SCENES = sizeof(scenes) / sizeof(*scenes) };

static double uniform(struct astra_random *random, double low, double high)
{
	return low + (high - low) * astra_random_uniform(random);
}

static void must(bool fine)
{
	if (fine)
		return;
	fputs("bench_oasis: failed\n", stderr);
	exit(1);
}

static void make_side(struct plain_side *side, uint32_t slots, uint32_t servers)
{
	side->count = servers;
	side->capacity = calloc(servers * PLAIN_RESOURCES, sizeof(double));
	side->used = calloc(slots * servers * PLAIN_RESOURCES, sizeof(double));
	must(side->capacity && side->used);
	for (size_t i = 0; i < servers * PLAIN_RESOURCES; i++)
		side->capacity[i] = i % PLAIN_RESOURCES ? 32 : 8;
}

/* Jobs whose work is what the scene says on the average; the largest first in
 * the peers' turn. */
static void make_job(const struct scene *scene, struct astra_random *random,
		     double demand[2][PLAIN_RESOURCES],
		     struct astra_oasis_job *job, bool largest)
{
	double work = scene->work * (largest ? 1 : uniform(random, .5, 1));

	for (size_t r = 0; r < PLAIN_RESOURCES; r++) {
		demand[0][r] = r ? uniform(random, 1, 4) : 1;
		demand[1][r] = r ? uniform(random, 1, 4) : 0;
	}
	*job = (struct astra_oasis_job){
		.arrival = 1,
		.epochs = work / scene->workers / 1.5,
		.workers = scene->workers,
		.workers_min = 1,
		.batches = 10,
		.batch_slots = .1,
		.gradient = .05,
		.bandwidth = 2,
		.ps_bandwidth = uniform(random, 5, 20),
		.worker = demand[0],
		.ps = demand[1],
		.utility = {.kind = ASTRA_UTILITY_SIGMOID},
	};
	job->utility.sigmoid.g1 = uniform(random, 1, 100);
	job->utility.sigmoid.g2 = uniform(random, .01, 1);
	job->utility.sigmoid.g3 =
		uniform(random, scene->slots / 4.0, scene->slots);
}

static void make_world(const struct scene *scene, struct plain_world *w)
{
	struct astra_oasis_history history;
	struct astra_random random = astra_random_seed(1);
	double capacity = scene->servers * (8 + 32 + 32);

	*w = (struct plain_world){.slots = scene->slots};
	make_side(&w->workers, scene->slots, scene->servers);
	make_side(&w->ps, scene->slots, scene->servers);
	astra_oasis_history_init(&history);
	for (size_t i = 0; i < PLAIN_JOBS; i++) {
		make_job(scene, &random, w->demand[i], &w->jobs[i], false);
		astra_oasis_history_add(&history, &w->jobs[i], scene->slots,
					PLAIN_RESOURCES);
	}
	astra_oasis_history_range(&history, PLAIN_RESOURCES, scene->slots,
				  capacity, capacity, &w->range);
	w->workers.upper = w->range.u1;
	w->workers.lower = w->range.l1;
	w->ps.upper = w->range.u2;
	w->ps.lower = w->range.l2;
}

/* Offer and commit JOBS jobs. Returns how many were accepted. */
static int serve(const struct scene *scene, struct plain_world *w, double *ms)
{
	struct astra_oasis_setup setup = plain_setup(w);
	struct astra_oasis_market *market =
		astra_oasis_market_create(&setup, NULL);
	struct astra_random random = astra_random_seed(2);
	double demand[2][PLAIN_RESOURCES];
	struct astra_oasis_offer offer = {0};
	struct astra_oasis_job job;
	int accepted = 0;

	must(market);
	for (int i = 0; i < JOBS; i++) {
		double since;

		make_job(scene, &random, demand, &job, false);
		since = bench_now_ms();
		must(astra_oasis_market_offer(market, &job, &offer, NULL) == 0);
		if (offer.accepted)
			astra_oasis_market_commit(market, &job, &offer.y,
						  &offer.z, false);
		ms[i] = bench_now_ms() - since;
		accepted += offer.accepted;
	}
	astra_oasis_offer_clear(&offer);
	astra_oasis_market_destroy(market);
	return accepted;
}

/* The peer's time for the largest jobs in an empty market. */
static double serve_plain(const struct scene *scene, struct plain_world *w,
			  bool whole_chunks)
{
	struct plain_best best = {
		.counts = calloc(scene->slots, sizeof(uint32_t)),
	};
	struct astra_random random = astra_random_seed(2);
	double demand[2][PLAIN_RESOURCES], ms[PEER_JOBS];
	struct astra_oasis_job job;

	must(best.counts);
	w->whole_chunks = whole_chunks;
	for (int i = 0; i < PEER_JOBS; i++) {
		double since;

		make_job(scene, &random, demand, &job, true);
		since = bench_now_ms();
		plain_offer(w, &job, &best);
		ms[i] = bench_now_ms() - since;
	}
	w->whole_chunks = false;
	free(best.counts);
	return bench_median(ms, PEER_JOBS);
}

static double mean(const double *ms)
{
	double sum = 0;

	for (int i = 0; i < JOBS; i++)
		sum += ms[i];
	return sum / JOBS;
}

int main(void)
{
	printf("one OASiS job in ms, of %d; peers: the plain programme, and "
	       "Algorithm 2 to the\nletter (the paper: < 1000 ms at 100 slots "
	       "and 80 servers)\n\n"
	       "  T  H=K    N     W  accepted  median    mean   worst    plain "
	       "     x=     alg2      x=\n",
	       JOBS);
	for (int i = 0; i < SCENES; i++) {
		const struct scene *s = &scenes[i];
		double ms[JOBS], median, plain, chunks;
		struct plain_world w;
		int accepted;

		make_world(s, &w);
		accepted = serve(s, &w, ms);
		median = bench_median(ms, JOBS);
		plain = serve_plain(s, &w, false);
		chunks = serve_plain(s, &w, true);
		printf("%3u %4u %4u %5u %9d %7.3f %7.3f %7.3f %8.1f %7.0f "
		       "%8.1f %7.0f\n",
		       s->slots, s->servers, s->workers, s->work, accepted,
		       median, mean(ms), ms[JOBS - 1], plain, plain / median,
		       chunks, chunks / median);
		plain_world_free(&w);
	}
	return 0;
}
