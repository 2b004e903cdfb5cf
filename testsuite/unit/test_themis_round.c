/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole round of Themis. (Mahajan et al., NSDI'20, Pseudocode 1; SPEC section
 * 2) */
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/policies/themis/themis.h"
#include "testsuite/unit/unit.h"

enum { MACHINES = 3, APPS = 5 };

struct world {
	struct astra_themis_machine machines[MACHINES];
	struct astra_themis_share held[APPS][MACHINES];
	double work[APPS][2][3];
	struct astra_themis_phase phases[APPS][2];
	struct astra_themis_app apps[APPS];
	struct astra_themis_market market;
};

static struct astra_themis_app plain_app(double navg, uint32_t gpus_max)
{
	return (struct astra_themis_app){
		.kind = ASTRA_THEMIS_SINGLE,
		.navg = navg,
		.slowdown = {1, 1, 1.1, 1.3},
		.rho_current = -1,
		.rho_empty = HUGE_VAL,
		.gpus_max = gpus_max,
		.quantum = 1,
		.iter_total = 100,
		.iter_left = 100,
		.iter_sec = 1,
	};
}

static void hold(const struct world *w, struct astra_themis_round *round)
{
	struct astra_error err = {""};

	if (astra_themis_round_run(&w->market, round, &err) < 0)
		fail_msg("%s", err.text);
}

/* n identical apps on one machine of 12: c = ((n - 1) / n)^(n - 1). */
static void identical_apps_by_the_golden_numbers(void **state)
{
	static const struct {
		size_t apps;
		double c;
		uint32_t kept;
	} cases[] = {{2, 1. / 2, 3}, {3, 4. / 9, 1}, {4, 27. / 64, 1}};

	(void)state;
	for (size_t n = 0; n < ASTRA_COUNT_OF(cases); n++) {
		struct world w = {.machines = {{12, 0, 12}}};
		struct astra_themis_round round;

		for (size_t i = 0; i < cases[n].apps; i++)
			w.apps[i] = plain_app((double)cases[n].apps, 12);
		w.market = (struct astra_themis_market){
			.cluster_gpus = 12,
			.machines = w.machines,
			.machine_count = 1,
			.apps = w.apps,
			.app_count = cases[n].apps,
		};
		hold(&w, &round);
		for (size_t i = 0; i < cases[n].apps; i++) {
			assert_int_equal(astra_themis_gpus(astra_themis_pf(
						 &round.auction, i)),
					 12 / cases[n].apps);
			assert_close(round.auction.c[i], cases[n].c, 1e-9);
			assert_int_equal(
				astra_themis_gpus(astra_themis_kept(&round, i)),
				cases[n].kept);
		}
		assert_int_equal(round.idle[0], 0);
		astra_themis_round_clear(&round);
	}
}

/* Fig. 5, instance 2: who suffers from being spread gets the machine of 4. */
static void sensitive_apps_are_kept_together(void **state)
{
	struct world w = {.machines = {{4, 0, 4}, {2, 0, 2}, {2, 0, 2}}};
	struct astra_themis_round round;
	struct astra_themis_shares first, second;

	(void)state;
	w.apps[0] = w.apps[1] = plain_app(2, 4);
	w.apps[0].slowdown[ASTRA_LEVEL_RACK] = 1;
	w.apps[1].slowdown[ASTRA_LEVEL_RACK] = 2;
	w.market = (struct astra_themis_market){
		.cluster_gpus = 8,
		.machines = w.machines,
		.machine_count = 3,
		.apps = w.apps,
		.app_count = 2,
	};
	hold(&w, &round);
	first = astra_themis_kept(&round, 0);
	second = astra_themis_kept(&round, 1);
	assert_int_equal(first.count, 2);
	assert_int_equal(first.share[0].machine, 1);
	assert_int_equal(first.share[0].gpus, 2);
	assert_int_equal(first.share[1].gpus, 2);
	assert_int_equal(second.count, 1);
	assert_int_equal(second.share[0].machine, 0);
	assert_int_equal(second.share[0].gpus, 4);
	assert_close(round.auction.c[0], 1, 1e-9);
	assert_close(round.auction.c[1], 1, 1e-9);
	assert_close(round.auction.log_product, 2 * log(2), 1e-9);
	astra_themis_round_clear(&round);
}

