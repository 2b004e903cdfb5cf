/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/encode_field.h"

#include <stdio.h>
#include <string.h>

#include "src/common/encode.h"
#include "src/policy/model.h"
#include "src/proto/report.h"

#define SAID(kind, member) \
	ASTRA_FIELD(kind, struct astra_report_progress, member)
#define SAVED(kind, member) \
	ASTRA_FIELD(kind, struct astra_report_checkpoint, member)

static const struct astra_field progress_fields[] = {
	SAID(U64, done),  SAID(COUNT, total),	SAID(TIME, iter_sec),
	SAID(REAL, loss), SAID(TIME, time_sec), SAID(U32, run),
	ASTRA_FIELDS_END,
};

static const struct astra_field checkpoint_fields[] = {
	SAVED(U64, step),
	SAVED(TIME, time_sec),
	ASTRA_FIELDS_END,
};

static inline void put_word(struct astra_text *out, const char *word)
{
	astra_text_add(out, word, strlen(word));
}

static void put_u64(struct astra_text *out, uint64_t value)
{
	astra_encode_whole(out, value);
}

static void put_u32(struct astra_text *out, uint32_t value, uint32_t none)
{
	if (value == none)
		put_word(out, "null");
	else
		put_u64(out, value);
}

static void put_timing(struct astra_text *out,
		       const struct astra_report_timing *timing)
{
	put_word(out, "{\"last_usec\":");
	put_u64(out, timing->last_usec);
	put_word(out, ",\"mean_usec\":");
	put_u64(out, timing->mean_usec);
	put_word(out, ",\"max_usec\":");
	put_u64(out, timing->max_usec);
	put_word(out, ",\"count\":");
	put_u64(out, timing->count);
	put_word(out, ",\"sum_usec\":");
	put_u64(out, timing->sum_usec);
	put_word(out, "}");
}

static void put_time(struct astra_text *out, double sec)
{
	if (sec > 0)
		astra_encode_real(out, sec);
	else
		put_word(out, "null");
}

static void put_count(struct astra_text *out, uint64_t count)
{
	if (count)
		put_u64(out, count);
	else
		put_word(out, "null");
}

static void put_name(struct astra_text *out, const char *name)
{
	if (*name)
		astra_encode_text(out, name);
	else
		put_word(out, "null");
}

static void put_factors(struct astra_text *out, const double *factors)
{
	for (size_t i = 0; i < ASTRA_LEVEL_COUNT; i++) {
		put_word(out, i ? "," : "[");
		astra_encode_real(out, factors[i]);
	}
	put_word(out, "]");
}

static void put_progress(struct astra_text *out,
			 const struct astra_report_progress *progress)
{
	if (progress->time_sec > 0)
		astra_encode_object(out, progress, progress_fields);
	else
		put_word(out, "null");
}

static void put_checkpoint(struct astra_text *out,
			   const struct astra_report_checkpoint *checkpoint)
{
	if (checkpoint->time_sec > 0)
		astra_encode_object(out, checkpoint, checkpoint_fields);
	else
		put_word(out, "null");
}

static void put_member(struct astra_text *out, enum astra_field_kind kind,
		       const void *member)
{
	switch (kind) {
	case TEXT:
		astra_encode_text(out, *(const char *const *)member);
		break;
	case TEXT_OR_NULL:
		put_name(out, *(const char *const *)member);
		break;
	case FLAG:
		put_word(out, *(const bool *)member ? "true" : "false");
		break;
	case U32:
		put_u64(out, *(const uint32_t *)member);
		break;
	case U32_OR_NULL:
		put_u32(out, *(const uint32_t *)member, UINT32_MAX);
		break;
	case ID_OR_NULL:
		put_u32(out, *(const uint32_t *)member, 0);
		break;
	case U64:
		put_u64(out, *(const uint64_t *)member);
		break;
	case REAL:
		astra_encode_real(out, *(const double *)member);
		break;
	case TIME:
		put_time(out, *(const double *)member);
		break;
	case COUNT:
		put_count(out, *(const uint64_t *)member);
		break;
	case TIMING:
		put_timing(out, member);
		break;
	case FACTORS:
		put_factors(out, member);
		break;
	case PROGRESS:
		put_progress(out, member);
		break;
	case CHECKPOINT:
		put_checkpoint(out, member);
		break;
	}
}

static void put_prefix(struct astra_text *out, const struct astra_field *field,
		       char separator)
{
	char *room = astra_text_room(out, ASTRA_FIELD_PREFIX);

	if (!room)
		return;
	memcpy(room, field->prefix, ASTRA_FIELD_PREFIX);
	*room = separator;
	astra_text_took(out, field->prefix_size);
}

static void put_field(struct astra_text *out, char separator,
		      const struct astra_field *field, const void *record,
		      bool hidden)
{
	put_prefix(out, field, separator);
	if (hidden)
		put_word(out, "null");
	else
		put_member(out, field->kind,
			   (const char *)record + field->offset);
}

void astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_field *fields, char separator,
			  bool hidden)
{
	for (; fields->key; fields++) {
		put_field(out, separator, fields, record, hidden);
		separator = ',';
	}
}

void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_field *fields, uint64_t picked,
			 uint64_t hidden)
{
	char separator = '{';

	for (; fields->key && picked; fields++, picked >>= 1, hidden >>= 1) {
		if (!(picked & 1))
			continue;
		put_field(out, separator, fields, record, hidden & 1);
		separator = ',';
	}
	put_word(out, "}");
}

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_field *fields)
{
	astra_encode_members(out, record, fields, '{', false);
	put_word(out, "}");
}
