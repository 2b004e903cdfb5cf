/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a reply, parsed one at a time. As objects, the rows of 50,000
 * jobs would take ten times the memory of their text. */
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/sfair.h"
#include "src/common/grow.h"
#include "src/common/text.h"

struct sfair_slice {
	size_t at, size;
};

/* Returns the end of the string whose opening quote is at `at`, or NULL if it
 * does not end. */
static const char *end_of_string(const char *at)
{
	for (at++; *(at += strcspn(at, "\"\\")) == '\\'; at += 2)
		if (!at[1])
			return NULL;
	return *at ? at + 1 : NULL;
}

/* Returns the end of the object or array at `at`, or NULL if it does not end.
 * Does not check its contents; the parser will. */
static const char *end_of_value(const char *at)
{
	size_t depth = 0;

	for (; at && *(at += strcspn(at, "\"[]{}"));)
		switch (*at) {
		case '"':
			at = end_of_string(at);
			break;
		case '[':
		case '{':
			depth++;
			at++;
			break;
		default:
			at++;
			if (!depth || !--depth)
				return at;
		}
	return NULL;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Returns where the array of this key begins in an object's text, or NULL.
 * Looks only at the object's own members, not at those of inner objects. */
static const char *find_array(const char *text, const char *key)
{
	const char *at = skip_blanks(text);
	size_t size = strlen(key);

	if (*at++ != '{')
		return NULL;
	while (at && *(at += strcspn(at, "\"[{}")) && *at != '}') {
		const char *begin = at + 1, *end = at;

		at = *at == '"' ? end_of_string(at) : end_of_value(at);
		if (!at || *end != '"' || (size_t)(at - begin) != size + 1 ||
		    memcmp(begin, key, size) != 0)
			continue;
		end = skip_blanks(at);
		if (*end != ':')
			continue;
		end = skip_blanks(end + 1);
		if (*end == '[')
			return end;
	}
	return NULL;
}

/* Finds the objects of an array. Returns the end of the array, or NULL if it is
 * not an array of objects or out of memory. */
static const char *slice(const char *text, const char *array,
			 struct sfair_rows *rows)
{
	const char *at = skip_blanks(array + 1);
	size_t room = 0;

	while (*at == '{') {
		const char *end = end_of_value(at);

		if (!end || astra_grow(&rows->slices, &room, rows->count + 1,
				       sizeof(*rows->slices)) < 0)
			return NULL;
		rows->slices[rows->count++] = (struct sfair_slice){
			(size_t)(at - text), (size_t)(end - at)};
		at = skip_blanks(end);
		if (*at != ',')
			break;
		at = skip_blanks(at + 1);
		if (*at == ']')
			return NULL;
	}
	return *at == ']' ? at + 1 : NULL;
}

json_t *sfair_rows_split(char *text, const char *key, struct sfair_rows *rows)
{
	const char *array = find_array(text, key), *end;
	struct astra_text head = {0};
	json_t *reply = NULL;

	*rows = (struct sfair_rows){0};
	end = array ? slice(text, array, rows) : NULL;
	if (end) {
		astra_text_printf(&head, "%.*s[]%s", (int)(array - text), text,
				  end);
		if (!head.failed)
			reply = json_loads(head.bytes, 0, NULL);
		rows->text = text;
		astra_text_clear(&head);
		return reply;
	}
	free(rows->slices);
	*rows = (struct sfair_rows){0};
	reply = json_loads(text, 0, NULL);
	rows->list = json_incref(json_object_get(reply, key));
	rows->count = json_array_size(rows->list);
	free(text);
	return reply;
}

json_t *sfair_rows_get(const struct sfair_rows *rows, size_t index)
{
	if (rows->list)
		return json_incref(json_array_get(rows->list, index));
	return json_loadb(rows->text + rows->slices[index].at,
			  rows->slices[index].size, 0, NULL);
}

int sfair_rows_fail(size_t index, struct astra_error *err)
{
	return astra_error_set(
		err,
		"row %zu of the reply is no JSON, or memory is out: does the socket belong to the astraea plugin?",
		index + 1);
}

void sfair_rows_clear(struct sfair_rows *rows)
{
	json_decref(rows->list);
	free(rows->text);
	free(rows->slices);
	*rows = (struct sfair_rows){0};
}