/* What a bundle is worth may be far below what the table says of so many GPUs:
 * here one GPU of each of 99 machines for jobs of 30. Served counts anyway. */
static void a_poor_place_is_still_a_place(void **state)
{
	static struct astra_themis_machine machines[100];
	static struct astra_themis_share held[99];
	static double work[100];
	const struct astra_themis_phase phase = {
		.work_sec = work, .job_count = 100, .job_gpus_max = 30};
	struct astra_themis_app apps[2] = {plain_app(27.5, 3069),
					   plain_app(.45 * 2970, 2970)};
	struct world w = {.market = {.cluster_gpus = 3069,
				     .machines = machines,
				     .machine_count = 100,
				     .apps = apps,
				     .app_count = 2}};
	struct astra_themis_round round;

	(void)state;
	for (uint32_t m = 0; m < 100; m++) {
		machines[m].slot = 4000;
		work[m] = 1;
		if (m < 99)
			held[m] = (struct astra_themis_share){m, 1};
	}
	machines[99].free = 2970;
	for (int i = 0; i < 2; i++) {
		apps[i].quantum = 2970;
		apps[i].elapsed_sec = 1000 * i;
		for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
			apps[i].slowdown[l] = 1;
	}
	apps[0].kind = ASTRA_THEMIS_PHASES;
	apps[0].phases = &phase;
	apps[0].phase_count = 1;
	apps[0].budget_sec = 100;
	apps[0].held = (struct astra_themis_shares){held, 99};
	apps[1].iter_total = 1000;
	apps[1].iter_left = .001;
	hold(&w, &round);
	assert_int_equal(round.auction.served, 2);
	astra_themis_round_clear(&round);
}

enum { LARGE = 12 };

/* Apps of rigid jobs on many machines. */
struct large {
	struct astra_themis_machine machines[LARGE];
	double work[2][LARGE];
	struct astra_themis_phase phases[2];
	struct astra_themis_app apps[2];
	struct world w;
};

static void large_init(struct large *l, const uint32_t gpus[LARGE],
		       size_t machines, size_t apps)
{
	*l = (struct large){0};
	for (size_t m = 0; m < machines; m++)
		l->machines[m] = (struct astra_themis_machine){.free = gpus[m],
							       .slot = gpus[m]};
	for (size_t i = 0; i < apps; i++) {
		l->apps[i] = plain_app(2, 0);
		l->apps[i].kind = ASTRA_THEMIS_PHASES;
		l->apps[i].phases = &l->phases[i];
		l->apps[i].phase_count = 1;
		l->phases[i].work_sec = l->work[i];
	}
	l->w.market = (struct astra_themis_market){
		.cluster_gpus = 100,
		.machines = l->machines,
		.machine_count = machines,
		.apps = l->apps,
		.app_count = apps,
	};
}

/* So many jobs of so many GPUs and GPU seconds each, S across machines. */
static void large_app(struct large *l, size_t i, uint32_t jobs, uint32_t gpus,
		      double work, double slowdown)
{
	for (uint32_t j = 0; j < jobs; j++)
		l->work[i][j] = work;
	l->phases[i].job_count = jobs;
	l->phases[i].job_gpus_max = l->phases[i].job_gpus_min = gpus;
	l->apps[i].gpus_max = jobs * gpus;
	l->apps[i].gpus_least = l->apps[i].quantum = gpus;
	l->apps[i].budget_sec = jobs * work;
	l->apps[i].slowdown[ASTRA_LEVEL_RACK] = slowdown;
	l->apps[i].slowdown[ASTRA_LEVEL_CROSS] = 2 * slowdown;
}

/* Of three machines of 4 each one is kept, not parts of all: c = 1/2. */
static void what_is_kept_has_room_for_a_job(void **state)
{
	static const uint32_t gpus[LARGE] = {4, 4, 4, 4, 4, 4};
	struct astra_themis_round round;
	struct large l;

	(void)state;
	large_init(&l, gpus, 6, 2);
	large_app(&l, 0, 8, 4, 100, 2);
	large_app(&l, 1, 8, 4, 100, 2);
	hold(&l.w, &round);
	for (size_t i = 0; i < 2; i++) {
		struct astra_themis_shares kept = astra_themis_kept(&round, i);

		assert_int_equal(
			astra_themis_gpus(astra_themis_pf(&round.auction, i)),
			12);
		assert_int_equal(kept.count, 1);
		assert_int_equal(kept.share[0].gpus, 4);
	}
	astra_themis_round_clear(&round);
}

