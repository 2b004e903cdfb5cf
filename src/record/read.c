/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record comes from a file that anybody may have written: what is read is
 * checked, so that the engine sees nothing that slurmctld would not show it. */
#include <stdlib.h>
#include <string.h>

#include "src/engine/engine_image.h"
#include "src/record/members.h"
#include "src/record/round.h"

/* Options. */

static int get_weights(const json_t *array, struct astra_weights *out,
		       struct astra_error *err)
{
	if (json_array_size(array) > ASTRA_WEIGHTS_MAX)
		return astra_read_wrong("the record's options", 0, "weights",
					err);
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *row = json_array_get(array, i);
		const char *name = json_string_value(json_array_get(row, 0));
		struct astra_weight *w = &out->row[out->count++];

		if (!name || strlen(name) >= sizeof(w->name) ||
		    !astra_read_real(json_array_get(row, 1), &w->weight) ||
		    !(w->weight >= 0))
			return astra_read_wrong("the record's options", 0,
						"weights", err);
		strcpy(w->name, name);
	}
	return 0;
}

static int get_options(const json_t *object, struct astra_options *out,
		       struct astra_error *err)
{
	const char *policy =
		json_string_value(json_object_get(object, "policy"));

	astra_options_init(out);
	out->gpu_weights.count = out->qos_weights.count = 0;
	if (!policy || strlen(policy) >= sizeof(out->policy))
		return astra_read_wrong("the record's options", 0, "policy",
					err);
	strcpy(out->policy, policy);
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++)
		if (astra_members_read(object, out, row->sets,
				       "the record's options", 0, err) < 0)
			return -1;
	if (get_weights(json_object_get(object, "gpu_weights"),
			&out->gpu_weights, err) < 0 ||
	    get_weights(json_object_get(object, "qos_weights"),
			&out->qos_weights, err) < 0)
		return -1;
	if (out->checkpoint_exit_count > ASTRA_EXIT_CODES_MAX)
		return astra_read_wrong("the record's options", 0,
					"checkpoint_exit_count", err);
	return astra_options_check(out, err);
}

/* The engine. */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int get_engine(const json_t *json, struct astra_round *r,
		      struct astra_error *err)
{
	const char *text = json_string_value(json);
	size_t size = json_string_length(json) / 2;
	uint8_t *image = malloc(size + 1);
	bool bad = !text || json_string_length(json) % 2;

	if (!image)
		return astra_error_nomem(err);
	for (size_t i = 0; i < size && !bad; i++) {
		int high = hex(text[2 * i]), low = hex(text[2 * i + 1]);

		bad = high < 0 || low < 0;
		if (!bad)
			image[i] = (uint8_t)(high << 4 | low);
	}
	if (bad)
		astra_error_set(err, "the record's engine is no image");
	else
		r->engine =
			astra_engine_of_image(&r->options, image, size, err);
	free(image);
	return r->engine ? 0 : -1;
}

/* All of it. */

bool astra_round_is(const json_t *json)
{
	return json_object_get(json, "astraea_round") != NULL;
}

int astra_round_read(const json_t *record, struct astra_round *out,
		     struct astra_error *err)
{
	*out = (struct astra_round){
		.head.release =
			json_string_value(json_object_get(record, "release")),
		.head.cluster =
			json_string_value(json_object_get(record, "cluster")),
		.head.pool = json_string_value(json_object_get(record, "pool")),
	};
	if (json_integer_value(json_object_get(record, "astraea_round")) !=
	    ASTRA_ROUND_VERSION)
		return astra_error_set(err,
				       "the record is of another version; this "
				       "release reads version %d",
				       ASTRA_ROUND_VERSION);
	if (get_options(json_object_get(record, "options"), &out->options,
			err) < 0 ||
	    get_engine(json_object_get(record, "engine"), out, err) < 0 ||
	    astra_round_get_snapshot(json_object_get(record, "snapshot"), out,
				     err) < 0) {
		astra_round_clear(out);
		return -1;
	}
	return 0;
}

void astra_round_clear(struct astra_round *round)
{
	astra_engine_destroy(round->engine);
	astra_arena_free(&round->arena);
	*round = (struct astra_round){0};
}

json_t *astra_round_repeat(struct astra_round *round, struct astra_error *err)
{
	struct astra_plan plan;
	struct astra_text text = {0};
	json_t *json = NULL;

	astra_plan_init(&plan);
	(void)astra_engine_round(round->engine, &round->snapshot, &plan, err);
	astra_plan_write(&text, &plan);
	astra_plan_destroy(&plan);
	if (!text.failed)
		json = json_loads(text.bytes, 0, NULL);
	if (!json)
		astra_error_nomem(err);
	astra_text_clear(&text);
	return json;
}
