/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/crc.h"

#include <pthread.h>

#define POLYNOMIAL UINT32_C(0xedb88320)
#define STRIDE 16 /* bytes at a time */

/* [k][b]: what byte b comes to, with k bytes of zero behind it. */
static uint32_t table[STRIDE][256];

static void crc_fill_table(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][b] = crc;
	}
	for (int k = 1; k < STRIDE; k++)
		for (int b = 0; b < 256; b++)
			table[k][b] = table[k - 1][b] >> 8 ^
				      table[0][table[k - 1][b] & 255];
}

uint32_t sfair_crc(uint32_t crc, const void *data, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const uint8_t *p = data;

	pthread_once(&once, crc_fill_table);
	crc = ~crc;
	for (; size >= STRIDE; size -= STRIDE, p += STRIDE) {
		uint32_t next = table[STRIDE - 1][p[0] ^ (crc & 255)] ^
				table[STRIDE - 2][p[1] ^ (crc >> 8 & 255)] ^
				table[STRIDE - 3][p[2] ^ (crc >> 16 & 255)] ^
				table[STRIDE - 4][p[3] ^ crc >> 24];

#pragma GCC unroll 12
		for (int k = 4; k < STRIDE; k++)
			next ^= table[STRIDE - 1 - k][p[k]];
		crc = next;
	}
	while (size--)
		crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
	return ~crc;
}
