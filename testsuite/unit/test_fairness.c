/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Long-term GPU-time fairness (Ye et al., Eqs. 1 to 16). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/fairness.h"
#include "src/model/model.h"
#include "testsuite/unit/unit.h"

static const struct astra_fairness_options eq8;
static const struct astra_fairness_options eq16 = {
	.quota_entitlement = true,
};

static void near(double got, double want)
{
	if (got == want ||
	    fabs(got - want) <= 1e-9 * fmax(1, fmax(fabs(got), fabs(want))))
		return;
	print_error("got %.17g, expected %.17g\n", got, want);
	fail();
}

static void near_usage(struct astra_usage got, double alloc, double fair)
{
	near(got.alloc, alloc);
	near(got.fair, fair);
}

/* SPEC section 1, golden: 12 GPUs, A:B = 2:1, now 100. */
static void play_golden(struct astra_fairness *f, uint32_t job[4])
{
	uint32_t a, b;

	astra_fairness_set_capacity(f, 0, 12);
	a = astra_fairness_add_tenant(f, 0, 2);
	b = astra_fairness_add_tenant(f, 0, 1);
	assert_int_equal(a, 0);
	assert_int_equal(b, 1);
	job[0] = astra_fairness_add_job(f, a, 1, 4);
	job[1] = astra_fairness_add_job(f, a, 1, 8);
	job[2] = astra_fairness_add_job(f, b, 1, 2);
	job[3] = astra_fairness_add_job(f, b, 3, 8);
	astra_fairness_set_active(f, 0, job[0], 1);
	astra_fairness_set_alloc(f, 0, job[0], 4);
	astra_fairness_set_active(f, 0, job[2], 1);
	astra_fairness_set_alloc(f, 0, job[2], 2);
	astra_fairness_set_active(f, 20, job[1], 1);
	astra_fairness_set_active(f, 50, job[3], 1);
	astra_fairness_set_alloc(f, 60, job[0], 0);
	astra_fairness_set_active(f, 60, job[0], 0);
	astra_fairness_set_alloc(f, 60, job[1], 8);
}

/* A, quota 8: demand 4 on [0,20), 12 on [20,60), 8 on [60,100):
 * 80 + 320 + 320 = 720. B, quota 4: 2 on [0,50), 10 after: 100 + 200 = 300. */
static void golden_integrals_of_eq8(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	struct astra_usage a, b;
	uint32_t job[4];

	(void)state;
	play_golden(f, job);
	a = astra_fairness_tenant(f, 100, 0);
	b = astra_fairness_tenant(f, 100, 1);
	near_usage(a, 560, 720);
	near_usage(b, 200, 300);
	near(astra_rho(a, true), 7.0 / 9);
	near(astra_rho(b, true), 2.0 / 3);
	near_usage(astra_fairness_job(f, 100, job[0]), 240, 240);
	near_usage(astra_fairness_job(f, 100, job[1]), 320, 480);
	near_usage(astra_fairness_job(f, 100, job[2]), 200, 150);
	near_usage(astra_fairness_job(f, 100, job[3]), 0, 150);
	near(astra_fairness_quota(f, 0), 8);
	near(astra_fairness_demand(f, 0), 8);
	near(astra_fairness_demand(f, 1), 10);
	astra_fairness_destroy(f);
}

/* Eq. 16: the quota always: 8 * 100 and 4 * 100; jobs as under Eq. 8. */
static void golden_integrals_of_eq16(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq16, 0);
	uint32_t job[4];

	(void)state;
	play_golden(f, job);
	near_usage(astra_fairness_tenant(f, 100, 0), 560, 800);
	near_usage(astra_fairness_tenant(f, 100, 1), 200, 400);
	near_usage(astra_fairness_job(f, 100, job[1]), 320, 480);
	near_usage(astra_fairness_job(f, 100, job[3]), 0, 150);
	astra_fairness_destroy(f);
}

