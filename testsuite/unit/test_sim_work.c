/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the virtual cluster tells of jobs' work, and elastic jobs. */
#include <math.h>

#include "src/policies/options.h"
#include "src/sim/simulate.h"
#include "src/sim/virtual.h"
#include "testsuite/unit/unit.h"

#define JOBS_MAX 8
#define GPUS 4

/* A scheduler that starts who waits on so many GPUs of the first nodes, stops
 * who runs at stop_sec, and writes down what it sees. */
struct script {
	uint32_t gpus; /* 0: those asked for */
	double stop_sec, wake_sec;
	struct astra_job seen[JOBS_MAX]; /* by number, the last of each */
	struct astra_node nodes[2];
	double done_sec; /* of the first job, when it was stopped */
} script;

static void *create(const struct astra_scheduler_setup *setup,
		    struct astra_error *err)
{
	(void)setup;
	(void)err;
	return &script;
}

static void destroy(void *self)
{
	(void)self;
}

static void start(const struct astra_job *job, struct astra_plan *plan)
{
	uint32_t gpus = script.gpus ? script.gpus : job->request.gpus;
	struct astra_decision d = {
		.action = ASTRA_START,
		.job = job->id,
		.restart_cnt = job->restart_cnt,
		.until_sec = HUGE_VAL,
	};
	const struct astra_share shares[2] = {
		{.node = 0, .gpus = gpus < GPUS ? gpus : GPUS},
		{.node = 1, .gpus = gpus < GPUS ? 0 : gpus - GPUS},
	};

	assert_int_equal(astra_plan_add(plan, &d, shares, gpus > GPUS ? 2 : 1),
			 0);
}

static int look(void *self, const struct astra_snapshot *snapshot,
		struct astra_plan *plan, struct astra_error *err)
{
	double now_sec = snapshot->now_sec - ASTRA_VIRTUAL_BEGIN;

	(void)self;
	(void)err;
	plan->wake_sec = snapshot->now_sec + script.wake_sec;
	for (size_t i = 0; i < snapshot->job_count; i++) {
		const struct astra_job *job = &snapshot->jobs[i];
		struct astra_decision stop = {
			.action = ASTRA_REQUEUE,
			.job = job->id,
			.restart_cnt = job->restart_cnt,
		};

		script.seen[job->id - 1] = *job;
		if (job->state == ASTRA_JOB_PENDING)
			start(job, plan);
		if (job->state != ASTRA_JOB_RUNNING ||
		    now_sec != script.stop_sec)
			continue;
		script.done_sec = job->forecast.done_sec;
		script.gpus = 0;
		assert_int_equal(astra_plan_add(plan, &stop, NULL, 0), 0);
	}
	for (size_t i = 0; i < snapshot->node_count && i < 2; i++)
		script.nodes[i] = snapshot->nodes[i];
	return 0;
}

static void say(void *self, struct astra_scheduler_report *out)
{
	(void)self;
	assert_true(isnan(out->revenue) && isnan(out->reward));
	out->revenue = 5;
	out->income[0] += 5;
}

static const struct astra_scheduler scripted = {
	.name = "scripted",
	.create = create,
	.destroy = destroy,
	.round = look,
	.report = say,
};

struct world {
	struct astra_trace trace;
	struct astra_trace_job jobs[JOBS_MAX];
	struct astra_trace_tenant tenant;
	struct astra_cluster cluster;
	struct astra_options policy;
	struct astra_sim_options options;
	struct astra_sim_result result;
	struct astra_error err;
};

static void begin(struct world *w)
{
	*w = (struct world){.tenant = {"A", 1}};
	script = (struct script){.wake_sec = HUGE_VAL, .stop_sec = -1};
	w->trace.source = "a test";
	w->trace.jobs = w->jobs;
	w->trace.tenants = &w->tenant;
	w->trace.tenant_count = 1;
	w->options.runs = true;
	assert_int_equal(astra_cluster_make(&w->cluster, 2, GPUS, 1), 0);
	astra_options_init(&w->policy);
	for (int i = 0; i < ASTRA_LEVEL_COUNT; i++)
		w->options.slowdown[i] = 1;
}

static struct astra_trace_job *add(struct world *w, uint32_t gpus)
{
	struct astra_trace_job *job = &w->jobs[w->trace.job_count++];

	*job = (struct astra_trace_job){
		.name = "job",
		.gpus = gpus,
		.duration_sec = 100,
		.start_sec = -1,
	};
	return job;
}

