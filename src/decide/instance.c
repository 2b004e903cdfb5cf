/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/instance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The field, or NULL when it is absent. */
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

/* "must be …, not VALUE", the value shortened. */
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
		  const char *const *words, size_t *out)
{
	const json_t *value = instance_field(in, key);

	return value ? astra_in_word_value(in, key, value, words, out) : 0;
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

int astra_in_element(const struct astra_in *in, const char *key,
		     const json_t *array, size_t index, struct astra_in *out)
{
	char path[160];

	snprintf(path, sizeof(path), "%.63s%s%.63s[%zu]", in->path,
		 *in->path ? "." : "", key, index);
	*out = (struct astra_in){
		.object = json_array_get(array, index),
		.err = in->err,
	};
	snprintf(out->path, sizeof(out->path), "%.63s", path);
	if (!json_is_object(out->object))
		return not_allowed(out, NULL, out->object, "an object");
	return 0;
}

int astra_in_object(const struct astra_in *in, const char *key,
		    struct astra_in *out)
{
	char path[160];

	snprintf(path, sizeof(path), "%.63s%s%.63s", in->path,
		 *in->path ? "." : "", key);
	*out = (struct astra_in){.object = instance_field(in, key),
				 .err = in->err};
	snprintf(out->path, sizeof(out->path), "%.63s", path);
	if (!out->object)
		return absent(in, key, ASTRA_REQUIRED);
	if (!json_is_object(out->object))
		return not_allowed(out, NULL, out->object, "an object");
	return 0;
}

int astra_in_objects(const struct astra_in *in, const char *key,
		     enum astra_need need, size_t size, const json_t **json,
		     void **elements, size_t *count)
{
	if (astra_in_array(in, key, need, json) < 0)
		return -1;
	*elements = calloc(json_array_size(*json) + 1, size);
	if (!*elements)
		return astra_error_nomem(in->err);
	*count = json_array_size(*json);
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

/* An array of that size; name: the path of it below in->path. */
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

int astra_in_matrix(const struct astra_in *in, const char *key, size_t rows,
		    size_t columns, double min, double max, double *out)
{
	const json_t *array, *row;
	char name[64];

	if (astra_in_array(in, key, ASTRA_REQUIRED, &array) < 0 ||
	    instance_check_size(in, key, array, rows) < 0)
		return -1;
	for (size_t i = 0; i < rows; i++) {
		snprintf(name, sizeof(name), "%.40s[%zu]", key, i);
		if (astra_in_row(in, key, array, i, columns, &row) < 0 ||
		    read_numbers(in, name, row, min, max, out + i * columns) <
			    0)
			return -1;
	}
	return 0;
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

json_t *astra_ids_create(void)
{
	return json_object();
}

/* "1" and 1 are different identifiers. */
static const char *id_key(const json_t *id, char *text, size_t size)
{
	if (json_is_string(id))
		return json_string_value(id);
	snprintf(text, size, "\001%" JSON_INTEGER_FORMAT,
		 json_integer_value(id));
	return text;
}

int astra_ids_add(json_t *ids, const json_t *id, size_t index)
{
	char text[32];
	const char *key = id_key(id, text, sizeof(text));

	if (json_object_get(ids, key))
		return -1;
	return json_object_set_new_nocheck(ids, key,
					   json_integer((json_int_t)index)) < 0
		       ? -2
		       : 0;
}

json_int_t astra_ids_find(const json_t *ids, const json_t *id)
{
	char text[32];
	const json_t *at = json_object_get(ids, id_key(id, text, sizeof(text)));

	return at ? json_integer_value(at) : -1;
}

int astra_in_new_id(const struct astra_in *in, json_t *ids, size_t index,
		    const json_t **out)
{
	if (astra_in_id(in, "id", out) < 0)
		return -1;
	switch (astra_ids_add(ids, *out, index)) {
	case 0:
		return 0;
	case -1:
		return astra_in_fail(in, "id", "is used twice");
	default:
		return astra_error_nomem(in->err);
	}
}

int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *names, const json_t *ids, uint32_t *out)
{
	const json_t *id;
	json_int_t index;

	if (astra_in_id(in, key, &id) < 0)
		return -1;
	index = astra_ids_find(ids, id);
	if (index < 0)
		return astra_in_fail(in, key, "is not one of %s", names);
	*out = (uint32_t)index;
	return 0;
}

json_t *astra_out_number(double value)
{
	if (isinf(value))
		return json_string(value > 0 ? "inf" : "-inf");
	return json_real(value);
}