/* Fig. 6 at t = 20: shares 2, 2, 2; job1 had 6 GPUs for 10, the others 3. */
static void figure_6_at_20(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	uint32_t job[3];

	(void)state;
	astra_fairness_set_capacity(f, 0, 6);
	astra_fairness_add_tenant(f, 0, 1);
	for (int i = 0; i < 3; i++) {
		job[i] = astra_fairness_add_job(f, 0, 1, i ? 3 : 6);
		astra_fairness_set_active(f, 0, job[i], 1);
	}
	astra_fairness_set_alloc(f, 0, job[0], 6);
	astra_fairness_set_alloc(f, 10, job[0], 0);
	astra_fairness_set_alloc(f, 10, job[1], 3);
	astra_fairness_set_alloc(f, 10, job[2], 3);
	near(astra_rho(astra_fairness_job(f, 20, job[0]), true), 1.5);
	near(astra_rho(astra_fairness_job(f, 20, job[1]), true), 0.75);
	near(astra_rho(astra_fairness_job(f, 20, job[2]), true), 0.75);
	astra_fairness_destroy(f);
}

/* Eq. 8: an idle tenant's share is nobody's debt; Eq. 16: it is a lead. */
static void idle_share_is_lent_then_reclaimed(void **state)
{
	struct astra_fairness *f[2] = {astra_fairness_create(&eq8, 0),
				       astra_fairness_create(&eq16, 0)};
	const double lead[2] = {0, 500};

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint32_t busy;

		astra_fairness_set_capacity(f[i], 0, 10);
		astra_fairness_add_tenant(f[i], 0, 1);
		astra_fairness_add_tenant(f[i], 0, 1);
		busy = astra_fairness_add_job(f[i], 0, 1, 10);
		astra_fairness_set_active(f[i], 0, busy, 1);
		astra_fairness_set_alloc(f[i], 0, busy, 10);
		near_usage(astra_fairness_tenant(f[i], 100, 0), 1000, 500);
		near_usage(astra_fairness_tenant(f[i], 100, 1), 0, lead[i]);
		astra_fairness_destroy(f[i]);
	}
}

/* LeadMax 30 s: quota 5, so at most 150 beyond what it had; what was saved up
 * before stays, and it goes on when the tenant is back. */
static void the_lead_of_an_idle_tenant_is_capped(void **state)
{
	struct astra_fairness_options o = eq16;
	struct astra_fairness *f;
	uint32_t job;

	(void)state;
	o.lead_max_sec = 30;
	f = astra_fairness_create(&o, 0);
	astra_fairness_set_capacity(f, 0, 10);
	astra_fairness_add_tenant(f, 0, 1);
	astra_fairness_add_tenant(f, 0, 1);
	near_usage(astra_fairness_tenant(f, 20, 0), 0, 100);
	near_usage(astra_fairness_tenant(f, 100, 0), 0, 150);
	job = astra_fairness_add_job(f, 0, 1, 2);
	astra_fairness_set_active(f, 100, job, 1);
	near_usage(astra_fairness_tenant(f, 110, 0), 0, 200);
	astra_fairness_set_alloc(f, 110, job, 2);
	astra_fairness_set_alloc(f, 120, job, 0);
	astra_fairness_set_active(f, 120, job, 0);
	/* 250 - 20 > 150: no growth until the lead is used. */
	near_usage(astra_fairness_tenant(f, 500, 0), 20, 250);
	o.lead_max_sec = 0;
	astra_fairness_set_options(f, 500, &o);
	near_usage(astra_fairness_tenant(f, 510, 0), 20, 300);
	astra_fairness_destroy(f);
}