/* Who has the larger jobs chooses first: six machines of 4 are whole. */
static void large_jobs_get_whole_machines(void **state)
{
	static const uint32_t gpus[LARGE] = {4, 4, 4, 4, 4, 4,
					     4, 4, 4, 4, 4, 4};
	struct astra_themis_round round;
	struct large l;

	(void)state;
	large_init(&l, gpus, LARGE, 2);
	large_app(&l, 0, 8, 3, 100, 2);
	large_app(&l, 1, 6, 4, 100, 2);
	hold(&l.w, &round);
	assert_false(round.auction.exact);
	for (size_t i = 0; i < round.bidder_count; i++) {
		struct astra_themis_shares pf =
			astra_themis_pf(&round.auction, i);

		if (round.bidders[i] != 1)
			continue;
		assert_int_equal(pf.count, 6);
		for (size_t k = 0; k < pf.count; k++)
			assert_int_equal(pf.share[k].gpus, 4);
	}
	astra_themis_round_clear(&round);
}

/* Two jobs of 4 on machines of 2: each within a rack. */
static void jobs_that_span_machines_are_within_a_rack(void **state)
{
	static const uint32_t gpus[LARGE] = {2, 2, 2, 2, 2, 2, 2, 2};
	struct astra_themis_shares pf;
	struct astra_themis_round round;
	struct large l;
	size_t first = 0;

	(void)state;
	large_init(&l, gpus, 8, 1);
	for (size_t m = 3; m < 8; m++)
		l.machines[m].rack = 1;
	large_app(&l, 0, 2, 4, 100, 1.1);
	hold(&l.w, &round);
	assert_false(round.auction.exact);
	pf = astra_themis_pf(&round.auction, 0);
	assert_int_equal(pf.count, 4);
	for (size_t k = 0; k < pf.count; k++)
		first += pf.share[k].machine < 3;
	assert_int_equal(first, 2);
	astra_themis_round_clear(&round);
}

/* One app gets a machine of 8, the other eight of one, where it is 20 times as
 * slow: log V = 0 and -log 20. Both are served. */
static void a_slow_place_counts_as_one(void **state)
{
	static const uint32_t gpus[LARGE] = {8, 1, 1, 1, 1, 1, 1, 1, 1};
	struct astra_themis_round round;
	struct large l;

	(void)state;
	large_init(&l, gpus, 9, 2);
	large_app(&l, 0, 2, 8, 80, 20);
	large_app(&l, 1, 2, 8, 80, 20);
	hold(&l.w, &round);
	assert_int_equal(round.auction.served, 2);
	assert_close(round.auction.log_product, -log(20), 1e-9);
	astra_themis_round_clear(&round);
}

static uint32_t below(struct astra_random *random, uint32_t count)
{
	return (uint32_t)astra_random_below(random, count);
}

/* Some jobs of some GPUs each, then perhaps some more. (Eq. 2) */
static void random_phases(struct world *w, size_t i,
			  struct astra_random *random)
{
	struct astra_themis_app *app = &w->apps[i];

	app->kind = ASTRA_THEMIS_PHASES;
	app->phases = w->phases[i];
	app->phase_count = 1 + below(random, 2);
	app->rigid = !below(random, 4);
	app->budget_sec = 100;
	for (size_t p = 0; p < app->phase_count; p++) {
		w->phases[i][p] = (struct astra_themis_phase){
			.work_sec = w->work[i][p],
			.job_count = 1 + below(random, 3),
			.job_gpus_max = 1 + below(random, 4),
		};
		for (uint32_t j = 0; j < w->phases[i][p].job_count; j++)
			w->work[i][p][j] = 1 + below(random, 40);
	}
}

