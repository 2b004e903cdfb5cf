/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose leases may end for a job: preemption and limits (rights.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000 + (t))
#define LIMITS 3

/* Each class preempts those below it. */
#define HIGH 2
#define MIDDLE 1
#define LOW 0
static const uint64_t preempts[ASTRA_PREEMPT_CLASSES] = {
	[MIDDLE] = 1 << LOW,
	[HIGH] = 1 << MIDDLE | 1 << LOW,
};

struct rights {
	struct vcluster vc;
	struct astra_limit limits[LIMITS];
	size_t limit_count;
	struct astra_use uses[VC_JOBS][LIMITS];
};

/* What every round has to keep: no lease ends for a job that its holder could
 * preempt, and no more of a limit is used than there is. */
static void rights_look(struct vcluster *vc)
{
	const struct astra_snapshot snap = {.preempts = vc->preempts};
	const struct astra_engine *e = vc->engine;

	for (size_t i = 0; i < e->job_count; i++) {
		const struct ejob *j = &e->jobs[i];
		const struct astra_job *holder, *next;

		if (!j->id || j->phase == ASTRA_PHASE_LEASED ||
		    j->phase == ASTRA_PHASE_WAITING || !j->doomed_for ||
		    j->doomed_for == ASTRA_NONE)
			continue;
		holder = &vc->jobs[j->id - 1]->job;
		next = &vc->jobs[j->doomed_for - 1]->job;
		if (!astra_job_may_take(&snap, next, holder))
			fail_msg("%s: at %.0f the lease of job %u ends for "
				 "job %u, which it could preempt",
				 vc->options.policy, vc->now_sec, j->id,
				 j->doomed_for);
	}
	for (size_t i = 0; i < vc->world.limit_count; i++)
		if (vc->world.limits[i].used > vc->world.limits[i].most)
			fail_msg("%s: at %.0f limit %zu of %ju is used by %ju",
				 vc->options.policy, vc->now_sec, i,
				 (uintmax_t)vc->world.limits[i].most,
				 (uintmax_t)vc->world.limits[i].used);
}

/* The host refuses a start that a limit leaves no room. */
static bool rights_refuses(struct vcluster *vc, const struct astra_decision *d)
{
	const struct astra_job *job = &vc->jobs[d->job - 1]->job;

	for (size_t i = 0; i < job->use_count; i++) {
		const struct astra_limit *l =
			&vc->world.limits[job->uses[i].limit];

		if (l->used + job->uses[i].amount > l->most)
			fail_msg("%s: at %.0f job %u is started over a limit",
				 vc->options.policy, vc->now_sec, d->job);
	}
	return false;
}

static void rights_begin(struct rights *t, size_t nodes, uint32_t gpus,
			 const char *policy)
{
	vc_init(&t->vc, nodes, gpus);
	strcpy(t->vc.options.policy, policy);
	t->limit_count = 0;
	t->vc.options.lease_sec = 60;
	t->vc.options.min_run_sec = 0;
	t->vc.options.grace_sec = 0;
	t->vc.looked = rights_look;
	t->vc.preempts = preempts;
	t->vc.refuses = rights_refuses;
	vc_begin(&t->vc);
	vc_tenant(&t->vc, "a", 1);
	vc_tenant(&t->vc, "b", 1);
	vc_tenant(&t->vc, "c", 1);
}

static uint32_t rights_limit(struct rights *t, uint64_t most)
{
	static const char *const names[LIMITS] = {"x", "y", "z"};

	t->limits[t->limit_count] = (struct astra_limit){
		.name = names[t->limit_count], .most = most};
	free(t->vc.world.limits);
	assert_int_equal(
		astra_world_limit(&t->vc.world, t->limits, t->limit_count + 1),
		0);
	return (uint32_t)t->limit_count++;
}

static struct vjob *rights_job(struct rights *t, uint32_t tenant, uint32_t gpus)
{
	return vc_submit(&t->vc, tenant, gpus, HUGE_VAL);
}

static void rights_use(struct rights *t, struct vjob *v, uint32_t limit,
		       uint64_t amount)
{
	struct astra_use *uses = t->uses[v->job.id - 1];

	uses[v->job.use_count++] =
		(struct astra_use){.limit = limit, .amount = amount};
	v->job.uses = uses;
}