/* Half-life 10: a constant rate r over t gives r 10/ln2 (1 - 2^(-t/10)). */
static void the_past_fades_by_half(void **state)
{
	struct astra_fairness_options o = eq8;
	struct astra_fairness *f;
	uint32_t job;

	(void)state;
	o.half_life_sec = 10;
	f = astra_fairness_create(&o, 0);
	astra_fairness_set_capacity(f, 0, 4);
	astra_fairness_add_tenant(f, 0, 1);
	job = astra_fairness_add_job(f, 0, 1, 4);
	astra_fairness_set_active(f, 0, job, 1);
	astra_fairness_set_alloc(f, 0, job, 4);
	astra_fairness_set_alloc(f, 10, job, 0);
	near_usage(astra_fairness_job(f, 10, job), 20 / M_LN2, 20 / M_LN2);
	near_usage(astra_fairness_job(f, 20, job), 10 / M_LN2, 30 / M_LN2);
	near_usage(astra_fairness_tenant(f, 20, 0), 10 / M_LN2, 30 / M_LN2);
	astra_fairness_destroy(f);
}

/* Three tenants with a quota of 10 GPUs each: a holds 20 of the 30, b holds
 * b_gpus of the 10 that it asks for (less than 0: it asks for none), c is idle.
 * In 10 seconds a has 100 GPU seconds beyond its due; b lacked a part of
 * (10 - b_gpus) / 10 of them. */
static double gift_of_a(double half_life_sec, double b_gpus)
{
	struct astra_fairness_options options = {.half_life_sec =
							 half_life_sec};
	struct astra_fairness *f = astra_fairness_create(&options, 0);
	uint32_t a, b;
	double gift;

	for (int i = 0; i < 3; i++)
		astra_fairness_add_tenant(f, 0, 1);
	astra_fairness_set_capacity(f, 0, 30);
	a = astra_fairness_add_job(f, 0, 1, 20);
	b = astra_fairness_add_job(f, 1, 1, 10);
	astra_fairness_set_active(f, 0, a, 1);
	astra_fairness_set_active(f, 0, b, b_gpus >= 0);
	astra_fairness_set_alloc(f, 0, a, 20);
	astra_fairness_set_alloc(f, 0, b, fmax(b_gpus, 0));
	astra_fairness_tenant_gift(f, 5, 0); /* a look changes nothing */
	gift = astra_fairness_tenant_gift(f, 10, 0);
	near(astra_fairness_tenant_gift(f, 10, 1), 0);
	astra_fairness_destroy(f);
	return gift;
}

/* b holds the 10 that it is due, uncharged, as its nodes boot. */
static void what_is_held_uncharged_is_not_lacked(void **state)
{
	struct astra_fairness_options options = {0};
	struct astra_fairness *f = astra_fairness_create(&options, 0);
	uint32_t a, b;
	(void)state;

	astra_fairness_add_tenant(f, 0, 1);
	astra_fairness_add_tenant(f, 0, 1);
	astra_fairness_set_capacity(f, 0, 20);
	a = astra_fairness_add_job(f, 0, 1, 20);
	b = astra_fairness_add_job(f, 1, 1, 10);
	astra_fairness_set_active(f, 0, a, 1);
	astra_fairness_set_active(f, 0, b, 1);
	astra_fairness_set_alloc(f, 0, a, 15);
	astra_fairness_set_uncharged(f, 0, b, 10);
	near(astra_fairness_tenant_gift(f, 10, 0), 5 * 10);
	near(astra_fairness_tenant_gift(f, 10, 1), 0);
	near(astra_fairness_tenant(f, 10, 1).alloc, 0);
	near(astra_fairness_alloc(f, 1), 10);
	astra_fairness_remove_job(f, 10, b);
	near(astra_fairness_alloc(f, 1), 0);
	astra_fairness_destroy(f);
}

static void what_nobody_lacked_is_a_gift(void **state)
{
	(void)state;
	near(gift_of_a(0, -1), 100); /* b asks for nothing */
	near(gift_of_a(0, 10), 100); /* b has all of its due */
	near(gift_of_a(0, 5), 50);   /* half of it was due to b */
	near(gift_of_a(0, 0), 0);    /* all of it was */
	/* With a half-life h, A fades: the integral of 10 2^-(t/h) over h. */
	near(gift_of_a(10, 10), 10 * 10 * (1 - 0.5) / M_LN2);
}

