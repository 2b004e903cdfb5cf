/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte buffer with fixed little-endian fields: the encoding of the state
 * file. Doubles keep all their bits. Reading never goes past the end: after the
 * first incomplete field `failed` is set and everything reads as zero. */
#ifndef ASTRA_BYTES_H
#define ASTRA_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct astra_bytes {
	uint8_t *data; /* owned; free() or astra_bytes_clear() */
	size_t size, room;
	bool failed; /* memory was out: the contents are incomplete */
};

void astra_bytes_clear(struct astra_bytes *bytes);
void astra_put_u32(struct astra_bytes *bytes, uint32_t value);
void astra_put_u64(struct astra_bytes *bytes, uint64_t value);
void astra_put_f64(struct astra_bytes *bytes, double value);
void astra_put_bytes(struct astra_bytes *bytes, const void *data, size_t size);
void astra_put_text(struct astra_bytes *bytes, const char *text);

struct astra_reader {
	const uint8_t *data; /* borrowed */
	size_t size, at;
	bool failed; /* the data ended early */
};

uint32_t astra_get_u32(struct astra_reader *reader);
uint64_t astra_get_u64(struct astra_reader *reader);
double astra_get_f64(struct astra_reader *reader);
/* Return the next `size` bytes, borrowed from the data; NULL if it ended
 * early. */
const uint8_t *astra_get_bytes(struct astra_reader *reader, size_t size);
/* Return a copy of a text, to be freed; NULL if the data ended early or memory
 * is out. */
char *astra_get_text(struct astra_reader *reader);

#endif
