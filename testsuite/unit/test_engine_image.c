/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An engine made from an image decides as the one that it was taken of: in
 * every round of a busy cluster, with promises and holds under way, whichever
 * the policy. */
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_image.h"
#include "src/engine/engine_priv.h"
#include "src/model/fairness_priv.h"
#include "src/policies/policy.h"
#include "testsuite/unit/member_rows.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

static unsigned rounds, promised, held;

/* To the bit: the last one decides who is first of two that are alike. */
static void same_account(const struct astra_engine *e,
			 const struct astra_engine *twin)
{
	struct astra_bytes bytes = {0}, twins = {0};

	astra_fairness_put(e->account, &bytes);
	astra_fairness_put(twin->account, &twins);
	assert_int_equal(bytes.size, twins.size);
	assert_memory_equal(bytes.data, twins.data, bytes.size);
	astra_bytes_clear(&bytes);
	astra_bytes_clear(&twins);
}

static struct astra_engine *copy(const struct vcluster *vc)
{
	struct astra_bytes image = {0};
	struct astra_error err = {""};
	struct astra_engine *twin;

	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	twin = astra_engine_of_image(&vc->options, image.data, image.size,
				     &err);
	if (!twin)
		fail_msg("%s", err.text);
	same_account(vc->engine, twin);
	astra_bytes_clear(&image);
	return twin;
}

static void same_decision(const struct astra_plan *a,
			  const struct astra_plan *b, size_t i)
{
	const struct astra_decision *x = &a->decisions[i];
	const struct astra_decision *y = &b->decisions[i];

	assert_int_equal(x->action, y->action);
	assert_int_equal(x->job, y->job);
	assert_int_equal(x->restart_cnt, y->restart_cnt);
	assert_true(x->until_sec == y->until_sec);
	assert_int_equal(x->share_count, y->share_count);
	for (size_t k = 0; k < x->share_count; k++) {
		const struct astra_share *s = &a->shares[x->first_share + k];
		const struct astra_share *t = &b->shares[y->first_share + k];

		assert_int_equal(s->node, t->node);
		assert_int_equal(s->gpus, t->gpus);
		assert_int_equal(s->cpus, t->cpus);
		assert_int_equal(s->mem_mib, t->mem_mib);
	}
}

static void same_plan(const struct astra_plan *a, const struct astra_plan *b)
{
	assert_int_equal(a->decision_count, b->decision_count);
	for (size_t i = 0; i < a->decision_count; i++)
		same_decision(a, b, i);
	assert_int_equal(a->reason_count, b->reason_count);
	for (size_t i = 0; i < a->reason_count; i++) {
		const struct astra_reason *x = &a->reasons[i];
		const struct astra_reason *y = &b->reasons[i];

		assert_int_equal(x->job, y->job);
		assert_int_equal(x->wait, y->wait);
		assert_int_equal(x->rank, y->rank);
		assert_int_equal(x->ranks, y->ranks);
		assert_true(x->start_sec == y->start_sec);
		assert_true(x->value == y->value);
	}
	assert_true(a->wake_sec == b->wake_sec);
	assert_true(a->due_sec == b->due_sec);
	assert_int_equal(a->changed, b->changed);
}

static void twin_round(struct vcluster *vc, const struct astra_snapshot *snap)
{
	struct astra_engine *twin = copy(vc);
	struct astra_plan plan;
	struct astra_error err = {""};

	astra_plan_init(&plan);
	if (astra_engine_round(vc->engine, snap, &vc->plan, &err) < 0 ||
	    astra_engine_round(twin, snap, &plan, &err) < 0)
		fail_msg("%s", err.text);
	same_plan(&vc->plan, &plan);
	rounds++;
	held += astra_engine_hold(vc->engine).job != 0;
	for (size_t i = 0; i < plan.reason_count; i++)
		promised += plan.reasons[i].wait == ASTRA_WAIT_GRANTED;
	astra_plan_destroy(&plan);
	astra_engine_destroy(twin);
}

