/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as JSON by tables of their members. */
#ifndef ASTRA_ENCODE_FIELD_H
#define ASTRA_ENCODE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/text.h"

enum astra_field_kind {
	TEXT,
	TEXT_OR_NULL, /* "" is null */
	FLAG,
	U32,
	U32_OR_NULL, /* UINT32_MAX is null */
	ID_OR_NULL,  /* 0 is null */
	U64,
	REAL,  /* infinity is "inf" */
	TIME,  /* 0 is null */
	COUNT, /* the same of a whole number */
	TIMING,
	FACTORS,  /* of all levels; an array */
	PROGRESS, /* null where nothing was said */
	CHECKPOINT,
};

#define ASTRA_FIELD_PREFIX 32

/* One row a key: what a record's member becomes. The prefix is copied whole,
 * which is faster than as much of it as counts. */
struct astra_field {
	const char *key;
	enum astra_field_kind kind;
	size_t offset, prefix_size;
	char prefix[ASTRA_FIELD_PREFIX]; /* ,"key": */
};

#define ASTRA_FIELD_AS(key, kind, type, member)                     \
	{                                                           \
		key, kind, offsetof(type, member), sizeof(key) + 3, \
			",\"" key "\":"                             \
	}
#define ASTRA_FIELD(kind, type, member) \
	ASTRA_FIELD_AS(#member, kind, type, member)
#define ASTRA_FIELDS_END             \
	{                            \
		NULL, TEXT, 0, 0, "" \
	}

/* The members of a record, the first one after the separator given, the others
 * after a comma. fields: ended by a NULL key. hidden: each is null. */
void astra_encode_members(struct astra_text *out, const void *record,
			  const struct astra_field *fields, char separator,
			  bool hidden);

void astra_encode_object(struct astra_text *out, const void *record,
			 const struct astra_field *fields);

/* An object of some of the members. picked, hidden: bits by row; those of
 * hidden are null. The first 64 rows count. */
void astra_encode_picked(struct astra_text *out, const void *record,
			 const struct astra_field *fields, uint64_t picked,
			 uint64_t hidden);

/* The keys of an app. (encode_app.c) */
extern const struct astra_field astra_app_fields[];
extern const struct astra_field astra_price_fields[];
extern const struct astra_field astra_class_fields[];

#endif