static void rho_without_entitlement_follows_the_conventions(void **state)
{
	(void)state;
	near(astra_rho((struct astra_usage){3, 4}, true), 0.75);
	assert_true(isinf(astra_rho((struct astra_usage){3, 0}, true)));
	assert_true(isinf(astra_rho((struct astra_usage){0, 0}, false)));
	near(astra_rho((struct astra_usage){0, 0}, true), 0);
}

static void time_does_not_go_backwards(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq16, 50);

	(void)state;
	astra_fairness_set_capacity(f, 10, 4);
	astra_fairness_add_tenant(f, 20, 1);
	near_usage(astra_fairness_tenant(f, 40, 0), 0, 0);
	near_usage(astra_fairness_tenant(f, 60, 0), 0, 40);
	astra_fairness_set_capacity(f, 60, 8);
	near_usage(astra_fairness_tenant(f, 55, 0), 0, 40);
	near_usage(astra_fairness_tenant(f, 61, 0), 0, 48);
	astra_fairness_destroy(f);
}

/* Without any weight there is no quota, and nothing to divide by. */
static void no_weight_gives_no_quota(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq16, 0);
	uint32_t job;

	(void)state;
	astra_fairness_set_capacity(f, 0, 4);
	astra_fairness_add_tenant(f, 0, 0);
	job = astra_fairness_add_job(f, 0, 0, 4);
	astra_fairness_set_active(f, 0, job, 1);
	astra_fairness_set_alloc(f, 0, job, 4);
	near(astra_fairness_quota(f, 0), 0);
	near_usage(astra_fairness_tenant(f, 10, 0), 40, 0);
	near_usage(astra_fairness_job(f, 10, job), 40, 0);
	astra_fairness_destroy(f);
	astra_fairness_destroy(NULL);
}

/* An array of three with one task started: the task goes on from the record's
 * integrals and lives its own life; the tenant's are not touched by it. */
static void a_split_task_takes_its_integrals_along(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	uint32_t array, task;

	(void)state;
	astra_fairness_set_capacity(f, 0, 6);
	astra_fairness_add_tenant(f, 0, 1);
	array = astra_fairness_add_job(f, 0, 1, 4);
	astra_fairness_set_active(f, 0, array, 3);
	near_usage(astra_fairness_job(f, 10, array), 0, 20);
	task = astra_fairness_split_job(f, 10, array);
	astra_fairness_set_active(f, 10, array, 2);
	astra_fairness_set_active(f, 10, task, 1);
	astra_fairness_set_alloc(f, 10, task, 4);
	near_usage(astra_fairness_job(f, 20, array), 0, 40);
	near_usage(astra_fairness_job(f, 20, task), 40, 40);
	near_usage(astra_fairness_tenant(f, 20, 0), 40, 120);
	astra_fairness_destroy(f);
}

/* 12 GPUs, one tenant. Ann has one job of 4 GPUs, Bob 8 of 1 and one of 4: each
 * is entitled to 6, of which Ann can use 4; Bob's nine jobs have 6 / 9 each.
 * By job it would be 1.2 for each of the ten, Ann's one included. */
