/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs by tables of their members, so that one table serves for writing and
 * for reading: as bytes here, as JSON in src/record. */
#ifndef ASTRA_MEMBER_H
#define ASTRA_MEMBER_H

#include "src/common/bytes.h"

enum astra_member_kind {
	ASTRA_MEMBER_U32,
	ASTRA_MEMBER_U64,
	ASTRA_MEMBER_SIZE, /* size_t */
	ASTRA_MEMBER_INT,  /* int, or an enum */
	ASTRA_MEMBER_FLAG, /* bool */
	ASTRA_MEMBER_REAL, /* double */
	ASTRA_MEMBER_TEXT, /* const char *, or NULL; not as bytes */
};

/* One row a member; a table is ended by ASTRA_MEMBERS_END. */
struct astra_member {
	const char *key;
	enum astra_member_kind kind;
	size_t offset, size; /* of the whole member */
	size_t count;	     /* elements of an array; 0: it is none */
};

#define ASTRA_MEMBER_ROW(type, kind, member, count)                   \
	{                                                             \
#member, ASTRA_MEMBER_##kind, offsetof(type, member), \
			sizeof(((type *)NULL)->member), count         \
	}
#define ASTRA_MEMBER(type, kind, member) \
	ASTRA_MEMBER_ROW(struct type, kind, member, 0)
#define ASTRA_MEMBER_ARRAY(type, kind, member)                   \
	ASTRA_MEMBER_ROW(struct type, kind, member,              \
			 sizeof(((struct type *)NULL)->member) / \
				 sizeof(*((struct type *)NULL)->member))
#define ASTRA_MEMBERS_END                       \
	{                                       \
		NULL, ASTRA_MEMBER_U32, 0, 0, 0 \
	}

/* The elements that a row has: one, or those of an array. */
static inline size_t astra_member_count(const struct astra_member *m)
{
	return m->count ? m->count : 1;
}

/* The bytes of an element. */
static inline size_t astra_member_size(const struct astra_member *m)
{
	return m->size / astra_member_count(m);
}

/* All members of a struct, without their names. Members that are not in the
 * table stay as they are when it is read. */
void astra_members_put(struct astra_bytes *out, const void *record,
		       const struct astra_member *members);
void astra_members_get(struct astra_reader *in, void *record,
		       const struct astra_member *members);

/* Makes a text its owner's own. like: the same of the record before, or NULL.
 * Returns 0, or -1 when memory is out. */
typedef int astra_text_keeper(void *owner, const char **text, const char *like);

/* Give all texts of a record to an owner. before: the record before it, whose
 * texts are that owner's, or NULL: names repeat from one to the next.
 * Returns 0, or -1 when memory is out. */
int astra_members_keep(void *record, const void *before,
		       const struct astra_member *members,
		       astra_text_keeper *keep, void *owner);

#endif
