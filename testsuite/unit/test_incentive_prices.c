/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the prices of the own phase do to tenants: by the cluster's usage, as in
 * the paper, others push a tenant's jobs out of its idle share, and it does
 * better by lying; by the tenant's own usage neither happens. */
#include "src/policies/incentive/incentive.h"
#include "testsuite/unit/market_random.h"
#include "testsuite/unit/unit.h"

struct outcome {
	struct astra_market *market;
	struct astra_market_book book;
};

/* One window of the jobs of one user, or of all (UINT32_MAX). */
static void run(struct outcome *o, const struct random_market *in,
		uint32_t slots, uint32_t user)
{
	const struct astra_market_window window = {.begin = 16, .slots = slots};
	uint32_t offered[RANDOM_JOBS];
	struct astra_error err;
	size_t count = 0;

	*o = (struct outcome){0};
	for (uint32_t i = 0; i < in->job_count; i++)
		if (user == UINT32_MAX || in->jobs[i].user == user)
			offered[count++] = i;
	o->market = astra_market_create(&in->setup, &err);
	assert_non_null(o->market);
	assert_int_equal(astra_market_begin(o->market, &window, &err), 0);
	assert_int_equal(astra_market_offer(o->market, in->jobs, offered,
					    &count, &o->book, &err),
			 0);
}

static void finish(struct outcome *o)
{
	astra_market_book_clear(&o->book);
	astra_market_destroy(o->market);
}

/* The deal of a job, or NULL. */
static const struct astra_market_deal *deal_of(const struct outcome *o,
					       uint32_t job)
{
	for (size_t i = 0; i < o->book.count; i++)
		if (o->book.deals[i].job == job)
			return &o->book.deals[i];
	return NULL;
}

/* On one server, where only prices and quotas count. */
static void random_server(struct random_market *in, struct astra_random *r,
			  bool own_share)
{
	random_market(in, r, 1);
	in->setup.own_share = own_share;
	in->setup.theta_w *= 4;
	for (size_t i = 0; i < in->job_count; i++)
		in->jobs[i].n_dist = 0;
}

/* ---- batch sharing incentive ---- */

/* Whether each user's unpaid jobs run as if it were alone. */
static bool same_as_alone(const struct random_market *in)
{
	struct outcome all, alone;
	bool same = true;

	run(&all, in, 6, UINT32_MAX);
	for (uint32_t u = 0; u < in->setup.user_count; u++) {
		run(&alone, in, 6, u);
		for (size_t i = 0; i < alone.book.count; i++) {
			const struct astra_market_deal *a =
				&alone.book.deals[i];
			const struct astra_market_deal *b =
				deal_of(&all, a->job);

			if (!a->shared)
				same = same && b && !b->shared &&
				       b->start == a->start &&
				       b->end == a->end && b->mu == a->mu;
		}
		finish(&alone);
	}
	finish(&all);
	return same;
}

static int count_pushed_out(bool own_share)
{
	struct astra_random r = astra_random_seed(11);
	struct random_market in;
	int count = 0;

	for (int i = 0; i < 1000; i++) {
		random_server(&in, &r, own_share);
		count += !same_as_alone(&in);
	}
	return count;
}

static void prices_of_the_own_share_keep_others_out_of_it(void **state)
{
	(void)state;
	assert_int_equal(count_pushed_out(true), 0);
}

static void prices_of_the_cluster_do_not(void **state)
{
	(void)state;
	assert_true(count_pushed_out(false) > 0);
}

/* Two GPUs each; the first tenant uses its two. Prices are then
 * 16^(2/4) - 1 = 3, so that the second one's two cost 6. */
static void two_halves(struct random_market *in, bool own_share)
{
	const struct astra_market_job job = {
		.d_min = 2,
		.d_max = 2,
		.no_ps = true,
		.work = 2,
		.n_cent = 1,
		.utility = {.kind = ASTRA_UTILITY_LINEAR, .linear = {0, 100}},
	};

	*in = (struct random_market){.servers = {{4, 0}},
				     .quotas = {{2, 0}, {2, 0}},
				     .jobs = {job, job},
				     .job_count = 2};
	in->setup = (struct astra_market_setup){
		.theta_w = 16,
		.theta_p = 16,
		.own_share = own_share,
		.servers = in->servers,
		.server_count = 1,
		.quotas = in->quotas,
		.user_count = 2,
	};
	in->jobs[1].user = 1;
}

/* What the second tenant gets from a job that is worth 5 and declared so. */
static double second_gain(bool own_share, double declared)
{
	const double worth = 5;
	const struct astra_market_deal *deal;
	struct random_market in;
	struct outcome o;
	double gain;

	two_halves(&in, own_share);
	in.jobs[1].utility.linear.g = declared;
	run(&o, &in, 1, UINT32_MAX);
	deal = deal_of(&o, 1);
	gain = deal ? worth - deal->pay_w : 0;
	finish(&o);
	return gain;
}

