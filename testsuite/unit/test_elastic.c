/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elastic jobs under LTGF on a virtual cluster (doc/design.md, "Elastic jobs").
 * Times are relative to its begin, 1000; a term is 100 seconds, a start-up and
 * a checkpoint are taken to cost 5. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_priv.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

#define AT(t) (1000.0 + (t))

static void begin(struct vcluster *vc, size_t nodes, uint32_t gpus)
{
	vc_init(vc, nodes, gpus);
	vc->options.lease_sec = 100;
	vc->options.grace_sec = 2;
	vc->options.round_sec = 5;
	vc->options.min_run_sec = 5;
	vc_begin(vc);
	vc_tenant(vc, "a", 1);
	vc_tenant(vc, "b", 1);
}

static struct vjob *submit(struct vcluster *vc, uint32_t tenant, uint32_t least,
			   uint32_t most)
{
	struct vjob *v = vc_submit(vc, tenant, most, HUGE_VAL);

	v->job.request.gpus_min = least;
	return v;
}

static uint32_t held(const struct vjob *v)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < v->job.held_count; i++)
		gpus += v->job.held[i].gpus;
	return v->job.state == ASTRA_JOB_RUNNING ? gpus : 0;
}

/* Alone it has all 8 GPUs and keeps them; when another tenant's job of 4 comes
 * it goes on with the 4 that are left, and needs no second turn for that. */
static void what_others_need_is_given_up_first(void **state)
{
	struct vcluster vc;
	struct vjob *e, *rigid;
	(void)state;

	begin(&vc, 1, 8);
	e = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(250));
	assert_int_equal(held(e), 8);
	assert_int_equal(e->starts, 1);
	rigid = vc_submit(&vc, 1, 4, HUGE_VAL);
	vc_run(&vc, AT(370));
	assert_int_equal(held(rigid), 4);
	assert_int_equal(held(e), 4);
	assert_int_equal(e->starts, 2);
	vc_fini(&vc);
}

/* From 4 to 8 GPUs pays once it has run r seconds on 4 where
 * (8 - 4) * r > 7 * 8 * 5, r > 70; nobody has to wait for its lease's end. */
static void idle_gpus_are_grown_into(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 1, 8);
	vc_submit(&vc, 1, 4, 30);
	vc_run(&vc, AT(3));
	e = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(60));
	assert_int_equal(held(e), 4);
	vc_run(&vc, AT(95));
	assert_int_equal(held(e), 8);
	assert_int_equal(e->starts, 2);
	vc_fini(&vc);
}

/* One that is not known to write checkpoints would lose its work for it. */
static void who_keeps_its_size_does_not_leave_to_grow(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 1, 8);
	vc_submit(&vc, 0, 4, 30);
	vc_run(&vc, AT(3));
	e = submit(&vc, 0, 1, 8);
	e->job.keeps_size = true;
	vc_run(&vc, AT(500));
	assert_int_equal(held(e), 4);
	assert_int_equal(e->starts, 1);
	vc_fini(&vc);
}

/* As it grew to 8, 8 turned out to be no faster than 4, so 6 are asked for from
 * then on. It keeps what nobody else needs; once it has left for 4 it stays, as
 * to 6 it never pays: (6 - 4) * 100 < 7 * 6 * 5. */
static void what_is_of_no_use_is_not_grown_into(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 1, 8);
	e = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(50));
	assert_int_equal(held(e), 8);
	e->job.request.gpus = 6;
	vc_run(&vc, AT(150));
	assert_int_equal(held(e), 8);
	assert_int_equal(e->starts, 1);
	vc_submit(&vc, 1, 4, 250);
	vc_run(&vc, AT(400));
	assert_int_equal(held(e), 4);
	vc_run(&vc, AT(900));
	assert_int_equal(held(e), 4);
	assert_int_equal(e->starts, 2);
	vc_fini(&vc);
}

/* From 6 to 8 it never does: (8 - 6) * 100 < 7 * 8 * 5. A job of 2 GPUs that
 * comes and goes is no reason to leave twice. */
static void sizes_do_not_flap(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 1, 8);
	e = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(10));
	for (int i = 0; i < 4; i++) {
		vc_submit(&vc, 1, 2, 60);
		vc_run(&vc, AT(200 + 200 * i));
	}
	assert_int_equal(held(e), 6);
	assert_int_equal(e->starts, 2);
	vc_fini(&vc);
}

/* 8 GPUs, two tenants, Quota 4. It runs on 2 GPUs or more: its first start is
 * promised within 2 + 2 / 4 terms and what others may take to leave, 2 and 5
 * seconds: 257. */
