/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/decide/decide_themis.h"

#define TABLE_GPUS_MAX 4096

void themis_instance_clear(struct themis_instance *instance)
{
	astra_arena_free(&instance->arena);
	*instance = (struct themis_instance){0};
}

void *themis_take(const struct astra_in *in, struct themis_instance *instance,
		  size_t count, size_t size)
{
	void *memory = astra_arena_take(&instance->arena, (count + 1) * size);

	if (!memory)
		astra_error_nomem(in->err);
	return memory;
}

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

int themis_parse_word(const struct astra_in *in, const char *key,
		      const char *const *words, size_t *out)
{
	*out = SIZE_MAX;
	if (astra_in_word(in, key, words, out) < 0)
		return -1;
	return *out == SIZE_MAX ? astra_in_fail(in, key, "is missing") : 0;
}

int themis_parse_slowdown(const struct astra_in *in, const char *key,
			  double *out)
{
	const json_t *array;

	if (astra_in_array(in, key, ASTRA_OPTIONAL, &array) < 0)
		return -1;
	return array ? astra_in_numbers(in, key, ASTRA_LEVEL_COUNT, 1e-6, 1e6,
					out)
		     : 0;
}

static int parse_machines(const struct astra_in *in,
			  struct themis_instance *out)
{
	enum astra_need need =
		out->mode == THEMIS_COUNTS ? ASTRA_REQUIRED : ASTRA_OPTIONAL;
	const json_t *array;
	uint64_t gpus = 0;
	size_t count;

	if (astra_in_array(in, "machines", need, &array) < 0)
		return -1;
	count = json_array_size(array);
	out->machines = themis_take(in, out, count, sizeof(*out->machines));
	if (!out->machines)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct astra_themis_machine *m = &out->machines[i];
		struct astra_in at;

		if (astra_in_element(in, "machines", array, i, &at) < 0 ||
		    astra_in_whole(&at, "free", ASTRA_REQUIRED, THEMIS_GPUS_MAX,
				   &m->free) < 0 ||
		    astra_in_whole(&at, "rack", ASTRA_REQUIRED, UINT32_MAX,
				   &m->rack) < 0 ||
		    astra_in_whole(&at, "slot", ASTRA_REQUIRED, UINT32_MAX,
				   &m->slot) < 0)
			return -1;
		gpus += m->free;
	}
	if (gpus > THEMIS_GPUS_MAX)
		return astra_in_fail(in, "machines",
				     "may have up to %d GPUs free in all",
				     THEMIS_GPUS_MAX);
	out->market.machines = out->machines;
	out->market.machine_count = count;
	return 0;
}

static int parse_bundles(const struct astra_in *in, struct themis_instance *out)
{
	const json_t *array, *gpus, *level;

	if (astra_in_array(in, "bundles", ASTRA_REQUIRED, &array) < 0)
		return -1;
	out->bundle_count = json_array_size(array);
	out->bundles =
		themis_take(in, out, out->bundle_count, sizeof(*out->bundles));
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

static int parse_apps(const struct astra_in *in, struct themis_instance *out,
		      json_t *ids)
{
	const json_t *array;
	size_t count;

	if (astra_in_array(in, "apps", ASTRA_REQUIRED, &array) < 0)
		return -1;
	count = json_array_size(array);
	out->apps = themis_take(in, out, count, sizeof(*out->apps));
	out->ids = themis_take(in, out, count, sizeof(*out->ids));
	out->tables = themis_take(in, out, count, sizeof(*out->tables));
	if (!out->apps || !out->ids || !out->tables)
		return -1;
	out->market.apps = out->apps;
	out->market.app_count = count;
	for (size_t i = 0; i < count; i++) {
		struct astra_in at;

		if (astra_in_element(in, "apps", array, i, &at) < 0 ||
		    astra_in_new_id(&at, ids, i, &out->ids[i]) < 0 ||
		    (out->mode == THEMIS_TABLE
			     ? themis_parse_table(&at, out, i)
			     : themis_parse_app(&at, out, i)) < 0)
			return -1;
	}
	return 0;
}

/* What holds for all apps. A table of bids needs neither times nor the size of
 * the cluster. */
static int parse_common(const struct astra_in *in, struct themis_instance *out)
{
	enum astra_need need =
		out->mode == THEMIS_TABLE ? ASTRA_OPTIONAL : ASTRA_REQUIRED;
	uint32_t seed = 0;

	if (astra_in_number(in, "now", need, -ASTRA_IN_TIME_MAX,
			    ASTRA_IN_TIME_MAX, &out->now_sec) < 0 ||
	    astra_in_whole(in, "cluster_gpus", need, ASTRA_IN_GPUS_MAX,
			   &out->market.cluster_gpus) < 0 ||
	    astra_in_number(in, "f", ASTRA_OPTIONAL, 0, 1, &out->market.f) <
		    0 ||
	    astra_in_whole(in, "seed", ASTRA_OPTIONAL, UINT32_MAX, &seed) < 0 ||
	    themis_parse_slowdown(in, "slowdown", out->slowdown) < 0)
		return -1;
	out->market.seed = seed;
	if (out->mode == THEMIS_TABLE)
		return astra_in_whole(in, "gpus", ASTRA_REQUIRED,
				      TABLE_GPUS_MAX, &out->table_gpus);
	if (parse_machines(in, out) < 0)
		return -1;
	return out->mode == THEMIS_RHO ? parse_bundles(in, out) : 0;
}

int themis_parse(const json_t *json, struct themis_instance *out,
		 struct astra_error *err)
{
	static const char *const modes[] = {"counts", "table", "rho", NULL};
	struct astra_in in = {.object = json, .err = err};
	json_t *ids = astra_ids_create();
	size_t mode;
	int rc = -1;

	*out = (struct themis_instance){
		.slowdown = {1, 1, 1.1, 1.3},
	};
	if (!ids)
		return astra_error_nomem(err);
	if (themis_parse_word(&in, "mode", modes, &mode) == 0) {
		out->mode = (enum themis_mode)mode;
		if (parse_common(&in, out) == 0)
			rc = parse_apps(&in, out, ids);
	}
	json_decref(ids);
	return rc;
}
