/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/nodeset.h"

static size_t lowest(uint64_t word)
{
	return (size_t)__builtin_ctzll(word);
}

static size_t nodeset_highest(uint64_t word)
{
	return 63 - (size_t)__builtin_clzll(word);
}

static uint64_t masked(const struct astra_set *set, size_t word,
		       const struct astra_set_mask *mask)
{
	uint64_t bits = set->words[word];

	if (!mask)
		return bits;
	for (int i = 0; i < 2; i++)
		if (mask->only[i])
			bits &= mask->only[i][word];
	for (int i = 0; i < 4; i++)
		if (mask->but[i])
			bits &= ~mask->but[i][word];
	return bits;
}

/* Return the next non-empty word >= from, or word_count. */
static size_t next_word(const struct astra_set *set, size_t from)
{
	size_t last = (set->word_count - 1) / 64;

	for (size_t i = from / 64; i <= last; i++) {
		uint64_t bits = set->summary[i];

		if (i == from / 64)
			bits &= ~UINT64_C(0) << (from % 64);
		if (bits)
			return i * 64 + lowest(bits);
	}
	return set->word_count;
}

size_t astra_set_next(const struct astra_set *set, size_t from,
		      const struct astra_set_mask *mask)
{
	size_t word = from / 64;
	uint64_t keep = ~UINT64_C(0) << (from % 64);

	while (word < set->word_count) {
		uint64_t bits = set->words[word] & keep;

		if (bits)
			bits &= masked(set, word, mask);
		if (bits)
			return word * 64 + lowest(bits);
		if (word + 1 >= set->word_count)
			break;
		word = next_word(set, word + 1);
		keep = ~UINT64_C(0);
	}
	return ASTRA_SET_END;
}

size_t astra_set_prev(const struct astra_set *set, size_t from)
{
	size_t word = from / 64;
	uint64_t bits;

	if (word >= set->word_count) {
		word = set->word_count - 1;
		from = word * 64 + 63;
	}
	bits = set->words[word] & (~UINT64_C(0) >> (63 - from % 64));
	while (!bits) {
		if (!word--)
			return ASTRA_SET_END;
		bits = set->words[word];
	}
	return word * 64 + nodeset_highest(bits);
}