static void the_promise_is_for_the_fewest(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 2, 4);
	for (int i = 0; i < 20; i++)
		vc_submit(&vc, 0, 1, HUGE_VAL);
	vc_run(&vc, AT(10));
	e = submit(&vc, 1, 2, 8);
	vc_step(&vc);
	vc_step(&vc);
	assert_true(vc_view(&vc, e).bound_sec <= e->job.submit_sec + 2 + 257);
	assert_true(vc_view(&vc, e).bound_sec >= e->job.submit_sec + 257);
	vc_run(&vc, AT(270));
	assert_true(e->starts > 0);
	vc_fini(&vc);
}

/* Over time each of two tenants has half, be one's job elastic and the other's
 * twenty small ones. */
static void tenants_have_their_halves(void **state)
{
	struct vcluster vc;
	(void)state;

	begin(&vc, 1, 8);
	submit(&vc, 0, 1, 8);
	for (int i = 0; i < 20; i++)
		vc_submit(&vc, 1, 1, HUGE_VAL);
	vc_run(&vc, AT(3000));
	for (uint32_t t = 0; t < 2; t++)
		assert_true(fabs(vc_tenant_view(&vc, t).rho - 1) < 0.1);
	vc_fini(&vc);
}

/* 8 GPUs of one tenant: its jobs of up to 2, 8 and 8 GPUs have a level of
 * 2 + 3 + 3 = 8, 3. The second one, which has 6, gives up the one on which the
 * third begins and keeps the rest, and the first none, although it has one
 * besides its fewest. */
static void who_is_above_its_level_gives_up_first(void **state)
{
	struct vcluster vc;
	struct vjob *low, *high, *late;
	(void)state;

	vc_init(&vc, 1, 8);
	vc.options.lease_sec = 100;
	vc.options.grace_sec = 2;
	vc.options.round_sec = 5;
	vc.options.min_run_sec = 5;
	vc.options.recall_sec = 20;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	low = submit(&vc, 0, 1, 2);
	vc_run(&vc, AT(3));
	high = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(40));
	assert_int_equal(held(low), 2);
	assert_int_equal(held(high), 6);
	late = submit(&vc, 0, 1, 8);
	vc_run(&vc, AT(80));
	assert_int_equal(held(low), 2);
	assert_int_equal(low->starts, 1);
	assert_int_equal(held(late), 1);
	assert_int_equal(held(high), 5);
	vc_fini(&vc);
}

/* On nodes of 4 one of 4 to 12, 4 on each node, gives up whole nodes. */
static void steps_are_whole_nodes(void **state)
{
	struct vcluster vc;
	struct vjob *e;
	(void)state;

	begin(&vc, 3, 4);
	e = submit(&vc, 0, 4, 12);
	e->job.request.gpus_per_node = 4;
	vc_run(&vc, AT(250));
	assert_int_equal(e->job.held_count, 3);
	vc_submit(&vc, 1, 2, HUGE_VAL);
	vc_run(&vc, AT(370));
	assert_int_equal(e->job.held_count, 2);
	assert_int_equal(held(e), 8);
	vc_fini(&vc);
}

/* One of 2 to 8 GPUs has 4 on each of two nodes, which its user shares with
 * nobody. Of the 6 that it could spare it offers one whole node: a part of the
 * other is of no use to another user's jobs. Nor does it go on with a part of a
 * node of which somebody has taken the rest. */
static void a_users_own_nodes_are_given_up_whole(void **state)
{
	const struct astra_share on[] = {
		{.node = 0, .gpus = 4, .owner = 7, .alone = true},
		{.node = 1, .gpus = 4, .owner = 7, .alone = true},
	};
	const struct astra_job job = {
		.id = 1,
		.request = {.gpus = 8,
			    .gpus_min = 2,
			    .owner = 7,
			    .alone = true},
		.state = ASTRA_JOB_RUNNING,
		.held = on,
		.held_count = ASTRA_COUNT_OF(on),
	};
	const struct astra_node nodes[] = {{.usable = true}, {.usable = true}};
	const struct astra_snapshot snap = {.nodes = nodes, .node_count = 2};
	const struct astra_room rest = {.gpus = 2, .owner = 7, .alone = true};
	struct ejob known = {.id = 1, .user = ASTRA_NONE, .gpus = 8};
	struct astra_engine engine = {.jobs = &known};
	double level = 2;
	const struct round r = {.e = &engine, .snap = &snap, .levels = &level};
	struct contender c = {.job = &job, .expired = true};
	struct astra_space *work = astra_space_create(2, 4);
	struct astra_share lost[2], kept[2];

	(void)state;
	astra_elastic_offer_spare(&r, &c, false, lost);
	assert_int_equal(c.lose_count, 1);
	assert_int_equal(lost[0].gpus, 4);
	assert_int_equal(lost[0].owner, 7);
	assert_true(lost[0].alone);
	astra_space_set(work, lost[0].node, &rest);
	assert_int_equal(astra_elastic_keep(&c, work, kept), 1);
	assert_int_equal(kept[0].node, 1 - lost[0].node);
	assert_int_equal(kept[0].gpus, 4);
	astra_space_destroy(work);
}

