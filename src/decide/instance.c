/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"

int astra_in_fail(const struct astra_in *in, const char *key, const char *fmt,
		  ...)
{
	char text[384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!key && !*in->path)
		return astra_error_set(in->err, "%s", text);
	return astra_error_set(in->err, "%s%s%s: %s", in->path,
			       key && *in->path ? "." : "", key ? key : "",
			       text);
}

/* Returns a field, or NULL if it is absent or null. */
static const json_t *instance_field(const struct astra_in *in, const char *key)
{
	const json_t *value = json_object_get(in->object, key);

	return json_is_null(value) ? NULL : value;
}

static int absent(const struct astra_in *in, const char *key,
		  enum astra_need need)
{
	return need == ASTRA_REQUIRED ? astra_in_fail(in, key, "is missing")
				      : 0;
}

/* Fails with "must be …, not VALUE", in which a long value is shortened. */
static int not_allowed(const struct astra_in *in, const char *key,
		       const json_t *value, const char *allowed)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					       JSON_REAL_PRECISION(15));
	bool long_text = text && strlen(text) > 40;
	int rc = astra_in_fail(in, key, "must be %s, not %.40s%s", allowed,
			       text ? text : "this", long_text ? "..." : "");

	free(text);
	return rc;
}

int astra_in_number(const struct astra_in *in, const char *key,
		    enum astra_need need, double min, double max, double *out)
{
	const json_t *value = instance_field(in, key);
	char allowed[80];
	double number;

	if (!value)
		return absent(in, key, need);
	number = json_number_value(value);
	if (json_is_number(value) && number >= min && number <= max) {
		*out = number;
		return 0;
	}
	snprintf(allowed, sizeof(allowed), "a number from %g to %g", min, max);
	return not_allowed(in, key, value, allowed);
}

bool astra_json_whole(const json_t *value, uint32_t min, uint32_t max,
		      uint32_t *out)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= min && number <= max) ||
	    number != floor(number))
		return false;
	*out = (uint32_t)number;
	return true;
}

int astra_in_whole(const struct astra_in *in, const char *key,
		   enum astra_need need, uint32_t max, uint32_t *out)
{
	const json_t *value = instance_field(in, key);
	char allowed[80];

	if (!value)
		return absent(in, key, need);
	if (astra_json_whole(value, 0, max, out))
		return 0;
	snprintf(allowed, sizeof(allowed), "a whole number from 0 to %u", max);
	return not_allowed(in, key, value, allowed);
}

int astra_in_bool(const struct astra_in *in, const char *key, bool *out)
{
	const json_t *value = instance_field(in, key);

	if (!value)
		return 0;
	if (!json_is_boolean(value))
		return not_allowed(in, key, value, "true or false");
	*out = json_is_true(value);
	return 0;
}

int astra_in_word_value(const struct astra_in *in, const char *name,
			const json_t *value, const char *const *words,
			size_t *out)
{
	const char *word = json_string_value(value);
	char allowed[160] = "";

	for (size_t i = 0; words[i]; i++) {
		size_t used = strlen(allowed);

		if (word && !strcmp(words[i], word)) {
			*out = i;
			return 0;
		}
		snprintf(allowed + used, sizeof(allowed) - used, "%s\"%s\"",
			 i ? " or " : "", words[i]);
	}
	return not_allowed(in, name, value, allowed);
}

int astra_in_word(const struct astra_in *in, const char *key,
		  enum astra_need need, const char *const *words, size_t *out)
{
	const json_t *value = instance_field(in, key);

	return value ? astra_in_word_value(in, key, value, words, out)
		     : absent(in, key, need);
}

int astra_in_id(const struct astra_in *in, const char *key, const json_t **out)
{
	const json_t *value = instance_field(in, key);

	if (!value)
		return absent(in, key, ASTRA_REQUIRED);
	if (!json_is_string(value) && !json_is_integer(value))
		return not_allowed(in, key, value, "a string or an integer");
	*out = value;
	return 0;
}

int astra_in_array(const struct astra_in *in, const char *key,
		   enum astra_need need, const json_t **out)
{
	const json_t *value = instance_field(in, key);

	*out = NULL;
	if (!value)
		return absent(in, key, need);
	if (!json_is_array(value))
		return not_allowed(in, key, value, "an array");
	*out = value;
	return 0;
}

/* Returns a reader for a value inside in's object. name: the value's path,
 * relative to in->path. */
static struct astra_in reader_of(const struct astra_in *in, const char *name,
				 const json_t *value)
{
	struct astra_in out = *in;
	char path[192];

	snprintf(path, sizeof(path), "%.63s%s%.127s", in->path,
		 *in->path ? "." : "", name);
	snprintf(out.path, sizeof(out.path), "%.63s", path);
	out.object = value;
	return out;
}

