/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a structure in memory is the one that the headers describe, told
 * without trusting a pointer of it.
 *
 * Slurm's xmalloc() writes the size that was asked for before each block, so
 * the size of a structure that slurmctld has made is known exactly. Pointers
 * in it are blocks of their own, of the size of what they point to. Memory that
 * a pointer names is read by the kernel for us: a wild one is an error and no
 * crash. Thread-safe; takes no locks.
 */
#ifndef ASTRA_LAYOUT_H
#define ASTRA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/slurm/compat/compat.h"

enum astra_kind {
	ASTRA_KIND_NUMBER, /* nothing to be said */
	ASTRA_KIND_FLAG,   /* a bool */
	ASTRA_KIND_TIME,   /* unset, or a moment of these decades */
	ASTRA_KIND_TEXT,   /* the others are pointers, or NULL */
	ASTRA_KIND_LIST,
	ASTRA_KIND_BITS,
	ASTRA_KIND_BLOCK, /* of the size that the row tells; 0: any */
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
	uint32_t magic, magic_at; /* number and offset; 0: it has none */
	const struct astra_layout_member *members;
	size_t count;
};

#define ASTRA_KIND_OF(value) \
	_Generic((value), char *: ASTRA_KIND_TEXT, list_t *: ASTRA_KIND_LIST, \
		 bitstr_t *: ASTRA_KIND_BITS, bool: ASTRA_KIND_FLAG,     \
		 time_t: ASTRA_KIND_TIME, default: ASTRA_KIND_NUMBER)

/* Rows of a table: a member whose type tells its kind; a pointer to one
 * structure; one to an array. */
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

/* The size of a block of xmalloc(), or 0 when it is none. */
size_t astra_block_size(const void *block);

/* Whether a structure has the size, the magic number and members of the kinds
 * that its layout tells. record: not NULL; anything.
 * Returns 0, or -1 with err set. */
int astra_layout_check(const struct astra_layout *layout, const void *record,
		       struct astra_error *err);

/* As before, for one that is no block and whose size is known to be right. */
int astra_layout_check_members(const struct astra_layout *layout,
			       const void *record, struct astra_error *err);

/* Whether a variable of slurmctld or its library, given by its address, has
 * that size by the loader's table. One that the table does not tell passes.
 * Returns 0, or -1 with err set. */
int astra_layout_check_variable(const char *name, const void *variable,
				size_t size, struct astra_error *err);

#endif
