/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

void astra_bytes_clear(struct astra_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct astra_bytes){0};
}

void astra_put_bytes(struct astra_bytes *bytes, const void *data, size_t size)
{
	if (bytes->failed ||
	    astra_grow(&bytes->data, &bytes->room, bytes->size + size, 1) < 0) {
		bytes->failed = true;
		return;
	}
	if (size) /* if the size is 0, data may be NULL */
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

void astra_put_u64(struct astra_bytes *bytes, uint64_t value)
{
	uint8_t field[8];

	for (int i = 0; i < 8; i++)
		field[i] = (uint8_t)(value >> 8 * i);
	astra_put_bytes(bytes, field, sizeof(field));
}

void astra_put_u32(struct astra_bytes *bytes, uint32_t value)
{
	uint8_t field[4];

	for (int i = 0; i < 4; i++)
		field[i] = (uint8_t)(value >> 8 * i);
	astra_put_bytes(bytes, field, sizeof(field));
}

void astra_put_f64(struct astra_bytes *bytes, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	astra_put_u64(bytes, bits);
}

void astra_put_text(struct astra_bytes *bytes, const char *text)
{
	uint32_t size = (uint32_t)strlen(text);

	astra_put_u32(bytes, size);
	astra_put_bytes(bytes, text, size);
}

const uint8_t *astra_get_bytes(struct astra_reader *reader, size_t size)
{
	const uint8_t *field = reader->data + reader->at;

	if (reader->failed || size > reader->size - reader->at) {
		reader->failed = true;
		return NULL;
	}
	reader->at += size;
	return field;
}

uint64_t astra_get_u64(struct astra_reader *reader)
{
	const uint8_t *field = astra_get_bytes(reader, 8);
	uint64_t value = 0;

	for (int i = 0; field && i < 8; i++)
		value |= (uint64_t)field[i] << 8 * i;
	return value;
}

uint32_t astra_get_u32(struct astra_reader *reader)
{
	const uint8_t *field = astra_get_bytes(reader, 4);
	uint32_t value = 0;

	for (int i = 0; field && i < 4; i++)
		value |= (uint32_t)field[i] << 8 * i;
	return value;
}

double astra_get_f64(struct astra_reader *reader)
{
	uint64_t bits = astra_get_u64(reader);
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

char *astra_get_text(struct astra_reader *reader)
{
	uint32_t size = astra_get_u32(reader);
	const uint8_t *field = astra_get_bytes(reader, size);

	return field ? strndup((const char *)field, size) : NULL;
}