static void users_have_equal_parts(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	uint32_t ann, bob, jobs[10];

	(void)state;
	astra_fairness_set_capacity(f, 0, 12);
	astra_fairness_add_tenant(f, 0, 1);
	ann = astra_fairness_add_user(f, 0, 0, 1);
	bob = astra_fairness_add_user(f, 0, 0, 1);
	near(astra_fairness_user_quota(f, ann), 12);
	for (int i = 0; i < 10; i++) {
		jobs[i] = astra_fairness_add_user_job(f, i ? bob : ann, 1,
						      i && i < 9 ? 1 : 4);
		astra_fairness_set_active(f, 0, jobs[i], 1);
	}
	astra_fairness_set_alloc(f, 0, jobs[9], 4);
	near(astra_fairness_user_quota(f, ann), 6);
	near_usage(astra_fairness_user(f, 30, ann), 0, 4 * 30);
	near_usage(astra_fairness_user(f, 30, bob), 4 * 30, 6 * 30);
	near_usage(astra_fairness_job(f, 30, jobs[0]), 0, 4 * 30);
	near_usage(astra_fairness_job(f, 30, jobs[1]), 0, 6.0 / 9 * 30);
	/* Ann's job is over: Bob has all that there is. */
	astra_fairness_remove_job(f, 30, jobs[0]);
	near_usage(astra_fairness_user(f, 40, ann), 0, 4 * 30);
	near_usage(astra_fairness_user(f, 40, bob), 4 * 40, 6 * 30 + 12 * 10);
	astra_fairness_destroy(f);
}

static void restored_integrals_go_on(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 100);
	uint32_t job;

	(void)state;
	astra_fairness_set_capacity(f, 100, 4);
	astra_fairness_add_tenant(f, 100, 1);
	job = astra_fairness_add_job(f, 0, 1, 4);
	astra_fairness_set_active(f, 100, job, 1);
	astra_fairness_restore_tenant(f, 110, 0, (struct astra_usage){7, 9});
	astra_fairness_restore_job(f, 110, job, (struct astra_usage){5, 6});
	near_usage(astra_fairness_tenant(f, 120, 0), 7, 49);
	near_usage(astra_fairness_job(f, 120, job), 5, 46);
	astra_fairness_destroy(f);
}

/* Job numbers are used again, integrals are not. */
static void a_removed_job_leaves_nothing_to_the_next(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	uint32_t job, next;

	(void)state;
	astra_fairness_set_capacity(f, 0, 4);
	astra_fairness_add_tenant(f, 0, 1);
	job = astra_fairness_add_job(f, 0, 2, 4);
	astra_fairness_set_active(f, 0, job, 1);
	astra_fairness_set_alloc(f, 0, job, 4);
	astra_fairness_remove_job(f, 10, job);
	near(astra_fairness_demand(f, 0), 0);
	next = astra_fairness_add_job(f, 0, 3, 2);
	assert_int_equal(next, job);
	near_usage(astra_fairness_job(f, 20, next), 0, 0);
	near_usage(astra_fairness_tenant(f, 20, 0), 40, 40);
	astra_fairness_destroy(f);
}

/* Random histories against integration from the definitions: after every step
 * all rates are computed anew from all that is known, and added up. */

enum { TENANTS = 3, USERS = 2, JOBS = 12, STEPS = 150 };

struct book_job {
	uint32_t number; /* in the account */
	uint32_t tenant;
	int user; /* within the tenant; USERS: nobody */
	bool listed;
	double weight, gpus, alloc;
	uint32_t copies;
	struct astra_usage usage;
};

struct book {
	struct astra_fairness_options options;
	struct astra_fairness *f;
	double now, capacity;
	double weight[TENANTS];
	struct astra_usage usage[TENANTS];
	uint32_t user[TENANTS][USERS];		/* numbers in the account */
	double user_weight[TENANTS][USERS + 1]; /* nobody's is 1 */
	struct astra_usage user_usage[TENANTS][USERS];
	struct book_job job[JOBS];
};

static double pick(unsigned below)
{
	return (double)((unsigned)rand() % below);
}

/* ∫ over dt of a rate, on top of what was there. */
static double grow(const struct book *b, double before, double rate, double dt)
{
	double h = b->options.half_life_sec;

	if (h <= 0)
		return before + rate * dt;
	return before * exp2(-dt / h) + rate * h / M_LN2 * (1 - exp2(-dt / h));
}

/* F of an idle tenant: no growth while F - A is above the limit, none beyond it
 * after. When it comes down to the limit is found by halving. */
