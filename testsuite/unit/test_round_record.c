/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round written as JSON and read again gives the same plan; a record that is
 * damaged is refused, or decided, and never more than that. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/random.h"
#include "src/engine/engine_image.h"
#include "src/model/members.h"
#include "src/record/round.h"
#include "testsuite/unit/member_rows.h"
#include "testsuite/unit/unit.h"
#include "testsuite/unit/vcluster.h"

static struct astra_text last;

static void write_round(struct vcluster *vc,
			const struct astra_snapshot *snapshot,
			struct astra_text *out)
{
	const struct astra_round_head head = {"1.0", "world", "gpu"};
	struct astra_bytes image = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	astra_round_begin(out, &head, &vc->options, &image, snapshot);
	if (astra_engine_round(vc->engine, snapshot, &vc->plan, &err) < 0)
		fail_msg("%s", err.text);
	astra_round_end(out, &vc->plan, "");
	assert_false(out->failed);
	astra_bytes_clear(&image);
}

/* Returns the plan, or NULL where the record is refused. */
static json_t *repeat(const json_t *record)
{
	struct astra_error err = {""};
	struct astra_round round;
	json_t *plan;

	if (astra_round_read(record, &round, &err) < 0) {
		assert_true(*err.text);
		return NULL;
	}
	plan = astra_round_repeat(&round, &err);
	astra_round_clear(&round);
	return plan;
}

static void recorded_round(struct vcluster *vc,
			   const struct astra_snapshot *snapshot)
{
	json_t *record, *plan;

	astra_text_clear(&last);
	write_round(vc, snapshot, &last);
	record = json_loads(last.bytes, 0, NULL);
	assert_non_null(record);
	assert_true(astra_round_is(record));
	plan = repeat(record);
	assert_non_null(plan);
	assert_true(json_equal(plan, json_object_get(record, "plan")));
	json_decref(plan);
	json_decref(record);
}

/* Jobs with every kind of member, some of them said by bids. */
static struct vcluster *busy_cluster(const char *policy, uint64_t seed)
{
	static const double table[ASTRA_LEVEL_COUNT * 2] = {4, 2, 4, 2,
							    5, 3, 6, HUGE_VAL};
	static struct astra_bid bid = {.gpus_max = 2,
				       .rho_now = -1,
				       .kind = ASTRA_BID_RHO,
				       .table = table};
	static uint64_t allowed[] = {0xd}, possible[] = {0xf},
			required[] = {0x4};
	static const uint64_t preempts[ASTRA_PREEMPT_CLASSES] = {
		[1] = 1, [63] = UINT64_MAX};
	static const struct astra_limit limits[] = {
		{.name = "account", .most = 9}, {.name = "licence", .most = 2}};
	static const struct astra_use uses[] = {{.limit = 1, .amount = 1},
						{.limit = 0, .amount = 3}};
	struct vcluster *vc = malloc(sizeof(*vc));
	struct astra_random random = astra_random_seed(seed);

	assert_non_null(vc);
	vc_init(vc, 4, 4);
	assert_int_equal(
		astra_options_set(&vc->options, "Policy", policy, NULL), 0);
	vc->options.lease_sec = 30;
	vc->options.grace_sec = 5;
	vc->options.min_run_sec = 5;
	assert_int_equal(astra_options_set(&vc->options, "QOSWeight",
					   "high:2,low:0.5", NULL),
			 0);
	vc_tenant(vc, "a\"\\ö", 1);
	vc_tenant(vc, "b", 2.5);
	vc_begin(vc);
	assert_int_equal(
		astra_world_limit(&vc->world, limits, ASTRA_COUNT_OF(limits)),
		0);
	for (int i = 0; i < 30; i++) {
		struct vjob *v =
			vc_submit(vc, (uint32_t)astra_random_below(&random, 2),
				  1 + (uint32_t)astra_random_below(&random, 6),
				  5 + (double)astra_random_below(&random, 60));

		v->checkpoint_sec = 1;
		v->job.precedence = (double)i / 3;
		if (i % 3 == 0)
			v->job.request.allowed = allowed;
		v->job.request.possible = possible;
		if (i % 6 == 0)
			v->job.request.required = required;
		v->job.preempt_class = (uint32_t)i % 2;
		v->job.uses = uses;
		v->job.use_count = (uint32_t)i % 3;
		if (i % 4 == 0)
			v->job.forecast.utility = (struct astra_utility){
				.kind = ASTRA_UTILITY_SIGMOID,
				.sigmoid = {1.0 / 3, 0.1, 7}};
	}
	bid.app = astra_app_job(vc->jobs[3]->job.id);
	bid.time_sec = 1000;
	vc->bids = &bid;
	vc->preempts = preempts;
	vc->bid_count = 1;
	vc->round = recorded_round;
	return vc;
}

