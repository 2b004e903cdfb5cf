/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of nodes that are remembered follow the nodes by name. */
#include <stdlib.h>
#include <string.h>

#include "src/model/node_names.h"
#include "testsuite/unit/small_pool.h"

#define SLOT 100

static bool follow(struct astra_node_names *known, const char *letters,
		   struct astra_renumbering *by)
{
	struct astra_node nodes[POOL_NODES];

	pool_nodes(nodes, letters);
	return astra_node_names_follow(known, nodes, strlen(letters), by);
}

static void numbers_follow_names(void **state)
{
	static const struct {
		const char *before, *after;
		const char *now; /* '-': gone */
	} cases[] = {
		{"abc", "abcd", "012"}, {"abc", "ab", "01-"},
		{"abc", "bc", "-01"},	{"abc", "cab", "120"},
		{"abc", "adc", "0-2"},	{"abc", "dabc", "123"},
		{"abc", "", "---"},	{"", "abc", ""},
		{"...", "....", "012"}, {"...", "..", "01-"},
		{"a.b", "ba.", "1-0"},	{"aa", "ba", "-1"},
		{"aab", "caa", "21-"},	{"aab", "baa", "210"},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct astra_node_names known = {0};
		struct astra_renumbering by;
		size_t count = strlen(cases[i].now);

		follow(&known, cases[i].before, &by);
		free(by.now);
		assert_false(follow(&known, cases[i].before, &by));
		assert_true(follow(&known, cases[i].after, &by));
		assert_int_equal(by.count, count);
		for (uint32_t n = 0; n < count; n++)
			assert_int_equal(astra_renumbered(&by, n),
					 cases[i].now[n] == '-'
						 ? ASTRA_NONE
						 : (uint32_t)cases[i].now[n] -
							   '0');
		assert_int_equal(astra_renumbered(&by, (uint32_t)count),
				 ASTRA_NONE);
		free(by.now);
		astra_node_names_clear(&known);
	}
}

/* Damaged names are refused, and names that were not kept fit any. */
static void names_are_kept_as_bytes(void **state)
{
	struct astra_node_names known = {0}, again = {0};
	struct astra_bytes out = {0};
	struct astra_renumbering by;

	(void)state;
	follow(&known, "ab.", &by);
	free(by.now);
	astra_node_names_put(&known, &out);
	for (size_t size = 0; size <= out.size; size++) {
		struct astra_reader in = {.data = out.data, .size = size};

		assert_int_equal(astra_node_names_get(&again, &in),
				 size == out.size ? 0 : -1);
		assert_true(size < out.size || !follow(&again, "ab.", &by));
		astra_node_names_clear(&again);
	}
	astra_node_names_clear(&known);
	astra_bytes_clear(&out);
}

static void a_refusal_follows_its_node(void **state)
{
	const struct astra_share refused = {.node = 0, .gpus = 4};
	struct pool p;

	(void)state;
	pool_begin(&p, "ab");
	pool_job(&p, 0);
	assert_string_equal(pool_round(&p, 7, 1000), "a");
	astra_engine_refuse(p.engine, 7, &refused, 1, true, 1000);
	assert_string_equal(pool_round(&p, 7, 1001), "b");
	pool_order(&p, "ba");
	assert_string_equal(pool_round(&p, 7, 1002), "b");
	pool_order(&p, "cabd");
	assert_string_not_equal(pool_round(&p, 7, 1003), "a");
	/* A node of that name that is new is another one. */
	pool_order(&p, "b");
	assert_string_equal(pool_round(&p, 7, 1004), "b");
	pool_order(&p, "a");
	assert_string_equal(pool_round(&p, 7, 1005), "a");
	pool_end(&p);
}

/* Job 8 may only use node a, whose job was told to leave for it. */
static void a_promise_follows_its_nodes(void **state)
{
	const uint64_t first = 1, second = 2;
	struct pool p;

	(void)state;
	pool_begin(&p, "ab");
	pool_job(&p, 0)->checkpoints = true;
	pool_run(&p, &p.jobs[0], "a", 1000);
	pool_round(&p, 7, 1000);
	pool_job(&p, 1)->request.allowed = &first;
	pool_job(&p, 0);
	pool_run(&p, &p.jobs[2], "b", 1000);
	assert_null(pool_round(&p, 8, 1030));
	assert_int_equal(p.plan.decisions[0].action, ASTRA_SIGNAL);

	p.jobs[1].request.allowed = &second;
	pool_order(&p, "ba");
	pool_run(&p, &p.jobs[0], "a", 1000);
	pool_stop(&p.jobs[2], ASTRA_JOB_ENDED);
	assert_null(pool_round(&p, 8, 1031));
	pool_stop(&p.jobs[0], ASTRA_JOB_PENDING);
	p.jobs[0].restart_cnt++;
	pool_order(&p, "ba");
	assert_string_equal(pool_round(&p, 8, 1032), "a");
	pool_end(&p);
}

/* Two of three jobs run in slot 3; the one that was sold slot 4 is returned. */
static uint32_t pool_sell(struct pool *p)
{
	uint32_t left = 7 + 8 + 9;

	pool_begin(p, "ab");
	strcpy(p->options.policy, "incentive");
	p->options.slot_sec = SLOT;
	p->options.batch_max = 4;
	p->options.price_base = 1;
	p->options.lend_idle = p->options.promise = false;
	for (int i = 0; i < 3; i++)
		pool_job(p, 0)->forecast.work_sec = SLOT - 10;
	pool_round(p, 0, 1000);
	pool_round(p, 0, 1000 + 2 * SLOT);
	assert_int_equal(p->plan.decision_count, 2);
	for (size_t i = 0; i < 2; i++) {
		uint32_t id = p->plan.decisions[i].job;

		left -= id;
		pool_run(p, &p->jobs[id - 7], i ? "b" : "a", 1000 + 2 * SLOT);
	}
	assert_null(pool_round(p, left, 1010 + 2 * SLOT));
	for (size_t i = 0; i < 3; i++)
		if (p->jobs[i].id != left)
			pool_stop(&p->jobs[i], ASTRA_JOB_ENDED);
	return left;
}

static void pool_restart(struct pool *p)
{
	struct astra_bytes out = {0};
	struct astra_error err = {""};

	assert_int_equal(astra_engine_save(p->engine, &out), 0);
	astra_engine_destroy(p->engine);
	p->engine = astra_engine_restore(&p->options, out.data, out.size, &err);
	if (!p->engine)
		fail_msg("%s", err.text);
	astra_bytes_clear(&out);
}

/* Whether the order of nodes changes while slurmctld is down, or not. */
static void slots_that_were_sold_follow_their_nodes(void **state)
{
	static const struct {
		const char *order;
		bool restart;
	} cases[] = {
		{"ab", false}, {"ba", false}, {"ab", true},
		{"ba", true},  {"cba", true},
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(cases); i++) {
		struct pool p;
		uint32_t job = pool_sell(&p);

		if (cases[i].restart)
			pool_restart(&p);
		pool_order(&p, cases[i].order);
		assert_string_equal(pool_round(&p, job, 1000 + 3 * SLOT), "a");
		pool_end(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_names),
		cmocka_unit_test(names_are_kept_as_bytes),
		cmocka_unit_test(a_refusal_follows_its_node),
		cmocka_unit_test(a_promise_follows_its_nodes),
		cmocka_unit_test(slots_that_were_sold_follow_their_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