/* It has all 12, until another class has learned a share; and again when that
 * one's jobs have ended. */
static void ogasched_lets_a_job_grow_again(void **state)
{
	struct vcluster vc;
	struct vjob *e;

	(void)state;
	vc_init(&vc, 3, 4);
	strcpy(vc.options.policy, "ogasched");
	vc.options.slot_sec = 100;
	vc_begin(&vc);
	vc_tenant(&vc, "a", 1);
	vc_tenant(&vc, "b", 1);
	e = submit(&vc, 0, 1, 12);
	vc_run(&vc, AT(350));
	assert_int_equal(held(e), 12);
	for (int i = 0; i < 4; i++)
		vc_submit(&vc, 1, 1, 500);
	vc_run(&vc, AT(700));
	assert_in_range(held(e), 4, 8);
	vc_run(&vc, AT(2500));
	assert_int_equal(held(e), 12);
	vc_fini(&vc);
}

/* Beside a job of one GPU on one of three nodes of 4 it has the other two. */
static void policies_award_whole_nodes(void **state)
{
	static const char *const policies[] = {"themis", "incentive", "oasis",
					       "ogasched", "ltgf+themis"};
	(void)state;

	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		struct vcluster vc;
		struct vjob *e;

		vc_init(&vc, 3, 4);
		snprintf(vc.options.policy, sizeof(vc.options.policy), "%s",
			 policies[i]);
		vc.options.lease_sec = 100;
		vc.options.slot_sec = 100;
		vc_begin(&vc);
		vc_tenant(&vc, "a", 1);
		vc_tenant(&vc, "b", 1);
		vc_submit(&vc, 1, 1, HUGE_VAL);
		vc_run(&vc, AT(350));
		e = submit(&vc, 0, 4, 12);
		e->job.request.gpus_per_node = 4;
		e->job.request.nodes_min = 1;
		e->job.request.nodes_max = 3;
		vc_run(&vc, AT(1500));
		if (held(e) != 8)
			fail_msg("%s: %u GPUs", policies[i], held(e));
		vc_fini(&vc);
	}
}

static void make_elastic(struct vjob *v)
{
	struct astra_request *q = &v->job.request;

	switch (rand() % 3) {
	case 0:
		return;
	case 1:
		q->gpus_per_node = 2;
		q->gpus = (q->gpus + 1) / 2 * 2;
		q->gpus_min = 2;
		break;
	default:
		q->gpus_min = 1 + (uint32_t)rand() % q->gpus;
	}
	q->cpus = q->gpus * (1 + (uint32_t)rand() % 8);
}

/* The virtual cluster refuses what cannot be; and who waits gets its turn. */
static void random_histories_never_overcommit(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= draws(24); seed++) {
		struct vcluster vc;

		srand(seed);
		begin(&vc, 2 + seed % 5, 4 + 4 * (seed % 2));
		vc.cleanup_sec = seed % 3;
		while (vc.now_sec < AT(1500)) {
			if (rand() % 8 == 0 && vc.job_count < 300) {
				struct vjob *v =
					vc_submit(&vc, (uint32_t)(rand() % 2),
						  1 + (uint32_t)(rand() % 8),
						  20 + rand() % 200);

				v->job.checkpoints = rand() % 2;
				v->checkpoint_sec = rand() % 4;
				make_elastic(v);
			}
			if (rand() % 100 == 0) {
				size_t n = (size_t)rand() % vc.node_count;

				vc.nodes[n].usable = !vc.nodes[n].usable;
			}
			if (rand() % 300 == 0)
				vc_restart(&vc);
			vc_step(&vc);
		}
		for (size_t n = 0; n < vc.node_count; n++)
			vc.nodes[n].usable = true;
		vc_run(&vc, AT(40000));
		for (size_t i = 0; i < vc.job_count; i++)
			assert_int_equal(vc.jobs[i]->job.state,
					 ASTRA_JOB_ENDED);
		vc_fini(&vc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_need_is_given_up_first),
		cmocka_unit_test(idle_gpus_are_grown_into),
		cmocka_unit_test(who_keeps_its_size_does_not_leave_to_grow),
		cmocka_unit_test(what_is_of_no_use_is_not_grown_into),
		cmocka_unit_test(sizes_do_not_flap),
		cmocka_unit_test(the_promise_is_for_the_fewest),
		cmocka_unit_test(tenants_have_their_halves),
		cmocka_unit_test(who_is_above_its_level_gives_up_first),
		cmocka_unit_test(steps_are_whole_nodes),
		cmocka_unit_test(a_users_own_nodes_are_given_up_whole),
		cmocka_unit_test(ogasched_lets_a_job_grow_again),
		cmocka_unit_test(policies_award_whole_nodes),
		cmocka_unit_test(random_histories_never_overcommit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