static int simulate(struct world *w)
{
	return astra_simulate(&w->trace, &w->cluster, &scripted, &w->policy,
			      &w->options, &w->result, &w->err);
}

static void end(struct world *w)
{
	astra_sim_result_clear(&w->result);
	astra_cluster_clear(&w->cluster);
}

/* 100 s of work on 4 GPUs take 200 s on 2 and, stopped when half of it is done,
 * 50 s more on 4. A start costs 10 s, a checkpoint 5 s. */
static void an_elastic_job_runs_at_the_speed_of_its_gpus(void **state)
{
	struct world w;
	(void)state;

	begin(&w);
	add(&w, 4)->gpus_min = 2;
	w.options.cold_start_sec = 10;
	w.options.checkpoint_sec = 5;
	script.gpus = 2;
	script.stop_sec = 110;
	script.wake_sec = 110;
	assert_int_equal(simulate(&w), 0);
	assert_close(script.done_sec, 50, 1e-9);
	assert_int_equal(w.result.run_count, 2);
	assert_int_equal(w.result.runs[0].gpus, 2);
	assert_close(w.result.runs[0].end_sec, 115, 1e-9);
	assert_int_equal(w.result.runs[1].gpus, 4);
	assert_close(w.result.jobs[0].end_sec, 115 + 10 + 50, 1e-9);
	assert_close(w.result.jobs[0].alloc_gpu_sec, 2 * 115 + 4 * 60, 1e-9);
	assert_close(w.result.jobs[0].cold_gpu_sec, 2 * 10 + 4 * 10, 1e-9);
	assert_close(w.result.jobs[0].checkpoint_gpu_sec, 2 * 5, 1e-9);
	end(&w);
}

/* 6 GPUs on two racks where 8 are asked for: 8/6 times 1.3 as long; of the GPU
 * time 0.3 for each of work are lost. */
static void fewer_gpus_and_a_bad_place_multiply(void **state)
{
	struct world w;
	(void)state;

	begin(&w);
	add(&w, 8);
	w.options.elastic = true;
	w.options.slowdown[ASTRA_LEVEL_CROSS] = 1.3;
	script.gpus = 6;
	assert_int_equal(simulate(&w), 0);
	assert_close(w.result.jobs[0].end_sec, 100 * 1.3 * 8 / 6, 1e-9);
	assert_close(w.result.jobs[0].slow_gpu_sec, 8 * 100 * .3, 1e-9);
	assert_close(w.result.revenue, 5, 0);
	assert_close(w.result.income[0], 5, 0);
	assert_true(isnan(w.result.reward));
	end(&w);
}

static void a_start_on_other_numbers_of_gpus_is_refused(void **state)
{
	static const struct {
		uint32_t gpus, least, got;
		bool elastic, ok;
	} cases[] = {
		{4, 0, 4, false, true},	 {4, 0, 3, false, false},
		{4, 0, 5, false, false}, {4, 0, 3, true, true},
		{4, 0, 1, true, true},	 {4, 0, 5, true, false},
		{4, 2, 2, true, true},	 {4, 2, 1, true, false},
		{4, 4, 3, true, false},	 {1, 0, 1, true, true},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct world w;

		begin(&w);
		add(&w, cases[i].gpus)->gpus_min = cases[i].least;
		w.options.elastic = cases[i].elastic;
		script.gpus = cases[i].got;
		assert_int_equal(simulate(&w), cases[i].ok ? 0 : -1);
		if (!cases[i].ok)
			assert_string_equal(w.err.text,
					    "the scheduler's plan for job 1: "
					    "not the GPUs that it asks for");
		end(&w);
	}
}

static void what_is_known_of_the_work_is_told(void **state)
{
	struct astra_utility linear = {.kind = ASTRA_UTILITY_LINEAR,
				       .linear = {-2, 100}};
	struct astra_profile profile = {{1, 2, 3, 4}};
	struct world w;
	(void)state;

	begin(&w);
	w.trace.utilities = &linear;
	w.trace.profiles = &profile;
	astra_cluster_set_slots(&w.cluster, 2);
	w.options.slowdown[ASTRA_LEVEL_CROSS] = 1.5;
	w.options.elastic = true;
	*add(&w, 4) = (struct astra_trace_job){.name = "a",
					       .gpus = 4,
					       .app = 3,
					       .profile = 1,
					       .utility = 1,
					       .duration_sec = 100};
	add(&w, 2)->gpus_min = 2;
	w.options.until_sec = 170; /* rounds: 0, 40, 80, 100, 140 */
	script.wake_sec = 40;
	script.gpus = 2;
	assert_int_equal(simulate(&w), 0);
	assert_int_equal(script.seen[0].forecast.app, 3);
	assert_close(script.seen[0].forecast.work_sec, 100, 1e-9);
	assert_close(script.seen[0].forecast.slowdown[ASTRA_LEVEL_RACK], 3,
		     1e-9);
	assert_int_equal(script.seen[0].forecast.utility.kind,
			 ASTRA_UTILITY_LINEAR);
	assert_int_equal(script.seen[0].request.gpus_min, 1);
	assert_close(script.seen[0].forecast.done_sec, 70, 1e-9);
	assert_int_equal(script.seen[1].forecast.app, 0);
	assert_int_equal(script.seen[1].request.gpus_min, 0);
	assert_close(script.seen[1].forecast.slowdown[ASTRA_LEVEL_CROSS], 1.5,
		     1e-9);
	assert_int_equal(script.nodes[1].rack, 1);
	assert_int_equal(script.nodes[1].slot_gpus, 2);
	end(&w);
}