static void random_app(struct world *w, size_t i, struct astra_random *random)
{
	struct astra_themis_app *app = &w->apps[i];
	size_t held = 0;

	*app = plain_app(1 + below(random, 3), 1 + below(random, 7));
	app->elapsed_sec = below(random, 2) * 30;
	app->iter_left = 1 + below(random, 100);
	app->slowdown[ASTRA_LEVEL_MACHINE] = 1 + below(random, 2) * .2;
	app->slowdown[ASTRA_LEVEL_RACK] = 1.2 + below(random, 2);
	app->slowdown[ASTRA_LEVEL_CROSS] = 1.5 + below(random, 3);
	if (!below(random, 6))
		app->rho_empty = 30;
	if (!below(random, 8))
		app->quantum = 2;
	for (uint32_t m = 0; m < MACHINES; m++)
		if (!below(random, 5))
			w->held[i][held++] = (struct astra_themis_share){
				m, 1 + below(random, 2)};
	app->held = (struct astra_themis_shares){w->held[i], held};
	if (below(random, 2))
		random_phases(w, i, random);
}

/* Few enough GPUs to try every allocation. */
static void random_world(struct world *w, struct astra_random *random,
			 uint32_t free_max)
{
	static const double knobs[] = {0, 0, .5, 1};

	*w = (struct world){0};
	for (size_t m = 0; m < MACHINES; m++)
		w->machines[m] = (struct astra_themis_machine){
			.free = below(random, free_max + 1),
			.rack = below(random, 2),
			.slot = 1 + below(random, 3),
		};
	w->market = (struct astra_themis_market){
		.cluster_gpus = 10,
		.f = knobs[below(random, 4)],
		.seed = astra_random_bits(random),
		.machines = w->machines,
		.machine_count = 1 + below(random, MACHINES),
		.apps = w->apps,
		.app_count = below(random, APPS + 1),
	};
	for (size_t i = 0; i < w->market.app_count; i++) {
		random_app(w, i, random);
		while (w->apps[i].held.count &&
		       w->held[i][w->apps[i].held.count - 1].machine >=
			       w->market.machine_count)
			w->apps[i].held.count--;
	}
}

/* rho of an app with what it holds and with some shares of each machine. */
static double rho_with(const struct world *w, size_t app,
		       struct astra_themis_shares offered)
{
	const struct astra_themis_app *a = &w->apps[app];
	double rho;

	assert_int_equal(astra_themis_rho_on(a, w->market.cluster_gpus,
					     w->machines, offered, &rho),
			 0);
	return rho;
}

static void check_capacity(const struct world *w,
			   const struct astra_themis_round *round)
{
	uint32_t pf[MACHINES] = {0}, used[MACHINES] = {0};

	for (size_t i = 0; i < round->bidder_count; i++) {
		struct astra_themis_shares bundle =
			astra_themis_pf(&round->auction, i);
		struct astra_themis_shares kept = astra_themis_kept(round, i);

		for (size_t k = 0; k < bundle.count; k++)
			pf[bundle.share[k].machine] += bundle.share[k].gpus;
		for (size_t k = 0; k < kept.count; k++)
			used[kept.share[k].machine] += kept.share[k].gpus;
	}
	for (size_t i = 0; i < round->gift_count; i++)
		used[round->gifts[i].share.machine] +=
			round->gifts[i].share.gpus;
	for (size_t m = 0; m < w->market.machine_count; m++) {
		assert_true(pf[m] <= w->machines[m].free);
		assert_int_equal(used[m] + round->idle[m], w->machines[m].free);
	}
}

/* Nobody gets more than its demand, and what is idle is of use to nobody. */
static void check_leftovers(const struct world *w,
			    const struct astra_themis_round *round)
{
	bool bidder[APPS] = {0}, given = false;
	uint32_t has[APPS], idle = 0;

	for (size_t i = 0; i < w->market.app_count; i++)
		has[i] = astra_themis_gpus(w->apps[i].held);
	for (size_t i = 0; i < round->bidder_count; i++) {
		bidder[round->bidders[i]] = true;
		has[round->bidders[i]] +=
			astra_themis_gpus(astra_themis_kept(round, i));
	}
	for (size_t i = 0; i < round->gift_count; i++) {
		has[round->gifts[i].taker] += round->gifts[i].share.gpus;
		given |= bidder[round->gifts[i].taker];
	}
	for (size_t m = 0; m < w->market.machine_count; m++)
		idle += round->idle[m];
	for (size_t i = 0; i < w->market.app_count; i++) {
		const struct astra_themis_app *a = &w->apps[i];
		uint32_t room = has[i] < a->gpus_max ? a->gpus_max - has[i] : 0;

		assert_true(has[i] <= a->gpus_max ||
			    has[i] == astra_themis_gpus(a->held));
		if (room >= a->quantum)
			assert_true(idle < a->quantum);
		if (room && a->quantum == 1)
			assert_true(bidder[i] || !given);
	}
}

