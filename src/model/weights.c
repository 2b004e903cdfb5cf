/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/weights.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WEIGHT_MAX 1e6

const struct astra_weight *
astra_weights_find(const struct astra_weights *weights, const char *name)
{
	for (size_t i = 0; name && i < weights->count; i++)
		if (!strcmp(weights->row[i].name, name))
			return &weights->row[i];
	return NULL;
}

bool astra_weights_have(const struct astra_weights *weights, const char *name)
{
	return astra_weights_find(weights, name);
}

/* Read one "name:weight" of `length` bytes. */
static int parse_row(struct astra_weights *out, const char *text, size_t length,
		     bool zero, struct astra_error *err)
{
	const char *colon = memchr(text, ':', length);
	size_t name = colon ? (size_t)(colon - text) : 0;
	struct astra_weight *row = &out->row[out->count];
	char *end;

	if (out->count == ASTRA_WEIGHTS_MAX)
		return astra_error_set(err, "at most %d names",
				       ASTRA_WEIGHTS_MAX);
	if (!name || name >= sizeof(row->name))
		return astra_error_set(err, "NAME:WEIGHT with commas between");
	memcpy(row->name, text, name);
	row->name[name] = '\0';
	row->weight = strtod(colon + 1, &end);
	if (end == colon + 1 || end != text + length ||
	    !(row->weight >= 0 && row->weight <= WEIGHT_MAX) ||
	    (!zero && row->weight <= 0))
		return astra_error_set(err,
				       "the weight of %s is to be a number %s "
				       "%g",
				       row->name,
				       zero ? "from 0 to"
					    : "above 0"
					      " up to",
				       WEIGHT_MAX);
	if (astra_weights_find(out, row->name))
		return astra_error_set(err, "%s is there twice", row->name);
	out->count++;
	return 0;
}

int astra_weights_parse(struct astra_weights *out, const char *text, bool zero,
			struct astra_error *err)
{
	struct astra_weights parsed = {.count = 0};

	if (!strcasecmp(text, "none"))
		text = "";
	while (*text) {
		size_t length = strcspn(text, ",");

		if (parse_row(&parsed, text, length, zero, err) < 0)
			return -1;
		text += length;
		if (*text && !*++text)
			return astra_error_set(err, "a comma at the end");
	}
	*out = parsed;
	return 0;
}

double astra_weight_of(const struct astra_weights *weights, const char *name)
{
	const struct astra_weight *row = astra_weights_find(weights, name);

	return row ? row->weight : 1;
}
