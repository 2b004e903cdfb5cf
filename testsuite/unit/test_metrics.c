/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of results that were made by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "testsuite/unit/sim_world.h"
#include "testsuite/unit/unit.h"

static void near(double got, double want)
{
	if (got == want || fabs(got - want) <= 1e-9 * fmax(1, fabs(want)))
		return;
	print_error("got %.17g, expected %.17g\n", got, want);
	fail();
}

static void compute(struct world *w, struct astra_metrics *m)
{
	assert_int_equal(astra_contention(&w->result), 0);
	assert_int_equal(astra_metrics_compute(&w->result, m), 0);
}

/* ASTRAEA, Eqs. 12 and 15: rho 1, 2/3, 1/2 of jobs, 1 and 1/2 of tenants. */
static void sharing_loss_counts_jobs_and_tenant_intervals(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.job_loss, 2 / 3.0);
	near(m.job_rho_p5, 0.5);
	near(m.job_rho_p50, 2 / 3.0);
	near(m.job_rho_p95, 1);
	near(m.tenant_loss, 2 / 4.0); /* b in the first, a in the second */
	near(m.tenant_rho_min, 0.5);
	near(m.tenant_rho_max, 1);
	near(m.jain, 1.5 * 1.5 / (2 * 1.25));
}

/* A of 200, 200, 50 and F of 200, 300, 100: 100 and 50 of 600 are lacking. Of
 * the intervals, A and F: (200, 200), (0, 200), (50, 100), (200, 100), (5, 0):
 * 200 and 50 of 600; the 105 beyond what was due make up for nothing. */
static void due_lost_weighs_what_is_lacking(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.job_due_lost, 150 / 600.0);
	near(m.tenant_due_lost, 250 / 600.0);
	w.jobs[2].fair_gpu_sec = 10000; /* it starves: still one job of three */
	compute(&w, &m);
	near(m.job_loss, 2 / 3.0);
	near(m.job_due_lost, 10050 / 10500.0);
}

static void a_rho_of_95_percent_is_no_loss(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	w.jobs[1].fair_gpu_sec = w.jobs[1].alloc_gpu_sec / 0.95;
	w.jobs[2].fair_gpu_sec = w.jobs[2].alloc_gpu_sec / 0.9499;
	w.cells[1].alloc_gpu_sec = 200 * (1 - 1e-13); /* rounding */
	compute(&w, &m);
	near(m.job_loss, 1 / 3.0);
	near(m.tenant_loss, 1 / 4.0);
}

/* N is 2 on [0,150), 1 on [150,200). */
static void contenders_are_those_of_the_life(void **state)
{
	struct world w;

	(void)state;
	make_world(&w);
	assert_int_equal(astra_contention(&w.result), 0);
	near(w.jobs[0].contenders, 2);
	near(w.jobs[1].contenders, 2);
	near(w.jobs[2].contenders, 1.5);
	w.jobs[2].end_sec = -1; /* not done: until the end of the result */
	w.jobs[0].end_sec = 0;	/* no time: those that are there */
	assert_int_equal(astra_contention(&w.result), 0);
	near(w.jobs[0].contenders, 1);
	near(w.jobs[2].contenders, 1.5);
}

/* SPEC section 2: R_C 16, N_avg 2, 100 iterations of 8 s, cap 4: T_ID 400. */
static void ideal_time_is_that_of_themis(void **state)
{
	struct world w;

	(void)state;
	make_world(&w);
	w.result.gpus = 16;
	w.trace_jobs[0].gpus = 4;
	w.trace_jobs[0].duration_sec = 100 * 8 / 4.0;
	w.jobs[0].contenders = 2;
	near(astra_ideal_themis_sec(&w.result, 0), 400);
	near(astra_ideal_share_sec(&w.result, 0), 200);
	w.jobs[0].contenders = 8; /* two GPUs instead of four */
	near(astra_ideal_share_sec(&w.result, 0), 400);
}

/* T_SH 100, 150, 100; T_ID 200, 100, 75, or with 1/N 100, 100, 50. */
static void finish_times_compare_with_an_equal_share(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.ftf_max, 1.5);
	near(m.ftf_mean, (0.5 + 1.5 + 4 / 3.0) / 3);
	near(m.share_ftf_max, 2);
	near(m.share_ftf_mean, 1.5);
}

/* Apps: j1 of 50 s on all 4 GPUs, done after 150 s while 2 apps were there,
 * and j0 and j2 together from 0 to 200: 250 GPU seconds on 3 GPUs take 83 s,
 * but j2 comes at 100 and needs 50. N_avg of j1 is 2, of the other 1.75. */