/* Each pays: what it keeps is at least one GPU, c of its bundle rounded down,
 * and c is between 0 and 1, so that nobody is ever given more than pf. */
static void check_payments(const struct world *w,
			   const struct astra_themis_round *round)
{
	for (size_t i = 0; i < round->bidder_count; i++) {
		struct astra_themis_shares bundle =
			astra_themis_pf(&round->auction, i);
		uint32_t g = astra_themis_gpus(bundle);
		uint32_t k = astra_themis_gpus(astra_themis_kept(round, i));
		uint32_t quantum = w->apps[round->bidders[i]].quantum;
		double c = round->auction.c[i];

		assert_true(c >= 0 && c <= 1);
		assert_true(k <= g && g % quantum == 0 && k % quantum == 0);
		assert_int_equal(g > 0, k > 0);
		assert_true(k <= c * g + 1e-9 || k == quantum);
		assert_true(k + quantum > c * g - 1e-9);
	}
}

/* The same with one GPU more. memory: for one share more. */
static struct astra_themis_shares with_one(struct astra_themis_shares shares,
					   uint32_t machine,
					   struct astra_themis_share *memory)
{
	size_t count = 0;
	bool added = false;

	for (size_t i = 0; i <= shares.count; i++) {
		bool end = i == shares.count;

		if (!added && (end || shares.share[i].machine >= machine)) {
			memory[count++] =
				(struct astra_themis_share){machine, 1};
			added = true;
			if (!end && shares.share[i].machine == machine) {
				memory[count - 1].gpus += shares.share[i].gpus;
				continue;
			}
		}
		if (!end)
			memory[count++] = shares.share[i];
	}
	return (struct astra_themis_shares){memory, count};
}

/* One more GPU of what pf leaves makes nobody better off. (Pareto) */
static void check_pareto(const struct world *w,
			 const struct astra_themis_round *round)
{
	uint32_t left[MACHINES];

	for (size_t m = 0; m < w->market.machine_count; m++)
		left[m] = w->machines[m].free;
	for (size_t i = 0; i < round->bidder_count; i++) {
		struct astra_themis_shares b =
			astra_themis_pf(&round->auction, i);

		for (size_t k = 0; k < b.count; k++)
			left[b.share[k].machine] -= b.share[k].gpus;
	}
	for (size_t i = 0; i < round->bidder_count; i++) {
		uint32_t app = round->bidders[i];
		struct astra_themis_shares b =
			astra_themis_pf(&round->auction, i);
		struct astra_themis_share more[MACHINES + 1];
		double rho = rho_with(w, app, b);

		if (w->apps[app].quantum > 1 ||
		    astra_themis_gpus(w->apps[app].held) +
				    astra_themis_gpus(b) >=
			    w->apps[app].gpus_max)
			continue;
		for (uint32_t m = 0; m < w->market.machine_count; m++)
			if (left[m])
				assert_true(rho_with(w, app,
						     with_one(b, m, more)) >=
					    rho - 1e-9);
	}
}

static void rounds_keep_the_rules(void **state)
{
	struct astra_random random = astra_random_seed(1);
	struct world w;

	(void)state;
	for (int trial = 0; trial < 3000; trial++) {
		struct astra_themis_round round;

		random_world(&w, &random, 4);
		hold(&w, &round);
		check_capacity(&w, &round);
		check_leftovers(&w, &round);
		check_payments(&w, &round);
		check_pareto(&w, &round);
		astra_themis_round_clear(&round);
	}
}

/* V with which a bidder values what the auction gave it. */
static double true_value(const struct world *w,
			 const struct astra_themis_round *round, uint32_t app)
{
	for (size_t i = 0; i < round->bidder_count; i++) {
		double rho;

		if (round->bidders[i] != app)
			continue;
		rho = rho_with(w, app, astra_themis_pf(&round->auction, i));
		return isinf(rho) ? 0 : round->auction.c[i] / rho;
	}
	return 0;
}

/* Whatever an app says of its work and of its slowdowns, c V of the truth is
 * no larger than for the truth. What decides who takes part is stated, not
 * computed, so that this is about the auction. (Theorem 3.2) */
