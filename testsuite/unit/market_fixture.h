/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small markets by hand. */
#ifndef MARKET_FIXTURE_H
#define MARKET_FIXTURE_H

#include "src/policies/incentive/incentive.h"
#include "testsuite/unit/unit.h"

enum { OFFERED_MOST = 16 };

static const struct astra_utility falling = {
	.kind = ASTRA_UTILITY_LINEAR,
	.linear = {.k = -2, .g = 100},
};

struct fixture {
	struct astra_market *market;
	struct astra_market_book book;
	struct astra_error err;
};

/* theta = 16, so that a quarter used costs 1. */
static inline struct astra_market_setup
market_of(const struct astra_market_room *servers, size_t server_count,
	  const struct astra_market_room *quotas, size_t user_count)
{
	return (struct astra_market_setup){
		.theta_w = 16,
		.theta_p = 16,
		.b_w = 1,
		.b_p = 1,
		.servers = servers,
		.server_count = server_count,
		.quotas = quotas,
		.user_count = user_count,
	};
}

static inline void open_market(struct fixture *f,
			       const struct astra_market_setup *setup,
			       uint32_t begin, uint32_t slots)
{
	const struct astra_market_window window = {
		.begin = begin, .slots = slots, .interval = 1, .round = 1};

	*f = (struct fixture){0};
	f->market = astra_market_create(setup, &f->err);
	assert_non_null(f->market);
	assert_int_equal(astra_market_begin(f->market, &window, &f->err), 0);
}

/* Returns how many are left. */
static inline size_t offer(struct fixture *f,
			   const struct astra_market_job *jobs, size_t count)
{
	uint32_t offered[OFFERED_MOST];

	for (uint32_t i = 0; i < count; i++)
		offered[i] = i;
	assert_int_equal(astra_market_offer(f->market, jobs, offered, &count,
					    &f->book, &f->err),
			 0);
	return count;
}

static inline void close_market(struct fixture *f)
{
	astra_market_book_clear(&f->book);
	astra_market_destroy(f->market);
}

static inline double gain(const struct fixture *f, uint32_t user)
{
	return astra_market_gain(astra_market_account(f->market, user));
}

/* A rigid job without PSs. */
static inline struct astra_market_job gang(uint32_t workers, double slots)
{
	return (struct astra_market_job){
		.d_min = workers,
		.d_max = workers,
		.no_ps = true,
		.work = slots * workers,
		.n_dist = 1,
		.n_cent = 1,
		.utility = falling,
	};
}

static inline void expect_part(const struct fixture *f, size_t part,
			       uint32_t server, uint32_t workers)
{
	assert_int_equal(f->book.parts[part].server, server);
	assert_int_equal(f->book.parts[part].workers, workers);
}

#endif