static double idle_fair(const struct book *b, struct astra_usage u,
			double alloc, double right, double limit, double dt)
{
	double low = 0, high = dt;

	if (grow(b, u.fair, 0, dt) - grow(b, u.alloc, alloc, dt) > limit)
		return grow(b, u.fair, 0, dt);
	while (u.fair - u.alloc > limit && high - low > 1e-12 * dt) {
		double t = (low + high) / 2;

		if (grow(b, u.fair, 0, t) - grow(b, u.alloc, alloc, t) > limit)
			low = t;
		else
			high = t;
	}
	u.fair = grow(b, u.fair, 0, low);
	u.alloc = grow(b, u.alloc, alloc, low);
	return fmin(grow(b, u.fair, right, dt - low),
		    grow(b, u.alloc, alloc, dt - low) + limit);
}

/* Of one of a tenant's users, or of nobody's jobs. */
struct sums {
	double weight, demand, alloc; /* weight: of active jobs */
	bool active;
};

static struct sums sums_of(const struct book *b, uint32_t t, int user)
{
	struct sums s = {0};

	for (int i = 0; i < JOBS; i++) {
		const struct book_job *j = &b->job[i];

		if (!j->listed || j->tenant != t || j->user != user)
			continue;
		s.weight += j->copies * j->weight;
		s.demand += j->copies * j->gpus;
		s.alloc += j->alloc;
		s.active |= j->copies > 0;
	}
	return s;
}

/* What a user is entitled to of `part`, its tenant's. */
static double user_right(const struct book *b, uint32_t t, int user,
			 double part)
{
	double weights = 0;

	for (int u = 0; u <= USERS; u++)
		if (sums_of(b, t, u).active)
			weights += b->user_weight[t][u];
	if (!sums_of(b, t, user).active || weights <= 0)
		return 0;
	return fmin(sums_of(b, t, user).demand,
		    part * b->user_weight[t][user] / weights);
}

static void pass_users(struct book *b, uint32_t t, double part, double dt)
{
	for (int u = 0; u < USERS; u++) {
		struct astra_usage *usage = &b->user_usage[t][u];

		usage->alloc =
			grow(b, usage->alloc, sums_of(b, t, u).alloc, dt);
		usage->fair =
			grow(b, usage->fair, user_right(b, t, u, part), dt);
	}
	for (int i = 0; i < JOBS; i++) {
		struct book_job *j = &b->job[i];
		double weight, share = 0;

		if (!j->listed || j->tenant != t)
			continue;
		weight = sums_of(b, t, j->user).weight;
		if (j->copies && weight > 0)
			share = fmin(j->gpus, user_right(b, t, j->user, part) *
						      j->weight / weight);
		j->usage.alloc = grow(b, j->usage.alloc, j->alloc, dt);
		j->usage.fair = grow(b, j->usage.fair, share, dt);
	}
}

static void pass_tenant(struct book *b, uint32_t t, double dt)
{
	double weights = 0, demand = 0, alloc = 0, quota, right;

	for (int i = 0; i < TENANTS; i++)
		weights += b->weight[i];
	quota = weights > 0 ? b->capacity * b->weight[t] / weights : 0;
	for (int u = 0; u <= USERS; u++) {
		demand += sums_of(b, t, u).demand;
		alloc += sums_of(b, t, u).alloc;
	}
	right = b->options.quota_entitlement ? quota : fmin(demand, quota);
	if (b->options.lead_max_sec > 0 && demand <= 0)
		b->usage[t].fair =
			idle_fair(b, b->usage[t], alloc, right,
				  b->options.lead_max_sec * quota, dt);
	else
		b->usage[t].fair = grow(b, b->usage[t].fair, right, dt);
	b->usage[t].alloc = grow(b, b->usage[t].alloc, alloc, dt);
	pass_users(b, t, fmin(demand, quota), dt);
}

