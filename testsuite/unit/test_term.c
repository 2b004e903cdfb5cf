/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LeaseTerm=auto: which term suits the last days (ASTRAEA, section 5.1.3). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/sim/term.h"
#include "testsuite/unit/unit.h"

#define DAY_SEC 86400.0

struct pool {
	struct astra_trace trace;
	struct astra_cluster cluster;
	struct astra_options options;
	struct astra_sim_options sim;
	struct astra_term_past past;
};

static void begin(struct pool *p, uint32_t nodes, uint32_t gpus)
{
	*p = (struct pool){0};
	astra_trace_init(&p->trace);
	p->trace.source = "a test";
	assert_int_equal(astra_cluster_make(&p->cluster, nodes, gpus, 0), 0);
	astra_options_init(&p->options);
	assert_int_equal(
		astra_options_set(&p->options, "LeaseTerm", "auto", NULL), 0);
	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++)
		p->sim.slowdown[i] = 1;
	p->sim.round_sec = 1;
	p->sim.interval_sec = 3600;
	p->sim.seed = 1;
	p->past.trace = &p->trace;
}

static void add(struct pool *p, const char *tenant, uint32_t gpus,
		double submit_sec, double duration_sec)
{
	const struct astra_trace_job job = {
		.tenant = astra_trace_tenant(&p->trace, tenant),
		.user = astra_trace_user(&p->trace, tenant),
		.gpus = gpus,
		.submit_sec = submit_sec,
		.duration_sec = duration_sec,
		.start_sec = -1,
	};

	assert_int_equal(astra_trace_add(&p->trace, &job, "job"), 0);
}

/* All of them have ended. */
static void finish(struct pool *p)
{
	struct astra_error err = {""};

	if (astra_trace_finish(&p->trace, &err) < 0)
		fail_msg("%s", err.text);
	p->past.ended = p->trace.job_count;
	p->past.span_sec = 2 * DAY_SEC;
}

static struct astra_term_choice choose(struct pool *p)
{
	struct astra_term_choice choice;
	struct astra_error err = {""};

	if (astra_term_choose(&p->past, &p->cluster, &p->options, &p->sim,
			      &choice, &err) < 0)
		fail_msg("%s", err.text);
	return choice;
}

static void end(struct pool *p)
{
	astra_trace_clear(&p->trace);
	astra_cluster_clear(&p->cluster);
}

/* Interruptions cost nothing. Long jobs fill the node; others of a tenant with
 * the same weight come each half hour and stay ten minutes. Under a long term
 * they wait for leases to end. */
static void make_impatient(struct pool *p)
{
	begin(p, 1, 4);
	p->options.promise = false;
	p->options.lease_sec = 3600;
	for (int i = 0; i < 12; i++)
		add(p, "long", 1, i, 4 * 3600);
	for (int i = 0; i < 96; i++)
		add(p, "short", 2, 1800 * (i + 1), 600);
	finish(p);
}

/* A start costs four minutes and a checkpoint one. All jobs are alike, and
 * they ask for a fifth more GPUs than there are. */
static void make_heavy(struct pool *p)
{
	begin(p, 1, 4);
	p->options.lease_sec = 300;
	p->sim.cold_start_sec = 240;
	p->sim.checkpoint_sec = 60;
	for (int i = 0; i < 120; i++)
		add(p, i % 2 ? "a" : "b", 1, 500 * i, 2400);
	finish(p);
}

static void where_interruptions_cost_nothing_the_term_is_short(void **state)
{
	struct astra_term_choice c;
	struct pool p;

	(void)state;
	make_impatient(&p);
	c = choose(&p);
	assert_int_equal(c.verdict, ASTRA_TERM_CHANGED);
	assert_int_equal(c.jobs, 108);
	assert_true(c.before_sec >= 3600 && c.before_sec <= 3600);
	assert_true(c.term_sec <= 1200);
	assert_true(c.after_points + ASTRA_TERM_BAND < c.before_points);
	assert_true(c.after.job_loss <= c.before.job_loss);
	end(&p);
}

static void where_interruptions_cost_much_the_term_is_long(void **state)
{
	struct astra_term_choice c;
	struct pool p;

	(void)state;
	make_heavy(&p);
	c = choose(&p);
	assert_int_equal(c.verdict, ASTRA_TERM_CHANGED);
	assert_true(c.term_sec >= 1200);
	assert_true(c.after.lost_share < c.before.lost_share);
	assert_true(c.after.jct_mean_sec < c.before.jct_mean_sec);
	end(&p);
}

/* The term to begin with need not be one of the ladder. From the second choice
 * on only terms of the ladder are compared with each other. */
static void a_term_that_was_taken_stays(void **state)
{
	void (*const make[])(struct pool *) = {make_impatient, make_heavy};

	(void)state;
	skip_if_checked();
	for (size_t i = 0; i < ASTRA_COUNT_OF(make); i++) {
		struct astra_term_choice c;
		struct pool p;

		make[i](&p);
		p.options.lease_sec = choose(&p).term_sec;
		p.options.lease_sec = choose(&p).term_sec;
		c = choose(&p);
		assert_int_equal(c.verdict, ASTRA_TERM_KEPT);
		assert_true(c.term_sec >= c.before_sec &&
			    c.term_sec <= c.before_sec);
		end(&p);
	}
}