static void end_cluster(struct vcluster *vc)
{
	vc_fini(vc);
	free(vc);
}

static void test_same_plan(void **state)
{
	static const char *const policies[] = {"ltgf", "themis", "ltgf+themis"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(policies); i++) {
		struct vcluster *vc = busy_cluster(policies[i], i + 1);

		vc_run(vc, 1100);
		end_cluster(vc);
	}
}

static void memory_that_is_not_counted_is_recorded(void **state)
{
	struct vcluster *vc = busy_cluster("ltgf", 4);

	(void)state;
	for (size_t i = 0; i < VC_NODES; i++)
		vc->nodes[i].mem_free_mib = ASTRA_UNCOUNTED_MIB;
	vc_run(vc, 1050);
	end_cluster(vc);
}

static struct astra_text plans;

/* Append the round's plan to plans. */
static void planned_round(struct vcluster *vc,
			  const struct astra_snapshot *snapshot)
{
	astra_text_clear(&last);
	write_round(vc, snapshot, &last);
	astra_text_printf(&plans, "%s\n", strstr(last.bytes, "\"plan\":"));
}

/* Returns the plans of 200 s; the caller frees them. */
static char *plans_with(uint64_t mem_free_mib, uint64_t seed)
{
	struct vcluster *vc = busy_cluster("ltgf", seed);
	char *text;

	for (size_t i = 0; i < VC_NODES; i++)
		vc->nodes[i].mem_free_mib = mem_free_mib;
	vc->round = planned_round;
	vc_run(vc, 1200);
	end_cluster(vc);
	assert_false(plans.failed);
	text = strdup(plans.bytes);
	astra_text_clear(&plans);
	assert_non_null(text);
	return text;
}

static void memory_that_nobody_asks_for_changes_no_plan(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 6; seed++) {
		char *counted = plans_with(1 << 20, seed);
		char *uncounted = plans_with(ASTRA_UNCOUNTED_MIB, seed);

		assert_string_equal(counted, uncounted);
		free(counted);
		free(uncounted);
	}
}

/* One character in the record is another one. */
static void test_damaged(void **state)
{
	static const char with[] = "0123456789-\"{}[],.einfaultrs";
	struct vcluster *vc = busy_cluster("ltgf", 9);
	struct astra_random random = astra_random_seed(3);
	unsigned refused = 0, decided = 0;

	(void)state;
	vc_run(vc, 1050);
	for (int i = 0; i < (int)draws(4000); i++) {
		size_t at = (size_t)astra_random_below(&random, last.size);
		char was = last.bytes[at];
		json_t *record, *plan = NULL;

		last.bytes[at] =
			with[astra_random_below(&random, sizeof(with) - 1)];
		record = json_loads(last.bytes, 0, NULL);
		if (record)
			plan = repeat(record);
		refused += record && !plan;
		decided += plan != NULL;
		json_decref(plan);
		json_decref(record);
		last.bytes[at] = was;
	}
	assert_true(refused > 20 && decided > 20);
	end_cluster(vc);
	astra_text_clear(&last);
}

/* But those that write.c and read.c have by themselves. For the options see
 * check-sources: they hold arrays of structs, behind which gcc 12 does not know
 * padding. */
/* The rows of options are with the options. Variants of decide are not
 * recorded. */
