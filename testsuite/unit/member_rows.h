/* SPDX-License-Identifier: GPL-2.0-or-later */
/* That each member of a struct has a row in its table, so that a new one is not
 * forgotten. Compilers that cannot tell padding from members let it pass; gcc
 * 12 errs about padding behind an array of structs, so that comes last. */
#ifndef MEMBER_ROWS_H
#define MEMBER_ROWS_H

#include <stdbool.h>
#include <string.h>

#include "src/common/member.h"
#include "testsuite/unit/unit.h"

/* A member that is meant to have no row. */
struct rows_but {
	size_t offset, size;
};

#define ROWS_BUT(type, member)                                \
	{                                                     \
		offsetof(struct type, member),                \
			sizeof(((struct type *)NULL)->member) \
	}

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define ROWS_CLEAR_PADDING(record) __builtin_clear_padding(record)
#endif
#endif
#ifndef ROWS_CLEAR_PADDING
#define ROWS_CLEAR_PADDING(record) memset(record, 0, sizeof(*(record)))
#endif

/* The last member before a byte that has a row. */
static inline const char *rows_before(const struct astra_member *rows,
				      size_t byte)
{
	const struct astra_member *best = NULL;

	for (; rows->key; rows++)
		if (rows->offset < byte &&
		    (!best || rows->offset > best->offset))
			best = rows;
	return best ? best->key : "nothing";
}

static inline void rows_check(const char *type, unsigned char *bytes,
			      size_t size, const struct astra_member *rows,
			      const struct rows_but *but, size_t but_count)
{
	for (size_t i = 0; rows[i].key; i++)
		memset(bytes + rows[i].offset, 0, rows[i].size);
	for (size_t i = 0; i < but_count; i++)
		memset(bytes + but[i].offset, 0, but[i].size);
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			fail_msg("struct %s: its member at byte %zu, behind "
				 "%s, has no row",
				 type, i, rows_before(rows, i));
}

/* All bytes of its members are set, then those of the rows cleared. */
#define ROWS_CHECK(type, rows, ...)                                       \
	do {                                                              \
		const struct rows_but rows_but[] = {{0, 0}, __VA_ARGS__}; \
		struct type rows_record;                                  \
                                                                          \
		memset(&rows_record, 0xff, sizeof(rows_record));          \
		ROWS_CLEAR_PADDING(&rows_record);                         \
		rows_check(#type, (unsigned char *)&rows_record,          \
			   sizeof(rows_record), rows, rows_but,           \
			   ASTRA_COUNT_OF(rows_but));                     \
	} while (0)

#endif
