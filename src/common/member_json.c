/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/member_json.h"

#include <stdio.h>
#include <string.h>

#include "src/common/encode.h"

static inline void member_json_put_word(struct astra_text *out,
					const char *word)
{
	astra_text_add(out, word, strlen(word));
}

static bool member_json_is_none(const void *at, const struct astra_member *m)
{
	switch (m->kind) {
	case ASTRA_MEMBER_U32_OR_NULL:
		return *(const uint32_t *)at == UINT32_MAX;
	case ASTRA_MEMBER_ID_OR_NULL:
		return !*(const uint32_t *)at;
	case ASTRA_MEMBER_COUNT:
		return !*(const uint64_t *)at;
	case ASTRA_MEMBER_TIME:
	case ASTRA_MEMBER_PART_OR_NULL:
		return !(*(const double *)at > 0);
	case ASTRA_MEMBER_TEXT_OR_NULL:
		return !*(const char *const *)at || !**(const char *const *)at;
	default:
		return false;
	}
}

static void member_json_put_value(struct astra_text *out, const void *at,
				  const struct astra_member *m, unsigned how)
{
	switch (m->kind) {
	case ASTRA_MEMBER_U32:
	case ASTRA_MEMBER_U32_OR_NULL:
	case ASTRA_MEMBER_ID_OR_NULL:
		astra_encode_whole(out, *(const uint32_t *)at);
		break;
	case ASTRA_MEMBER_U64:
	case ASTRA_MEMBER_COUNT:
		astra_encode_whole(out, *(const uint64_t *)at);
		break;
	case ASTRA_MEMBER_SIZE:
		astra_encode_whole(out, *(const size_t *)at);
		break;
	case ASTRA_MEMBER_INT:
		astra_text_printf(out, "%d", *(const int *)at);
		break;
	case ASTRA_MEMBER_WORD:
		astra_encode_text(out, m->words[*(const int *)at]);
		break;
	case ASTRA_MEMBER_FLAG:
		member_json_put_word(out, *(const bool *)at ? "true" : "false");
		break;
	case ASTRA_MEMBER_REAL:
	case ASTRA_MEMBER_TIME:
		if (how & ASTRA_ENCODE_EXACT)
			astra_encode_exact(out, *(const double *)at);
		else
			astra_encode_real(out, *(const double *)at);
		break;
	case ASTRA_MEMBER_TEXT:
	case ASTRA_MEMBER_TEXT_OR_NULL:
		astra_encode_text(out, *(const char *const *)at);
		break;
	case ASTRA_MEMBER_PART:
	case ASTRA_MEMBER_PART_OR_NULL:
		astra_encode_object(out, at, m->of);
		break;
	}
}

static void put_elements(struct astra_text *out, const char *at,
			 const struct astra_member *m, unsigned how)
{
	for (size_t i = 0; i < m->count; i++) {
		member_json_put_word(out, i ? "," : "[");
		member_json_put_value(out, at + i * astra_member_size(m), m,
				      how);
	}
	member_json_put_word(out, "]");
}

static void put_prefix(struct astra_text *out, const struct astra_member *m,
		       char separator)
{
	char *room = astra_text_room(out, ASTRA_MEMBER_PREFIX);

	if (!room)
		return;
	memcpy(room, m->prefix, ASTRA_MEMBER_PREFIX);
	*room = separator;
	astra_text_took(out, m->prefix_size);
}

static void put_member(struct astra_text *out, const char *at,
		       const struct astra_member *m, char separator,
		       unsigned how)
{
	put_prefix(out, m, separator);
	if ((m->seen & how) || member_json_is_none(at, m))
		member_json_put_word(out, "null");
	else if (m->count)
		put_elements(out, at, m, how);
	else
		member_json_put_value(out, at, m, how);
}

/* Whether a member is 0, false or "". A word is never empty. */
static bool is_empty(const char *at, const struct astra_member *m)
{
	if (m->kind == ASTRA_MEMBER_TEXT) {
		const char *text = *(const char *const *)(const void *)at;

		return !text || !*text;
	}
	if (m->kind == ASTRA_MEMBER_WORD)
		return false;
	for (size_t i = 0; i < m->size; i++)
		if (at[i])
			return false;
	return true;
}

bool astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_member *members, char separator,
			  unsigned how)
{
	bool any = false;

	for (const struct astra_member *m = members; m->key && m->seen; m++) {
		const char *at = (const char *)record + m->offset;

		if ((how & ASTRA_ENCODE_TERSE) && is_empty(at, m))
			continue;
		put_member(out, at, m, any ? ',' : separator, how);
		any = true;
	}
	return any;
}

void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_member *members, uint64_t picked,
			 unsigned how)
{
	char separator = '{';

	for (const struct astra_member *m = members;
	     m->key && m->seen && picked; m++, picked >>= 1) {
		if (!(picked & 1))
			continue;
		put_member(out, (const char *)record + m->offset, m, separator,
			   how);
		separator = ',';
	}
	member_json_put_word(out, "}");
}

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_member *members)
{
	if (!astra_encode_members(out, record, members, '{', 0))
		member_json_put_word(out, "{");
	member_json_put_word(out, "}");
}

uint64_t astra_pick_one(const struct astra_member *members, const char *key,
			size_t size)
{
	for (unsigned i = 0; i < 64 && members[i].seen; i++)
		if (!strncmp(members[i].key, key, size) &&
		    !members[i].key[size])
			return UINT64_C(1) << i;
	return 0;
}

uint64_t astra_pick_keys(const struct astra_member *members, const char *keys)
{
	uint64_t picked = 0;

	for (size_t size; *keys; keys += size + (keys[size] == ',')) {
		size = strcspn(keys, ",");
		picked |= astra_pick_one(members, keys, size);
	}
	return picked;
}