/* Five jobs each hour on GPUs enough: no term matters. */
static void nothing_changes_for_less_than_the_dead_band(void **state)
{
	static const double terms[] = {300, 900, 1000, 7200};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(terms); i++) {
		struct astra_term_choice c;
		struct pool p;

		begin(&p, 2, 8);
		p.options.lease_sec = terms[i];
		for (int k = 0; k < 120; k++)
			add(&p, k % 2 ? "a" : "b", 1, 720 * k, 1800);
		finish(&p);
		c = choose(&p);
		assert_int_equal(c.verdict, ASTRA_TERM_KEPT);
		assert_close(c.term_sec, terms[i], 0);
		assert_true(c.before_points <= ASTRA_TERM_BAND);
		end(&p);
	}
}

static void the_dead_band_is_one_point_of_the_worst_figure(void **state)
{
	/* Job loss, tenant loss, lost time, completion; of three terms. */
	const struct astra_term terms[] = {
		{300, 0.10, 0.20, 0.05, 1000},
		{600, 0.11, 0.20, 0.03, 1000},
		{1200, 0.15, 0.20, 0.02, 1100},
	};
	const char *in = NULL;

	(void)state;
	assert_close(astra_term_behind(terms, 3, 0, &in), 3, 1e-9);
	assert_string_equal(in, "GPU time lost to overhead");
	assert_close(astra_term_behind(terms, 3, 1, NULL), 1, 1e-9);
	assert_close(astra_term_behind(terms, 3, 2, &in), 5, 1e-9);
	assert_string_equal(in, "job sharing loss");
	assert_int_equal(astra_term_best(terms, 3), 1);
	/* 10 % of completion time are two points. */
	assert_close(astra_term_behind(terms + 1, 2, 1, NULL), 4, 1e-9);
}

static void of_equal_terms_the_longest_is_best(void **state)
{
	const struct astra_term terms[] = {
		{300, 0.1, NAN, 0.1, 100},
		{600, 0.1, NAN, 0.1, 100},
	};

	(void)state;
	assert_int_equal(astra_term_best(terms, 2), 1);
}

static void too_few_jobs_or_too_short_a_time_keep_the_term(void **state)
{
	struct astra_term_choice c;
	struct pool p;

	(void)state;
	make_heavy(&p);
	p.past.ended = ASTRA_TERM_JOBS_LEAST - 1;
	c = choose(&p);
	assert_int_equal(c.verdict, ASTRA_TERM_FEW);
	assert_close(c.term_sec, 300, 0);
	p.past.ended = ASTRA_TERM_JOBS_LEAST;
	p.past.span_sec = ASTRA_TERM_SPAN_SEC - 1;
	c = choose(&p);
	assert_int_equal(c.verdict, ASTRA_TERM_FEW);
	assert_close(c.term_sec, 300, 0);
	p.past.span_sec = ASTRA_TERM_SPAN_SEC;
	assert_int_equal(choose(&p).verdict, ASTRA_TERM_CHANGED);
	end(&p);
}

static void the_term_is_within_its_bounds(void **state)
{
	struct astra_term_choice c;
	struct pool p;

	(void)state;
	skip_if_checked();
	make_heavy(&p);
	p.options.lease_max_sec = 600;
	c = choose(&p);
	assert_true(c.term_sec >= 300 && c.term_sec <= 600);
	end(&p);
	make_impatient(&p);
	p.options.lease_min_sec = 2400;
	c = choose(&p);
	assert_true(c.term_sec >= 2400 && c.term_sec <= 7200);
	/* A present term beyond them is brought in, whatever is measured. */
	p.options.lease_sec = 600;
	p.past.ended = 0;
	c = choose(&p);
	assert_int_equal(c.verdict, ASTRA_TERM_FEW);
	assert_close(c.term_sec, 2400, 0);
	end(&p);
}

static void the_ladder_is_short_and_goes_from_least_to_most(void **state)
{
	static const struct {
		double least, most;
		size_t count;
		double second;
	} cases[] = {
		{300, 7200, 6, 600}, {300, 300, 1, 0},	  {300, 700, 3, 600},
		{300, 600, 2, 600},  {60, 86400, 6, 257}, {5, 20, 3, 10},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		double terms[ASTRA_TERM_RUNGS];
		struct astra_options o;
		size_t count;

		astra_options_init(&o);
		o.lease_min_sec = cases[i].least;
		o.lease_max_sec = cases[i].most;
		count = astra_term_ladder(&o, terms);
		assert_int_equal(count, cases[i].count);
		assert_close(terms[0], cases[i].least, 0);
		assert_close(terms[count - 1], cases[i].most, 0);
		if (count > 1)
			assert_close(terms[1], cases[i].second, 0);
		for (size_t k = 1; k < count; k++)
			assert_true(terms[k] > terms[k - 1]);
	}
}

