/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/member_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 64 /* for the keys that lead to a value in a part */

int astra_read_wrong(const char *what, size_t index, const char *key,
		     struct astra_error *err)
{
	return astra_error_set(err, "%s[%zu].%s is missing or is no such value",
			       what, index, key);
}

bool astra_read_real(const json_t *json, double *out)
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

bool astra_read_whole(const json_t *json, int64_t least, int64_t most,
		      int64_t *out)
{
	*out = json_integer_value(json);
	return json_is_integer(json) && *out >= least && *out <= most;
}

static void member_clear(void *at, const struct astra_member *m)
{
	switch (m->kind) {
	case ASTRA_MEMBER_U32_OR_NULL:
		*(uint32_t *)at = UINT32_MAX;
		break;
	case ASTRA_MEMBER_REAL:
		*(double *)at = NAN;
		break;
	case ASTRA_MEMBER_TEXT:
	case ASTRA_MEMBER_TEXT_OR_NULL:
		*(const char **)at = "";
		break;
	case ASTRA_MEMBER_PART:
	case ASTRA_MEMBER_PART_OR_NULL:
		astra_members_clear(at, m->of);
		break;
	default:
		memset(at, 0, astra_member_size(m));
	}
}

void astra_members_clear(void *record, const struct astra_member *members)
{
	for (const struct astra_member *m = members; m->key; m++)
		for (size_t i = 0; i < astra_member_count(m); i++)
			member_clear((char *)record + m->offset +
					     i * astra_member_size(m),
				     m);
}

static bool member_has_null(enum astra_member_kind kind)
{
	switch (kind) {
	case ASTRA_MEMBER_U32_OR_NULL:
	case ASTRA_MEMBER_ID_OR_NULL:
	case ASTRA_MEMBER_COUNT:
	case ASTRA_MEMBER_TIME:
	case ASTRA_MEMBER_TEXT_OR_NULL:
	case ASTRA_MEMBER_PART_OR_NULL:
		return true;
	default:
		return false;
	}
}

static const char *members_read(const json_t *object, void *record,
				const struct astra_member *members,
				char path[PATH_BYTES]);

static bool member_read_whole(const json_t *json, void *at,
			      const struct astra_member *m)
{
	int64_t least = 0, most = INT64_MAX, whole;

	if (m->kind == ASTRA_MEMBER_INT)
		least = INT32_MIN;
	if (m->kind == ASTRA_MEMBER_SIZE || m->kind == ASTRA_MEMBER_INT)
		most = INT32_MAX;
	else if (astra_member_size(m) == sizeof(uint32_t))
		most = UINT32_MAX;
	if (!astra_read_whole(json, least, most, &whole))
		return false;
	if (m->kind == ASTRA_MEMBER_INT)
		*(int *)at = (int)whole;
	else if (m->kind == ASTRA_MEMBER_SIZE)
		*(size_t *)at = (size_t)whole;
	else if (most == UINT32_MAX)
		*(uint32_t *)at = (uint32_t)whole;
	else
		*(uint64_t *)at = (uint64_t)whole;
	return true;
}

/* Read a value. path: gets the keys that lead to a wrong value within a part.
 * Returns whether the value is valid. */
static bool member_read(const json_t *json, void *at,
			const struct astra_member *m, char path[PATH_BYTES])
{
	if (json_is_null(json) && member_has_null(m->kind)) {
		member_clear(at, m);
		return true;
	}
	switch (m->kind) {
	case ASTRA_MEMBER_FLAG:
		if (json_is_boolean(json))
			*(bool *)at = json_is_true(json);
		return json_is_boolean(json);
	case ASTRA_MEMBER_REAL:
	case ASTRA_MEMBER_TIME:
		return astra_read_real(json, at);
	case ASTRA_MEMBER_TEXT:
	case ASTRA_MEMBER_TEXT_OR_NULL:
		if (json_is_string(json))
			*(const char **)at = json_string_value(json);
		return json_is_string(json);
	case ASTRA_MEMBER_PART:
	case ASTRA_MEMBER_PART_OR_NULL:
		return json_is_object(json) &&
		       !members_read(json, at, m->of, path);
	default:
		return member_read_whole(json, at, m);
	}
}

static bool member_read_all(const json_t *json, char *at,
			    const struct astra_member *m, char path[PATH_BYTES])
{
	if (!m->count)
		return member_read(json, at, m, path);
	if (json_array_size(json) != m->count)
		return false;
	for (size_t i = 0; i < m->count; i++)
		if (!member_read(json_array_get(json, i),
				 at + i * astra_member_size(m), m, path))
			return false;
	return true;
}

/* Return the row of a key. The search begins at the most likely row. */
static const struct astra_member *
member_find(const struct astra_member *members, const struct astra_member *from,
	    const char *key)
{
	const struct astra_member *m = from;

	for (; m->key; m++)
		if (!strcmp(m->key, key))
			return m;
	for (m = members; m != from; m++)
		if (!strcmp(m->key, key))
			return m;
	return NULL;
}

/* Read members. Returns path with the keys that lead to the first wrong value,
 * or NULL. */
static const char *members_read(const json_t *object, void *record,
				const struct astra_member *members,
				char path[PATH_BYTES])
{
	json_t *own = (json_t *)(uintptr_t)object, *value;
	const struct astra_member *m, *next = members;
	const char *key, *wrong = NULL;

	json_object_foreach(own, key, value)
	{
		char part[PATH_BYTES] = "";

		m = member_find(members, next, key);
		if (!m)
			continue;
		next = m + 1;
		if (member_read_all(value, (char *)record + m->offset, m,
				    part) ||
		    wrong)
			continue;
		snprintf(path, PATH_BYTES, "%s%s%.40s", m->key,
			 *part ? "." : "", part);
		wrong = path;
	}
	return wrong;
}

int astra_members_read(const json_t *object, void *record,
		       const struct astra_member *members, const char *what,
		       size_t index, struct astra_error *err)
{
	char path[PATH_BYTES];

	if (!json_is_object(object))
		return astra_error_set(err, "%s[%zu] is missing", what, index);
	if (members_read(object, record, members, path))
		return astra_read_wrong(what, index, path, err);
	return 0;
}

void *astra_rows_read(const json_t *array, size_t size,
		      const struct astra_member *members, const char *what,
		      size_t *count, struct astra_error *err)
{
	char *rows = calloc(json_array_size(array) + 1, size);
	struct astra_error wrong;

	*count = rows ? json_array_size(array) : 0;
	if (array && !json_is_array(array) && !*err->text)
		astra_error_set(err, "%s is no array", what);
	for (size_t i = 0; i < *count; i++) {
		astra_members_clear(rows + i * size, members);
		if (astra_members_read(json_array_get(array, i),
				       rows + i * size, members, what, i,
				       &wrong) < 0 &&
		    !*err->text)
			*err = wrong;
	}
	return rows;
}
