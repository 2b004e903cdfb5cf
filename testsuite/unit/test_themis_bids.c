/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What agents bid goes before the policy's estimates, and what an auction came
 * to can be seen. Times are relative to the cluster's begin, 1000. */
#include <math.h>
#include <string.h>

#include "src/policies/themis/app.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static const struct astra_themis_app single = {
	.kind = ASTRA_THEMIS_SINGLE,
	.elapsed_sec = 50,
	.navg = 2,
	.slowdown = {1, 1, 1.1, 1.3},
	.rho_current = -1,
	.rho_empty = HUGE_VAL,
	.gpus_max = 4,
	.quantum = 1,
	.iter_total = 100,
	.iter_left = 60,
	.iter_sec = 8,
};

static double rho(const struct astra_themis_app *app, uint32_t k,
		  enum astra_level level)
{
	double value;

	assert_int_equal(astra_themis_rho(app, 16, k, level, &value), 0);
	return value;
}

/* All of SPEC's single job, 800 GPU seconds, as a bid in seconds of which 60 %
 * are left: the same rho as by Eq. 1. */
static void seconds_count_as_the_estimate_would(void **state)
{
	static const double table[] = {800,	  400,	     800. / 3,	200,
				       800,	  400,	     800. / 3,	200,
				       800 * 1.1, 400 * 1.1, 880. / 3,	220,
				       800 * 1.3, 400 * 1.3, 1040. / 3, 260};
	const struct astra_bid bid = {
		.kind = ASTRA_BID_SECONDS, .gpus_max = 4, .table = table};
	struct astra_themis_app app = single;

	(void)state;
	app.stated = &bid;
	app.stated_left = .6;
	assert_close(astra_themis_ideal(&app, 16), 400, 1e-9);
	assert_close(rho(&app, 1, ASTRA_LEVEL_SLOT), 1.325, 1e-9);
	assert_close(rho(&app, 2, ASTRA_LEVEL_MACHINE), .725, 1e-9);
	assert_close(rho(&app, 2, ASTRA_LEVEL_CROSS), .905, 1e-9);
	assert_close(rho(&app, 8, ASTRA_LEVEL_RACK),
		     rho(&app, 4, ASTRA_LEVEL_RACK), 0);
	assert_true(isinf(rho(&app, 0, ASTRA_LEVEL_SLOT)));
}

/* The auction's table: log(1/rho) as stated, but more GPUs are never worse, and
 * those beyond the bid do no more. */
static void a_stated_rho_is_taken_as_it_is(void **state)
{
	static const double table[] = {4, 2, 3, 4, 2, 3, 8, 4, 6, 8, 8, 8};
	const struct astra_bid bid = {
		.kind = ASTRA_BID_RHO, .gpus_max = 3, .table = table};
	struct astra_themis_app app = single;
	struct astra_themis_bid made;

	(void)state;
	app.stated = &bid;
	assert_close(rho(&app, 3, ASTRA_LEVEL_SLOT), 3, 0);
	assert_close(rho(&app, 2, ASTRA_LEVEL_RACK), 4, 0);
	assert_int_equal(astra_themis_bid_init(&made, &app, 16, NULL, 0, 5), 0);
	assert_close(astra_themis_log_v(&made, ASTRA_LEVEL_SLOT, 1), -log(4),
		     1e-12);
	for (uint32_t k = 2; k <= 5; k++)
		assert_close(astra_themis_log_v(&made, ASTRA_LEVEL_SLOT, k),
			     -log(2), 1e-12);
	assert_close(astra_themis_log_v(&made, ASTRA_LEVEL_CROSS, 5), -log(8),
		     1e-12);
	assert_true(isinf(astra_themis_log_v(&made, ASTRA_LEVEL_RACK, 0)));
	astra_themis_bid_clear(&made);
}

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus, double knob)
{
	vc_init(vc, nodes, gpus);
	strcpy(vc->options.policy, "themis");
	vc->options.lease_sec = 20;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.fairness_knob = knob;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
}

static struct vjob *submit(struct vcluster *vc, uint32_t gpus, uint32_t app)
{
	struct vjob *v = vc_submit(vc, 0, gpus, 10000);

	v->job.forecast.work_sec = 10000;
	v->job.forecast.app = app;
	return v;
}

static const double nine[16] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};

/* Two apps that are alike want all there is, and f is so high that only one of
 * them is offered it. The second says that it is very badly off.
 * Returns which one runs. */
