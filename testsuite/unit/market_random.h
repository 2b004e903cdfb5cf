/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small random markets and jobs. */
#ifndef MARKET_RANDOM_H
#define MARKET_RANDOM_H

#include <string.h>

#include "src/common/random.h"
#include "src/policies/incentive/incentive.h"

enum { RANDOM_SERVERS = 4, RANDOM_USERS = 3, RANDOM_JOBS = 12 };

struct random_market {
	struct astra_market_setup setup;
	struct astra_market_room servers[RANDOM_SERVERS];
	struct astra_market_room quotas[RANDOM_USERS];
	struct astra_market_job jobs[RANDOM_JOBS];
	size_t job_count;
};

static inline uint32_t random_to(struct astra_random *r, uint32_t max)
{
	return (uint32_t)astra_random_below(r, max + 1);
}

static inline struct astra_utility random_utility(struct astra_random *r)
{
	struct astra_utility u = {.kind = ASTRA_UTILITY_LINEAR};

	switch (astra_random_below(r, 4)) {
	case 0:
		u.kind = ASTRA_UTILITY_CONVEX;
		u.convex.e = 1 + random_to(r, 20);
		u.convex.kappa = 1 + astra_random_uniform(r);
		break;
	case 1:
		u.kind = ASTRA_UTILITY_SIGMOID;
		u.sigmoid.g1 = random_to(r, 40);
		u.sigmoid.g2 = 1;
		u.sigmoid.g3 = random_to(r, 6);
		break;
	default:
		u.linear.k = 1.0 - random_to(r, 5);
		u.linear.g = random_to(r, 50);
	}
	return u;
}

static inline struct astra_market_job random_job(struct astra_random *r,
						 size_t users)
{
	struct astra_market_job job = {
		.user = (uint32_t)astra_random_below(r, users),
		.d_min = 1,
		.no_ps = !astra_random_below(r, 8),
		.arrival = random_to(r, 16),
		.work = random_to(r, 16) / 2.0,
		.n_dist = random_to(r, 4) / 4.0,
		.n_cent = random_to(r, 4) / 2.0,
		.utility = random_utility(r),
	};

	job.d_max = random_to(r, 5);
	if (!astra_random_below(r, 4) && job.d_max)
		job.d_min = job.d_max;
	return job;
}

/* Every unit of `total` goes to some user. */
static inline void random_quotas(struct random_market *m,
				 struct astra_random *r)
{
	struct astra_market_room left = {0, 0};

	for (size_t s = 0; s < m->setup.server_count; s++) {
		left.workers += m->servers[s].workers;
		left.ps += m->servers[s].ps;
	}
	for (; left.workers; left.workers--)
		m->quotas[astra_random_below(r, m->setup.user_count)].workers++;
	for (; left.ps; left.ps--)
		m->quotas[astra_random_below(r, m->setup.user_count)].ps++;
}

/* In place, since the setup points into it. servers: 0 for any number. */
static inline void random_market(struct random_market *m,
				 struct astra_random *r, size_t servers)
{
	memset(m, 0, sizeof(*m));
	m->setup = (struct astra_market_setup){
		.theta_w = 1 + 4 * astra_random_uniform(r),
		.theta_p = 1 + 4 * astra_random_uniform(r),
		.b_w = random_to(r, 3),
		.b_p = random_to(r, 3),
		.own_share = astra_random_below(r, 2),
		.servers = m->servers,
		.server_count = servers ? servers
					: 1 + random_to(r, RANDOM_SERVERS - 1),
		.quotas = m->quotas,
		.user_count = 1 + random_to(r, RANDOM_USERS - 1),
	};
	for (size_t s = 0; s < m->setup.server_count; s++)
		m->servers[s] = (struct astra_market_room){
			random_to(r, servers == 1 ? 8 : 3),
			random_to(r, servers == 1 ? 4 : 2)};
	random_quotas(m, r);
	m->job_count = random_to(r, RANDOM_JOBS);
	for (size_t i = 0; i < m->job_count; i++)
		m->jobs[i] = random_job(r, m->setup.user_count);
}

#endif
