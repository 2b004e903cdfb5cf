/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for every scheduler and every trace: the same run twice is the
 * same to the last byte, no more GPU time is given away than there is, and
 * every job and every second of a GPU is accounted for. And what all policies
 * but the baselines promise: every job's first start within its bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/policies/policy.h"
#include "src/sim/metrics.h"
#include "src/sim/output.h"
#include "testsuite/unit/sim_random.h"

#define SEEDS 12
#define BOUND_SEEDS 200
#define BOUND_ALLOT 8 /* a policy that allocates has one of so many of them */
/* Where all leases end at the same times: at most one first start of so many is
 * late, by no more than so many terms. */
#define LATE_PART 200
#define LATE_TERMS .75

static void simulate(const struct random_world *w,
		     const struct astra_scheduler *scheduler,
		     struct astra_sim_result *result)
{
	struct astra_error err = {""};

	if (astra_simulate(&w->trace, &w->cluster, scheduler, &w->policy,
			   &w->options, result, &err) < 0)
		fail_msg("%s, seed %u: %s", scheduler->name,
			 (unsigned)w->options.seed, err.text);
}

static void for_all(void (*check)(const struct random_world *w,
				  const struct astra_scheduler *scheduler))
{
	const struct astra_scheduler *const *s = astra_scheduler_all();

	for (; *s; s++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct random_world w;

			random_world(&w, seed);
			check(&w, *s);
			astra_cluster_clear(&w.cluster);
		}
}

