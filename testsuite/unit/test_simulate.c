/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual cluster: what it does with time, GPUs and plans. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/sim/metrics.h"
#include "src/sim/simulate.h"
#include "testsuite/unit/unit.h"

#define JOBS_MAX 256

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * fmax(1, fabs(want)))
		fail_msg("%.12g, expected %.12g", got, want);
}

struct world {
	struct astra_trace trace;
	struct astra_trace_job jobs[JOBS_MAX];
	struct astra_trace_tenant tenants[2];
	struct astra_cluster cluster;
	struct astra_options policy;
	struct astra_sim_options options;
	struct astra_sim_result result;
};

static void begin(struct world *w, uint32_t nodes, uint32_t gpus)
{
	memset(w, 0, sizeof(*w));
	w->tenants[0] = (struct astra_trace_tenant){"A", 1};
	w->tenants[1] = (struct astra_trace_tenant){"B", 1};
	w->trace.source = "a test";
	w->trace.jobs = w->jobs;
	w->trace.tenants = w->tenants;
	w->trace.tenant_count = 1;
	assert_int_equal(astra_cluster_make(&w->cluster, nodes, gpus, 0), 0);
	astra_options_init(&w->policy);
	w->policy.grace_sec = 5;
	w->options.runs = true;
	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++)
		w->options.slowdown[i] = 1;
}

static void add(struct world *w, uint32_t tenant, uint32_t gpus,
		double submit_sec, double duration_sec)
{
	w->jobs[w->trace.job_count++] = (struct astra_trace_job){
		.name = "job",
		.tenant = tenant,
		.gpus = gpus,
		.submit_sec = submit_sec,
		.duration_sec = duration_sec,
		.start_sec = -1,
	};
}

static void simulate(struct world *w, const char *scheduler)
{
	struct astra_error err = {""};
	const struct astra_scheduler *s = astra_scheduler_find(scheduler, NULL);

	assert_non_null(s);
	if (astra_simulate(&w->trace, &w->cluster, s, &w->policy, &w->options,
			   &w->result, &err) < 0)
		fail_msg("%s", err.text);
}

static void end(struct world *w)
{
	astra_sim_result_clear(&w->result);
	astra_cluster_clear(&w->cluster);
}

/* Who runs in each ten minutes, as "1 | 2,3 | ...". */
static void rounds_text(const struct world *w, char *text, size_t size)
{
	size_t used = 0;

	for (double t = 300; t < w->result.end_sec; t += 600) {
		const char *comma = t > 300 ? " | " : "";

		for (uint32_t job = 0; job < w->trace.job_count; job++)
			for (size_t i = 0; i < w->result.run_count; i++) {
				const struct astra_sim_run *r =
					&w->result.runs[i];

				if (r->job != job || t < r->start_sec ||
				    t >= r->end_sec)
					continue;
				used += (size_t)snprintf(text + used,
							 size - used, "%s%u",
							 comma, job + 1);
				comma = ",";
			}
	}
}

/* ASTRAEA, Figure 6: one tenant, 6 GPUs, jobs of 6, 3 and 3 GPUs with 40
 * minutes of work each, rounds of ten minutes. */
static void figure_6_is_reproduced(void **state)
{
	struct world w;
	char text[256] = "";
	(void)state;

	begin(&w, 1, 6);
	w.policy.lease_sec = 600;
	add(&w, 0, 6, 0, 2400);
	add(&w, 0, 3, 0, 2400);
	add(&w, 0, 3, 0, 2400);
	simulate(&w, "ltgf");
	rounds_text(&w, text, sizeof(text));
	assert_string_equal(text, "1 | 2,3 | 2,3 | 1 | 2,3 | 2,3 | 1 | 1");
	assert_near(w.result.end_sec, 4800);
	assert_int_equal(w.result.jobs[0].preemptions, 2);
	end(&w);
}

/* The first is signalled at 60 s with 50 s of its work done and leaves at 65.
 * The second goes on at 125, having had less, and is done after 10 s of cold
 * start and 100 s of work at 175. The first then needs 10 s and 50 s. */
