/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "src/slurm/in/ask.h"
#include "testsuite/unit/unit.h"

/* The longest name of a type: 63 characters. */
#define LONGEST \
	"a01234567890123456789012345678901234567890123456789012345678912"

static const struct {
	const char *text;
	uint64_t gpus;
	const char *type;
	bool two_types, shards, mps;
} good[] = {
	{"", 0, "", false, false, false},
	{"gres:gpu", 1, "", false, false, false},
	{"gres:gpu:8", 8, "", false, false, false},
	{"gres/gpu:8", 8, "", false, false, false},
	{"gres/gpu=8", 8, "", false, false, false},
	{"cpu=4,gres/gpu:a100=2", 2, "a100", false, false, false},
	{"gpu:8", 8, "", false, false, false},
	{"gres:gpu:a100", 1, "a100", false, false, false},
	{"gres:gpu:a100:2", 2, "a100", false, false, false},
	{"gres:gpu:2k", 2048, "", false, false, false},
	{"gres:gpu:0", 0, "", false, false, false},
	{"gres:gpu:0,gres:gpu:a100:1", 1, "a100", false, false, false},
	{"gres:tmpdisk:100,gres:gpu:2", 2, "", false, false, false},
	/* named twice: the last one counts, as in stock Slurm */
	{"gres:gpu:a100:2,gres:gpu:a100:1", 1, "a100", false, false, false},
	{"gres:gpu:1,gres:gpu:1", 1, "", false, false, false},
	{"gres:gpu:1,gres:nic:1,gres:gpu:3", 3, "", false, false, false},
	{"gres:gpu:a100:2,gres:gpu:v100:1", 3, "v100", true, false, false},
	{"gres:gpu:2,gres:gpu:v100:1", 3, "v100", true, false, false},
	{"gres:gpux:2,gres:mygpu:1", 0, "", false, false, false},
	{"gres:shard:4", 4, "", false, true, false},
	{"gres/shard:a100:2", 2, "a100", false, true, false},
	{"gres:shard:0", 0, "", false, false, false},
	{"gres:shards:2", 0, "", false, false, false},
	{"gres:gpu:" LONGEST ":2", 2, LONGEST, false, false, false},
	{"gres:mps:50", 0, "", false, false, true},
	{"gres:mps:0", 0, "", false, false, false},
	{"gres:gpu:99999999999999999999", UINT32_MAX, "", false, false, false},
	{"gres:gpu:4000000000,gres:gpu:a:4000000000", UINT32_MAX, "a", true,
	 false, false},
};

static void every_form_of_sbatch_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(good); i++) {
		struct astra_ask ask = {0};
		struct astra_error err = {""};

		print_message("\"%s\"\n", good[i].text);
		assert_int_equal(
			astra_ask_add(&ask, ASTRA_PER_NODE, good[i].text, &err),
			0);
		assert_int_equal(ask.count[ASTRA_PER_NODE], good[i].gpus);
		assert_string_equal(ask.type, good[i].type);
		assert_int_equal(ask.two_types, good[i].two_types);
		assert_int_equal(ask.shards, good[i].shards);
		assert_int_equal(ask.gpus, good[i].gpus && !good[i].shards);
		assert_int_equal(ask.mps, good[i].mps);
	}
}

static void gpus_that_cannot_be_read_are_named(void **state)
{
	static const char *const bad[] = {
		"gres:gpu:",
		"gres:gpu::1",
		"gres:gpu:a100:",
		"gres:gpu:a100:x",
		"gres:gpu:a100:-1",
		"gres:gpu:a:1:1",
		"gres:shard:",
		"gres:shard:a::1",
		"gres:gpu:" LONGEST "x:2",
	};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(bad); i++) {
		struct astra_ask ask = {0};
		struct astra_error err = {""};

		print_message("\"%s\"\n", bad[i]);
		assert_int_equal(
			astra_ask_add(&ask, ASTRA_PER_JOB, bad[i], &err), -1);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

static const struct {
	uint64_t job, node, socket, task;
	struct astra_spread spread;
	uint64_t gpus, node_gpus;
	uint32_t nodes;
} needs[] = {
	{0, 0, 0, 0, {0}, 0, 0, 0},
	/* --gpus=8: anywhere; -N2: so many on the fuller one at least */
	{8, 0, 0, 0, {0}, 8, 1, 1},
	{9, 0, 0, 0, {.nodes_min = 2, .nodes_max = 2}, 9, 5, 2},
	/* --gres=gpu:8 */
	{0, 8, 0, 0, {0}, 8, 8, 1},
	{0, 8, 0, 0, {.nodes_min = 4, .nodes_max = 8}, 32, 8, 4},
	{16, 8, 0, 0, {0}, 16, 8, 1},
	/* --gpus-per-task */
	{0, 0, 0, 1, {.tasks = 9}, 9, 1, 1},
	{0, 0, 0, 1, {.tasks = 9, .nodes_max = 1}, 9, 9, 1},
	{0, 0, 0, 2, {.tasks_per_node = 4}, 8, 8, 1},
	/* with a number of tasks, that for a node is only a limit */
	{0, 0, 0, 2, {.tasks = 6, .tasks_per_node = 4}, 12, 2, 1},
	/* --gpus-per-socket */
	{0, 0, 2, 0, {.sockets_per_node = 2}, 4, 4, 1},
	/* --ntasks-per-gpu */
	{0, 0, 0, 0, {.tasks = 8, .tasks_per_gpu = 2}, 4, 1, 1},
	{0, 0, 0, 0, {.tasks_per_gpu = 2}, 0, 0, 0},
	/* nothing overflows */
	{UINT32_MAX,
	 UINT32_MAX,
	 0,
	 0,
	 {.nodes_min = UINT32_MAX},
	 (uint64_t)UINT32_MAX *UINT32_MAX,
	 UINT32_MAX,
	 UINT32_MAX},
};

static void a_job_needs_what_its_counts_demand_together(void **state)
{
	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(needs); i++) {
		struct astra_ask ask = {
			.count = {needs[i].job, needs[i].node, needs[i].socket,
				  needs[i].task},
		};
		struct astra_need need = astra_ask_need(&ask, &needs[i].spread);

		print_message("case %zu\n", i);
		assert_true(need.gpus == needs[i].gpus);
		assert_true(need.node_gpus == needs[i].node_gpus);
		assert_int_equal(need.nodes, needs[i].nodes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_sbatch_is_read),
		cmocka_unit_test(gpus_that_cannot_be_read_are_named),
		cmocka_unit_test(a_job_needs_what_its_counts_demand_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
