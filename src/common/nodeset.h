/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of small numbers as bitmaps of two levels: one summary bit stands for 64
 * elements, so that a search skips 4096 elements at a time. */
#ifndef ASTRA_NODESET_H
#define ASTRA_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASTRA_SET_END SIZE_MAX

/* A set in memory that the caller owns. */
struct astra_set {
	uint64_t *words;
	uint64_t *summary;
	size_t word_count;
};

/* Restricts which elements a look-up finds. Each bitmap has the layout of a
 * set's words. NULL: no restriction. */
struct astra_set_mask {
	const uint64_t *only[2];
	const uint64_t *but[4];
};

/* Return how many uint64_t a set of the numbers below `count` needs. */
static inline size_t astra_set_words(size_t count)
{
	size_t words = count / 64 + 1;

	return words + words / 64 + 1;
}

/* Return a set of the numbers below `count`. memory: has astra_set_words(count)
 * uint64_t. */
static inline struct astra_set astra_set_at(uint64_t *memory, size_t count)
{
	return (struct astra_set){
		.words = memory,
		.summary = memory + count / 64 + 1,
		.word_count = count / 64 + 1,
	};
}

static inline void astra_set_add(const struct astra_set *set, size_t element)
{
	set->words[element / 64] |= UINT64_C(1) << (element % 64);
	set->summary[element / 4096] |= UINT64_C(1) << (element / 64 % 64);
}

static inline void astra_set_del(const struct astra_set *set, size_t element)
{
	set->words[element / 64] &= ~(UINT64_C(1) << (element % 64));
	if (!set->words[element / 64])
		set->summary[element / 4096] &=
			~(UINT64_C(1) << (element / 64 % 64));
}

/* Return the least element >= from that the mask allows, or ASTRA_SET_END. mask
 * may be NULL. */
size_t astra_set_next(const struct astra_set *set, size_t from,
		      const struct astra_set_mask *mask);

/* Return the greatest element <= from, or ASTRA_SET_END. */
size_t astra_set_prev(const struct astra_set *set, size_t from);

#endif