struct patience {
	int left;
};

static bool go_on(void *arg)
{
	struct patience *p = arg;

	return p->left-- > 0;
}

static void a_choice_can_be_stopped(void **state)
{
	struct patience patience = {50};
	struct astra_term_choice choice;
	struct astra_error err = {""};
	struct pool p;

	(void)state;
	make_heavy(&p);
	p.sim.go_on = go_on;
	p.sim.go_on_arg = &patience;
	assert_int_equal(astra_term_choose(&p.past, &p.cluster, &p.options,
					   &p.sim, &choice, &err),
			 -1);
	assert_non_null(strstr(err.text, "stopped"));
	assert_int_equal(patience.left, -1);
	end(&p);
}

static void a_choice_says_why(void **state)
{
	struct astra_term_choice c;
	struct astra_text text = {0};
	struct pool p;

	(void)state;
	skip_if_checked();
	make_heavy(&p);
	c = choose(&p);
	astra_term_tell(&c, &text);
	assert_non_null(strstr(text.bytes, " instead of 05:00"));
	assert_non_null(strstr(text.bytes, "the last 120 jobs"));
	assert_non_null(strstr(text.bytes, "mean completion time"));
	text.size = 0;
	p.options.lease_sec = c.term_sec;
	p.options.lease_sec = choose(&p).term_sec;
	c = choose(&p);
	astra_term_tell(&c, &text);
	assert_non_null(strstr(text.bytes, "LeaseTerm=auto keeps "));
	text.size = 0;
	p.past.ended = 0;
	c = choose(&p);
	astra_term_tell(&c, &text);
	assert_non_null(strstr(text.bytes, "fewer than 100 jobs have ended"));
	astra_text_clear(&text);
	end(&p);
}

/* The simulator does at each midnight what the plugin does once a day. Jobs ask
 * for more GPUs than there are, and leases of five minutes lose a quarter of
 * those. */
static void the_simulator_chooses_at_midnight(void **state)
{
	struct astra_sim_result r;
	struct astra_error err = {""};
	struct pool p;

	(void)state;
	skip_if_checked();
	begin(&p, 1, 4);
	p.options.lease_sec = 300;
	p.sim.cold_start_sec = 60;
	p.sim.checkpoint_sec = 30;
	for (int i = 0; i < 500; i++)
		add(&p, i % 2 ? "a" : "b", 1, 600 * i, 2600);
	finish(&p);
	if (astra_simulate(&p.trace, &p.cluster,
			   astra_scheduler_find("ltgf", NULL), &p.options,
			   &p.sim, &r, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(r.term_auto);
	assert_true(r.term_count >= 2);
	assert_true(r.terms[0].at_sec >= DAY_SEC &&
		    r.terms[0].at_sec < DAY_SEC + 1);
	assert_close(r.terms[0].before_sec, 300, 0);
	for (size_t i = 1; i < r.term_count; i++)
		assert_close(r.terms[i].before_sec, r.terms[i - 1].term_sec, 0);
	assert_true(r.terms[r.term_count - 1].term_sec > 300);
	for (size_t i = 0; i < p.trace.job_count; i++)
		assert_true(r.jobs[i].end_sec > 0);
	astra_sim_result_clear(&r);
	end(&p);
}

/* Policies whose leases do not end with a term have none to choose. */
static void a_policy_without_terms_chooses_none(void **state)
{
	struct astra_sim_result r;
	struct astra_error err = {""};
	struct pool p;

	(void)state;
	make_heavy(&p);
	if (astra_simulate(&p.trace, &p.cluster,
			   astra_scheduler_find("fifo", NULL), &p.options,
			   &p.sim, &r, &err) < 0)
		fail_msg("%s", err.text);
	assert_false(r.term_auto);
	assert_int_equal(r.term_count, 0);
	astra_sim_result_clear(&r);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			where_interruptions_cost_nothing_the_term_is_short),
		cmocka_unit_test(
			where_interruptions_cost_much_the_term_is_long),
		cmocka_unit_test(a_term_that_was_taken_stays),
		cmocka_unit_test(nothing_changes_for_less_than_the_dead_band),
		cmocka_unit_test(
			the_dead_band_is_one_point_of_the_worst_figure),
		cmocka_unit_test(of_equal_terms_the_longest_is_best),
		cmocka_unit_test(
			too_few_jobs_or_too_short_a_time_keep_the_term),
		cmocka_unit_test(the_term_is_within_its_bounds),
		cmocka_unit_test(
			the_ladder_is_short_and_goes_from_least_to_most),
		cmocka_unit_test(a_choice_can_be_stopped),
		cmocka_unit_test(a_choice_says_why),
		cmocka_unit_test(the_simulator_chooses_at_midnight),
		cmocka_unit_test(a_policy_without_terms_chooses_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
