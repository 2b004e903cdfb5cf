/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FNV-1a, the hash of Fowler, Noll and Vo. It is good for tables, but does not
 * resist attackers. Begin with a BASIS, and pass each call's result to the
 * next. */
#ifndef ASTRA_FNV_H
#define ASTRA_FNV_H

#include <stddef.h>
#include <stdint.h>

#define ASTRA_FNV32_BASIS UINT32_C(2166136261)
#define ASTRA_FNV64_BASIS UINT64_C(0xcbf29ce484222325)

static inline uint32_t astra_fnv32_byte(uint32_t hash, unsigned char byte)
{
	return (hash ^ byte) * UINT32_C(16777619);
}

static inline uint64_t astra_fnv64_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * UINT64_C(0x100000001b3);
}

/* Hash the lowest bytes of a number, the lowest first. */
static inline uint32_t astra_fnv32_number(uint32_t hash, uint64_t number,
					  int bytes)
{
	for (int i = 0; i < bytes; i++)
		hash = astra_fnv32_byte(hash, number >> 8 * i & 0xff);
	return hash;
}

/* Hash a text without its NUL; NULL counts as "". */
static inline uint32_t astra_fnv32_text(uint32_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = astra_fnv32_byte(hash, (unsigned char)*text);
	return hash;
}

static inline uint64_t astra_fnv64_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = astra_fnv64_byte(hash, (unsigned char)*text);
	return hash;
}

#endif
