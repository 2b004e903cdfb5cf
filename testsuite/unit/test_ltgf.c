/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The round of Ye et al. (ASTRAEA), Algorithms 1 and 2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/model/model.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/options.h"
#include "testsuite/unit/unit.h"

#define MANY 64

/* Decide with these options and write the granted candidates into `granted`.
 * Returns how many were granted. */
static size_t decide(const struct astra_options *options,
		     const struct astra_contest *contest,
		     struct astra_choice *choices, uint32_t *granted)
{
	struct astra_ranking ranking = {.choices = choices};
	struct astra_error err = {""};
	void *self = astra_ltgf.create(options, &err);
	size_t count = 0;

	assert_non_null(self);
	assert_int_equal(astra_ltgf.decide(self, contest, &ranking, &err), 0);
	astra_ltgf.destroy(self);
	for (size_t i = 0; i < ranking.count; i++)
		if (choices[i].granted)
			granted[count++] = choices[i].candidate;
	return count;
}

static void expect(const struct astra_options *options,
		   const struct astra_contest *contest, const uint32_t *want,
		   size_t want_count)
{
	struct astra_choice choices[MANY];
	uint32_t granted[MANY];
	size_t count = decide(options, contest, choices, granted);

	assert_int_equal(count, want_count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(granted[i], want[i]);
}

#define EXPECT(options, contest, ...)                             \
	expect(options, contest, (const uint32_t[]){__VA_ARGS__}, \
	       ASTRA_COUNT_OF(((const uint32_t[]){__VA_ARGS__})))

static struct astra_options defaults(void)
{
	struct astra_options options;

	astra_options_init(&options);
	return options;
}

static struct astra_candidate job(uint32_t tenant, uint32_t gpus, double rho)
{
	return (struct astra_candidate){
		.tenant = tenant,
		.gpus = gpus,
		.charge = gpus,
		.rho = rho,
		.latest_start_sec = HUGE_VAL,
	};
}

#define CONTEST(m, candidate_array, tenant_array)                            \
	{                                                                    \
		.lease_sec = 10, .gpus = (m), .candidates = candidate_array, \
		.candidate_count = ASTRA_COUNT_OF(candidate_array),          \
		.tenants = tenant_array,                                     \
		.tenant_count = ASTRA_COUNT_OF(tenant_array),                \
	}

static const struct astra_contestant alone[] = {{.quota = 8, .entitled = true}};

/* SPEC section 1, golden: 12 GPUs, A:B = 2:1, twelve 1-GPU jobs each at t=0:
 * A B A A B A A B A A B A. With F_p = 0 the key is A_p / (Quota_p lease). */
static void fresh_tenants_are_served_by_weight(void **state)
{
	const struct astra_contestant tenants[] = {
		{.quota = 8, .entitled = true},
		{.quota = 4, .entitled = true},
	};
	struct astra_candidate jobs[24];
	const struct astra_contest contest = CONTEST(12, jobs, tenants);
	struct astra_options o = defaults();

	(void)state;
	for (uint32_t i = 0; i < 24; i++)
		jobs[i] = job(i / 12, 1, 0);
	EXPECT(&o, &contest, 0, 12, 1, 2, 13, 3, 4, 14, 5, 6, 15, 7);
}

/* --nice and scontrol top: of jobs with the same rho. It never outweighs rho.
 */
static void precedence_orders_equals(void **state)
{
	struct astra_candidate jobs[] = {job(0, 1, 0.5), job(0, 1, 0),
					 job(0, 1, 0), job(0, 1, 0)};
	const struct astra_contest contest = CONTEST(4, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	jobs[0].precedence = 1000;
	jobs[1].precedence = -100;
	jobs[3].precedence = 1;
	EXPECT(&o, &contest, 3, 2, 1, 0);
}

/* SPEC section 1, golden, Eq. 8 and Eq. 16: A 560/720 (560/800), B 200/300
 * (200/400). b2 (8 GPUs, rho 0), then B has 280/300 > 560/720: a2 (8) does not
 * fit in the 4 that are left, b1 (2) does. */
static void the_neediest_tenant_goes_first(void **state)
{
	const struct astra_contestant eq8[] = {
		{.usage = {560, 720}, .quota = 8, .entitled = true},
		{.usage = {200, 300}, .quota = 4, .entitled = true},
	};
	const struct astra_contestant eq16[] = {
		{.usage = {560, 800}, .quota = 8, .entitled = true},
		{.usage = {200, 400}, .quota = 4, .entitled = true},
	};
	const struct astra_candidate jobs[] = {
		job(0, 8, 2.0 / 3),
		job(1, 2, 4.0 / 3),
		job(1, 8, 0),
	};
	const struct astra_contest a = CONTEST(12, jobs, eq8);
	const struct astra_contest b = CONTEST(12, jobs, eq16);
	struct astra_options o = defaults();

	(void)state;
	EXPECT(&o, &a, 2, 1);
	EXPECT(&o, &b, 2, 1);
}

/* A grant costs charge * lease, and takes gpus of the m: 2 GPUs of weight 3
 * are worth 6 of weight 1. Keys 60/80; 20/80, 40/80, 60/80. */
static void a_grant_costs_its_charge(void **state)
{
	const struct astra_contestant tenants[] = {
		{.quota = 8, .entitled = true},
		{.quota = 8, .entitled = true},
	};
	struct astra_candidate jobs[8];
	const struct astra_contest contest = CONTEST(8, jobs, tenants);
	struct astra_options o = defaults();

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		jobs[i] = job(i / 4, 2, 0);
		jobs[i].charge = i < 4 ? 6 : 2;
	}
	EXPECT(&o, &contest, 0, 4, 5, 6);
}

/* Alg. 1 prints r < M; it must be r <= M. */
static void a_job_as_large_as_the_cluster_starts(void **state)
{
	const struct astra_candidate jobs[] = {job(0, 8, 0)};
	const struct astra_contest contest = CONTEST(8, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	EXPECT(&o, &contest, 0);
}

static void equal_rhos_go_by_submission_then_index(void **state)
{
	struct astra_candidate jobs[] = {
		job(0, 1, 0.5 + 4e-10),
		job(0, 1, 0.5),
		job(0, 1, 0.5 + 2e-9),
		job(0, 1, 0.5 + 2e-10),
	};
	const struct astra_contest contest = CONTEST(4, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	jobs[0].submit_sec = 1;
	jobs[1].submit_sec = 2;
	jobs[3].submit_sec = 1;
	EXPECT(&o, &contest, 0, 3, 1, 2);
}

/* Tied is not transitive; the order must be all the same. */
static void a_chain_of_ties_starts_at_the_smallest(void **state)
{
	struct astra_candidate jobs[] = {
		job(0, 1, 1.6e-9),
		job(0, 1, 0.8e-9),
		job(0, 1, 0),
	};
	const struct astra_contest contest = CONTEST(3, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	EXPECT(&o, &contest, 1, 2, 0);
}

static void a_job_that_does_not_fit_is_passed_over(void **state)
{
	const struct astra_contestant tenants[] = {
		{.usage = {0, 100}, .quota = 4, .entitled = true},
		{.usage = {50, 100}, .quota = 4, .entitled = true},
	};
	const struct astra_candidate jobs[] = {
		job(0, 9, 0),
		job(0, 2, 1),
		job(1, 4, 0),
	};
	const struct astra_contest contest = CONTEST(8, jobs, tenants);
	struct astra_options o = defaults();

	(void)state;
	EXPECT(&o, &contest, 1, 2);
	o.on_unfit_tenant = true;
	EXPECT(&o, &contest, 2);
}

static void an_excluded_job_is_ranked_and_not_granted(void **state)
{
	struct astra_candidate jobs[] = {job(0, 4, 0), job(0, 4, 1)};
	const struct astra_contest contest = CONTEST(4, jobs, alone);
	struct astra_options o = defaults();
	struct astra_choice choices[MANY];
	uint32_t granted[MANY];

	(void)state;
	jobs[0].excluded = true;
	o.on_unfit_tenant = true; /* excluded is not unfit */
	assert_int_equal(decide(&o, &contest, choices, granted), 1);
	assert_int_equal(granted[0], 1);
	assert_int_equal(choices[0].candidate, 0);
	assert_false(choices[0].granted);
}

static void a_tenant_without_weight_gets_leftovers(void **state)
{
	const struct astra_contestant tenants[] = {
		{.usage = {0, 0}, .quota = 0, .entitled = false},
		{.usage = {900, 100}, .quota = 8, .entitled = true},
	};
	const struct astra_candidate jobs[] = {
		job(0, 1, HUGE_VAL),
		job(1, 1, 9),
		job(1, 1, HUGE_VAL),
	};
	const struct astra_contest contest = CONTEST(3, jobs, tenants);
	struct astra_options o = defaults();

	(void)state;
	EXPECT(&o, &contest, 1, 2, 0);
}

static void new_jobs_may_go_first(void **state)
{
	struct astra_candidate jobs[] = {job(0, 1, 0.1), job(0, 1, 0.9)};
	const struct astra_contest contest = CONTEST(2, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	jobs[1].fresh = true;
	EXPECT(&o, &contest, 0, 1);
	o.new_first = true;
	EXPECT(&o, &contest, 1, 0);
}

static void a_near_deadline_goes_before_all_others(void **state)
{
	struct astra_candidate jobs[] = {
		job(0, 1, 0),
		job(0, 1, 1),
		job(0, 1, 2),
	};
	struct astra_contest contest = CONTEST(3, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	contest.now_sec = 100;
	jobs[1].latest_start_sec = 150;
	jobs[2].latest_start_sec = 130;
	EXPECT(&o, &contest, 0, 1, 2);
	o.urgency_sec = 60;
	EXPECT(&o, &contest, 2, 1, 0);
	o.urgency_sec = 40;
	EXPECT(&o, &contest, 2, 0, 1);
}

static void nobody_and_nothing_are_legal(void **state)
{
	const struct astra_contest nobody = {.lease_sec = 10, .gpus = 4};
	const struct astra_candidate jobs[] = {job(0, 1, 0)};
	const struct astra_contest nothing = CONTEST(0, jobs, alone);
	struct astra_options o = defaults();

	(void)state;
	expect(&o, &nobody, NULL, 0);
	expect(&o, &nothing, NULL, 0);
	astra_ltgf.destroy(NULL);
}

/* The paper's loop as it is written: look at all, take the smallest. */

static double key_of(const struct astra_contest *contest, uint32_t tenant,
		     double alloc)
{
	const struct astra_contestant *t = &contest->tenants[tenant];

	if (t->usage.fair > 0)
		return alloc / t->usage.fair;
	if (t->quota > 0 && t->entitled)
		return alloc / (t->quota * contest->lease_sec);
	return HUGE_VAL;
}

static uint32_t smallest_tenant(const struct astra_contest *contest,
				const bool *gone, const double *alloc)
{
	uint32_t best = ASTRA_NONE;

	for (uint32_t t = 0; t < contest->tenant_count; t++) {
		bool any = false;

		for (uint32_t i = 0; i < contest->candidate_count; i++)
			any |= !gone[i] && contest->candidates[i].tenant == t;
		if (any &&
		    (best == ASTRA_NONE ||
		     astra_compare(key_of(contest, t, alloc[t]),
				   key_of(contest, best, alloc[best])) < 0))
			best = t;
	}
	return best;
}

static uint32_t smallest_job(const struct astra_contest *contest,
			     const bool *gone, uint32_t tenant)
{
	const struct astra_candidate *c = contest->candidates;
	double least = HUGE_VAL;
	uint32_t best = ASTRA_NONE;

	for (uint32_t i = 0; i < contest->candidate_count; i++)
		if (!gone[i] && c[i].tenant == tenant)
			least = fmin(least, c[i].rho);
	for (uint32_t i = 0; i < contest->candidate_count; i++)
		if (!gone[i] && c[i].tenant == tenant &&
		    astra_tied(c[i].rho, least) &&
		    (best == ASTRA_NONE ||
		     c[i].submit_sec < c[best].submit_sec))
			best = i;
	return best;
}

static size_t by_the_book(const struct astra_contest *contest,
			  bool tenant_on_unfit, uint32_t *granted)
{
	bool gone[MANY] = {false};
	double alloc[MANY];
	uint64_t m = contest->gpus;
	size_t count = 0;
	uint32_t t;

	for (size_t i = 0; i < contest->tenant_count; i++)
		alloc[i] = contest->tenants[i].usage.alloc;
	while ((t = smallest_tenant(contest, gone, alloc)) != ASTRA_NONE) {
		uint32_t i = smallest_job(contest, gone, t);
		uint32_t gpus = contest->candidates[i].gpus;

		gone[i] = true;
		if (contest->candidates[i].excluded)
			continue;
		if (gpus <= m) {
			m -= gpus;
			alloc[t] += gpus * contest->lease_sec;
			granted[count++] = i;
		} else if (tenant_on_unfit) {
			for (uint32_t k = 0; k < contest->candidate_count; k++)
				gone[k] |= contest->candidates[k].tenant == t;
		}
	}
	return count;
}

static double pick(unsigned below)
{
	return (double)((unsigned)rand() % below);
}

static void random_rounds_are_as_by_the_book(void **state)
{
	size_t grants = 0;

	(void)state;
	srand(3);
	for (int round = 0; round < 20000; round++) {
		struct astra_candidate jobs[MANY];
		struct astra_contestant tenants[8];
		struct astra_contest contest = {
			.lease_sec = 1 + pick(20),
			.gpus = (uint64_t)pick(40),
			.candidates = jobs,
			.candidate_count = (size_t)pick(40),
			.tenants = tenants,
			.tenant_count = 1 + (size_t)pick(6),
		};
		struct astra_options o = defaults();
		struct astra_choice choices[MANY];
		uint32_t got[MANY], want[MANY];
		size_t count;

		for (size_t i = 0; i < contest.tenant_count; i++)
			tenants[i] = (struct astra_contestant){
				.usage = {10 * pick(9), 10 * pick(4)},
				.quota = pick(5),
				.entitled = pick(6) > 0,
			};
		for (size_t i = 0; i < contest.candidate_count; i++) {
			jobs[i] = job(
				(uint32_t)pick((unsigned)contest.tenant_count),
				1 + (uint32_t)pick(8),
				pick(4) + 2e-10 * pick(4));
			jobs[i].submit_sec = pick(5);
			jobs[i].excluded = !(int)pick(8);
			if (!(int)pick(10))
				jobs[i].rho = HUGE_VAL;
		}
		o.attained_first = false;
		o.on_unfit_tenant = round % 2;
		count = by_the_book(&contest, round % 2, want);
		assert_int_equal(decide(&o, &contest, choices, got), count);
		assert_memory_equal(got, want, count * sizeof(*got));
		grants += count;
	}
	assert_true(grants > 50000);
}

/* A tenant's users by A / F, then their jobs by rho: Ann (6 / 10) before Bob
 * (8 / 10) until she has got 2 of 1 GPU: 26 / 10; Bob's second is better off
 * than Ann's, and its turn all the same. Lease 10. */
static void users_have_their_turns(void **state)
{
	static const struct astra_contestant users[] = {
		{.usage = {6, 10}, .quota = 4, .entitled = true},
		{.usage = {8, 10}, .quota = 4, .entitled = true},
	};
	struct astra_candidate c[] = {job(0, 1, .1), job(0, 1, .2),
				      job(0, 1, .5), job(0, 1, .9)};
	struct astra_contest contest = CONTEST(3, c, alone);
	struct astra_options options = defaults();

	(void)state;
	EXPECT(&options, &contest, 0, 1, 2);
	contest.users = users;
	contest.user_count = ASTRA_COUNT_OF(users);
	for (uint32_t i = 0; i < 4; i++)
		c[i].user = i / 2;
	EXPECT(&options, &contest, 0, 2, 1);
	/* One that is of nobody goes by its tenant: 0 here. */
	c[3].user = ASTRA_NONE;
	EXPECT(&options, &contest, 3, 0, 2);
}

static struct astra_candidate elastic(uint32_t tenant, uint32_t least,
				      uint32_t most, double rho)
{
	struct astra_candidate c = job(tenant, least, rho);

	c.gpus_max = most;
	c.gpus_step = 1;
	return c;
}

/* The GPUs that each candidate is granted. */
static void sizes_of(const struct astra_contest *contest, uint32_t *gpus)
{
	struct astra_choice choices[MANY];
	struct astra_ranking ranking = {.choices = choices};
	struct astra_options options = defaults();
	void *self = astra_ltgf.create(&options, NULL);

	assert_int_equal(astra_ltgf.decide(self, contest, &ranking, NULL), 0);
	astra_ltgf.destroy(self);
	for (size_t i = 0; i < ranking.count; i++)
		gpus[choices[i].candidate] = choices[i].gpus;
}

/* 8 GPUs. An elastic job of 1 to 6 that has had its share starts on 1, the job
 * of 3 behind it has its 3, and the 4 that are left go to the first: 5. Had it
 * had less than its share, it would compete with all it can use: 6, and the job
 * of 3 has no place. */
static void further_gpus_are_what_the_tenant_leaves(void **state)
{
	struct astra_candidate c[] = {elastic(0, 1, 6, 2), job(0, 3, 3)};
	struct astra_contest contest = CONTEST(8, c, alone);
	uint32_t gpus[2];

	(void)state;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 5);
	assert_int_equal(gpus[1], 3);
	c[0].rho = 0.5;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 6);
	assert_int_equal(gpus[1], 0);
}

/* 5 GPUs, a job of 1 to 6 and behind it one of 3. With a level of 1 the first
 * has the one that the second leaves: 2. With 3 it has 3 at its turn, the
 * second has no place, and the rest goes to the first: 5. Of 6 GPUs, in steps
 * of 2, it has 3 with a level of 4, as 5 were more; the second has the rest. */
static void the_level_is_had_at_ones_turn(void **state)
{
	struct astra_candidate c[] = {elastic(0, 1, 6, 2), job(0, 3, 3)};
	struct astra_contest contest = CONTEST(5, c, alone);
	uint32_t gpus[2];

	(void)state;
	c[0].gpus_turn = 1;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 2);
	assert_int_equal(gpus[1], 3);
	c[0].gpus_turn = 3;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 5);
	assert_int_equal(gpus[1], 0);
	c[0].gpus_step = 2;
	c[0].gpus_turn = 4;
	contest.gpus = 6;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 3);
	assert_int_equal(gpus[1], 3);
}

/* Two tenants, F = 40 each, lease 10: each GPU costs 10 / 40 of A / F. An
 * elastic job of A and three jobs of one GPU of B take turns: of 5 GPUs A has
 * the first, third and fifth, of 8 B has three and A the rest. */
static void further_gpus_are_charged_like_grants(void **state)
{
	static const struct astra_contestant tenants[] = {
		{.usage = {0, 40}, .quota = 4, .entitled = true},
		{.usage = {0, 40}, .quota = 4, .entitled = true},
	};
	struct astra_candidate c[] = {elastic(0, 1, 8, 2), job(1, 1, 2),
				      job(1, 1, 2), job(1, 1, 2)};
	struct astra_contest contest = CONTEST(5, c, tenants);
	uint32_t gpus[4];

	(void)state;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 3);
	assert_int_equal(gpus[1] + gpus[2] + gpus[3], 2);
	contest.gpus = 8;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 5);
	assert_int_equal(gpus[1] + gpus[2] + gpus[3], 3);
}