static struct vjob *rights_user(struct rights *t, uint32_t tenant,
				uint32_t user, uint32_t gpus, uint32_t limit)
{
	struct vjob *v = rights_job(t, tenant, gpus);

	v->job.user = user;
	rights_use(t, v, limit, gpus);
	return v;
}

static double part_of(struct rights *t, const struct vjob *v)
{
	return vc_view(&t->vc, v).usage.alloc / (t->vc.now_sec - AT(0));
}

static uint32_t rights_revoked(struct rights *t, const struct vjob *v)
{
	return vc_view(&t->vc, v).revoked;
}

static void each_policy(void (*check)(const char *policy))
{
	const struct astra_policy *const *p = astra_policy_all();

	for (; *p; p++)
		check((*p)->name);
}

static void keeps_its_lease(const char *policy)
{
	struct rights t = {0};
	struct vjob *high, *low;

	rights_begin(&t, 1, 4, policy);
	high = rights_job(&t, 0, 4);
	high->job.preempt_class = HIGH;
	vc_run(&t.vc, AT(10));
	low = rights_job(&t, 1, 4);
	vc_run(&t.vc, AT(600));
	if (high->starts != 1 || low->starts)
		fail_msg("%s: %u and %u starts", policy, high->starts,
			 low->starts);
	vc_fini(&t.vc);
}

static void a_lease_does_not_end_for_a_job_that_its_holder_preempts(void **s)
{
	(void)s;
	each_policy(keeps_its_lease);
}

/* One that it could not preempt has its turn. */
static void a_peer_has_its_turn(void **state)
{
	struct rights t = {0};
	struct vjob *jobs[2];

	(void)state;
	rights_begin(&t, 1, 4, "ltgf");
	for (uint32_t i = 0; i < 2; i++) {
		jobs[i] = rights_job(&t, i, 4);
		jobs[i]->job.preempt_class = HIGH;
	}
	vc_run(&t.vc, AT(600));
	assert_true(jobs[0]->starts > 1 && jobs[1]->starts > 1);
	vc_fini(&t.vc);
}

/* The middle one and the highest one take turns if they are peers of all but
 * the lowest, which waits for as long as they are there. */
static void a_chain_of_three_never_turns_round(void **state)
{
	struct rights t = {0};
	struct vjob *jobs[3];

	(void)state;
	rights_begin(&t, 1, 4, "ltgf");
	for (uint32_t i = 3; i-- > 0;) {
		jobs[i] = rights_job(&t, 2 - i, 4);
		jobs[i]->job.preempt_class = i;
		vc_run(&t.vc, t.vc.now_sec + 10);
	}
	vc_run(&t.vc, AT(900));
	assert_int_equal(jobs[HIGH]->starts, 1);
	assert_int_equal(jobs[MIDDLE]->starts + jobs[LOW]->starts, 0);
	assert_int_equal(rights_revoked(&t, jobs[HIGH]), 0);
	vc_fini(&t.vc);
}

/* 4 GPUs of the low job are free for it, those of the high one are not, nor
 * for its hold. */
static void a_gang_waits_for_the_leases_that_may_end(void **state)
{
	struct rights t = {0};
	struct vjob *high, *low, *gang;

	(void)state;
	rights_begin(&t, 2, 4, "ltgf");
	high = rights_job(&t, 0, 4);
	high->job.preempt_class = HIGH;
	low = rights_job(&t, 1, 4);
	vc_run(&t.vc, AT(10));
	gang = rights_job(&t, 2, 4);
	vc_run(&t.vc, AT(600));
	assert_int_equal(high->starts, 1);
	assert_true(gang->starts > 0 && low->starts > 1);
	vc_fini(&t.vc);
}

/* 8 GPUs, a limit of 4 on tenant a: its users have 2 each over time, and the
 * job of tenant b keeps its lease. */