static void run_policy(const char *policy, uint64_t seed)
{
	static const uint32_t gpus[] = {1, 1, 2, 4, 8, 12};
	struct vcluster *vc = malloc(sizeof(*vc));
	struct astra_random random = astra_random_seed(seed);

	assert_non_null(vc);
	vc_init(vc, 4, 8);
	assert_int_equal(
		astra_options_set(&vc->options, "Policy", policy, NULL), 0);
	vc->options.lease_sec = 40;
	vc->options.lease_said = true;
	vc->options.horizon_sec = 400;
	vc->options.slot_sec = 20;
	vc->options.grace_sec = 5;
	vc->options.min_run_sec = 10;
	if (seed % 2)
		vc->options.half_life_sec = 600;
	for (uint32_t i = 0; i < 3; i++)
		vc_tenant(vc, (const char *[]){"a", "b", "c"}[i], 1 + i);
	vc_begin(vc);
	vc->round = twin_round;
	while (vc->now_sec < 1000 + 600) {
		if (!astra_random_below(&random, 5) && vc->job_count < 150) {
			uint32_t tenant =
				(uint32_t)astra_random_below(&random, 3);
			uint32_t size = (uint32_t)astra_random_below(
				&random, ASTRA_COUNT_OF(gpus));

			vc_submit(vc, tenant, gpus[size],
				  5 + (double)astra_random_below(&random, 150))
				->checkpoint_sec = 2;
		}
		vc_step(vc);
	}
	vc_fini(vc);
	free(vc);
}

static void test_every_round(void **state)
{
	const struct astra_policy *const *p = astra_policy_all();

	(void)state;
	for (size_t i = 0; p[i]; i++) {
		rounds = promised = held = 0;
		for (uint64_t seed = 1; seed <= draws(2); seed++)
			run_policy(p[i]->name, seed);
		print_message("%s: %u rounds, %u promises, %u holds\n",
			      p[i]->name, rounds, promised, held);
		assert_true(rounds > 100);
		if (!p[i]->source)
			assert_true(promised > 10 && held > 10);
	}
}

/* However an image is cut or changed, it is refused or makes an engine that can
 * be destroyed. */
static void test_damaged(void **state)
{
	struct vcluster *vc = malloc(sizeof(*vc));
	struct astra_random random = astra_random_seed(7);
	struct astra_bytes image = {0};
	struct astra_error err = {""};

	(void)state;
	assert_non_null(vc);
	vc_init(vc, 4, 8);
	vc_tenant(vc, "a", 1);
	vc_begin(vc);
	for (int i = 0; i < 20; i++)
		vc_submit(vc, 0, 4, 100);
	vc_run(vc, 1030);
	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	/* One without what twenty jobs and a tenant have to do with caps is of
	 * an earlier release, and whole. */
	for (size_t size = 0; size < image.size; size++)
		if (size != image.size - 8 * (1 + 1) - 4 * 20)
			assert_null(astra_engine_of_image(
				&vc->options, image.data, size, &err));
	for (int i = 0; i < 20000; i++) {
		size_t at = (size_t)astra_random_below(&random, image.size);
		uint8_t was = image.data[at];

		image.data[at] = (uint8_t)astra_random_below(&random, 256);
		astra_engine_destroy(astra_engine_of_image(
			&vc->options, image.data, image.size, &err));
		image.data[at] = was;
	}
	astra_bytes_clear(&image);
	vc_fini(vc);
	free(vc);
}

/* But names, what each round sets before it looks at it, and what the first
 * round finds again. */