static int check_object(const struct astra_in *in)
{
	return json_is_object(in->object)
		       ? 0
		       : not_allowed(in, NULL, in->object, "an object");
}

int astra_in_element(const struct astra_in *in, const char *key,
		     const json_t *array, size_t index, struct astra_in *out)
{
	char name[96];

	snprintf(name, sizeof(name), "%.63s[%zu]", key, index);
	*out = reader_of(in, name, json_array_get(array, index));
	out->list = key;
	out->index = index;
	return check_object(out);
}

int astra_in_object(const struct astra_in *in, const char *key,
		    struct astra_in *out)
{
	*out = reader_of(in, key, instance_field(in, key));
	return out->object ? check_object(out)
			   : absent(in, key, ASTRA_REQUIRED);
}

void *astra_in_take(const struct astra_in *in, size_t count, size_t size)
{
	void *memory = astra_arena_take(in->arena, (count + 1) * size);

	if (!memory)
		astra_error_nomem(in->err);
	return memory;
}

int astra_in_list(const struct astra_in *in, const char *key,
		  enum astra_need need, size_t size, astra_in_reader *read,
		  void *elements, size_t *count)
{
	const json_t *array;
	struct astra_in at;
	char *memory;

	if (astra_in_array(in, key, need, &array) < 0)
		return -1;
	*count = json_array_size(array);
	memory = astra_in_take(in, *count, size);
	if (!memory)
		return -1;
	memcpy(elements, &memory, sizeof(memory));
	for (size_t i = 0; i < *count; i++)
		if (astra_in_element(in, key, array, i, &at) < 0 ||
		    read(&at, memory + i * size) < 0)
			return -1;
	return 0;
}

int astra_in_pair(const struct astra_in *in, const char *key,
		  const json_t *array, size_t index, const json_t **first,
		  const json_t **second)
{
	const json_t *pair = json_array_get(array, index);
	char name[64];

	*first = json_array_get(pair, 0);
	*second = json_array_get(pair, 1);
	if (json_is_array(pair) && json_array_size(pair) == 2)
		return 0;
	snprintf(name, sizeof(name), "%s[%zu]", key, index);
	return not_allowed(in, name, pair, "an array of two");
}

/* Checks that a value is an array of `count` elements. name: the value's path,
 * relative to in->path. */
static int instance_check_size(const struct astra_in *in, const char *name,
			       const json_t *array, size_t count)
{
	char allowed[80];

	if (json_is_array(array) && json_array_size(array) == count)
		return 0;
	snprintf(allowed, sizeof(allowed), "an array of %zu", count);
	return not_allowed(in, name, array, allowed);
}

static int read_numbers(const struct astra_in *in, const char *name,
			const json_t *array, double min, double max,
			double *out)
{
	char allowed[80], element[96];

	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		out[i] = json_number_value(value);
		if (json_is_number(value) && out[i] >= min && out[i] <= max)
			continue;
		snprintf(element, sizeof(element), "%.63s[%zu]", name, i);
		snprintf(allowed, sizeof(allowed), "a number from %g to %g",
			 min, max);
		return not_allowed(in, element, value, allowed);
	}
	return 0;
}

int astra_in_numbers(const struct astra_in *in, const char *key, size_t count,
		     double min, double max, double *out)
{
	const json_t *array;

	if (astra_in_array(in, key, ASTRA_REQUIRED, &array) < 0 ||
	    instance_check_size(in, key, array, count) < 0)
		return -1;
	return read_numbers(in, key, array, min, max, out);
}

int astra_in_vector(const struct astra_in *in, const char *key, size_t count,
		    double min, double max, double **out)
{
	*out = astra_in_take(in, count, sizeof(**out));
	return *out ? astra_in_numbers(in, key, count, min, max, *out) : -1;
}

int astra_in_matrix(const struct astra_in *in, const char *key, size_t rows,
		    size_t columns, double min, double max, double **out)
{
	const json_t *array, *row;
	char name[64];

	if (astra_in_array(in, key, ASTRA_REQUIRED, &array) < 0 ||
	    instance_check_size(in, key, array, rows) < 0)
		return -1;
	/* Check all rows before allocating memory. */
	for (size_t i = 0; i < rows; i++)
		if (astra_in_row(in, key, array, i, columns, &row) < 0)
			return -1;
	*out = astra_in_take(in, rows * columns, sizeof(**out));
	if (!*out)
		return -1;
	for (size_t i = 0; i < rows; i++) {
		snprintf(name, sizeof(name), "%.40s[%zu]", key, i);
		if (astra_in_row(in, key, array, i, columns, &row) < 0 ||
		    read_numbers(in, name, row, min, max, *out + i * columns) <
			    0)
			return -1;
	}
	return 0;
}

