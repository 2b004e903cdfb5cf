/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64 /* bytes */
#define WORDS 8	 /* of the state */

/* FIPS 180-4, 4.2.2. */
static const uint32_t sha256_k[BLOCK] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t sha256_turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* 6.2.2, step 1: the message schedule of a block. */
static void sha256_spread(const uint8_t *block, uint32_t w[BLOCK])
{
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 |
		       (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < BLOCK; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ a >> 3) +
		       (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ b >> 10);
	}
}

/* Steps 2 to 4; s holds a to h. */
static void sha256_block(uint32_t h[WORDS], const uint8_t *block)
{
	uint32_t w[BLOCK], s[WORDS];

	sha256_spread(block, w);
	memcpy(s, h, sizeof(s));
	for (int i = 0; i < BLOCK; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t t1 = s[7] +
			      (sha256_turn(e, 6) ^ sha256_turn(e, 11) ^
			       sha256_turn(e, 25)) +
			      ((e & s[5]) ^ (~e & s[6])) + sha256_k[i] + w[i];
		uint32_t t2 = (sha256_turn(a, 2) ^ sha256_turn(a, 13) ^
			       sha256_turn(a, 22)) +
			      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, (WORDS - 1) * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < WORDS; i++)
		h[i] += s[i];
}

void astra_sha256(const void *bytes, size_t size,
		  char hex[ASTRA_SHA256_HEX + 1])
{
	uint32_t h[WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	uint8_t last[2 * BLOCK] = {0};
	size_t whole = size - size % BLOCK, rest = size % BLOCK;
	size_t end = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (size_t at = 0; at < whole; at += BLOCK)
		sha256_block(h, (const uint8_t *)bytes + at);
	if (rest)
		memcpy(last, (const uint8_t *)bytes + whole, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[end - 1 - i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
	for (size_t at = 0; at < end; at += BLOCK)
		sha256_block(h, last + at);
	for (int i = 0; i < WORDS; i++)
		(void)snprintf(hex + 8 * i, 9, "%08x", h[i]);
}
