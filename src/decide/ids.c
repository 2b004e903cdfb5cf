/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/decide/ids.h"

#include <stdio.h>

const char *astra_id_text(const json_t *id, char text[32])
{
	if (json_is_string(id))
		return json_string_value(id);
	snprintf(text, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
	return text;
}

/* Returns an identifier's key. The keys of "1" and 1 differ. */
static const char *id_key(const json_t *id, char text[32])
{
	if (json_is_string(id))
		return json_string_value(id);
	snprintf(text, 32, "\001%" JSON_INTEGER_FORMAT, json_integer_value(id));
	return text;
}

/* Adds the key of an identifier to the keys of a list. twice: the error text if
 * the list already has the key. */
static int add_id(const struct astra_in *in, const char *list, const char *key,
		  const char *twice)
{
	json_t *ids = json_object_get(in->ids, list);

	if (!ids) {
		ids = json_object();
		if (json_object_set_new(in->ids, list, ids) < 0)
			return astra_error_nomem(in->err);
	}
	if (json_object_get(ids, key))
		return astra_in_fail(in, "id", "%s", twice);
	return json_object_set_new_nocheck(
		       ids, key, json_integer((json_int_t)in->index)) < 0
		       ? astra_error_nomem(in->err)
		       : 0;
}

int astra_in_new_id(const struct astra_in *in)
{
	const json_t *id;
	char text[32];

	return astra_in_id(in, "id", &id) < 0
		       ? -1
		       : add_id(in, in->list, id_key(id, text),
				"is used twice");
}

int astra_in_new_name(const struct astra_in *in)
{
	const json_t *id;
	char text[32];

	/* "" stands for a list here: no list of an instance has this name. */
	return astra_in_new_id(in) < 0 || astra_in_id(in, "id", &id) < 0
		       ? -1
		       : add_id(in, "", astra_id_text(id, text),
				"is used twice, as text and as a number");
}

int astra_in_known_id(const struct astra_in *in, const char *key,
		      const char *list, uint32_t *out)
{
	const json_t *id, *index;
	char text[32];

	if (astra_in_id(in, key, &id) < 0)
		return -1;
	index = json_object_get(json_object_get(in->ids, list),
				id_key(id, text));
	if (!index)
		return astra_in_fail(in, key, "is not one of %s", list);
	*out = (uint32_t)json_integer_value(index);
	return 0;
}

const json_t *astra_id_find(const json_t *instance, const char *list,
			    size_t index)
{
	return json_object_get(
		json_array_get(json_object_get(instance, list), index), "id");
}

json_t *astra_out_id(const json_t *instance, const char *list, size_t index)
{
	return json_deep_copy(astra_id_find(instance, list, index));
}