/* Sorts the shares by node, and fails if a node occurs twice. */
static int check_held(const struct astra_in *in, const char *node,
		      struct astra_share *held, size_t count)
{
	/* compares the first member of each share, which is its node */
	if (count)
		qsort(held, count, sizeof(*held), astra_compare_u32);
	for (size_t i = 1; i < count; i++)
		if (held[i].node == held[i - 1].node)
			return astra_in_fail(in, "held", "names %s %u twice",
					     node, held[i].node);
	return 0;
}

int astra_in_held(const struct astra_in *in, const char *node, size_t nodes,
		  uint64_t below, uint32_t max, struct astra_share **out,
		  size_t *count)
{
	const json_t *array, *first, *second;
	size_t used = 0;

	if (astra_in_array(in, "held", ASTRA_OPTIONAL, &array) < 0)
		return -1;
	*out = astra_in_take(in, json_array_size(array), sizeof(**out));
	for (size_t i = 0; *out && i < json_array_size(array); i++) {
		struct astra_share *share = &(*out)[used];

		if (astra_in_pair(in, "held", array, i, &first, &second) < 0)
			return -1;
		if (!astra_json_whole(first, 0, UINT32_MAX, &share->node) ||
		    share->node >= below)
			return astra_in_fail(in, "held",
					     "pair %zu must name one of the "
					     "%zu %ss",
					     i, nodes, node);
		if (!astra_json_whole(second, 0, max, &share->gpus))
			return astra_in_fail(in, "held",
					     "pair %zu must have a whole "
					     "number of GPUs up to %u",
					     i, max);
		used += share->gpus > 0;
	}
	*count = used;
	return *out ? check_held(in, node, *out, used) : -1;
}

int astra_in_row(const struct astra_in *in, const char *key,
		 const json_t *array, size_t index, size_t count,
		 const json_t **out)
{
	char name[64];

	*out = json_array_get(array, index);
	snprintf(name, sizeof(name), "%.40s[%zu]", key, index);
	return instance_check_size(in, name, *out, count);
}

static int read_word(const struct astra_in *in, const struct astra_member *m,
		     enum astra_need need, void *at)
{
	size_t index = SIZE_MAX;

	if (astra_in_word(in, m->key, need, m->words, &index) < 0)
		return -1;
	if (index != SIZE_MAX && m->size == sizeof(bool))
		*(bool *)at = index > 0;
	else if (index != SIZE_MAX)
		*(int *)at = (int)index;
	return 0;
}

static int read_u64(const struct astra_in *in, const struct astra_member *m,
		    enum astra_need need, uint64_t *at)
{
	uint32_t whole = (uint32_t)*at;

	if (astra_in_whole(in, m->key, need, (uint32_t)m->most, &whole) < 0)
		return -1;
	*at = whole;
	return 0;
}

static int instance_read(const struct astra_in *in,
			 const struct astra_member *m, void *at)
{
	enum astra_need need = m->optional ? ASTRA_OPTIONAL : ASTRA_REQUIRED;
	struct astra_in part;

	switch (m->kind) {
	case ASTRA_MEMBER_FLAG:
		return astra_in_bool(in, m->key, at);
	case ASTRA_MEMBER_WORD:
		return read_word(in, m, need, at);
	case ASTRA_MEMBER_REAL:
		if (!m->count)
			return astra_in_number(in, m->key, need, m->least,
					       m->most, at);
		return m->optional && !instance_field(in, m->key)
			       ? 0
			       : astra_in_numbers(in, m->key, m->count,
						  m->least, m->most, at);
	case ASTRA_MEMBER_PART:
		return astra_in_object(in, m->key, &part) < 0
			       ? -1
			       : astra_in_members(&part, m->of, at);
	case ASTRA_MEMBER_U64:
		return read_u64(in, m, need, at);
	default:
		return astra_in_whole(in, m->key, need, (uint32_t)m->most, at);
	}
}

int astra_in_members(const struct astra_in *in,
		     const struct astra_member *members, void *record)
{
	for (const struct astra_member *m = members; m->key; m++)
		if (instance_read(in, m, (char *)record + m->offset) < 0)
			return -1;
	return 0;
}

json_t *astra_out_number(double value)
{
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return json_real(value);
}

json_t *astra_out_numbers(const double *values, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, astra_out_number(values[i]));
	return array;
}

json_t *astra_out_pair(size_t first, size_t second)
{
	return json_pack("[I, I]", (json_int_t)first, (json_int_t)second);
}