static void add(struct book *b, struct book_job *j)
{
	*j = (struct book_job){
		.listed = true,
		.tenant = (uint32_t)pick(TENANTS),
		.user = (int)pick(USERS + 1),
		.weight = pick(5) / 2,
		.gpus = 1 + pick(8),
	};
	j->number = j->user == USERS
			    ? astra_fairness_add_job(b->f, j->tenant, j->weight,
						     j->gpus)
			    : astra_fairness_add_user_job(
				      b->f, b->user[j->tenant][j->user],
				      j->weight, j->gpus);
}

static void split(struct book *b, struct book_job *j)
{
	for (int i = 0; i < JOBS; i++) {
		struct book_job *task = &b->job[i];

		if (task->listed)
			continue;
		*task = *j;
		task->copies = 0;
		task->alloc = 0;
		task->number =
			astra_fairness_split_job(b->f, b->now, j->number);
		return;
	}
}

static void change_job(struct book *b)
{
	struct book_job *j = &b->job[(int)pick(JOBS)];

	if (!j->listed) {
		add(b, j);
		return;
	}
	switch ((int)pick(6)) {
	case 0:
		astra_fairness_remove_job(b->f, b->now, j->number);
		j->listed = false;
		break;
	case 1:
		split(b, j);
		break;
	case 2:
	case 3:
		j->copies = (uint32_t)pick(4);
		astra_fairness_set_active(b->f, b->now, j->number, j->copies);
		break;
	default:
		j->alloc = pick(2) > 0 ? j->gpus : 0;
		astra_fairness_set_alloc(b->f, b->now, j->number, j->alloc);
	}
}

static void change(struct book *b)
{
	uint32_t t = (uint32_t)pick(TENANTS);
	int u = (int)pick(USERS);

	switch ((int)pick(12)) {
	case 0:
		b->weight[t] = pick(4) / 4;
		astra_fairness_set_weight(b->f, b->now, t, b->weight[t]);
		break;
	case 1:
		b->capacity = pick(20);
		astra_fairness_set_capacity(b->f, b->now, b->capacity);
		break;
	case 2:
		b->user_weight[t][u] = pick(5) / 2;
		astra_fairness_set_user_weight(b->f, b->now, b->user[t][u],
					       b->user_weight[t][u]);
		break;
	default:
		change_job(b);
	}
}

static void check(const struct book *b)
{
	for (uint32_t t = 0; t < TENANTS; t++)
		near_usage(astra_fairness_tenant(b->f, b->now, t),
			   b->usage[t].alloc, b->usage[t].fair);
	for (uint32_t t = 0; t < TENANTS; t++)
		for (int u = 0; u < USERS; u++)
			near_usage(astra_fairness_user(b->f, b->now,
						       b->user[t][u]),
				   b->user_usage[t][u].alloc,
				   b->user_usage[t][u].fair);
	for (int i = 0; i < JOBS; i++)
		if (b->job[i].listed)
			near_usage(astra_fairness_job(b->f, b->now,
						      b->job[i].number),
				   b->job[i].usage.alloc, b->job[i].usage.fair);
}

static void live(const struct astra_fairness_options *options)
{
	struct book b = {.options = *options, .now = 5, .capacity = 10};

	b.f = astra_fairness_create(options, 5);
	astra_fairness_set_capacity(b.f, 5, 10);
	for (uint32_t t = 0; t < TENANTS; t++) {
		b.weight[t] = 1 + t;
		astra_fairness_add_tenant(b.f, 5, 1 + t);
		for (int u = 0; u <= USERS; u++)
			b.user_weight[t][u] = 1;
		for (int u = 0; u < USERS; u++)
			b.user[t][u] = astra_fairness_add_user(b.f, 5, t, 1);
	}
	for (int i = 0; i < STEPS; i++) {
		double dt = pick(3) * pick(100) / 7;

		change(&b);
		b.now += dt;
		for (uint32_t t = 0; t < TENANTS; t++)
			pass_tenant(&b, t, dt);
		check(&b);
	}
	astra_fairness_destroy(b.f);
}