static void starts_and_checkpoints_cost_time(void **state)
{
	struct world w;
	(void)state;

	begin(&w, 1, 4);
	w.policy.lease_sec = 60;
	w.policy.grace_sec = 20;
	w.options.cold_start_sec = 10;
	w.options.checkpoint_sec = 5;
	add(&w, 0, 4, 0, 100);
	add(&w, 0, 4, 1, 100);
	simulate(&w, "ltgf");
	assert_int_equal(w.result.run_count, 3);
	assert_near(w.result.runs[0].start_sec, 0);
	assert_near(w.result.runs[0].end_sec, 65);
	assert_near(w.result.runs[1].start_sec, 65);
	assert_near(w.result.runs[1].end_sec, 175);
	assert_near(w.result.jobs[0].end_sec, 235);
	assert_near(w.result.jobs[0].cold_gpu_sec, 4 * 20);
	assert_near(w.result.jobs[0].checkpoint_gpu_sec, 4 * 5);
	end(&w);
}

/* The same, and the first cannot checkpoint: it leaves at 60 and at 185 at
 * once, with 50 s of work lost each time, while the second runs from 60 to 125
 * and from 185 to 245. Then it begins anew and is done at 355. With
 * Unprepared=share it ends at 110, and nothing is lost. */
static void who_cannot_checkpoint_begins_anew(void **state)
{
	struct world w;
	(void)state;

	for (size_t share = 0; share < 2; share++) {
		begin(&w, 1, 4);
		w.policy.lease_sec = 60;
		w.policy.grace_sec = 20;
		w.policy.unprepared = share ? ASTRA_UNPREPARED_SHARE
					    : ASTRA_UNPREPARED_REQUEUE;
		w.options.cold_start_sec = 10;
		w.options.checkpoint_sec = 5;
		add(&w, 0, 4, 0, 100);
		add(&w, 0, 4, 1, 100);
		w.jobs[0].unprepared = true;
		simulate(&w, "ltgf");
		assert_near(w.result.jobs[0].end_sec, share ? 110 : 355);
		assert_near(w.result.jobs[1].end_sec, share ? 220 : 245);
		assert_near(w.result.jobs[0].cold_gpu_sec,
			    4 * (share ? 10 : 30));
		assert_near(w.result.jobs[0].checkpoint_gpu_sec,
			    share ? 0 : 4 * 100);
		end(&w);
	}
}

/* Themis' S: twice as slow over two racks. */
static void work_over_racks_is_slower(void **state)
{
	struct world w;
	(void)state;

	begin(&w, 2, 4);
	w.cluster.nodes[1].rack = 1;
	w.options.slowdown[ASTRA_LEVEL_CROSS] = 2;
	w.policy.lease_sec = 1000;
	add(&w, 0, 8, 0, 100);
	add(&w, 0, 4, 200, 100);
	simulate(&w, "ltgf");
	assert_near(w.result.jobs[0].end_sec, 200);
	assert_near(w.result.jobs[0].slow_gpu_sec, 8 * 100);
	assert_near(w.result.jobs[1].end_sec, 300);
	end(&w);
}