static void lying_does_not_pay(void **state)
{
	struct astra_random random = astra_random_seed(2);
	struct world truth, told;

	(void)state;
	for (int trial = 0; trial < 1500; trial++) {
		struct astra_themis_round honest, lie;

		random_world(&truth, &random, 3);
		if (!truth.market.app_count)
			continue;
		truth.market.f = 0;
		truth.apps[0].rho_current = 5;
		told = truth;
		told.market.machines = told.machines;
		told.market.apps = told.apps;
		told.apps[0].iter_left = 1 + below(&random, 300);
		told.apps[0].elapsed_sec = below(&random, 100);
		told.apps[0].slowdown[ASTRA_LEVEL_RACK] =
			.5 + below(&random, 4);
		told.apps[0].slowdown[ASTRA_LEVEL_CROSS] =
			.5 + below(&random, 4);
		hold(&truth, &honest);
		hold(&told, &lie);
		assert_true(true_value(&truth, &lie, 0) <=
			    true_value(&truth, &honest, 0) + 1e-9);
		astra_themis_round_clear(&honest);
		astra_themis_round_clear(&lie);
	}
}

/* Where not everything can be tried: nothing is dealt twice, everybody pays,
 * and no allocation is better than the bound. */
static void large_rounds_keep_the_rules(void **state)
{
	struct astra_random random = astra_random_seed(5);
	struct world w;

	(void)state;
	for (unsigned trial = 0; trial < draws(1500); trial++) {
		struct astra_themis_round round;

		random_world(&w, &random, 24);
		for (size_t i = 0; i < w.market.app_count; i++)
			w.apps[i].gpus_max += below(&random, 30);
		w.market.cluster_gpus = 72;
		hold(&w, &round);
		check_capacity(&w, &round);
		check_leftovers(&w, &round);
		check_payments(&w, &round);
		assert_true(round.auction.served <= round.auction.served_bound);
		if (round.auction.served == round.auction.served_bound)
			assert_true(round.auction.log_product <=
				    round.auction.bound + 1e-9);
		astra_themis_round_clear(&round);
	}
}

static void the_same_market_gives_the_same_round(void **state)
{
	struct astra_random random = astra_random_seed(3);
	struct world w;

	(void)state;
	for (int trial = 0; trial < 200; trial++) {
		struct astra_themis_round a, b;

		random_world(&w, &random, 6);
		hold(&w, &a);
		hold(&w, &b);
		assert_int_equal(a.bidder_count, b.bidder_count);
		assert_int_equal(a.gift_count, b.gift_count);
		assert_memory_equal(a.auction.c, b.auction.c,
				    a.bidder_count * sizeof(*a.auction.c));
		for (size_t i = 0; i <= a.bidder_count; i++)
			assert_int_equal(a.first[i], b.first[i]);
		if (a.gift_count)
			assert_memory_equal(a.gifts, b.gifts,
					    a.gift_count * sizeof(*a.gifts));
		astra_themis_round_clear(&a);
		astra_themis_round_clear(&b);
	}
}

static void nobody_and_nothing_are_legal(void **state)
{
	struct world w = {.machines = {{3, 0, 3}}};
	struct astra_themis_round round;

	(void)state;
	hold(&w, &round);
	assert_int_equal(round.bidder_count, 0);
	astra_themis_round_clear(&round);
	w.market.machines = w.machines;
	w.market.machine_count = 1;
	hold(&w, &round);
	assert_int_equal(round.idle[0], 3);
	astra_themis_round_clear(&round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identical_apps_by_the_golden_numbers),
		cmocka_unit_test(sensitive_apps_are_kept_together),
		cmocka_unit_test(a_poor_place_is_still_a_place),
		cmocka_unit_test(what_is_kept_has_room_for_a_job),
		cmocka_unit_test(large_jobs_get_whole_machines),
		cmocka_unit_test(jobs_that_span_machines_are_within_a_rack),
		cmocka_unit_test(a_slow_place_counts_as_one),
		cmocka_unit_test(rounds_keep_the_rules),
		cmocka_unit_test(lying_does_not_pay),
		cmocka_unit_test(large_rounds_keep_the_rules),
		cmocka_unit_test(the_same_market_gives_the_same_round),
		cmocka_unit_test(nobody_and_nothing_are_legal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
