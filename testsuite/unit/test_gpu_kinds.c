/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole GPUs and devices of MIG, by what they are called. */
#include <string.h>

#include "src/slurm/conf/gpu_kinds.h"
#include "testsuite/unit/unit.h"

/* As NVIDIA's "MIG device names" have them, and Slurm's AutoDetect. */
static void devices_of_mig_are_known_by_name(void **state)
{
	static const char *const mig[] = {
		"1g.5gb",    "7g.40gb",	      "1g.10gb+me",
		"1g.12gb",   "a100_3g.20gb",  "nvidia_h100_80gb_hbm3_1g.10gb",
		"1G.5GB+ME", "a30-2g.12gb.me"};
	static const char *const whole[] = {"",		 "a100",  "a100_80gb",
					    "v100.16gb", "g.5gb", "1g.gb",
					    "1g5gb",	 "h100",  "gtx1080g"};

	(void)state;
	for (size_t i = 0; i < ASTRA_COUNT_OF(mig); i++)
		assert_true(astra_gpu_is_mig(mig[i]));
	for (size_t i = 0; i < ASTRA_COUNT_OF(whole); i++)
		assert_false(astra_gpu_is_mig(whole[i]));
}

static struct astra_gpu_kinds kinds_of(const char *gres)
{
	struct astra_weights weights = {.count = 0};
	struct astra_gpu_kinds kinds;

	memset(&kinds, 0, sizeof(kinds));
	assert_int_equal(
		astra_weights_parse(&weights, "1g.5gb:0.14", false, NULL), 0);
	astra_gpu_kinds_add_gres(&kinds, &weights, "n[1-2]", gres);
	return kinds;
}

static void gres_of_slurm_conf_is_read(void **state)
{
	struct astra_gpu_kinds kinds;

	(void)state;
	kinds = kinds_of("shard:8,gpu:a100:2,gpu:1g.5gb:7,gpu:3g.20gb:1(S:0)");
	assert_string_equal(kinds.whole.type, "a100");
	assert_string_equal(kinds.mig.type, "1g.5gb");
	assert_string_equal(kinds.mig.node, "n[1-2]");
	assert_string_equal(kinds.unweighed.type, "3g.20gb");
	/* Without a type, or without anything. */
	kinds = kinds_of(
		"gpu:4,gpu,gpu:4(S:0-1),bandwidth:lustre:no_consume:4");
	assert_string_equal(kinds.whole.type, "");
	assert_string_equal(kinds.mig.type, "");
	kinds = kinds_of("");
	assert_string_equal(kinds.whole.type, "");
	kinds = kinds_of(NULL);
	assert_string_equal(kinds.whole.type, "");
	kinds = kinds_of(",,gpu:,gpu::2,:");
	assert_string_equal(kinds.whole.type, "");
}

static void both_in_a_pool_are_refused(void **state)
{
	struct astra_gpu_kinds kinds = kinds_of("gpu:a100:2,gpu:1g.5gb:7");
	struct astra_error err = {""};

	(void)state;
	assert_int_equal(astra_gpu_kinds_check(&kinds, "all", &err), -1);
	assert_non_null(strstr(err.text, "pool all: node n[1-2] has devices of "
					 "MIG, gpu:1g.5gb, and whole GPUs, "
					 "gpu:a100: "));
	err.text[0] = '\0';
	astra_gpu_kinds_warn(&kinds, "all", &err);
	assert_string_equal(err.text, "");
	kinds = kinds_of("gpu:1g.5gb:5,gpu:2g.10gb:1");
	assert_int_equal(astra_gpu_kinds_check(&kinds, "mig", &err), 0);
	astra_gpu_kinds_warn(&kinds, "mig", &err);
	assert_non_null(
		strstr(err.text, "GPUWeight does not name gpu:2g.10gb"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_of_mig_are_known_by_name),
		cmocka_unit_test(gres_of_slurm_conf_is_read),
		cmocka_unit_test(both_in_a_pool_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
