/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether a structure in memory is the one that the headers describe,
 * without trusting its pointers.
 *
 * Slurm's xmalloc() writes the requested size before each block, so the size of
 * a structure that slurmctld has made is known exactly. Pointers in it lead to
 * blocks of their own, whose sizes are known as well. The kernel reads the
 * memory at a pointer for us, so a wild pointer is an error, not a crash.
 * Thread-safe; takes no locks. */
#ifndef ASTRA_LAYOUT_H
#define ASTRA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"

enum astra_kind {
	ASTRA_KIND_NUMBER, /* not checked */
	ASTRA_KIND_FLAG,   /* a bool */
	ASTRA_KIND_TIME,   /* unset, or a time between 2000 and 2200 */
	ASTRA_KIND_TEXT,   /* this and the kinds below are pointers or NULL */
	ASTRA_KIND_LIST,
	ASTRA_KIND_BITS,
	ASTRA_KIND_BLOCK, /* a block of the size in the row; 0: any size */
};

struct astra_layout_member {
	const char *name;
	uint32_t offset, size;
	enum astra_kind kind;
	uint32_t block;
};

struct astra_layout {
	const char *name;
	uint32_t size;
	uint32_t magic, magic_at; /* its value and offset; 0: there is none */
	const struct astra_layout_member *members;
	size_t count;
};

#define ASTRA_KIND_OF(value) \
	_Generic((value), char *: ASTRA_KIND_TEXT, list_t *: ASTRA_KIND_LIST, \
		 bitstr_t *: ASTRA_KIND_BITS, bool: ASTRA_KIND_FLAG,     \
		 time_t: ASTRA_KIND_TIME, default: ASTRA_KIND_NUMBER)

/* Rows of a table: a member whose kind follows from its type; a pointer to a
 * structure; a pointer to an array. */
#define ASTRA_MEMBER(type, member)                                            \
	{                                                                     \
#member, offsetof(type, member), sizeof(((type *)0)->member), \
			ASTRA_KIND_OF(((type *)0)->member), 0                 \
	}
#define ASTRA_POINTER(type, member)                                           \
	{                                                                     \
#member, offsetof(type, member), sizeof(((type *)0)->member), \
			ASTRA_KIND_BLOCK, sizeof(*((type *)0)->member)        \
	}
#define ASTRA_ARRAY(type, member)                                             \
	{                                                                     \
#member, offsetof(type, member), sizeof(((type *)0)->member), \
			ASTRA_KIND_BLOCK, 0                                   \
	}

/* Return the size of a block from xmalloc(), or 0 if it is not such a block. */
size_t astra_block_size(const void *block);

/* Check that a structure has the size, the magic number and the kinds of
 * members of its layout. record: any pointer except NULL. Returns 0, or -1 with
 * err set. */
int astra_layout_check(const struct astra_layout *layout, const void *record,
		       struct astra_error *err);

/* As astra_layout_check(), for a structure that is not a block of its own and
 * whose size is known to be right. */
int astra_layout_check_members(const struct astra_layout *layout,
			       const void *record, struct astra_error *err);

/* Check in the loader's table that a variable of slurmctld or its library,
 * given by its address, has this size. A variable that is not in the table
 * passes. Returns 0, or -1 with err set. */
int astra_layout_check_variable(const char *name, const void *variable,
				size_t size, struct astra_error *err);

#endif