/* --error: other numbers for each job, within the bounds, the same each time; what
 * the job does is as it was. */
static void what_is_told_may_be_wrong(void **state)
{
	struct astra_profile profile = {{1, 1, 2, 2}};
	double told[2] = {0};
	(void)state;

	for (int again = 0; again < 2; again++) {
		struct world w;

		begin(&w);
		w.trace.profiles = &profile;
		w.options.error = .2;
		for (uint32_t i = 0; i < 2; i++) {
			struct astra_trace_job *job = add(&w, 2);

			job->profile = 1;
			job->duration_sec = 100;
		}
		assert_int_equal(simulate(&w), 0);
		for (uint32_t i = 0; i < 2; i++) {
			const struct astra_forecast *f =
				&script.seen[i].forecast;

			assert_true(fabs(f->work_sec - 100) <= 20);
			assert_true(f->work_sec != 100);
			assert_true(again == 0 || f->work_sec == told[i]);
			told[i] = f->work_sec;
			assert_close(f->slowdown[ASTRA_LEVEL_MACHINE], 1, 0);
			assert_true(
				fabs(f->slowdown[ASTRA_LEVEL_RACK] - 2) <= .4);
			assert_true(f->slowdown[ASTRA_LEVEL_CROSS] >=
				    f->slowdown[ASTRA_LEVEL_RACK]);
			assert_close(w.result.jobs[i].end_sec -
					     w.result.jobs[i].start_sec,
				     100, 1e-9);
		}
		assert_true(told[0] != told[1]);
		end(&w);
	}
}

/* OASiS' classes, and the same for the same job whichever others there are. */
static void worth_is_made_up_job_by_job(void **state)
{
	uint32_t never = 0, critical = 0;
	struct world w;
	(void)state;

	begin(&w);
	for (uint32_t i = 0; i < 20000; i++) {
		struct astra_utility u;

		w.jobs[0] = (struct astra_trace_job){.name = "", .line = i};
		w.jobs[1] = w.jobs[0];
		u = astra_trace_job_utility(&w.trace, 0, 1);
		assert_int_equal(u.kind, ASTRA_UTILITY_SIGMOID);
		assert_in_range((int)u.sigmoid.g1, 1, 99);
		assert_in_range((int)u.sigmoid.g3, 1, 14);
		assert_true(u.sigmoid.g2 == 0 || u.sigmoid.g2 >= .01);
		assert_true(u.sigmoid.g2 <= 1 || u.sigmoid.g2 >= 4);
		assert_true(u.sigmoid.g2 <= 6);
		never += u.sigmoid.g2 == 0;
		critical += u.sigmoid.g2 >= 4;
		assert_true(u.sigmoid.g3 ==
			    astra_trace_job_utility(&w.trace, 1, 1).sigmoid.g3);
		assert_true(u.sigmoid.g3 !=
			    astra_trace_job_utility(&w.trace, 0, 2).sigmoid.g3);
	}
	assert_in_range(never, 1800, 2200);
	assert_in_range(critical, 6700, 7300);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_elastic_job_runs_at_the_speed_of_its_gpus),
		cmocka_unit_test(fewer_gpus_and_a_bad_place_multiply),
		cmocka_unit_test(a_start_on_other_numbers_of_gpus_is_refused),
		cmocka_unit_test(what_is_known_of_the_work_is_told),
		cmocka_unit_test(what_is_told_may_be_wrong),
		cmocka_unit_test(worth_is_made_up_job_by_job),
	};

	return cmocka_run_group_tests_name("sim work", tests, NULL, NULL);
}
