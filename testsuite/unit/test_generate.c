/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generated workloads have the published shares, for any seed. */
#include <math.h>
#include <string.h>

#include "src/sim/generate.h"
#include "testsuite/unit/unit.h"

#define SEEDS 6

static void generate(struct astra_trace *trace, const char *name, uint64_t seed,
		     uint64_t jobs, double days)
{
	struct astra_generate_options options = {seed, jobs, days};
	struct astra_error err = {""};

	astra_trace_init(trace);
	if (astra_trace_generate(trace, name, &options, &err) < 0)
		fail_msg("%s", err.text);
}

struct shares {
	double single, eight, larger, ten_min, hour;
	double load_gpus; /* GPU time over the days */
};

static struct shares shares_of(const struct astra_trace *trace, double days)
{
	struct shares s = {0};
	double n = (double)trace->job_count;

	for (size_t i = 0; i < trace->job_count; i++) {
		const struct astra_trace_job *j = &trace->jobs[i];

		s.single += j->gpus == 1;
		s.eight += j->gpus == 8;
		s.larger += j->gpus > 8;
		s.ten_min += j->duration_sec < 600;
		s.hour += j->duration_sec < 3600;
		s.load_gpus += j->gpus * j->duration_sec / (days * 86400);
	}
	return (struct shares){s.single / n,  s.eight / n, s.larger / n,
			       s.ten_min / n, s.hour / n,  s.load_gpus};
}

static void near(double value, double expected, double most)
{
	if (!(fabs(value - expected) <= most))
		fail_msg("%g instead of %g within %g", value, expected, most);
}

/* Helios' account of Venus, as ASTRAEA has it; the load is that of 2020-08-23
 * to 09-05, about 616 GPUs. */
static void venus_has_the_published_shares(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct astra_trace trace;
		struct shares s;

		generate(&trace, "venus", seed, 0, 0);
		s = shares_of(&trace, 14);
		assert_int_equal(trace.job_count, 11308);
		near(s.single, .525, .001);
		near(s.eight, .226, .001);
		near(s.larger, .103, .001);
		near(s.ten_min, .673, .015);
		near(s.load_gpus, 616, 90);
		assert_true(trace.jobs[trace.job_count - 1].submit_sec <
			    14.2 * 86400);
		astra_trace_clear(&trace);
	}
}

static void philly_has_the_published_shares(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct astra_trace trace;
		struct shares s;

		generate(&trace, "philly", seed, 0, 0);
		s = shares_of(&trace, 14);
		assert_int_equal(trace.job_count, 33390);
		near(s.single, .92, .001);
		near(s.ten_min, .408, .012);
		near(s.hour, .716, .012);
		near(s.load_gpus, 1198, 150);
		astra_trace_clear(&trace);
	}
}

/* Of 4 jobs two get 1 rung's time, one 3, one 7, give or take 15 %. */
static void apps_halve_their_jobs(void **state)
{
	struct astra_trace trace;
	double sec[4] = {0};
	uint32_t apps = 0;

	(void)state;
	generate(&trace, "apps", 3, 3000, 0);
	for (uint32_t app = 1; app <= trace.app_count; app++) {
		size_t count = 0;

		for (size_t i = 0; i < trace.job_count; i++) {
			if (trace.jobs[i].app != app)
				continue;
			if (count < 4)
				sec[count] = trace.jobs[i].duration_sec;
			count++;
		}
		assert_in_range(count, 1, 64);
		if (count != 4)
			continue;
		apps++;
		for (int a = 0; a < 4; a++)
			for (int b = a + 1; b < 4; b++)
				if (sec[a] > sec[b]) {
					double other = sec[a];

					sec[a] = sec[b];
					sec[b] = other;
				}
		assert_true(sec[1] / sec[0] < 2.5);
		assert_true(sec[2] / sec[0] > 1.2 && sec[2] / sec[0] < 7.5);
		assert_true(sec[3] / sec[0] > 3 && sec[3] / sec[0] < 17);
	}
	assert_true(apps > 5);
	assert_int_equal(trace.job_count, 3000);
	astra_trace_clear(&trace);
}