static void a_tenant_is_refused_while_its_share_is_idle(void **state)
{
	(void)state;
	assert_true(second_gain(false, 5) == 0);
	assert_true(second_gain(true, 5) == 5);
}

static void there_it_gains_by_exaggerating(void **state)
{
	(void)state;
	assert_true(second_gain(false, 100) == 5);
	assert_true(second_gain(true, 100) == 5);
}

/* ---- strategy-proofness ---- */

/* What a job brings its owner, who declared it as in `in`: its true utility by
 * the end, less what it pays. */
static double benefit(const struct random_market *in, uint32_t slots,
		      uint32_t job, const struct astra_utility *truth)
{
	const struct astra_market_deal *deal;
	struct outcome o;
	double worth;

	run(&o, in, slots, UINT32_MAX);
	deal = deal_of(&o, job);
	worth = deal ? astra_utility_value(truth, deal->end - 16.0) -
				(deal->pay_w + deal->pay_p)
		     : 0;
	finish(&o);
	return worth;
}

/* Each tenant has one job that needs no more than its share. */
static void random_tenants(struct random_market *in, struct astra_random *r,
			   bool own_share)
{
	do
		random_server(in, r, own_share);
	while (in->setup.user_count < 2);
	in->job_count = in->setup.user_count;
	for (uint32_t u = 0; u < in->setup.user_count; u++) {
		struct astra_market_job *job = &in->jobs[u];

		*job = random_job(r, 1);
		job->user = u;
		job->n_dist = 0;
		if (job->d_max > in->quotas[u].workers)
			job->d_max = in->quotas[u].workers;
		job->d_min = 1;
	}
}

/* Another utility, more work, fewer workers. Less work or more workers than
 * the truth and the job would not be done when its schedule ends. */
static void lie(struct astra_market_job *job, struct astra_random *r)
{
	if (astra_random_below(r, 2))
		job->utility = random_utility(r);
	if (astra_random_below(r, 2))
		job->work += random_to(r, 4);
	if (astra_random_below(r, 2))
		job->d_max = random_to(r, job->d_max);
}

static int count_gains_by_lies(bool own_share)
{
	struct astra_random r = astra_random_seed(13);
	struct random_market in;
	int count = 0;

	for (int i = 0; i < 2000; i++) {
		struct astra_utility truth;
		double honest;
		uint32_t liar;

		random_tenants(&in, &r, own_share);
		liar = random_to(&r, (uint32_t)in.job_count - 1);
		truth = in.jobs[liar].utility;
		honest = benefit(&in, 6, liar, &truth);
		lie(&in.jobs[liar], &r);
		count += benefit(&in, 6, liar, &truth) > honest + 1e-9;
	}
	return count;
}

static void truth_is_best_by_prices_of_the_own_share(void **state)
{
	(void)state;
	assert_int_equal(count_gains_by_lies(true), 0);
}

static void truth_is_not_best_by_prices_of_the_cluster(void **state)
{
	(void)state;
	assert_true(count_gains_by_lies(false) > 0);
}

/* Where strategy-proofness ends: a job that could use more than its tenant's
 * share is unpaid, slow and sure; one that claims too much work for that share
 * gets the whole idle cluster for nothing. Two of eight GPUs, four slots, 8
 * GPU-slots of work: four slots, or two with all (one, declared truly). */
static void share_prices_do_not_keep_a_job_in_its_own_phase(void **state)
{
	struct random_market in;
	struct astra_utility truth;
	double honest;

	(void)state;
	two_halves(&in, true);
	in.servers[0].workers = 8;
	in.quotas[1].workers = 6;
	in.job_count = 1;
	in.jobs[0].d_min = 1;
	in.jobs[0].d_max = 8;
	in.jobs[0].work = 8;
	in.jobs[0].utility.linear.k = -10;
	truth = in.jobs[0].utility;
	honest = benefit(&in, 4, 0, &truth);
	assert_true(honest == 60);
	in.jobs[0].work = 9;
	assert_true(benefit(&in, 4, 0, &truth) == 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prices_of_the_own_share_keep_others_out_of_it),
		cmocka_unit_test(prices_of_the_cluster_do_not),
		cmocka_unit_test(a_tenant_is_refused_while_its_share_is_idle),
		cmocka_unit_test(there_it_gains_by_exaggerating),
		cmocka_unit_test(truth_is_best_by_prices_of_the_own_share),
		cmocka_unit_test(truth_is_not_best_by_prices_of_the_cluster),
		cmocka_unit_test(
			share_prices_do_not_keep_a_job_in_its_own_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
