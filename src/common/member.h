/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that describe the members of structs. One table serves to save a
 * struct as bytes, to keep its texts and, in member_json.h, to write it as
 * JSON. */
#ifndef ASTRA_MEMBER_H
#define ASTRA_MEMBER_H

#include "src/common/bytes.h"

enum astra_member_kind {
	ASTRA_MEMBER_U32,
	ASTRA_MEMBER_U64,
	ASTRA_MEMBER_SIZE, /* size_t */
	ASTRA_MEMBER_INT,  /* int or an enum */
	ASTRA_MEMBER_WORD, /* an enum; as JSON a word, which is not read back */
	ASTRA_MEMBER_FLAG, /* bool */
	ASTRA_MEMBER_REAL, /* double */
	ASTRA_MEMBER_TEXT, /* const char *, or NULL; not saved as bytes */
	/* The same kinds, but one value stands for none. In JSON that value is
	 * null: */
	ASTRA_MEMBER_U32_OR_NULL,  /* UINT32_MAX */
	ASTRA_MEMBER_ID_OR_NULL,   /* uint32_t, 0 */
	ASTRA_MEMBER_COUNT,	   /* uint64_t, 0 */
	ASTRA_MEMBER_TIME,	   /* double, 0 or less */
	ASTRA_MEMBER_TEXT_OR_NULL, /* "" */
	/* A struct with a table of its own; not saved as bytes. */
	ASTRA_MEMBER_PART,
	ASTRA_MEMBER_PART_OR_NULL, /* a part whose first member is a time; 0 or
				    * less: the part is null */
};

/* Who may see a member. */
enum astra_member_seen {
	ASTRA_SEEN_NOBODY = 0, /* never in JSON; these come last in a table */
	ASTRA_SEEN_ALL = 1,
	ASTRA_SEEN_USAGE = 2,  /* viewers from whom PrivateData=usage does not
				* hide it */
	ASTRA_SEEN_OTHERS = 4, /* viewers who may see data of others */
};

#define ASTRA_MEMBER_PREFIX 32

/* One row per member; ASTRA_MEMBERS_END ends a table. */
struct astra_member {
	const char *key;
	enum astra_member_kind kind;
	enum astra_member_seen seen;
	size_t offset, size;	       /* of the whole member */
	size_t count;		       /* number of elements of an array; 0: not
					* an array */
	const struct astra_member *of; /* the table of a part */
	const char *const *words;      /* words of a WORD, indexed by value;
					* ends with NULL */
	/* ,"key": as it is written in JSON. The array is copied whole, which is
	 * faster than copying only the used part. */
	size_t prefix_size;
	char prefix[ASTRA_MEMBER_PREFIX];
	const char *heading; /* heading of a column; NULL: it is not a column */
	const char *help;    /* what the column shows, for users */
	int shown;	     /* format, defined by the table's owner */
	/* For instances of sfairsim decide, src/decide/instance.h: */
	double least, most; /* bounds of a number */
	bool optional;	    /* the field may be absent */
};

#define ASTRA_MEMBER_SIZEOF(type, member) sizeof(((struct type *)NULL)->member)

/* The macros below put their further arguments into the row as members, such as
 * .heading = "Rank". */
#define ASTRA_MEMBER_ROW(name, type, kind_, member, seen_, count_, of_, ...) \
	{                                                                    \
		.key = name, .kind = ASTRA_MEMBER_##kind_,                   \
		.seen = ASTRA_SEEN_##seen_,                                  \
		.offset = offsetof(struct type, member),                     \
		.size = ASTRA_MEMBER_SIZEOF(type, member), .count = count_,  \
		.of = of_, .prefix_size = sizeof(name) + 3,                  \
		.prefix = ",\"" name "\":", __VA_ARGS__                      \
	}
#define ASTRA_MEMBER_AS(name, type, kind, member, ...) \
	ASTRA_MEMBER_ROW(name, type, kind, member, ALL, 0, NULL, __VA_ARGS__)
#define ASTRA_MEMBER(type, kind, member, ...) \
	ASTRA_MEMBER_AS(#member, type, kind, member, __VA_ARGS__)
#define ASTRA_MEMBER_TO(seen, type, kind, member) \
	ASTRA_MEMBER_ROW(#member, type, kind, member, seen, 0, NULL)
#define ASTRA_MEMBER_ARRAY(type, kind, member)                         \
	ASTRA_MEMBER_ROW(#member, type, kind, member, ALL,             \
			 ASTRA_MEMBER_SIZEOF(type, member) /           \
				 ASTRA_MEMBER_SIZEOF(type, member[0]), \
			 NULL)
/* A row for a part whose own members `table` lists. */
#define ASTRA_MEMBER_OF(table, seen, type, kind, member) \
	ASTRA_MEMBER_ROW(#member, type, kind, member, seen, 0, table)
#define ASTRA_MEMBERS_END   \
	{                   \
		.key = NULL \
	}

/* Return the number of elements of a row: 1, or that of the array. */
static inline size_t astra_member_count(const struct astra_member *m)
{
	return m->count ? m->count : 1;
}

/* Return the size of an element in bytes. */
static inline size_t astra_member_size(const struct astra_member *m)
{
	return m->size / astra_member_count(m);
}

/* Save and read all members of a struct, without their names. Members that are
 * not in the table stay unchanged. */
void astra_members_put(struct astra_bytes *out, const void *record,
		       const struct astra_member *members);
void astra_members_get(struct astra_reader *in, void *record,
		       const struct astra_member *members);

/* Replace a text by the owner's copy. like: the same text of the record before,
 * or NULL. Returns 0, or -1 when memory is out. */
typedef int astra_text_keeper(void *owner, const char **text, const char *like);

/* Replace all texts of a record by the owner's copies. before: the record
 * before, whose texts the owner has already, or NULL; texts often repeat.
 * Returns 0, or -1 when memory is out. */
int astra_members_keep(void *record, const void *before,
		       const struct astra_member *members,
		       astra_text_keeper *keep, void *owner);

#endif