static void users_share(const char *policy)
{
	struct rights t = {0};
	struct vjob *ann, *bob, *other;
	uint32_t limit;

	rights_begin(&t, 2, 4, policy);
	limit = rights_limit(&t, 4);
	other = rights_job(&t, 1, 4);
	ann = rights_user(&t, 0, vc_user(&t.vc, 0, "ann"), 4, limit);
	other->job.user = vc_user(&t.vc, 1, "eve");
	vc_run(&t.vc, AT(10));
	bob = rights_user(&t, 0, vc_user(&t.vc, 0, "bob"), 4, limit);
	vc_run(&t.vc, AT(2400));
	if (fabs(part_of(&t, ann) - 2) > .4 || fabs(part_of(&t, bob) - 2) > .4)
		fail_msg("%s: ann has %.2f GPUs, bob %.2f", policy,
			 part_of(&t, ann), part_of(&t, bob));
	assert_int_equal(other->starts, 1);
	/* What is beside the limit makes nobody poor. */
	assert_true(fabs(vc_tenant_view(&t.vc, 0).demand_gpus - 4) < 1e-9);
	vc_fini(&t.vc);
}

/* The same of two tenants: a licence of one, a parent account. */
static void tenants_share(const char *policy)
{
	struct rights t = {0};
	struct vjob *jobs[2];
	uint32_t limit;

	rights_begin(&t, 2, 4, policy);
	limit = rights_limit(&t, 1);
	for (uint32_t i = 0; i < 2; i++) {
		jobs[i] = rights_job(&t, i, 2);
		rights_use(&t, jobs[i], limit, 1);
		vc_run(&t.vc, t.vc.now_sec + 10);
	}
	vc_run(&t.vc, AT(2400));
	for (int i = 0; i < 2; i++)
		if (fabs(part_of(&t, jobs[i]) - 1) > .2)
			fail_msg("%s: job %d has %.2f GPUs", policy, i,
				 part_of(&t, jobs[i]));
	vc_fini(&t.vc);
}

/* Baselines keep to their rule. */
static void each_but_baselines(void (*check)(const char *policy))
{
	const struct astra_policy *const *p = astra_policy_all();

	for (; *p; p++)
		if (!(*p)->source)
			check((*p)->name);
}

static void users_share_what_a_limit_leaves(void **state)
{
	(void)state;
	each_but_baselines(users_share);
}

static void tenants_share_a_licence(void **state)
{
	(void)state;
	each_but_baselines(tenants_share);
}

/* Four jobs of one GPU, whose leases end at different times, and a job that
 * needs all four of the limit. */
static void a_gang_collects_what_a_limit_leaves(void **state)
{
	struct rights t = {0};
	struct vjob *one[4], *gang, *other;
	uint32_t limit, ann, bob;

	(void)state;
	rights_begin(&t, 2, 8, "ltgf");
	limit = rights_limit(&t, 4);
	ann = vc_user(&t.vc, 0, "ann");
	bob = vc_user(&t.vc, 0, "bob");
	other = rights_job(&t, 1, 8);
	other->job.user = vc_user(&t.vc, 1, "eve");
	for (int i = 0; i < 4; i++) {
		one[i] = rights_user(&t, 0, ann, 1, limit);
		vc_run(&t.vc, t.vc.now_sec + 13);
	}
	gang = rights_user(&t, 0, bob, 4, limit);
	vc_run(&t.vc, AT(2400));
	assert_true(fabs(part_of(&t, gang) - 2) < .5);
	assert_true(one[0]->starts > 1);
	assert_int_equal(other->starts, 1);
	vc_fini(&t.vc);
}

/* The worked example: jobs that use 1, 1 and 2 of 4 have leases that are over;
 * one that uses 2 needs only the third. */
static void the_fewest_leases_end(void **state)
{
	struct rights t = {0};
	struct vjob *small[2], *large, *next;
	uint32_t limit;

	(void)state;
	rights_begin(&t, 4, 4, "ltgf");
	limit = rights_limit(&t, 4);
	for (int i = 0; i < 2; i++) {
		small[i] = rights_job(&t, 0, 1);
		rights_use(&t, small[i], limit, 1);
	}
	large = rights_job(&t, 0, 2);
	rights_use(&t, large, limit, 2);
	vc_run(&t.vc, AT(10));
	next = rights_job(&t, 1, 2);
	rights_use(&t, next, limit, 2);
	while (!next->starts && t.vc.now_sec < AT(600))
		vc_step(&t.vc);
	assert_int_equal(next->starts, 1);
	assert_int_equal(large->job.state == ASTRA_JOB_RUNNING, 0);
	assert_int_equal(small[0]->starts + small[1]->starts, 2);
	vc_fini(&t.vc);
}

