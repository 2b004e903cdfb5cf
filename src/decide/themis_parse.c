/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/decide/decide_themis.h"

#define TABLE_GPUS_MAX 4096

#define COMMON(kind, key, member, count, ...)                                  \
	ASTRA_MEMBER_ROW(key, themis_instance, kind, member, ALL, count, NULL, \
			 .optional = true, __VA_ARGS__)

static const struct astra_member common_members[] = {
	COMMON(REAL, "f", market.f, 0, .most = 1),
	COMMON(U64, "seed", market.seed, 0, .most = UINT32_MAX),
	COMMON(REAL, "slowdown", slowdown, ASTRA_LEVEL_COUNT, .least = 1e-6,
	       .most = 1e6),
	ASTRA_MEMBERS_END,
};

#define MACHINE(member, max) \
	ASTRA_MEMBER(astra_themis_machine, U32, member, .most = max)

static const struct astra_member machine_members[] = {
	MACHINE(free, THEMIS_GPUS_MAX),
	MACHINE(rack, UINT32_MAX),
	MACHINE(slot, UINT32_MAX),
	ASTRA_MEMBERS_END,
};

int themis_parse_rho(const struct astra_in *in, const char *key,
		     enum astra_need need, double min, double *out)
{
	const char *text = json_string_value(json_object_get(in->object, key));

	if (text && !strcmp(text, "inf")) {
		*out = HUGE_VAL;
		return 0;
	}
	return astra_in_number(in, key, need, min, 1e100, out);
}

static int read_machine(const struct astra_in *in, void *machine)
{
	return astra_in_members(in, machine_members, machine);
}

static int parse_machines(const struct astra_in *in,
			  struct themis_instance *out)
{
	struct astra_themis_market *market = &out->market;
	enum astra_need need =
		out->mode == THEMIS_COUNTS ? ASTRA_REQUIRED : ASTRA_OPTIONAL;
	uint64_t gpus = 0;

	if (astra_in_list(in, "machines", need, sizeof(*market->machines),
			  read_machine, &market->machines,
			  &market->machine_count) < 0)
		return -1;
	for (size_t i = 0; i < market->machine_count; i++)
		gpus += market->machines[i].free;
	if (gpus > THEMIS_GPUS_MAX)
		return astra_in_fail(in, "machines",
				     "may have up to %d GPUs free in all",
				     THEMIS_GPUS_MAX);
	return 0;
}

static int parse_bundles(const struct astra_in *in, struct themis_instance *out)
{
	const json_t *array, *gpus, *level;

	if (astra_in_array(in, "bundles", ASTRA_REQUIRED, &array) < 0)
		return -1;
	out->bundle_count = json_array_size(array);
	out->bundles =
		astra_in_take(in, out->bundle_count, sizeof(*out->bundles));
	if (!out->bundles)
		return -1;
	for (size_t i = 0; i < out->bundle_count; i++) {
		struct themis_bundle *b = &out->bundles[i];
		uint32_t n;

		if (astra_in_pair(in, "bundles", array, i, &gpus, &level) < 0)
			return -1;
		if (!astra_json_whole(gpus, 0, THEMIS_GPUS_MAX, &b->gpus) ||
		    !astra_json_whole(level, 0, ASTRA_LEVEL_COUNT - 1, &n))
			return astra_in_fail(in, "bundles",
					     "bundle %zu must have a whole "
					     "number of GPUs up to %d and a "
					     "level from 0 to 3",
					     i, THEMIS_GPUS_MAX);
		b->level = (enum astra_level)n;
	}
	return 0;
}

static int parse_apps(const struct astra_in *in, struct themis_instance *out)
{
	struct astra_themis_market *market = &out->market;

	if (out->mode == THEMIS_TABLE)
		return astra_in_list(in, "apps", ASTRA_REQUIRED,
				     sizeof(*out->tables), themis_parse_table,
				     &out->tables, &market->app_count);
	return astra_in_list(in, "apps", ASTRA_REQUIRED, sizeof(*market->apps),
			     themis_parse_app, &market->apps,
			     &market->app_count);
}

/* Reads the fields that concern all apps. With tables of bids, neither times
 * nor the size of the cluster are needed. */
static int parse_common(const struct astra_in *in, struct themis_instance *out)
{
	enum astra_need need =
		out->mode == THEMIS_TABLE ? ASTRA_OPTIONAL : ASTRA_REQUIRED;

	if (astra_in_number(in, "now", need, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &out->now_sec) < 0 ||
	    astra_in_whole(in, "cluster_gpus", need, ASTRA_IN_GPUS_MAX,
			   &out->market.cluster_gpus) < 0 ||
	    astra_in_members(in, common_members, out) < 0)
		return -1;
	if (out->mode == THEMIS_TABLE)
		return astra_in_whole(in, "gpus", ASTRA_REQUIRED,
				      TABLE_GPUS_MAX, &out->table_gpus);
	if (parse_machines(in, out) < 0)
		return -1;
	return out->mode == THEMIS_RHO ? parse_bundles(in, out) : 0;
}

int themis_parse(struct astra_in *in, struct themis_instance *out)
{
	static const char *const modes[] = {"counts", "table", "rho", NULL};
	size_t mode;

	*out = (struct themis_instance){
		.json = in->object,
		.slowdown = {1, 1, 1.1, 1.3},
	};
	in->whole = out;
	if (astra_in_word(in, "mode", ASTRA_REQUIRED, modes, &mode) < 0)
		return -1;
	out->mode = (enum themis_mode)mode;
	return parse_common(in, out) < 0 ? -1 : parse_apps(in, out);
}