static int one_of_two(bool trust)
{
	struct astra_bid bid = {.app = astra_app_named(2),
				.gpus_max = 4,
				.table = nine,
				.rho_now = -1,
				.time_sec = AT(0)};
	const struct astra_auction *auction;
	struct vcluster vc;
	struct vjob *jobs[2];
	int runs;

	begin(&vc, 1, 4, .8);
	vc.options.trust_bids = trust;
	assert_int_equal(astra_engine_configure(vc.engine, &vc.options, NULL),
			 0);
	vc.bids = &bid;
	vc.bid_count = 1;
	jobs[0] = submit(&vc, 4, 1);
	jobs[1] = submit(&vc, 4, 2);
	vc_run(&vc, AT(2));
	runs = jobs[1]->job.state == ASTRA_JOB_RUNNING;
	assert_int_equal(jobs[!runs]->job.state, ASTRA_JOB_PENDING);
	auction = astra_engine_auction(vc.engine);
	assert_int_equal(auction->app_count, 2);
	assert_close(auction->apps[0].bid_sec, 0, 0);
	assert_close(auction->apps[1].bid_sec, AT(0), 0);
	vc_fini(&vc);
	return runs;
}

static void its_word_tells_who_is_worst_off_only_if_trusted(void **state)
{
	(void)state;
	assert_int_equal(one_of_two(false), 0);
	assert_int_equal(one_of_two(true), 1);
}

/* Of an app's jobs, those go first that its agent names first. */
static void the_agent_says_which_jobs_go_first(void **state)
{
	struct vcluster vc;
	struct vjob *jobs[4];

	(void)state;
	begin(&vc, 1, 2, 0);
	for (uint32_t i = 0; i < 4; i++)
		jobs[i] = submit(&vc, 1, 1);
	jobs[3]->job.forecast.turn = 1;
	jobs[1]->job.forecast.turn = 2;
	vc_run(&vc, AT(2));
	assert_int_equal(jobs[3]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(jobs[1]->job.state, ASTRA_JOB_RUNNING);
	assert_int_equal(jobs[0]->job.state, ASTRA_JOB_PENDING);
	vc_fini(&vc);
}

/* Of 8 GPUs two apps of eight jobs win four each; c = 1/2 (SPEC, "n identical
 * apps", n = 2), so each keeps two, and the other four are given away. The
 * estimate is 8 jobs of 10000 s over k GPUs. */
static void what_an_auction_came_to_can_be_seen(void **state)
{
	const struct astra_auction *auction;
	struct vcluster vc;
	uint32_t given = 0;

	(void)state;
	begin(&vc, 1, 8, 0);
	for (uint32_t i = 0; i < 16; i++)
		submit(&vc, 1, 1 + i / 8);
	vc_run(&vc, AT(2));
	auction = astra_engine_auction(vc.engine);
	assert_true(auction->number > 0);
	assert_int_equal(auction->gpus, 8);
	assert_int_equal(auction->bidders, 2);
	assert_int_equal(auction->app_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct astra_auction_app *app = &auction->apps[i];

		assert_true(app->offered);
		assert_int_equal(app->rank, i + 1);
		assert_int_equal(app->won, 4);
		assert_close(app->factor, .5, 1e-3);
		assert_int_equal(app->kept, 2);
		assert_int_equal(app->job_count, 8);
		assert_int_equal(app->left_count, 8);
		assert_close(app->left_sec[1], 40000, 1e-3);
		given += app->given;
	}
	assert_int_equal(given, 4);
	vc_fini(&vc);
}

/* 20 tasks of an array on 8 GPUs, which have room for 8 of them: all 20 count,
 * 20 x 10000 s of work and as much left. */
static void tasks_without_room_count_too(void **state)
{
	const struct astra_auction *auction;
	struct vcluster vc;
	struct vjob *v;

	(void)state;
	begin(&vc, 1, 8, 0);
	v = submit(&vc, 1, 0);
	v->job.copies = 20;
	assert_int_equal(
		astra_engine_round(vc.engine,
				   &(struct astra_snapshot){
					   .now_sec = vc.now_sec,
					   .nodes = vc.nodes,
					   .node_count = vc.node_count,
					   .tenants = vc.tenants,
					   .tenant_count = vc.tenant_count,
					   .jobs = &v->job,
					   .job_count = 1,
				   },
				   &vc.plan, NULL),
		0);
	auction = astra_engine_auction(vc.engine);
	assert_int_equal(auction->app_count, 1);
	assert_int_equal(auction->apps[0].job_count, 20);
	assert_int_equal(auction->apps[0].gpus_max, 8);
	assert_close(auction->apps[0].left_sec[7], 200000. / 8, 1e-9);
	assert_close(auction->apps[0].ideal_sec, 200000. / 8, 1e-9);
	vc_fini(&vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_count_as_the_estimate_would),
		cmocka_unit_test(a_stated_rho_is_taken_as_it_is),
		cmocka_unit_test(
			its_word_tells_who_is_worst_off_only_if_trusted),
		cmocka_unit_test(the_agent_says_which_jobs_go_first),
		cmocka_unit_test(what_an_auction_came_to_can_be_seen),
		cmocka_unit_test(tasks_without_room_count_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