/* A user's own jobs wait for each other. */
static void no_lease_ends_for_a_job_of_its_user(void **state)
{
	struct rights t = {0};
	struct vjob *jobs[2];
	uint32_t limit;

	(void)state;
	rights_begin(&t, 2, 4, "ltgf");
	limit = rights_limit(&t, 2);
	vc_user(&t.vc, 0, "ann");
	for (int i = 0; i < 2; i++)
		jobs[i] = rights_user(&t, 0, 0, 2, limit);
	jobs[0]->work_sec = 400;
	vc_run(&t.vc, AT(390));
	assert_int_equal(jobs[0]->starts, 1);
	assert_int_equal(jobs[1]->starts, 0);
	vc_run(&t.vc, AT(420));
	assert_int_equal(jobs[1]->starts, 1);
	vc_fini(&t.vc);
}

/* Of two limits both have to leave room. */
static void a_job_needs_room_in_all_of_its_limits(void **state)
{
	struct rights t = {0};
	struct vjob *first, *second, *next;
	uint32_t x, y;

	(void)state;
	rights_begin(&t, 4, 4, "ltgf");
	x = rights_limit(&t, 1);
	y = rights_limit(&t, 1);
	first = rights_job(&t, 0, 1);
	rights_use(&t, first, x, 1);
	second = rights_job(&t, 0, 1);
	rights_use(&t, second, y, 1);
	second->job.revocable = false;
	vc_run(&t.vc, AT(10));
	next = rights_job(&t, 1, 1);
	rights_use(&t, next, x, 1);
	rights_use(&t, next, y, 1);
	vc_run(&t.vc, AT(600));
	assert_int_equal(first->starts, 1);
	assert_int_equal(next->starts, 0);
	second->job.revocable = true;
	vc_run(&t.vc, AT(1200));
	assert_true(next->starts > 0);
	vc_fini(&t.vc);
}

#define WORLDS 60

/* rights_look() sees all rounds. */
static void random_world(const char *policy, uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	struct rights t = {0};

	rights_begin(&t, 2, 4, policy);
	for (uint32_t i = 0; i < LIMITS; i++)
		rights_limit(&t, 1 + astra_random_below(&random, 6));
	for (int i = 0; i < 16; i++) {
		uint32_t gpus = 1 + (uint32_t)astra_random_below(&random, 4);
		uint32_t class = (uint32_t)astra_random_below(&random, 3);
		struct vjob *v = vc_submit(
			&t.vc, (uint32_t)astra_random_below(&random, 3), gpus,
			(double)astra_random_below(&random, 400));

		v->job.preempt_class = class;
		for (uint32_t k = 0; k < LIMITS; k++)
			if (!astra_random_below(&random, 3))
				rights_use(&t, v, k,
					   1 + astra_random_below(&random, 3));
		vc_run(&t.vc,
		       t.vc.now_sec + (double)astra_random_below(&random, 60));
	}
	vc_run(&t.vc, t.vc.now_sec + 600);
	vc_fini(&t.vc);
}

static void random_worlds(const char *policy)
{
	for (uint64_t seed = 1; seed <= draws(WORLDS); seed++)
		random_world(policy, seed);
}

static void no_round_breaks_the_rules(void **state)
{
	(void)state;
	each_policy(random_worlds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_lease_does_not_end_for_a_job_that_its_holder_preempts),
		cmocka_unit_test(a_peer_has_its_turn),
		cmocka_unit_test(a_chain_of_three_never_turns_round),
		cmocka_unit_test(a_gang_waits_for_the_leases_that_may_end),
		cmocka_unit_test(users_share_what_a_limit_leaves),
		cmocka_unit_test(tenants_share_a_licence),
		cmocka_unit_test(a_gang_collects_what_a_limit_leaves),
		cmocka_unit_test(the_fewest_leases_end),
		cmocka_unit_test(no_lease_ends_for_a_job_of_its_user),
		cmocka_unit_test(a_job_needs_room_in_all_of_its_limits),
		cmocka_unit_test(no_round_breaks_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
