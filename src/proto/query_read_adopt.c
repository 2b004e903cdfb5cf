/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What accounts begin with: [tenant, user, A, F], "" for the tenant itself. */
#include "src/proto/query_read.h"

static const char key[] = "usage";

static bool adopt_name(const json_t *value, bool may_be_empty)
{
	size_t size = json_string_length(value);

	return json_is_string(value) &&
	       ((may_be_empty && !size) ||
		astra_name_valid(json_string_value(value), size));
}

/* JSON has no infinity and no NaN. */
static bool adopt_gpu_sec(const json_t *value)
{
	return json_is_number(value) && json_number_value(value) >= 0 &&
	       json_number_value(value) <= ASTRA_ADOPT_GPU_SEC_MAX;
}

static enum astra_fault adopt_entry(const json_t *entry,
				    struct astra_query_adopt *out,
				    struct astra_error *err)
{
	const json_t *tenant = json_array_get(entry, 0);
	const json_t *user = json_array_get(entry, 1);
	const json_t *alloc = json_array_get(entry, 2);
	const json_t *fair = json_array_get(entry, 3);

	if (json_array_size(entry) != 4 || !adopt_name(tenant, false) ||
	    !adopt_name(user, true) || !adopt_gpu_sec(alloc) ||
	    !adopt_gpu_sec(fair))
		return astra_malformed(
			err, key,
			"an entry is [tenant, user or \"\", A, F], A and F in "
			"GPU seconds from 0 to 1e15");
	return astra_adopt_add(
		       out, json_string_value(tenant), json_string_value(user),
		       (struct astra_usage){json_number_value(alloc),
					    json_number_value(fair)}) < 0
		       ? ASTRA_FAULT_INTERNAL
		       : ASTRA_FAULT_NONE;
}

enum astra_fault astra_read_adopt(const json_t *value, struct astra_query *out,
				  struct astra_error *err)
{
	enum astra_fault fault = ASTRA_FAULT_NONE;
	json_t *entry;
	size_t i;

	if (!json_is_array(value))
		return astra_malformed(err, key, "must be an array");
	if (json_array_size(value) > ASTRA_ADOPT_MAX)
		return astra_malformed(err, key, "has more than 10000 entries");
	out->adopt.given = true;
	json_array_foreach(value, i, entry)
	{
		if (fault)
			break;
		fault = adopt_entry(entry, &out->adopt, err);
	}
	return fault;
}

enum astra_fault astra_read_replace(const json_t *value,
				    struct astra_query *out,
				    struct astra_error *err)
{
	if (!json_is_boolean(value))
		return astra_malformed(err, "replace", "must be true or false");
	out->adopt.replace = json_is_true(value);
	return ASTRA_FAULT_NONE;
}

/* Who comes for the outcome says nothing more. */
enum astra_fault astra_check_adopt(const struct astra_query *query,
				   struct astra_error *err)
{
	if (query->ticket && query->adopt.given)
		return astra_malformed(err, key, "does not go with \"ticket\"");
	if (query->adopt.replace && !query->adopt.given)
		return astra_malformed(err, "replace", "goes with \"usage\"");
	return ASTRA_FAULT_NONE;
}