/* A job that has a profile of its own goes by that. */
static void a_profile_goes_before_the_usual_slowdown(void **state)
{
	struct astra_profile profile = {{1, 1, 1, 3}};
	struct world w;
	(void)state;

	begin(&w, 2, 4);
	w.cluster.nodes[1].rack = 1;
	w.options.slowdown[ASTRA_LEVEL_CROSS] = 2;
	w.policy.lease_sec = 1000;
	w.trace.profiles = &profile;
	w.trace.profile_count = 1;
	add(&w, 0, 8, 0, 100);
	add(&w, 0, 8, 500, 100);
	w.jobs[1].profile = 1;
	simulate(&w, "ltgf");
	assert_near(w.result.jobs[0].end_sec, 200);
	assert_near(w.result.jobs[1].end_sec, 800);
	end(&w);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

static void fill_at_random(struct world *w, uint32_t seed)
{
	static const uint32_t gpus[] = {1, 1, 1, 2, 4, 8, 16};
	double at = 0;

	w->trace.tenant_count = 2;
	for (int i = 0; i < JOBS_MAX; i++) {
		at += draw(&seed, 60);
		add(w, draw(&seed, 2), gpus[draw(&seed, 7)], at,
		    1 + draw(&seed, 2000));
	}
}

/* Not more GPUs than there are at any time, all work is done, and A is what
 * the schedule says. */
static void check_conservation(const struct world *w)
{
	const struct astra_sim_result *r = &w->result;

	for (size_t i = 0; i < r->run_count; i++) {
		uint64_t used = 0;

		for (size_t k = 0; k < r->run_count; k++)
			if (r->runs[k].start_sec <= r->runs[i].start_sec &&
			    r->runs[k].end_sec > r->runs[i].start_sec)
				used += r->runs[k].gpus;
		assert_true(used <= r->gpus);
	}
	for (uint32_t j = 0; j < w->trace.job_count; j++) {
		double held = 0;

		for (size_t i = 0; i < r->run_count; i++)
			if (r->runs[i].job == j)
				held += r->runs[i].gpus *
					(r->runs[i].end_sec -
					 r->runs[i].start_sec);
		assert_true(r->jobs[j].end_sec >= 0);
		assert_near(r->jobs[j].alloc_gpu_sec, held);
		assert_near(held - r->jobs[j].cold_gpu_sec -
				    r->jobs[j].checkpoint_gpu_sec,
			    w->jobs[j].gpus * w->jobs[j].duration_sec);
	}
}

static void gpu_time_is_conserved(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		struct world w;

		begin(&w, 4, 8);
		w.policy.lease_sec = 300;
		w.policy.grace_sec = 30;
		w.options.cold_start_sec = seed == 1 ? 0 : 7;
		w.options.checkpoint_sec = seed == 2 ? 0 : 3;
		w.options.round_sec = seed == 3 ? 0 : 10;
		fill_at_random(&w, seed);
		simulate(&w, "ltgf");
		check_conservation(&w);
		end(&w);
	}
}

static void intervals_add_up(void **state)
{
	struct world w;
	double sum[2] = {0, 0}, used = 0;
	(void)state;

	begin(&w, 4, 8);
	w.options.interval_sec = 1000;
	fill_at_random(&w, 9);
	simulate(&w, "ltgf");
	for (size_t i = 0; i < w.result.interval_count; i++) {
		sum[0] += w.result.cells[2 * i].alloc_gpu_sec;
		sum[1] += w.result.cells[2 * i + 1].fair_gpu_sec;
		used += w.result.used_gpu_sec[i];
	}
	assert_near(sum[0], w.result.tenants[0].alloc_gpu_sec);
	assert_near(sum[1], w.result.tenants[1].fair_gpu_sec);
	assert_near(used, w.result.tenants[0].alloc_gpu_sec +
				  w.result.tenants[1].alloc_gpu_sec);
	end(&w);
}

/* The first has its GPUs until 140, 40 s of which are its start, and has done
 * nothing at 30: it is taken to end at 130. So the third starts, which would be
 * through then, too, and with its start is at 170. The second, which has the
 * promise of all, has to wait for it, and the fourth for that. (EASY) */
static void backfill_does_not_know_what_starts_take(void **state)
{
	struct world w;
	(void)state;

	begin(&w, 1, 8);
	w.options.cold_start_sec = 40;
	add(&w, 0, 4, 0, 100);
	add(&w, 0, 8, 1, 100);
	add(&w, 0, 4, 30, 100);
	add(&w, 0, 4, 30, 70);
	simulate(&w, "slurm");
	assert_near(w.result.jobs[2].start_sec, 30);
	assert_near(w.result.jobs[1].start_sec, 170);
	assert_near(w.result.jobs[3].start_sec, 310);
	end(&w);
}

/* Stopped at 70: the first was signalled at 60 after 10 s of cold start and
 * writes its checkpoint. Stopped at 95: the second has begun at 85. */