/* Most jobs by day, fewest by night; some tenants ask for much more. */
static void jobs_come_by_day_and_in_bursts(void **state)
{
	struct astra_trace trace;
	double hours[24] = {0}, largest = 0, sum = 0;
	uint32_t bursts = 0;

	(void)state;
	generate(&trace, "venus", 1, 0, 0);
	for (size_t i = 0; i < trace.job_count; i++)
		hours[(size_t)(trace.jobs[i].submit_sec / 3600) % 24]++;
	assert_true(hours[15] > 2 * hours[3]);
	for (size_t i = 1; i < trace.job_count; i++)
		bursts += trace.jobs[i].app == trace.jobs[i - 1].app;
	assert_in_range(bursts, trace.job_count / 10, trace.job_count);
	for (size_t i = 0; i < trace.tenant_count; i++) {
		sum += trace.tenants[i].weight;
		largest = fmax(largest, trace.tenants[i].weight);
	}
	assert_true(largest / sum > .1 && largest / sum < .4);
	astra_trace_fit(&trace, (uint64_t)sum);
	assert_int_equal(trace.defects[ASTRA_DEFECT_QUOTA].lines, 0);
	astra_trace_clear(&trace);
}

static bool same(const struct astra_trace *a, const struct astra_trace *b)
{
	if (a->job_count != b->job_count)
		return false;
	for (size_t i = 0; i < a->job_count; i++) {
		const struct astra_trace_job *x = &a->jobs[i], *y = &b->jobs[i];

		if (strcmp(x->name, y->name) != 0 || x->gpus != y->gpus ||
		    x->tenant != y->tenant || x->user != y->user ||
		    x->app != y->app || x->submit_sec != y->submit_sec ||
		    x->duration_sec != y->duration_sec)
			return false;
	}
	return true;
}

static void a_seed_gives_one_trace(void **state)
{
	(void)state;
	for (const struct astra_generator *g = astra_generators; g->name; g++) {
		struct astra_trace a, b, c;

		generate(&a, g->name, 9, 500, 0);
		generate(&b, g->name, 9, 500, 0);
		generate(&c, g->name, 10, 500, 0);
		assert_true(same(&a, &b));
		assert_false(same(&a, &c));
		astra_trace_clear(&a);
		astra_trace_clear(&b);
		astra_trace_clear(&c);
	}
}

static void jobs_and_days_go_together(void **state)
{
	struct astra_trace trace;

	(void)state;
	generate(&trace, "venus", 1, 0, 7);
	assert_int_equal(trace.job_count, 5654);
	astra_trace_clear(&trace);
	generate(&trace, "venus", 1, 22616, 0);
	assert_true(trace.jobs[22615].submit_sec > 26 * 86400.0);
	astra_trace_clear(&trace);
	generate(&trace, "venus", 1, 5000, 1);
	assert_int_equal(trace.job_count, 5000);
	assert_true(trace.jobs[4999].submit_sec < 1.5 * 86400);
	astra_trace_clear(&trace);
	generate(&trace, "philly", 1, 1, 0);
	assert_int_equal(trace.job_count, 1);
	astra_trace_clear(&trace);
}

static void bad_wishes_are_refused(void **state)
{
	struct astra_generate_options options = {.jobs = UINT64_MAX};
	struct astra_error err = {""};
	struct astra_trace trace;

	(void)state;
	astra_trace_init(&trace);
	assert_int_equal(astra_trace_generate(&trace, "mars", &options, &err),
			 -1);
	assert_string_equal(err.text, "there is no generator mars; there are "
				      "venus, philly, apps");
	assert_int_equal(astra_trace_generate(&trace, "venus", &options, &err),
			 -1);
	assert_string_equal(err.text, "venus: more than 100000000 jobs");
	astra_trace_clear(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(venus_has_the_published_shares),
		cmocka_unit_test(philly_has_the_published_shares),
		cmocka_unit_test(apps_halve_their_jobs),
		cmocka_unit_test(jobs_come_by_day_and_in_bursts),
		cmocka_unit_test(a_seed_gives_one_trace),
		cmocka_unit_test(jobs_and_days_go_together),
		cmocka_unit_test(bad_wishes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