static void random_histories_integrate_exactly(void **state)
{
	static const double half_lives[] = {0, 20, 1000};
	static const double leads[] = {0, 30};

	(void)state;
	srand(4);
	for (int i = 0; i < 600; i++)
		live(&(struct astra_fairness_options){
			.quota_entitlement = i % 2,
			.half_life_sec = half_lives[i / 2 % 3],
			.lead_max_sec = leads[i / 6 % 2],
		});
}

/* A short job after ten years of others: what its tenant's jobs share has grown
 * far larger than the job's own part. 1000 GPUs over weights 1 + 6. */
static void a_late_job_is_measured_exactly(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	double now = 0;
	uint32_t other, late, twin;

	(void)state;
	astra_fairness_set_capacity(f, 0, 1000);
	astra_fairness_add_tenant(f, 0, 1);
	other = astra_fairness_add_job(f, 0, 1, 1000);
	astra_fairness_set_active(f, 0, other, 1);
	twin = astra_fairness_add_job(f, 0, 6, 1000);
	late = astra_fairness_add_job(f, 0, 6, 1000);
	while (now < 10 * 365 * 86400.0) { /* the twin comes and goes */
		now += 9999.9;
		astra_fairness_set_active(f, now, twin, (uint32_t)rand() % 2);
	}
	astra_fairness_set_active(f, now, twin, 0);
	astra_fairness_set_active(f, now, late, 1);
	near(astra_fairness_job(f, now + 0.3, late).fair,
	     (now + 0.3 - now) * 6000 / 7);
	near(astra_fairness_job(f, now + 7.7, late).fair,
	     (now + 7.7 - now) * 6000 / 7);
	astra_fairness_destroy(f);
}

/* One heavy job comes and goes; the weights of the others are not rounded to
 * its scale: 0.1 of 0.3 of 12 GPUs for 10 s. */
static void a_heavy_job_leaves_no_trace(void **state)
{
	struct astra_fairness *f = astra_fairness_create(&eq8, 0);
	uint32_t heavy, light, other;

	(void)state;
	astra_fairness_set_capacity(f, 0, 12);
	astra_fairness_add_tenant(f, 0, 1);
	heavy = astra_fairness_add_job(f, 0, 1e12, 12);
	light = astra_fairness_add_job(f, 0, 0.1, 12);
	other = astra_fairness_add_job(f, 0, 0.2, 12);
	astra_fairness_set_active(f, 0, heavy, 1);
	astra_fairness_set_active(f, 10, light, 1);
	astra_fairness_set_active(f, 10, other, 1);
	astra_fairness_remove_job(f, 10, heavy);
	near(astra_fairness_job(f, 20, light).fair, 40);
	near(astra_fairness_job(f, 20, other).fair, 80);
	astra_fairness_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_integrals_of_eq8),
		cmocka_unit_test(golden_integrals_of_eq16),
		cmocka_unit_test(figure_6_at_20),
		cmocka_unit_test(idle_share_is_lent_then_reclaimed),
		cmocka_unit_test(the_lead_of_an_idle_tenant_is_capped),
		cmocka_unit_test(the_past_fades_by_half),
		cmocka_unit_test(what_nobody_lacked_is_a_gift),
		cmocka_unit_test(what_is_held_uncharged_is_not_lacked),
		cmocka_unit_test(
			rho_without_entitlement_follows_the_conventions),
		cmocka_unit_test(time_does_not_go_backwards),
		cmocka_unit_test(no_weight_gives_no_quota),
		cmocka_unit_test(a_split_task_takes_its_integrals_along),
		cmocka_unit_test(users_have_equal_parts),
		cmocka_unit_test(restored_integrals_go_on),
		cmocka_unit_test(a_removed_job_leaves_nothing_to_the_next),
		cmocka_unit_test(random_histories_integrate_exactly),
		cmocka_unit_test(a_late_job_is_measured_exactly),
		cmocka_unit_test(a_heavy_job_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
