/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs here and there are worth to jobs that run side by side. (Mahajan et
 * al., NSDI'20, section 5.2, Eq. 2; SPEC section 2) */
#include <string.h>

#include "src/common/random.h"
#include "src/policies/themis/app.h"
#include "testsuite/unit/unit.h"

enum { MACHINES = 4 };

static const double usual[ASTRA_LEVEL_COUNT] = {1, 1, 1.1, 1.3};

/* 2, 2, 2, 2, 4 and 4 GPUs of one rack: Fig. 5. */
static const struct astra_themis_machine figure[] = {
	{2, 0, 2}, {2, 0, 2}, {2, 0, 2}, {2, 0, 2}, {4, 0, 4}, {4, 0, 4}};

struct world {
	struct astra_themis_machine machines[MACHINES];
	struct astra_themis_share held[MACHINES], offered[MACHINES];
	struct astra_themis_shares h, o;
	double slowdown[ASTRA_LEVEL_COUNT];
	struct astra_themis_crew crew;
};

static double worth_of(const struct astra_themis_crew *crew,
		       const struct astra_themis_machine *machines,
		       const struct astra_themis_share *share, size_t count)
{
	return astra_themis_pace_on(crew, machines,
				    (struct astra_themis_shares){0},
				    (struct astra_themis_shares){share, count})
		.gpus;
}

static void jobs_on_one_machine_each_are_not_slowed(void **state)
{
	static const double slow[] = {1, 1, 2, 2};
	const struct astra_themis_crew fours = {2, 1, 4, slow},
				       one = {1, 1, 8, slow};
	const struct astra_themis_crew rigid = {2, 4, 4, slow};
	const struct astra_themis_share whole[] = {{4, 4}, {5, 4}};
	const struct astra_themis_share halves[] = {
		{0, 2}, {1, 2}, {2, 2}, {3, 2}};
	const struct astra_themis_share mixed[] = {{0, 2}, {1, 2}, {4, 4}};

	(void)state;
	assert_close(worth_of(&fours, figure, whole, 2), 8, 1e-12);
	/* Two jobs of 2 + 2 at half the speed, or of 2 at the full one. */
	assert_close(worth_of(&fours, figure, halves, 4), 4, 1e-12);
	assert_close(worth_of(&fours, figure, mixed, 3), 6, 1e-12);
	/* As jobs of 4 GPUs one has to span the others. */
	assert_close(worth_of(&rigid, figure, mixed, 3), 6, 1e-12);
	assert_close(worth_of(&rigid, figure, halves, 3), 2, 1e-12);
	assert_close(worth_of(&rigid, figure, halves, 1), 0, 1e-12);
	/* One job spans them all. */
	assert_close(worth_of(&one, figure, whole, 2), 4, 1e-12);
}

/* 100 jobs of 8 on machines of 8, and 100 on two machines of 4 each. No number
 * of jobs is too large. */
static void many_jobs_may_span(void **state)
{
	static const double slow[] = {1, 1, 3, 3};
	static struct astra_themis_machine machines[300];
	static struct astra_themis_share all[300];
	struct astra_themis_crew crew = {200, 8, 8, slow};

	(void)state;
	for (uint32_t m = 0; m < 300; m++) {
		uint32_t gpus = m < 100 ? 8 : 4;

		machines[m] = (struct astra_themis_machine){gpus, 0, gpus};
		all[m] = (struct astra_themis_share){m, gpus};
	}
	assert_close(worth_of(&crew, machines, all, 300), 800 + 800 / 3., 1e-9);
	crew = (struct astra_themis_crew){UINT32_MAX, 2, 4, slow};
	all[100].gpus = all[101].gpus = 1;
	assert_close(worth_of(&crew, machines, all + 100, 2), 2 / 3., 1e-9);
}

/* A job within one rack, beside a machine of another one. */
static void the_fastest_job_is_within_a_rack(void **state)
{
	const struct astra_themis_machine machines[] = {
		{2, 0, 2}, {2, 0, 2}, {1, 1, 1}};
	const struct astra_themis_share all[] = {{0, 2}, {1, 2}, {2, 1}};
	const struct astra_themis_crew crew = {2, 1, 4, usual};

	(void)state;
	assert_close(astra_themis_pace_on(&crew, machines,
					  (struct astra_themis_shares){0},
					  (struct astra_themis_shares){all, 3})
			     .fastest,
		     4 / 1.1, 1e-9);
}

static void jobs_of_one_gpu_are_nowhere_apart(void **state)
{
	const struct astra_themis_machine far[] = {{1, 0, 1}, {1, 1, 1}};
	const struct astra_themis_share both[] = {{0, 1}, {1, 1}};
	const struct astra_themis_crew ones = {2, 1, 1, usual};

	(void)state;
	assert_close(worth_of(&ones, far, both, 2), 2, 1e-12);
}

/* The level of what a job has: `count` GPUs of each machine. */
static double speed_of(const struct world *w, const uint32_t *count)
{
	struct astra_themis_share list[MACHINES];
	struct astra_themis_shares shares = {.share = list};
	const struct astra_themis_shares none = {0};

	for (uint32_t m = 0; m < MACHINES; m++)
		if (count[m])
			list[shares.count++] =
				(struct astra_themis_share){m, count[m]};
	if (astra_themis_gpus(shares) < w->crew.gpus_min)
		return 0;
	return astra_themis_gpus(shares) /
	       w->slowdown[astra_themis_level(w->machines, none, shares)];
}

/* The best division of `left` GPUs of each machine among jobs `job` on: give
 * this one any of those of machine m on. */
static double best_division(const struct world *w, uint32_t job, uint32_t m,
			    uint32_t *left, uint32_t *has, uint32_t gpus)
{
	double best = 0;

	if (job == w->crew.jobs)
		return 0;
	if (m == MACHINES) {
		uint32_t none[MACHINES] = {0};

		return speed_of(w, has) +
		       best_division(w, job + 1, 0, left, none, 0);
	}
	for (uint32_t x = 0; x <= left[m] && gpus + x <= w->crew.gpus_max;
	     x++) {
		double v;

		left[m] -= x;
		has[m] = x;
		v = best_division(w, job, m + 1, left, has, gpus + x);
		best = fmax(best, v);
		has[m] = 0;
		left[m] += x;
	}
	return best;
}

static double by_trying_all(const struct world *w)
{
	uint32_t left[MACHINES] = {0}, has[MACHINES] = {0};

	for (size_t i = 0; i < w->h.count; i++)
		left[w->held[i].machine] += w->held[i].gpus;
	for (size_t i = 0; i < w->o.count; i++)
		left[w->offered[i].machine] += w->offered[i].gpus;
	return best_division(w, 0, 0, left, has, 0);
}

static uint32_t below(struct astra_random *random, uint32_t count)
{
	return (uint32_t)astra_random_below(random, count);
}

static void random_world(struct world *w, struct astra_random *random,
			 bool slots)
{
	*w = (struct world){0};
	for (uint32_t m = 0; m < MACHINES; m++) {
		uint32_t gpus = below(random, 4), held = below(random, 3);

		w->machines[m] = (struct astra_themis_machine){
			.free = gpus,
			.rack = below(random, 2),
			.slot = slots ? 1 + below(random, 3) : 8,
		};
		if (gpus)
			w->offered[w->o.count++] =
				(struct astra_themis_share){m, gpus};
		if (held && !below(random, 3))
			w->held[w->h.count++] =
				(struct astra_themis_share){m, held};
	}
	w->h.share = w->held;
	w->o.share = w->offered;
	w->slowdown[0] = 1;
	for (int l = 1; l < ASTRA_LEVEL_COUNT; l++)
		w->slowdown[l] = w->slowdown[l - 1] + .4 * below(random, 3);
	w->crew = (struct astra_themis_crew){
		.jobs = 1 + below(random, 3),
		.gpus_max = 1 + below(random, 4),
		.slowdown = w->slowdown,
	};
	w->crew.gpus_min =
		1 + below(random, 2) * below(random, w->crew.gpus_max);
}

static struct astra_themis_pace pace_of(const struct world *w)
{
	return astra_themis_pace_on(&w->crew, w->machines, w->h, w->o);
}

/* Whether all GPUs of each machine are jobs' own. */
static bool fits_alone(const struct world *w)
{
	uint32_t gpus[MACHINES] = {0}, jobs = 0;

	for (size_t i = 0; i < w->h.count; i++)
		gpus[w->held[i].machine] += w->held[i].gpus;
	for (size_t i = 0; i < w->o.count; i++)
		gpus[w->offered[i].machine] += w->offered[i].gpus;
	for (uint32_t m = 0; m < MACHINES; m++) {
		uint32_t d = w->crew.gpus_max;

		if (gpus[m] / w->crew.gpus_min * d < gpus[m])
			return false;
		jobs += (gpus[m] + d - 1) / d;
	}
	return jobs <= w->crew.jobs;
}

/* What is looked for is never better than the best division, and is it where no
 * job spans machines. */
static void divisions_are_as_good_as_any(void **state)
{
	struct astra_random random = astra_random_seed(42);
	int worlds = 0, best = 0;

	(void)state;
	for (unsigned trial = 0; trial < draws(3000); trial++) {
		struct world w;
		double found, all;

		random_world(&w, &random, false);
		if (!w.h.count && !w.o.count)
			continue;
		found = pace_of(&w).gpus;
		all = by_trying_all(&w);
		assert_true(found <= all + 1e-9);
		if (fits_alone(&w))
			assert_close(found, all, 1e-9);
		assert_true(found >= .75 * all);
		worlds++;
		best += found >= all - 1e-9;
	}
	/* Where jobs span both racks not all divisions are looked at. */
	assert_true(best >= worlds - worlds / 50);
}

/* The estimates by number and level hold what they say. */
static void estimates_are_bounds(void **state)
{
	struct astra_random random = astra_random_seed(43);
	static const struct astra_themis_shares none;

	(void)state;
	for (unsigned trial = 0; trial < draws(20000); trial++) {
		struct world w;
		struct astra_themis_pace least, most, is;
		enum astra_level level;
		struct astra_themis_room room = {.largest = 1};
		uint32_t k;

		random_world(&w, &random, true);
		if (!w.o.count)
			continue;
		w.h = none;
		for (uint32_t m = 0; m < MACHINES; m++) {
			uint32_t gpus = w.machines[m].free;

			if (gpus > room.largest)
				room.largest = gpus;
			room.whole += gpus / w.crew.gpus_max;
		}
		k = astra_themis_gpus(w.o);
		level = astra_themis_level(w.machines, w.h, w.o);
		is = pace_of(&w);
		least = astra_themis_pace_least(&w.crew, k, level);
		most = astra_themis_pace_most(&w.crew, k, level, room);
		assert_true(least.gpus <= is.gpus + 1e-9);
		assert_true(is.gpus <= most.gpus + 1e-9);
		assert_true(least.fastest <= is.fastest + 1e-9);
		assert_true(is.fastest <= most.fastest + 1e-9);
		if (w.crew.jobs == 1 && k <= w.crew.gpus_max &&
		    k >= w.crew.gpus_min)
			assert_close(least.gpus, k / w.slowdown[level],
				     level < ASTRA_LEVEL_RACK ? 10 : 1e-9);
	}
}

/* 16 rigid jobs of 4 where 12 have room on one machine: the others span. Those
 * that can do with less have 3 GPUs each where no machine has 4. */
static void no_more_jobs_are_whole_than_have_room(void **state)
{
	static const double slow[] = {1, 1, 2, 4};
	const struct astra_themis_crew rigid = {16, 4, 4, slow},
				       any = {2, 1, 4, slow};
	const struct astra_themis_room room = {.largest = 4, .whole = 12};
	const struct astra_themis_room small = {.largest = 3, .whole = 0};

	(void)state;
	assert_close(
		astra_themis_pace_most(&rigid, 48, ASTRA_LEVEL_RACK, room).gpus,
		48, 1e-9);
	assert_close(astra_themis_pace_most(&rigid, 64, ASTRA_LEVEL_CROSS, room)
			     .gpus,
		     48 + 16 / 2., 1e-9);
	assert_close(
		astra_themis_pace_most(&any, 7, ASTRA_LEVEL_RACK, small).gpus,
		6, 1e-9);
}

/* A GPU more does no harm, as it may idle; but for jobs that span machines: not
 * all divisions are looked at. */
static void more_gpus_are_hardly_ever_worse(void **state)
{
	struct astra_random random = astra_random_seed(44);
	int worlds = 0, worse = 0;

	(void)state;
	for (unsigned trial = 0; trial < draws(20000); trial++) {
		struct world w;
		double before, after;
		bool alone;

		random_world(&w, &random, true);
		if (!w.o.count)
			continue;
		before = pace_of(&w).gpus;
		w.offered[below(&random, (uint32_t)w.o.count)].gpus++;
		after = pace_of(&w).gpus;
		alone = fits_alone(&w);
		worlds++;
		worse += after < before - 1e-9;
		assert_true(after >= (alone ? 1 : .85) * before - 1e-9);
	}
	assert_true(worse <= worlds / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_on_one_machine_each_are_not_slowed),
		cmocka_unit_test(many_jobs_may_span),
		cmocka_unit_test(the_fastest_job_is_within_a_rack),
		cmocka_unit_test(jobs_of_one_gpu_are_nowhere_apart),
		cmocka_unit_test(divisions_are_as_good_as_any),
		cmocka_unit_test(estimates_are_bounds),
		cmocka_unit_test(no_more_jobs_are_whole_than_have_room),
		cmocka_unit_test(more_gpus_are_hardly_ever_worse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