static void apps_finish_with_their_last_job(void **state)
{
	struct astra_metrics m;
	struct world w;
	double end_sec;

	(void)state;
	make_world(&w);
	w.trace_jobs[0].app = w.trace_jobs[2].app = 2;
	compute(&w, &m);
	near(m.app_ftf_max, 150 / (2 * 50.0));
	near(m.app_ftf_mean, (1.5 + 200 / (1.75 * 150)) / 2);
	near(m.app_rho_max, 150 / (2 * 50.0));
	w.trace_jobs[2].submit_sec = 0;
	w.jobs[2].end_sec = 10;
	w.jobs[0].end_sec = 200;
	compute(&w, &m); /* 100 s of j0 are more than 250 / 3 */
	near(m.app_ftf_mean, (1.5 + 200 / (1.75 * 100)) / 2);
	end_sec = w.jobs[1].end_sec;
	w.jobs[1].end_sec = -1;
	compute(&w, &m); /* the other app alone, and as if it were divisible */
	near(m.app_ftf_max, 200 / (2 * 100.0));
	near(m.app_rho_max, 200 / (2 * 250 / 3.0));
	w.jobs[1].end_sec = end_sec;
	w.jobs[0].end_sec = -1;
	compute(&w, &m);
	near(m.app_ftf_mean, 1.5);
}

/* 8 - 36 x hours: 7 after 100 s each; 7.5 after their 50 s if j2 were alone,
 * and 7 after 100 for j0. */
static void what_was_not_done_is_worth_nothing(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.utility, 14);
	near(m.utility_share, 14 / 14.5);
	near(m.revenue, 40);
	near(m.revenue_jain, 1600 / 2000.0);
	assert_true(isnan(m.reward));
	w.jobs[2].end_sec = -1;
	w.result.revenue = NAN;
	compute(&w, &m);
	near(m.utility, 7);
	near(m.utility_share, 7 / 14.5);
	assert_true(isnan(m.revenue_jain));
}

/* First waits of 0 with 2 GPUs, 100 with 4 and 50 with 1; the one of 4 GPUs
 * that never starts has waited until the end, at 200. */
static void first_waits_are_told_by_size(void **state)
{
	struct astra_wait_size s[ASTRA_WAIT_SIZES];
	struct astra_metrics m;
	struct world w;
	char text[32];

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.wait_max_sec, 100);
	astra_wait_sizes(&w.result, s);
	near(s[0].jobs, 1);
	near(s[0].mean_sec, 50);
	near(s[1].jobs, 2);
	near(s[1].mean_sec, 50);
	near(s[1].max_sec, 100);
	near(s[2].jobs, 0);
	assert_true(isnan(s[2].mean_sec) && isnan(s[2].max_sec));
	w.jobs[1].start_sec = w.jobs[1].end_sec = -1;
	w.trace_jobs[2].submit_sec = 201; /* after the end of the result */
	w.jobs[2].start_sec = w.jobs[2].end_sec = -1;
	compute(&w, &m);
	near(m.wait_mean_sec, 0);
	near(m.wait_max_sec, 200);
	astra_wait_sizes(&w.result, s);
	near(s[0].jobs, 0);
	near(s[1].never, 1);
	near(s[1].mean_sec, 100);
	w.trace_jobs[0].gpus = 128;
	w.trace_jobs[1].gpus = 129;
	astra_wait_sizes(&w.result, s);
	near(s[6].jobs, 1);
	near(s[7].max_sec, 200);
	assert_string_equal(astra_wait_size_text(&s[0], text), "1");
	assert_string_equal(astra_wait_size_text(&s[6], text), "65-128");
	assert_string_equal(astra_wait_size_text(&s[7], text), "129+");
}

/* Term 10 s, graces 1 s; 4 GPUs, a has 1 of the weights' 4, so its quota is 1
 * GPU, b's 3. j0 of 2 GPUs is the first of a: (2 + 2 / 1) 10 + 1 = 41. j1 of b:
 * (2 + 4 / 3) 10 + 1 = 34.33, it waited 100. j2 of 1 GPU comes at 100, when j0
 * has started: (2 + 1) 10 + 1 = 31, it waited 50. Where j0 starts at 100, which
 * is when j2 comes, j2 has 2 GPUs before it: (2 + (1 + 2) / 1) 10 + 1 = 51. */
