/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Incentive: one job's best schedule in a market in use, and whole instances.
 * Peer in the same run: Alg. 3 to the letter, slot by slot. The paper says
 * 1.56 s a job for 100 servers and tau = 64. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policies/incentive/batch.h"
#include "src/policies/incentive/incentive.h"
#include "testsuite/bench/bench.h"
#include "testsuite/unit/market_literal.h"

enum {
	JOBS = 100,
	USERS = 10,
	WORKERS = 8,
	PS = 4,
	REPEATS = 5,
	PEER_SERVERS = 100
};

struct size {
	uint32_t servers, slots, d_max;
};

static const struct size sizes[] = {
	{100, 64, 8},	{100, 64, 32},	{100, 64, 128},
	{100, 256, 32}, {1000, 64, 32}, {1000, 256, 128},
};

enum { SIZES = sizeof(sizes) / sizeof(*sizes) };

struct world {
	struct size size;
	struct astra_market *market;
	struct astra_market_job jobs[JOBS];
	struct astra_market_book book;
};

static void fail(const struct astra_error *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

/* Half the jobs want more than their tenant's share. */
static void make_jobs(struct world *w, struct astra_random *r)
{
	for (size_t i = 0; i < JOBS; i++)
		w->jobs[i] = (struct astra_market_job){
			.user = (uint32_t)astra_random_below(r, USERS),
			.d_min = 1,
			.d_max = w->size.d_max,
			.arrival = (double)i / JOBS,
			.work = w->size.d_max * w->size.slots *
				(0.1 + 0.5 * astra_random_uniform(r)),
			.n_dist = 0.8,
			.n_cent = 1,
			.utility = {.kind = ASTRA_UTILITY_CONVEX,
				    .convex = {1e5, 1.5}},
		};
}

static void make_market(struct world *w)
{
	struct astra_market_room *servers =
		calloc(w->size.servers, sizeof(*servers));
	struct astra_market_room quotas[USERS];
	struct astra_market_setup setup = {
		.theta_w = 16,
		.theta_p = 16,
		.b_w = 1,
		.b_p = 32,
		.servers = servers,
		.server_count = w->size.servers,
		.quotas = quotas,
		.user_count = USERS,
	};
	struct astra_error err = {"out of memory"};

	if (!servers)
		fail(&err);
	for (uint32_t i = 0; i < w->size.servers; i++)
		servers[i] = (struct astra_market_room){WORKERS, PS};
	for (int u = 0; u < USERS; u++)
		quotas[u] = (struct astra_market_room){
			w->size.servers * WORKERS / USERS,
			w->size.servers * PS / USERS};
	w->market = astra_market_create(&setup, &err);
	if (!w->market)
		fail(&err);
	free(servers);
}

/* A window for the first `count` jobs. Returns how many were admitted. */
static size_t play(struct world *w, size_t count)
{
	const struct astra_market_window window = {.begin = w->size.slots,
						   .slots = w->size.slots};
	uint32_t offered[JOBS];
	struct astra_error err;
	size_t left = count;

	for (uint32_t i = 0; i < count; i++)
		offered[i] = i;
	astra_market_book_clear(&w->book);
	if (astra_market_begin(w->market, &window, &err) < 0 ||
	    astra_market_offer(w->market, w->jobs, offered, &left, &w->book,
			       &err) < 0)
		fail(&err);
	return count - left;
}

/* In the market as it is: the median time of a search for the last jobs. */
static double search_ms(struct world *w, bool literal, int jobs)
{
	double ms[JOBS];

	for (int i = 0; i < jobs; i++) {
		const struct astra_market_job *job = &w->jobs[JOBS - 1 - i];
		double since = bench_now_ms();
		struct market_best best;

		if (literal)
			market_literal(w->market, job, true, &best);
		else
			market_search(w->market, job, true, &best);
		ms[i] = bench_now_ms() - since;
	}
	return bench_median(ms, (size_t)jobs);
}

static void bench(const struct size *size)
{
	struct astra_random r = astra_random_seed(1);
	struct world w = {.size = *size};
	double all[REPEATS], job, peer;
	size_t admitted = 0;

	make_market(&w);
	make_jobs(&w, &r);
	for (int i = 0; i < REPEATS; i++) {
		double since = bench_now_ms();

		admitted = play(&w, JOBS);
		all[i] = bench_now_ms() - since;
	}
	play(&w, JOBS / 2);
	job = search_ms(&w, false, JOBS / 2);
	printf("%7u %5u %5u %8zu %9.1f %7.3f", size->servers, size->slots,
	       size->d_max, admitted, bench_median(all, REPEATS), job);
	if (size->servers <= PEER_SERVERS) {
		peer = search_ms(&w, true, 3);
		printf(" %14.0f %7.0f", peer, peer / job);
	}
	printf("\n");
	astra_market_book_clear(&w.book);
	astra_market_destroy(w.market);
}

/* ---- a window of a pool ---- */

enum { POOL_JOBS = 2000, POOL_GPUS = 8, POOL_MOST = 1250 };

struct pool {
	struct astra_node nodes[POOL_MOST];
	uint32_t free[POOL_MOST];
	struct astra_contestant tenants[USERS];
	struct astra_job jobs[POOL_JOBS];
	struct astra_demand demands[POOL_JOBS];
};

/* Twice what there is: jobs of 1 to 64 GPUs, up to two windows long. */
static void fill_pool(struct pool *p, uint32_t nodes, double window_sec)
{
	struct astra_random r = astra_random_seed(2);

	for (uint32_t n = 0; n < nodes; n++) {
		p->nodes[n] =
			(struct astra_node){.usable = true, .gpus = POOL_GPUS};
		p->free[n] = POOL_GPUS;
	}
	for (size_t u = 0; u < USERS; u++)
		p->tenants[u] = (struct astra_contestant){
			.quota = nodes * POOL_GPUS / (double)USERS,
			.entitled = true};
	for (uint32_t i = 0; i < POOL_JOBS; i++) {
		p->jobs[i] = (struct astra_job){
			.id = i + 1,
			.copies = 1,
			.state = ASTRA_JOB_PENDING,
			.request.gpus = 1u << astra_random_below(&r, 7),
			.forecast.work_sec =
				2 * window_sec * astra_random_uniform(&r),
		};
		p->demands[i] = (struct astra_demand){
			.job = &p->jobs[i],
			.tenant = (uint32_t)astra_random_below(&r, USERS),
			.copies = 1,
			.open = true};
	}
}

static void bench_pool(struct pool *p, uint32_t nodes, uint32_t slots)
{
	const struct astra_batch batch = {
		.slot_sec = 600,
		.theta = 2,
		.begin = slots,
		.slots = slots,
		.until_sec = slots * 600,
	};
	struct astra_offer offer = {
		.nodes = p->nodes,
		.free = p->free,
		.node_count = nodes,
		.demands = p->demands,
		.demand_count = POOL_JOBS,
		.tenants = p->tenants,
		.tenant_count = USERS,
	};
	struct astra_market_account accounts[USERS] = {{0}};
	struct astra_calendar calendar = {0};
	struct astra_error err;
	double ms[REPEATS];

	fill_pool(p, nodes, slots * 600);
	for (int i = 0; i < REPEATS; i++) {
		double since = bench_now_ms();

		if (astra_batch_sell(&batch, &offer, &calendar, accounts,
				     &err) < 0)
			fail(&err);
		ms[i] = bench_now_ms() - since;
	}
	printf("%7u %5u %8d %8zu %9.1f\n", nodes, slots, POOL_JOBS,
	       calendar.count, bench_median(ms, REPEATS));
	astra_calendar_free(&calendar);
}

int main(void)
{
	static struct pool pool;

	printf("incentive, %d jobs of %d tenants, medians; ms/job in a market "
	       "that half of\nthem use; peer: Alg. 3 to the letter\n\n"
	       "servers   tau     D admitted    all ms  ms/job  peer ms/job    "
	       "  x=\n",
	       JOBS, USERS);
	for (int i = 0; i < SIZES; i++)
		bench(&sizes[i]);
	printf("\na window of a pool with nodes of %d GPUs\n\n"
	       "  nodes slots     jobs  planned        ms\n",
	       POOL_GPUS);
	bench_pool(&pool, 32, 4);
	bench_pool(&pool, 256, 4);
	bench_pool(&pool, 1250, 4);
	bench_pool(&pool, 1250, 64);
	return 0;
}
