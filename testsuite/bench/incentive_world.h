/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random instances of the incentive paper's model, and who is ahead in them:
 * its market, and schedulers without one.
 *
 * A job may have up to d_max workers in a slot, which do one mini-batch each if
 * all are on one server, n_dist otherwise, with a parameter server (PS) for
 * every b_p of them. Jobs are worth up to 15 for each worker's slot that they
 * need, which is what the last free worker costs (theta = 16).
 */
#ifndef ASTRA_BENCH_INCENTIVE_WORLD_H
#define ASTRA_BENCH_INCENTIVE_WORLD_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/common/random.h"
#include "src/policies/incentive/incentive.h"

enum {
	WORLD_WORKERS = 8, /* of a server */
	WORLD_PS = 4,
	WORLD_B_P = 4, /* workers that a PS serves */
	WORLD_THETA = 16,
	WORLD_USERS = 32, /* at most */
	WORLD_D = 16,	  /* the most workers of a job */
	WORLD_SLOTS = 8,  /* that a job takes on them, in the mean */
};

struct world {
	/* What is set before it is filled. */
	uint32_t servers, users;
	uint32_t intervals; /* jobs come until 2^intervals; twice that is the
			     * end of time */
	double load;	    /* work that comes, of what the servers could do */
	bool convex;	    /* utilities: (e / x)^kappa, else k x + g */

	struct astra_market_job *jobs; /* by arrival */
	uint32_t job_count;
	struct astra_market_room quotas[WORLD_USERS];
};

/* What a scheduler made of a world. */
struct world_result {
	double utility; /* of all jobs that end; all gains together */
	double worth[WORLD_USERS]; /* of a user's */
	double gain[WORLD_USERS];  /* with what it pays and is paid */
};

static inline void *world_take(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	if (!memory)
		exit(1);
	return memory;
}

static inline uint32_t world_end(const struct world *w)
{
	return 2u << w->intervals;
}

static inline uint32_t world_workers(const struct world *w)
{
	return w->servers * WORLD_WORKERS;
}

static inline uint32_t world_ps(uint32_t workers)
{
	return (workers + WORLD_B_P - 1) / WORLD_B_P;
}

/* Worth `value` if it ends after `slots`: to the end of a line that is 0 after
 * the end of time, or half of it if it takes twice as long. */
static inline struct astra_utility world_utility(const struct world *w,
						 struct astra_random *r,
						 double value, double slots)
{
	double over = world_end(w) * (1 + astra_random_uniform(r));

	if (w->convex)
		return (struct astra_utility){.kind = ASTRA_UTILITY_CONVEX,
					      .convex = {value * slots, 1}};
	value /= 1 - slots / over;
	return (struct astra_utility){.kind = ASTRA_UTILITY_LINEAR,
				      .linear = {-value / over, value}};
}

/* The last users have the most jobs; their quotas are alike. */
static inline struct astra_market_job world_job(const struct world *w,
						struct astra_random *r)
{
	uint32_t ticket =
		(uint32_t)astra_random_below(r, w->users * (w->users + 1) / 2);
	struct astra_market_job job = {
		.d_min = 1,
		.d_max = 1 + (uint32_t)astra_random_below(r, WORLD_D),
		.n_cent = 1,
		.n_dist = 0.8,
	};
	double slots =
		1 + floor(astra_random_exponential(r, WORLD_SLOTS - 0.5));

	while (ticket >= job.user + 1)
		ticket -= ++job.user;
	job.work = slots * job.d_max;
	job.utility = world_utility(
		w, r, job.work * (1 + 14 * astra_random_uniform(r)), slots);
	return job;
}

static inline int world_compare(const void *a, const void *b)
{
	const struct astra_market_job *x = a, *y = b;

	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

static inline void world_fill(struct world *w, uint64_t seed)
{
	struct astra_random r = astra_random_seed(seed);
	double until = 1u << w->intervals;
	double left = w->load * world_workers(w) * until;

	w->jobs = world_take((size_t)left, sizeof(*w->jobs));
	w->job_count = 0;
	for (; left > 0; left -= w->jobs[w->job_count++].work) {
		w->jobs[w->job_count] = world_job(w, &r);
		w->jobs[w->job_count].arrival =
			until * astra_random_uniform(&r);
	}
	qsort(w->jobs, w->job_count, sizeof(*w->jobs), world_compare);
	for (uint32_t u = 0; u < w->users; u++)
		w->quotas[u] = (struct astra_market_room){
			world_workers(w) * (u + 1) / w->users -
				world_workers(w) * u / w->users,
			w->servers * WORLD_PS * (u + 1) / w->users -
				w->servers * WORLD_PS * u / w->users};
}

static inline void world_clear(struct world *w)
{
	free(w->jobs);
}

/* What a user's jobs would be worth, each at once and alone. */
static inline double world_most(const struct world *w, uint32_t user)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->job_count; i++)
		if (w->jobs[i].user == user)
			sum += astra_utility_value(
				&w->jobs[i].utility,
				ceil(w->jobs[i].work / w->jobs[i].d_max));
	return sum;
}

/* ---- the market ---- */

static inline struct astra_market *world_market(const struct world *w)
{
	struct astra_market_room *servers =
		world_take(w->servers, sizeof(*servers));
	struct astra_market_setup setup = {
		.theta_w = WORLD_THETA,
		.theta_p = WORLD_THETA,
		.b_w = 1,
		.b_p = WORLD_B_P,
		.servers = servers,
		.server_count = w->servers,
		.quotas = w->quotas,
		.user_count = w->users,
	};
	struct astra_market *market;
	struct astra_error err;

	for (uint32_t s = 0; s < w->servers; s++)
		servers[s] =
			(struct astra_market_room){WORLD_WORKERS, WORLD_PS};
	market = astra_market_create(&setup, &err);
	if (!market)
		exit(1);
	free(servers);
	return market;
}

/* The batches with lambda = 1: the window of each is as long as all before it
 * together, and has all jobs that came before it. own: nothing is sold. */
static inline struct world_result world_sell(const struct world *w, bool own)
{
	struct astra_market *market = world_market(w);
	uint32_t *left = world_take(w->job_count, sizeof(*left)), come = 0;
	struct astra_market_book book = {0};
	struct world_result out = {0};
	struct astra_error err;
	size_t count = 0;

	for (uint32_t at = 2; at < world_end(w); at *= 2) {
		const struct astra_market_window window = {.begin = at,
							   .slots = at};

		for (; come < w->job_count && w->jobs[come].arrival <= at;
		     come++)
			left[count++] = come;
		if (astra_market_begin(market, &window, &err) < 0 ||
		    (own ? astra_market_offer_own : astra_market_offer)(
			    market, w->jobs, left, &count, &book, &err) < 0)
			exit(1);
	}
	for (uint32_t u = 0; u < w->users; u++) {
		const struct astra_market_account *account =
			astra_market_account(market, u);

		out.worth[u] = account->utility;
		out.gain[u] = astra_market_gain(account);
		out.utility += account->utility;
	}
	free(left);
	astra_market_book_clear(&book);
	astra_market_destroy(market);
	return out;
}

#endif