static void a_job_may_wait_for_its_bound(void **state)
{
	struct astra_wait_size s[ASTRA_WAIT_SIZES];
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	assert_true(isnan(m.over_bound)); /* no term is known */
	w.trace_tenants[1].weight = 3;
	w.result.term_sec = 10;
	w.result.grace_sec = 1;
	assert_int_equal(astra_bounds_fill(&w.result), 0);
	near(w.jobs[0].bound_sec, 41);
	near(w.jobs[1].bound_sec, (2 + 4 / 3.0) * 10 + 1);
	near(w.jobs[2].bound_sec, 31);
	compute(&w, &m);
	near(m.over_bound, 2);
	astra_wait_sizes(&w.result, s);
	near(s[0].over, 1);
	near(s[1].over, 1);
	w.jobs[0].start_sec = 100;
	assert_int_equal(astra_bounds_fill(&w.result), 0);
	near(w.jobs[2].bound_sec, 51);
	compute(&w, &m);
	near(m.over_bound, 2); /* j0 and j1: 50 is within 51 */
	w.jobs[0].start_sec = w.jobs[0].end_sec = -1;
	w.jobs[0].misfit = true; /* not before j2 either */
	w.trace_jobs[1].gpus = 5;
	assert_int_equal(astra_bounds_fill(&w.result), 0);
	near(w.jobs[0].bound_sec, 0);
	near(w.jobs[1].bound_sec, 0);
	near(w.jobs[2].bound_sec, 31);
	compute(&w, &m);
	near(m.over_bound, 1);
	w.jobs[2].start_sec = w.jobs[2].end_sec = -1;
	w.result.stop_sec = 131; /* may still start in time */
	assert_int_equal(astra_bounds_fill(&w.result), 0);
	compute(&w, &m);
	near(m.over_bound, 0);
	w.trace_tenants[0].weight = 0;
	assert_int_equal(astra_bounds_fill(&w.result), 0);
	near(w.jobs[2].bound_sec, HUGE_VAL);
}

/* As above, j2 comes at 100. With j0 over, or of j2's own user, nothing
 * changes. While another user's j0 runs on, half of the quota is j2's user's,
 * who may wait for (2 + 1 / 0.5) 10 + 1 = 41. While it waits, it is before j2
 * in its tenant, (2 + (1 + 2) / 1) 10 + 1 = 51, which is later than 41. */
static void where_shares_go_by_user_the_later_bound_counts(void **state)
{
	static const struct {
		uint32_t user;
		double start_sec, end_sec;
		bool within_users;
		double bound_sec;
	} cases[] = {
		{1, 0, 100, true, 31},	 {0, 0, 130, true, 31},
		{1, 0, 130, true, 41},	 {1, 0, -1, true, 41},
		{1, 0, 130, false, 31},	 {1, 100, 130, true, 51},
		{0, 100, 130, true, 51}, {1, 100, 130, false, 51},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct astra_metrics m;
		struct world w;

		make_world(&w);
		w.trace_tenants[1].weight = 3;
		w.result.term_sec = 10;
		w.result.grace_sec = 1;
		w.result.within_users = cases[i].within_users;
		w.trace_jobs[2].user = cases[i].user;
		w.jobs[0].start_sec = cases[i].start_sec;
		w.jobs[0].end_sec = cases[i].end_sec;
		assert_int_equal(astra_bounds_fill(&w.result), 0);
		near(w.jobs[0].bound_sec, 41);
		near(w.jobs[1].bound_sec, (2 + 4 / 3.0) * 10 + 1);
		near(w.jobs[2].bound_sec, cases[i].bound_sec);
		w.jobs[2].start_sec = 141; /* in time if it is 41 */
		compute(&w, &m);
		near(m.over_bound,
		     (cases[i].bound_sec < 41) + 1 + (cases[i].start_sec > 41));
	}
}

/* Durations 100, 50, 50 and completion times 100, 150, 100: 1, 3 and 2. A job
 * of a second that took 8 counts as one of ten seconds: 8 / 10 is below 1, so
 * it is 1; one that took 50 is 5, where its slowdown is 50. */
static void a_short_job_has_a_bounded_slowdown(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.slowdown_bounded, 2);
	w.trace_jobs[0].duration_sec = 1;
	w.jobs[0].end_sec = 8;
	w.trace_jobs[2].duration_sec = 1;
	w.jobs[2].end_sec = 150;
	compute(&w, &m);
	near(m.slowdown_bounded, (1 + 3 + 5) / 3.0);
	near(m.slowdown_mean, (8 + 3 + 50) / 3.0);
	w.jobs[2].end_sec = -1;
	compute(&w, &m);
	near(m.slowdown_bounded, (1 + 3) / 2.0);
}

static void times_are_of_jobs_that_are_done(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.slowdown_mean, 2);
	near(m.slowdown_p50, 2);
	near(m.slowdown_p95, 3);
	near(m.jct_mean_sec, 350 / 3.0);
	near(m.jct_p50_sec, 100);
	near(m.jct_p95_sec, 150);
	near(m.wait_mean_sec, 50);
	near(m.makespan_sec, 200);
	near(m.done, 3);
	w.jobs[2].end_sec = -1;
	w.jobs[2].start_sec = -1;
	compute(&w, &m);
	near(m.slowdown_mean, 2);
	near(m.wait_mean_sec, 50);
	near(m.done, 2);
}

