/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/record/members.h"

int astra_round_wrong(const char *what, size_t index, const char *key,
		      struct astra_error *err)
{
	return astra_error_set(err,
			       "the record's %s[%zu].%s is missing or is no "
			       "such value",
			       what, index, key);
}

bool astra_round_real(const json_t *json, double *out)
{
	const char *text = json_string_value(json);

	if (json_is_number(json))
		*out = json_number_value(json);
	else if (text && (!strcmp(text, "inf") || !strcmp(text, "-inf")))
		*out = *text == '-' ? -HUGE_VAL : HUGE_VAL;
	else if (json_is_null(json))
		*out = NAN;
	else
		return false;
	return true;
}

bool astra_round_whole(const json_t *json, int64_t least, int64_t most,
		       int64_t *out)
{
	*out = json_integer_value(json);
	return json_is_integer(json) && *out >= least && *out <= most;
}

static bool get_value(const json_t *json, void *at, enum astra_member_kind kind)
{
	int64_t whole = 0;

	switch (kind) {
	case ASTRA_MEMBER_U32:
		if (!astra_round_whole(json, 0, UINT32_MAX, &whole))
			return false;
		*(uint32_t *)at = (uint32_t)whole;
		return true;
	case ASTRA_MEMBER_U64:
		if (!astra_round_whole(json, 0, INT64_MAX, &whole))
			return false;
		*(uint64_t *)at = (uint64_t)whole;
		return true;
	case ASTRA_MEMBER_SIZE:
		if (!astra_round_whole(json, 0, INT32_MAX, &whole))
			return false;
		*(size_t *)at = (size_t)whole;
		return true;
	case ASTRA_MEMBER_INT:
		if (!astra_round_whole(json, INT32_MIN, INT32_MAX, &whole))
			return false;
		*(int *)at = (int)whole;
		return true;
	case ASTRA_MEMBER_FLAG:
		*(bool *)at = json_is_true(json);
		return json_is_boolean(json);
	case ASTRA_MEMBER_REAL:
		return astra_round_real(json, at);
	case ASTRA_MEMBER_TEXT:
		*(const char **)at = json_string_value(json);
		return json_is_string(json);
	default:
		return false;
	}
}

static bool get_elements(const json_t *json, char *at,
			 const struct astra_member *m)
{
	if (!m->count)
		return get_value(json, at, m->kind);
	if (json_array_size(json) != m->count)
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (!get_value(json_array_get(json, i),
			       at + i * astra_member_size(m), m->kind))
			return false;
	return true;
}

int astra_round_get(const json_t *object, void *record,
		    const struct astra_member *members, const char *what,
		    size_t index, struct astra_error *err)
{
	if (!json_is_object(object))
		return astra_error_set(err, "the record's %s[%zu] is missing",
				       what, index);
	for (const struct astra_member *m = members; m->key; m++) {
		const json_t *value = json_object_get(object, m->key);

		if (value &&
		    !get_elements(value, (char *)record + m->offset, m))
			return astra_round_wrong(what, index, m->key, err);
	}
	return 0;
}