static void every_option_is_recorded(void **state)
{
	struct astra_member rows[128] = {ASTRA_MEMBERS_END};
	size_t count = 0;

	(void)state;
	for (const struct astra_option *o = astra_option_table; o->key; o++)
		for (const struct astra_member *m = o->sets; m->key; m++)
			rows[count++] = *m;
	assert_true(count < ASTRA_COUNT_OF(rows));
	ROWS_CHECK(astra_options, rows, ROWS_BUT(astra_options, policy),
		   ROWS_BUT(astra_options, new_first),
		   ROWS_BUT(astra_options, on_unfit_tenant),
		   ROWS_BUT(astra_options, attained_first),
		   ROWS_BUT(astra_options, epoch_sec),
		   ROWS_BUT(astra_options, cap_tenants),
		   ROWS_BUT(astra_options, gpu_weights),
		   ROWS_BUT(astra_options, qos_weights));
}

static void every_member_is_recorded(void **state)
{
	(void)state;
	ROWS_CHECK(astra_node, astra_node_members);
	ROWS_CHECK(astra_tenant, astra_tenant_members);
	ROWS_CHECK(astra_user, astra_user_members);
	ROWS_CHECK(astra_job, astra_job_members,
		   ROWS_BUT(astra_job, request.allowed),
		   ROWS_BUT(astra_job, request.possible),
		   ROWS_BUT(astra_job, request.required),
		   ROWS_BUT(astra_job, request.preferred),
		   ROWS_BUT(astra_job, uses), ROWS_BUT(astra_job, use_count),
		   ROWS_BUT(astra_job, held), ROWS_BUT(astra_job, held_count));
	ROWS_CHECK(astra_limit, astra_limit_members);
	ROWS_CHECK(astra_use, astra_use_members);
	ROWS_CHECK(astra_share, astra_share_members,
		   ROWS_BUT(astra_share, owner), ROWS_BUT(astra_share, alone));
	ROWS_CHECK(astra_bid, astra_bid_members, ROWS_BUT(astra_bid, table));
	ROWS_CHECK(astra_decision, astra_decision_members,
		   ROWS_BUT(astra_decision, action),
		   ROWS_BUT(astra_decision, first_share),
		   ROWS_BUT(astra_decision, share_count));
	ROWS_CHECK(astra_reason, astra_reason_members);
}

static void exit_codes_are_recorded(void **state)
{
	const struct astra_round_head head = {"1.0", "world", "gpu"};
	const struct astra_snapshot none = {0};
	struct vcluster *vc = busy_cluster("ltgf", 1);
	struct astra_bytes image = {0};
	struct astra_text text = {0};
	struct astra_error err = {""};
	struct astra_round round;
	json_t *record;

	(void)state;
	astra_options_set(&vc->options, "CheckpointExit", "85,90", NULL);
	astra_options_set(&vc->options, "AdminComment", "yes", NULL);
	assert_int_equal(astra_engine_image(vc->engine, &image), 0);
	astra_round_begin(&text, &head, &vc->options, &image, &none);
	astra_round_end(&text, &vc->plan, "");
	record = json_loads(text.bytes, 0, NULL);
	if (astra_round_read(record, &round, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(round.options.admin_comment);
	assert_int_equal(round.options.checkpoint_exit_count, 2);
	assert_int_equal(round.options.checkpoint_exit[1], 90);
	astra_round_clear(&round);
	json_object_set_new(json_object_get(record, "options"),
			    "checkpoint_exit_count", json_integer(17));
	assert_int_equal(astra_round_read(record, &round, &err), -1);
	json_decref(record);
	astra_text_clear(&text);
	astra_bytes_clear(&image);
	end_cluster(vc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_plan),
		cmocka_unit_test(memory_that_is_not_counted_is_recorded),
		cmocka_unit_test(memory_that_nobody_asks_for_changes_no_plan),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(every_option_is_recorded),
		cmocka_unit_test(every_member_is_recorded),
		cmocka_unit_test(exit_codes_are_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