static void every_member_is_in_the_image(void **state)
{
	(void)state;
	ROWS_CHECK(etenant, astra_image_tenant_members, ROWS_BUT(etenant, name),
		   ROWS_BUT(etenant, advance), ROWS_BUT(etenant, cap));
	ROWS_CHECK(euser, astra_image_user_members, ROWS_BUT(euser, name),
		   ROWS_BUT(euser, jobs), ROWS_BUT(euser, advance),
		   ROWS_BUT(euser, cap));
	ROWS_CHECK(ejob, astra_image_job_members, ROWS_BUT(ejob, index),
		   ROWS_BUT(ejob, shape), ROWS_BUT(ejob, fits_key),
		   ROWS_BUT(ejob, awaits), ROWS_BUT(ejob, noted_end_sec),
		   ROWS_BUT(ejob, over), ROWS_BUT(ejob, elastic),
		   ROWS_BUT(ejob, bound_to_leave), ROWS_BUT(ejob, held),
		   ROWS_BUT(ejob, held_count), ROWS_BUT(ejob, advance),
		   ROWS_BUT(ejob, advance_tenant), ROWS_BUT(ejob, advance_user),
		   ROWS_BUT(ejob, capped), ROWS_BUT(ejob, cap_copies));
	ROWS_CHECK(grant, astra_image_grant_members, ROWS_BUT(grant, shares));
	ROWS_CHECK(hold, astra_image_hold_members, ROWS_BUT(hold, shares));
	ROWS_CHECK(refusal, astra_image_refusal_members,
		   ROWS_BUT(refusal, nodes));
}

#define ENGINE(member) ROWS_BUT(astra_engine, member)

/* But what is written by itself, and what comes with the options or is made
 * anew: room, numbers of the present snapshot, policies that it had before. */
static void every_member_of_the_engine_is_in_the_image(void **state)
{
	(void)state;
	ROWS_CHECK(
		astra_engine, astra_image_engine_members, ENGINE(options),
		ENGINE(policy), ENGINE(policy_self), ENGINE(policy_lost),
		ENGINE(account), ENGINE(tenants), ENGINE(tenant_room),
		ENGINE(tenant_of), ENGINE(tenant_of_room), ENGINE(users),
		ENGINE(user_room), ENGINE(user_of), ENGINE(user_of_room),
		ENGINE(row_of), ENGINE(row_of_room), ENGINE(roster),
		ENGINE(idle), ENGINE(fits), ENGINE(jobs), ENGINE(job_room),
		ENGINE(reasons), ENGINE(reason_room), ENGINE(vacant),
		ENGINE(vacant_room), ENGINE(by_id), ENGINE(grants),
		ENGINE(grant_room), ENGINE(refusals), ENGINE(refusal_room),
		ENGINE(nodes), ENGINE(node_words), ENGINE(asides),
		ENGINE(back_nodes), ENGINE(holds), ENGINE(hold_room),
		ENGINE(contenders), ENGINE(contender_room), ENGINE(candidates),
		ENGINE(candidate_room), ENGINE(choices), ENGINE(choice_room),
		ENGINE(unbound), ENGINE(first_bound_sec), ENGINE(repayments),
		ENGINE(repayment_count), ENGINE(repayment_room),
		ENGINE(period_begin_sec), ENGINE(counters.recall_hour_gpu_sec),
		ENGINE(counters.refused_jobs), ENGINE(cap_jobs),
		ENGINE(cap_job_room));
}

#define ACCOUNT(member) ROWS_BUT(astra_fairness, member)

/* But the lists, whose lengths are in it, and their room. */
static void every_member_of_the_account_is_in_the_image(void **state)
{
	(void)state;
	ROWS_CHECK(astra_fairness, astra_image_fairness_members,
		   ACCOUNT(tenants), ACCOUNT(tenant_room), ACCOUNT(groups),
		   ACCOUNT(group_room), ACCOUNT(jobs), ACCOUNT(job_room),
		   ACCOUNT(vacant), ACCOUNT(vacant_room));
	ROWS_CHECK(tenant, astra_image_fairness_tenant_members,
		   ROWS_BUT(tenant, groups), ROWS_BUT(tenant, group_count),
		   ROWS_BUT(tenant, group_room),
		   ROWS_BUT(tenant, used_gpu_sec));
	ROWS_CHECK(group, astra_image_fairness_group_members,
		   ROWS_BUT(group, caps), ROWS_BUT(group, cap_room),
		   ROWS_BUT(group, used_gpu_sec));
	ROWS_CHECK(cap, astra_image_fairness_cap_members);
	ROWS_CHECK(job, astra_image_fairness_job_members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_round),
		cmocka_unit_test(every_member_is_in_the_image),
		cmocka_unit_test(every_member_of_the_engine_is_in_the_image),
		cmocka_unit_test(every_member_of_the_account_is_in_the_image),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