/* All that is ever printed of a result. */
static char *text_of(struct astra_sim_result *r)
{
	struct astra_error err = {""};
	struct astra_metrics metrics;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(astra_contention(r), 0);
	assert_int_equal(astra_metrics_compute(r, &metrics), 0);
	assert_int_equal(astra_output_json(f, r, &metrics, &err), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void check_twice(const struct random_world *w,
			const struct astra_scheduler *scheduler)
{
	struct astra_sim_result one, two;
	char *first, *second;

	simulate(w, scheduler, &one);
	simulate(w, scheduler, &two);
	first = text_of(&one);
	second = text_of(&two);
	if (strcmp(first, second) != 0)
		fail_msg("%s, seed %u: two runs differ", scheduler->name,
			 (unsigned)w->options.seed);
	free(first);
	free(second);
	astra_sim_result_clear(&one);
	astra_sim_result_clear(&two);
}

static void same_input_gives_the_same_result(void **state)
{
	(void)state;
	for_all(check_twice);
}

static void near(const struct astra_sim_result *r, const char *what, double got,
		 double want)
{
	if (!(fabs(got - want) <= 1e-6 * fmax(1, fabs(want))))
		fail_msg("%s: %s is %.12g, not %.12g", r->scheduler->name, what,
			 got, want);
}

struct change {
	double at_sec;
	int64_t gpus;
};

/* At one time GPUs are given back before they are taken. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_sec != y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->gpus < y->gpus ? -1 : x->gpus > y->gpus;
}

static void never_more_than_there_are(const struct astra_sim_result *r)
{
	struct change *changes = calloc(2 * r->run_count, sizeof(*changes));
	int64_t used = 0;

	assert_non_null(changes);
	for (size_t i = 0; i < r->run_count; i++) {
		const struct astra_sim_run *run = &r->runs[i];

		changes[2 * i] = (struct change){run->start_sec, run->gpus};
		changes[2 * i + 1] =
			(struct change){run->end_sec, -(int64_t)run->gpus};
	}
	qsort(changes, 2 * r->run_count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < 2 * r->run_count; i++) {
		used += changes[i].gpus;
		if (used > (int64_t)r->gpus)
			fail_msg("%s: %jd GPUs of %ju are used at %g",
				 r->scheduler->name, (intmax_t)used,
				 (uintmax_t)r->gpus, changes[i].at_sec);
	}
	assert_int_equal(used, 0);
	free(changes);
}

/* Each job is done, all its work was done once, and its runs are apart. */
static void every_job_is_accounted(const struct astra_sim_result *r)
{
	double *held = calloc(RANDOM_JOBS, sizeof(*held));
	double *until = calloc(RANDOM_JOBS, sizeof(*until));

	assert_non_null(held);
	assert_non_null(until);
	for (size_t i = 0; i < r->run_count; i++) { /* by their ends */
		const struct astra_sim_run *run = &r->runs[i];

		assert_true(run->start_sec >=
			    r->trace->jobs[run->job].submit_sec);
		assert_true(run->start_sec >= until[run->job]);
		assert_int_equal(run->gpus, r->trace->jobs[run->job].gpus);
		until[run->job] = run->end_sec;
		held[run->job] += run->gpus * (run->end_sec - run->start_sec);
	}
	for (uint32_t i = 0; i < r->trace->job_count; i++) {
		const struct astra_trace_job *t = &r->trace->jobs[i];
		const struct astra_sim_job *j = &r->jobs[i];

		if (j->end_sec < 0)
			fail_msg("%s: job %u is not done", r->scheduler->name,
				 i);
		near(r, "a job's end", j->end_sec, until[i]);
		near(r, "a job's GPU time", j->alloc_gpu_sec, held[i]);
		near(r, "a job's work",
		     held[i] - j->cold_gpu_sec - j->checkpoint_gpu_sec -
			     j->slow_gpu_sec,
		     t->gpus * t->duration_sec);
	}
	free(held);
	free(until);
}

static void every_second_is_accounted(const struct astra_sim_result *r)
{
	size_t tenants = r->trace->tenant_count;
	double jobs[RANDOM_TENANTS] = {0}, sum = 0, used = 0;

	for (size_t i = 0; i < r->trace->job_count; i++)
		jobs[r->trace->jobs[i].tenant] += r->jobs[i].alloc_gpu_sec;
	for (size_t t = 0; t < tenants; t++) {
		double cells = 0;

		for (size_t i = 0; i < r->interval_count; i++)
			cells += r->cells[i * tenants + t].alloc_gpu_sec;
		near(r, "a tenant's GPU time", r->tenants[t].alloc_gpu_sec,
		     jobs[t]);
		near(r, "its intervals", cells, jobs[t]);
		sum += jobs[t];
	}
	for (size_t i = 0; i < r->interval_count; i++) {
		assert_true(r->used_gpu_sec[i] <=
			    (double)r->gpus * r->interval_sec * (1 + 1e-9));
		used += r->used_gpu_sec[i];
	}
	near(r, "all GPU time", used, sum);
}

static void check_conserved(const struct random_world *w,
			    const struct astra_scheduler *scheduler)
{
	struct astra_sim_result r;

	simulate(w, scheduler, &r);
	never_more_than_there_are(&r);
	every_job_is_accounted(&r);
	every_second_is_accounted(&r);
	astra_sim_result_clear(&r);
}

static void gpu_time_and_jobs_are_conserved(void **state)
{
	(void)state;
	for_all(check_conserved);
}

/* Every fifth job has half the cluster, and they come fast: at times demand is
 * five times the cluster. Leases of 15 minutes, a checkpoint of 10 s. */
static void crowd(struct random_world *w)
{
	for (uint32_t i = 0; i < RANDOM_JOBS; i++) {
		if (i % 5 == 0)
			w->jobs[i].gpus = 16;
		w->jobs[i].submit_sec /= 2;
	}
	w->policy.lease_sec = 900;
	w->policy.grace_sec = 10;
}

/* ASTRAEA_BOUND_SEEDS: so many crowds of ltgf, in the long tests. */
static uint64_t bound_seeds(const struct astra_policy *policy)
{
	const char *asked = getenv("ASTRAEA_BOUND_SEEDS");

	uint64_t seeds = asked ? strtoull(asked, NULL, 10) : BOUND_SEEDS;

	return policy->allocate ? seeds / BOUND_ALLOT : seeds;
}

/* Three jobs of four end early: bounds come forward. */
static void crowd_of_short_jobs(struct random_world *w)
{
	crowd(w);
	for (uint32_t i = 0; i < RANDOM_JOBS; i++)
		if (i % 4)
			w->jobs[i].duration_sec *= 0.1;
}

/* First starts that are late: by what was promised when the jobs came, or by
 * what the engine promised last. */
struct late {
	double jobs, of;
	double worst_terms; /* of the former */
};

static void late_add(struct late *late, const struct random_world *w,
		     const struct astra_sim_result *r)
{
	const char *name = r->scheduler->name;
	unsigned seed = (unsigned)w->options.seed;

	late->of += RANDOM_JOBS;
	late->jobs += r->late;
	if (r->late > 0)
		printf("%s, seed %u: %g are late\n", name, seed, r->late);
	for (size_t i = 0; i < RANDOM_JOBS; i++) {
		double bound_sec = r->jobs[i].bound_sec;
		double over_sec = astra_first_wait_sec(r, i) - bound_sec;

		if (!astra_is_over_bound(r, i))
			continue;
		late->jobs++;
		late->worst_terms =
			fmax(late->worst_terms, over_sec / r->term_sec);
		printf("%s, seed %u, job %zu, %u GPUs: %g s over its bound of %g s\n",
		       name, seed, i, w->jobs[i].gpus, over_sec, bound_sec);
	}
}

static struct late count_late(const struct astra_policy *policy)
{
	static void (*const crowds[])(struct random_world * w) = {
		crowd,
		crowd_of_short_jobs,
	};
	const struct astra_scheduler *scheduler =
		astra_scheduler_find(policy->name, NULL);
	struct late late = {0};

	for (uint64_t seed = 1; seed <= bound_seeds(policy); seed++)
		for (size_t k = 0; k < ASTRA_COUNT_OF(crowds); k++) {
			struct random_world w;
			struct astra_sim_result r;

			random_world(&w, seed);
			crowds[k](&w);
			simulate(&w, scheduler, &r);
			late_add(&late, &w, &r);
			astra_sim_result_clear(&r);
			astra_cluster_clear(&w.cluster);
		}
	return late;
}

/* All leases of themis end at multiples of a term: gangs wait for that, and do
 * not always pack. */
static bool ends_all_at_once(const struct astra_policy *policy)
{
	return strstr(policy->name, "themis") != NULL;
}

static void first_starts_keep_their_bound(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();

	(void)state;
	for (; *p; p++) {
		bool some = ends_all_at_once(*p);
		struct late late;

		if ((*p)->source)
			continue; /* a baseline has its own rule */
		late = count_late(*p);
		assert_true(late.jobs <= (some ? late.of / LATE_PART : 0));
		assert_true(late.worst_terms <= (some ? LATE_TERMS : 0));
	}
}

/* Jobs that take 200 of their 300 s to leave: grants that were lent until a
 * hold begins have no time left when their GPUs come. */
static void slow_checkpoints_delay_few(void **state)
{
	const struct astra_scheduler *ltgf = astra_scheduler_find("ltgf", NULL);
	struct late late = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= BOUND_SEEDS / 2; seed++) {
		struct random_world w;
		struct astra_sim_result r;

		random_world(&w, seed);
		crowd(&w);
		w.policy.grace_sec = 300;
		w.options.checkpoint_sec = 200;
		simulate(&w, ltgf, &r);
		late_add(&late, &w, &r);
		astra_sim_result_clear(&r);
		astra_cluster_clear(&w.cluster);
	}
	assert_true(late.jobs <= late.of / 1000);
	assert_true(late.worst_terms <= .25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_starts_keep_their_bound),
		cmocka_unit_test(slow_checkpoints_delay_few),
		cmocka_unit_test(same_input_gives_the_same_result),
		cmocka_unit_test(gpu_time_and_jobs_are_conserved),
	};

	return cmocka_run_group_tests_name("sim_properties", tests, NULL, NULL);
}