static void cost_is_a_share_of_what_was_used(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	compute(&w, &m);
	near(m.preemptions, 1 / 3.0);
	near(m.gpu_sec, 450);
	near(m.lost_share, 9 / 450.0);
	near(m.slow_share, 18 / 450.0);
	near(m.utilisation, 200 / 400.0); /* until 100 */
	w.trace_jobs[2].submit_sec = 150;
	compute(&w, &m);
	near(m.utilisation, (200 + 125) / 600.0);
}

static void what_never_was_has_no_number(void **state)
{
	struct astra_metrics m;
	struct world w;

	(void)state;
	make_world(&w);
	w.trace.job_count = 0;
	w.trace.tenant_count = 0;
	w.result.interval_count = 0;
	compute(&w, &m);
	near(m.done, 0);
	near(m.gpu_sec, 0);
	assert_true(isnan(m.job_loss));
	assert_true(isnan(m.job_due_lost));
	assert_true(isnan(m.tenant_loss));
	assert_true(isnan(m.tenant_due_lost));
	assert_true(isnan(m.jain));
	assert_true(isnan(m.ftf_max));
	assert_true(isnan(m.wait_max_sec));
	assert_true(isnan(m.utilisation));
	assert_true(isnan(m.lost_share));
}

static void quantiles_go_by_nearest_rank(void **state)
{
	struct astra_sample s = {0};

	(void)state;
	assert_true(isnan(astra_sample_quantile(&s, 0.5)));
	for (int i = 20; i >= 1; i--)
		assert_int_equal(astra_sample_add(&s, i == 20 ? HUGE_VAL : i),
				 0);
	astra_sample_sort(&s);
	near(astra_sample_quantile(&s, 0), 1);
	near(astra_sample_quantile(&s, 0.05), 1);
	near(astra_sample_quantile(&s, 0.051), 2);
	near(astra_sample_quantile(&s, 0.5), 10);
	near(astra_sample_quantile(&s, 0.95), 19);
	near(astra_sample_quantile(&s, 1), HUGE_VAL);
	near(astra_sample_below(&s, 10), 9 / 20.0);
	near(astra_sample_mean(&s), HUGE_VAL);
	astra_sample_clear(&s);
}

static void texts_are_for_people(void **state)
{
	static const struct {
		const char *unit;
		double value;
		const char *text;
	} cases[] = {
		{"%", 0.0714, "7.1 %"},	  {"s", 3723.4, "1:02:03"},
		{"s", 3599.6, "1:00:00"}, {"s", 360000, "100:00:00"},
		{"", 0.98765, "0.988"},	  {"", 12345.67, "12345.7"},
		{"jobs", 11308, "11308"}, {"", NAN, "-"},
		{"%", HUGE_VAL, "inf"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		const struct astra_metric metric = {.unit = cases[i].unit};

		assert_string_equal(
			astra_metric_text(&metric, cases[i].value, text),
			cases[i].text);
	}
}

static void each_metric_is_documented(void **state)
{
	size_t count = 0;

	(void)state;
	for (const struct astra_metric *m = astra_metric_table; m->key; m++) {
		assert_true(*m->title && *m->help && strlen(m->head) <= 9);
		assert_true(m->offset < sizeof(struct astra_metrics));
		count++;
	}
	assert_int_equal(count, sizeof(struct astra_metrics) / sizeof(double));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sharing_loss_counts_jobs_and_tenant_intervals),
		cmocka_unit_test(due_lost_weighs_what_is_lacking),
		cmocka_unit_test(a_rho_of_95_percent_is_no_loss),
		cmocka_unit_test(contenders_are_those_of_the_life),
		cmocka_unit_test(ideal_time_is_that_of_themis),
		cmocka_unit_test(finish_times_compare_with_an_equal_share),
		cmocka_unit_test(apps_finish_with_their_last_job),
		cmocka_unit_test(what_was_not_done_is_worth_nothing),
		cmocka_unit_test(first_waits_are_told_by_size),
		cmocka_unit_test(a_job_may_wait_for_its_bound),
		cmocka_unit_test(
			where_shares_go_by_user_the_later_bound_counts),
		cmocka_unit_test(a_short_job_has_a_bounded_slowdown),
		cmocka_unit_test(times_are_of_jobs_that_are_done),
		cmocka_unit_test(cost_is_a_share_of_what_was_used),
		cmocka_unit_test(what_never_was_has_no_number),
		cmocka_unit_test(quantiles_go_by_nearest_rank),
		cmocka_unit_test(texts_are_for_people),
		cmocka_unit_test(each_metric_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
