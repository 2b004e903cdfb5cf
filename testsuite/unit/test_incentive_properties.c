/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds of every outcome of incentive's market: capacity, quotas, money.
 */
#include "src/policies/incentive/incentive.h"
#include "testsuite/unit/market_random.h"
#include "testsuite/unit/unit.h"

enum { INTERVALS = 4, LAMBDA_MAX = 2, SLOTS = 16 * 2 * LAMBDA_MAX + 1 };

struct outcome {
	struct random_market in;
	struct astra_incentive_batches batches;
	struct astra_market *market;
	struct astra_market_book book;
	uint32_t left[RANDOM_JOBS];
	size_t left_count;
};

static void run(struct outcome *o, struct astra_random *r)
{
	struct astra_error err;

	*o = (struct outcome){0};
	random_market(&o->in, r, 0);
	o->batches = (struct astra_incentive_batches){
		.lambda = 1 + random_to(r, LAMBDA_MAX - 1),
		.intervals = INTERVALS,
	};
	o->market = astra_market_create(&o->in.setup, &err);
	assert_non_null(o->market);
	assert_int_equal(astra_incentive_run(o->market, &o->batches, o->in.jobs,
					     o->in.job_count, &o->book, o->left,
					     &o->left_count, &err),
			 0);
}

static void finish(struct outcome *o)
{
	astra_market_book_clear(&o->book);
	astra_market_destroy(o->market);
}

static void for_many(void (*check)(struct outcome *o))
{
	struct astra_random r = astra_random_seed(7);
	struct outcome o;

	for (int i = 0; i < 2000; i++) {
		run(&o, &r);
		check(&o);
		finish(&o);
	}
}

static void check_capacity(struct outcome *o)
{
	static uint32_t used[SLOTS][RANDOM_SERVERS][2];

	memset(used, 0, sizeof(used));
	for (size_t i = 0; i < o->book.count; i++) {
		const struct astra_market_deal *d = &o->book.deals[i];

		for (uint32_t t = d->start; t <= d->end; t++) {
			for (size_t k = 0; k < d->part_count; k++) {
				const struct astra_market_part *p =
					&o->book.parts[d->first_part + k];

				used[t][p->server][0] += p->workers;
			}
			if (d->ps)
				used[t][d->ps_server][1] += d->ps;
		}
	}
	for (size_t t = 0; t < SLOTS; t++)
		for (size_t s = 0; s < o->in.setup.server_count; s++) {
			const struct astra_market_room *room =
				&o->in.servers[s];

			assert_true(used[t][s][0] <= room->workers);
			assert_true(used[t][s][1] <= room->ps);
		}
}

static void servers_are_never_overfull(void **state)
{
	(void)state;
	for_many(check_capacity);
}

static void check_quotas(struct outcome *o)
{
	static uint32_t own[SLOTS][RANDOM_USERS][2];

	memset(own, 0, sizeof(own));
	for (size_t i = 0; i < o->book.count; i++) {
		const struct astra_market_deal *d = &o->book.deals[i];
		uint32_t user = o->in.jobs[d->job].user;

		for (uint32_t t = d->start; !d->shared && t <= d->end; t++) {
			own[t][user][0] += d->workers;
			own[t][user][1] += d->ps;
		}
	}
	for (size_t t = 0; t < SLOTS; t++)
		for (size_t u = 0; u < o->in.setup.user_count; u++) {
			const struct astra_market_room *quota =
				&o->in.quotas[u];

			assert_true(own[t][u][0] <= quota->workers);
			assert_true(own[t][u][1] <= quota->ps);
		}
}

static void unpaid_jobs_keep_to_their_quota(void **state)
{
	(void)state;
	for_many(check_quotas);
}

/* Eq. 2. */
static void check_payments(struct outcome *o)
{
	for (size_t i = 0; i < o->book.count; i++) {
		const struct astra_market_deal *d = &o->book.deals[i];
		double income = 0;

		for (size_t u = 0; d->shared && u < o->in.setup.user_count; u++)
			income += o->book.incomes[d->first_income + u];
		assert_close(d->pay_w + d->pay_p, income, 1e-9);
		assert_close(income, d->shared ? d->cost : 0, 1e-9);
		assert_true(d->cost >= 0 && d->mu > 0);
	}
}

static void what_is_paid_is_earned(void **state)
{
	(void)state;
	for_many(check_payments);
}

static void check_gains(struct outcome *o)
{
	double gains = 0, total = 0;

	for (uint32_t u = 0; u < o->in.setup.user_count; u++)
		gains += astra_market_gain(astra_market_account(o->market, u));
	for (size_t i = 0; i < o->book.count; i++)
		total += o->book.deals[i].utility;
	assert_close(gains, total, 1e-9);
}

static void gains_sum_to_all_utility(void **state)
{
	(void)state;
	for_many(check_gains);
}

static void check_deal(const struct outcome *o,
		       const struct astra_market_deal *d)
{
	const struct astra_market_job *job = &o->in.jobs[d->job];
	struct astra_market_window w =
		astra_incentive_window(&o->batches, d->interval, d->round);
	double n = d->centralized ? job->n_cent : job->n_dist;
	uint32_t workers = 0;

	for (size_t k = 0; k < d->part_count; k++)
		workers += o->book.parts[d->first_part + k].workers;
	assert_int_equal(workers, d->workers);
	assert_in_range(workers, job->d_min, job->d_max);
	assert_true(d->start > w.begin && d->end <= w.begin + w.slots);
	assert_true(n * workers * (d->end - d->start + 1) >= job->work - 1e-6);
	assert_close(d->value,
		     astra_utility_value(&job->utility, d->end - w.begin),
		     1e-12);
	assert_close(d->utility,
		     astra_utility_value(&job->utility, d->end - job->arrival),
		     1e-12);
	assert_true(job->arrival <= w.begin);
	assert_true(!d->centralized || d->part_count == 1);
	assert_true(!d->ps == job->no_ps);
}

static void check_deals(struct outcome *o)
{
	bool seen[RANDOM_JOBS] = {0};

	for (size_t i = 0; i < o->book.count; i++) {
		check_deal(o, &o->book.deals[i]);
		assert_false(seen[o->book.deals[i].job]);
		seen[o->book.deals[i].job] = true;
	}
	for (size_t i = 0; i < o->left_count; i++) {
		assert_false(seen[o->left[i]]);
		seen[o->left[i]] = true;
	}
	assert_int_equal(o->book.count + o->left_count, o->in.job_count);
}

static void every_job_runs_once_to_its_end_or_is_left(void **state)
{
	(void)state;
	for_many(check_deals);
}

static void the_same_instance_gives_the_same_bits(void **state)
{
	struct outcome a, b;

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct astra_random r = astra_random_seed(seed), s = r;

		run(&a, &r);
		run(&b, &s);
		assert_int_equal(a.book.count, b.book.count);
		for (size_t i = 0; i < a.book.count; i++)
			assert_true(a.book.deals[i].job ==
					    b.book.deals[i].job &&
				    a.book.deals[i].mu == b.book.deals[i].mu);
		for (size_t i = 0; i < a.book.income_count; i++)
			assert_true(a.book.incomes[i] == b.book.incomes[i]);
		finish(&a);
		finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_never_overfull),
		cmocka_unit_test(unpaid_jobs_keep_to_their_quota),
		cmocka_unit_test(what_is_paid_is_earned),
		cmocka_unit_test(gains_sum_to_all_utility),
		cmocka_unit_test(every_job_runs_once_to_its_end_or_is_left),
		cmocka_unit_test(the_same_instance_gives_the_same_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
