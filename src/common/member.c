/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/member.h"

/* Return the kind as which a member is stored: the same without a value for
 * none. */
static enum astra_member_kind stored_kind(enum astra_member_kind kind)
{
	switch (kind) {
	case ASTRA_MEMBER_U32_OR_NULL:
	case ASTRA_MEMBER_ID_OR_NULL:
		return ASTRA_MEMBER_U32;
	case ASTRA_MEMBER_COUNT:
		return ASTRA_MEMBER_U64;
	case ASTRA_MEMBER_TIME:
		return ASTRA_MEMBER_REAL;
	case ASTRA_MEMBER_TEXT_OR_NULL:
		return ASTRA_MEMBER_TEXT;
	case ASTRA_MEMBER_WORD:
		return ASTRA_MEMBER_INT;
	default:
		return kind;
	}
}

static void put_one(struct astra_bytes *out, const void *at,
		    enum astra_member_kind kind)
{
	switch (stored_kind(kind)) {
	case ASTRA_MEMBER_U32:
		astra_put_u32(out, *(const uint32_t *)at);
		break;
	case ASTRA_MEMBER_U64:
		astra_put_u64(out, *(const uint64_t *)at);
		break;
	case ASTRA_MEMBER_SIZE:
		astra_put_u64(out, *(const size_t *)at);
		break;
	case ASTRA_MEMBER_INT:
		astra_put_u32(out, (uint32_t) * (const int *)at);
		break;
	case ASTRA_MEMBER_FLAG:
		astra_put_u32(out, *(const bool *)at);
		break;
	case ASTRA_MEMBER_REAL:
		astra_put_f64(out, *(const double *)at);
		break;
	default:
		break;
	}
}

static void get_one(struct astra_reader *in, void *at,
		    enum astra_member_kind kind)
{
	switch (stored_kind(kind)) {
	case ASTRA_MEMBER_U32:
		*(uint32_t *)at = astra_get_u32(in);
		break;
	case ASTRA_MEMBER_U64:
		*(uint64_t *)at = astra_get_u64(in);
		break;
	case ASTRA_MEMBER_SIZE:
		*(size_t *)at = (size_t)astra_get_u64(in);
		break;
	case ASTRA_MEMBER_INT:
		*(int *)at = (int)astra_get_u32(in);
		break;
	case ASTRA_MEMBER_FLAG:
		*(bool *)at = astra_get_u32(in) != 0;
		break;
	case ASTRA_MEMBER_REAL:
		*(double *)at = astra_get_f64(in);
		break;
	default:
		break;
	}
}

void astra_members_put(struct astra_bytes *out, const void *record,
		       const struct astra_member *members)
{
	for (const struct astra_member *m = members; m->key; m++)
		for (size_t i = 0; i < astra_member_count(m); i++)
			put_one(out,
				(const char *)record + m->offset +
					i * astra_member_size(m),
				m->kind);
}

void astra_members_get(struct astra_reader *in, void *record,
		       const struct astra_member *members)
{
	for (const struct astra_member *m = members; m->key; m++)
		for (size_t i = 0; i < astra_member_count(m); i++)
			get_one(in,
				(char *)record + m->offset +
					i * astra_member_size(m),
				m->kind);
}

int astra_members_keep(void *record, const void *before,
		       const struct astra_member *members,
		       astra_text_keeper *keep, void *owner)
{
	for (const struct astra_member *m = members; m->key; m++) {
		void *at = (char *)record + m->offset;
		const void *like =
			before ? (const char *)before + m->offset : NULL;

		if (m->of &&
		    astra_members_keep(at, like, m->of, keep, owner) < 0)
			return -1;
		if (stored_kind(m->kind) == ASTRA_MEMBER_TEXT &&
		    keep(owner, at, like ? *(const char *const *)like : NULL) <
			    0)
			return -1;
	}
	return 0;
}