static void what_runs_at_the_end_is_counted(void **state)
{
	struct world w;
	(void)state;

	for (double until = 70; until < 100; until += 25) {
		bool second = until > 80;

		begin(&w, 1, 4);
		w.policy.lease_sec = 60;
		w.policy.grace_sec = 30;
		w.options.cold_start_sec = 10;
		w.options.checkpoint_sec = 25;
		w.options.until_sec = until;
		add(&w, 0, 4, 0, 100);
		add(&w, 0, 4, 1, 100);
		simulate(&w, "ltgf");
		assert_int_equal(w.result.run_count, second ? 2 : 1);
		assert_near(w.result.runs[0].end_sec, fmin(until, 85));
		assert_near(w.result.jobs[0].cold_gpu_sec, 4 * 10);
		assert_near(w.result.jobs[0].checkpoint_gpu_sec,
			    4 * (fmin(until, 85) - 60));
		assert_near(w.result.jobs[1].cold_gpu_sec,
			    4 * fmax(0, until - 85));
		end(&w);
	}
}

static void too_many_intervals_are_refused(void **state)
{
	struct astra_error err = {""};
	struct world w;
	(void)state;

	begin(&w, 1, 8);
	w.options.interval_sec = 1e-6;
	add(&w, 0, 4, 0, 100);
	assert_int_equal(astra_simulate(&w.trace, &w.cluster,
					astra_scheduler_find("fifo", NULL),
					&w.policy, &w.options, &w.result, &err),
			 -1);
	assert_string_equal(err.text,
			    "intervals of 1e-06 s are too short: by second 20 "
			    "tenants have more than 20000000");
	end(&w);
}

/* 4 GPUs, which Ann's job has when Bob's comes, of one: half of them are his
 * where shares go by user. The bound is the one that is promised. */
static void the_bound_is_the_schedulers(void **state)
{
	static const struct {
		const char *scheduler;
		bool within_users;
		double terms;
	} cases[] = {
		{"ltgf", true, 2.5},
		{"ltgf", false, 2.25},
		{"themis", true, 2.25},
		{"fifo", true, 2.25},
	};
	static const char *users[] = {"ann", "bob"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct world w;

		begin(&w, 1, 4);
		w.policy.within_users = cases[i].within_users;
		w.trace.users = users;
		w.trace.user_count = 2;
		add(&w, 0, 4, 0, 100);
		add(&w, 0, 1, 10, 100);
		w.jobs[1].user = 1;
		simulate(&w, cases[i].scheduler);
		assert_near(w.result.jobs[0].bound_sec, 3 * w.result.term_sec);
		assert_near(w.result.jobs[1].bound_sec,
			    cases[i].terms * w.result.term_sec);
		end(&w);
	}
}

/* Of jobs that take three windows, too. (Wang et al., section 4) */
static void all_gains_are_all_utility(void **state)
{
	struct world w;
	double gains = 0, utility = 0;

	(void)state;
	begin(&w, 2, 4);
	w.trace.tenant_count = 2;
	w.policy.slot_sec = 600;
	for (uint32_t i = 0; i < 12; i++)
		add(&w, i % 3 / 2, 1 + i % 4, i * 300, 1000 + 500 * i);
	simulate(&w, "incentive");
	for (size_t i = 0; i < w.trace.job_count; i++)
		utility += astra_job_worth(&w.result, i);
	for (size_t t = 0; t < w.trace.tenant_count; t++)
		gains += w.result.gain[t];
	assert_true(w.result.revenue > 0 && utility > 0);
	assert_near(gains, utility);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_6_is_reproduced),
		cmocka_unit_test(starts_and_checkpoints_cost_time),
		cmocka_unit_test(who_cannot_checkpoint_begins_anew),
		cmocka_unit_test(work_over_racks_is_slower),
		cmocka_unit_test(a_profile_goes_before_the_usual_slowdown),
		cmocka_unit_test(gpu_time_is_conserved),
		cmocka_unit_test(intervals_add_up),
		cmocka_unit_test(backfill_does_not_know_what_starts_take),
		cmocka_unit_test(what_runs_at_the_end_is_counted),
		cmocka_unit_test(too_many_intervals_are_refused),
		cmocka_unit_test(the_bound_is_the_schedulers),
		cmocka_unit_test(all_gains_are_all_utility),
	};

	return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