/* One that runs on 2 is not charged for them again, and they are not contested:
 * of 3 GPUs it and a new one, in turn, get one and two. Both grow by whole
 * steps only. */
static void who_runs_competes_for_more(void **state)
{
	struct astra_candidate c[] = {elastic(0, 2, 8, 2), elastic(0, 1, 8, 3)};
	struct astra_contest contest = CONTEST(3, c, alone);
	uint32_t gpus[2];

	(void)state;
	c[0].runs = true;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 3);
	assert_int_equal(gpus[1], 2);
	c[0].gpus_step = c[1].gpus_step = 4;
	sizes_of(&contest, gpus);
	assert_int_equal(gpus[0], 2);
	assert_int_equal(gpus[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_tenants_are_served_by_weight),
		cmocka_unit_test(precedence_orders_equals),
		cmocka_unit_test(the_neediest_tenant_goes_first),
		cmocka_unit_test(a_grant_costs_its_charge),
		cmocka_unit_test(a_job_as_large_as_the_cluster_starts),
		cmocka_unit_test(equal_rhos_go_by_submission_then_index),
		cmocka_unit_test(a_chain_of_ties_starts_at_the_smallest),
		cmocka_unit_test(a_job_that_does_not_fit_is_passed_over),
		cmocka_unit_test(an_excluded_job_is_ranked_and_not_granted),
		cmocka_unit_test(a_tenant_without_weight_gets_leftovers),
		cmocka_unit_test(new_jobs_may_go_first),
		cmocka_unit_test(a_near_deadline_goes_before_all_others),
		cmocka_unit_test(nobody_and_nothing_are_legal),
		cmocka_unit_test(random_rounds_are_as_by_the_book),
		cmocka_unit_test(users_have_their_turns),
		cmocka_unit_test(further_gpus_are_what_the_tenant_leaves),
		cmocka_unit_test(the_level_is_had_at_ones_turn),
		cmocka_unit_test(further_gpus_are_charged_like_grants),
		cmocka_unit_test(who_runs_competes_for_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
