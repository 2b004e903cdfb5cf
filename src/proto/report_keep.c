/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/proto/report_priv.h"

#define CHUNK_BYTES 65536

/* What lives as long as the report is in chunks that are freed together. */
struct astra_report_chunk {
	struct astra_report_chunk *next;
	size_t used, room;
	max_align_t bytes[];
};

static char *bytes_for(struct astra_report_private *own, size_t size,
		       size_t align)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct astra_report_chunk *chunk = own->chunks;
	size_t at = chunk ? (chunk->used + align - 1) / align * align : 0;

	if (!chunk || at > chunk->room || chunk->room - at < size) {
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->next = own->chunks;
		chunk->room = room;
		own->chunks = chunk;
		at = 0;
	}
	chunk->used = at + size;
	return (char *)chunk->bytes + at;
}

void *astra_report_take(struct astra_report *report, size_t size)
{
	return bytes_for(report->own, size, sizeof(double));
}

const char *astra_report_keep(struct astra_report *report, const char *text,
			      const char *like)
{
	size_t size;
	char *copy;

	if (!text || !*text)
		return "";
	if (like && !strcmp(text, like))
		return like;
	size = strlen(text) + 1;
	copy = bytes_for(report->own, size, 1);
	if (copy)
		memcpy(copy, text, size);
	return copy;
}

static const char **string_at(void *record, size_t offset)
{
	return (const char **)(void *)((char *)record + offset);
}

int astra_report_keep_all(struct astra_report *report, void *record,
			  void *before, const size_t *offsets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char **text = string_at(record, offsets[i]);

		*text = astra_report_keep(
			report, *text,
			before ? *string_at(before, offsets[i]) : NULL);
		if (!*text)
			return -1;
	}
	return 0;
}

void astra_report_forget(struct astra_report_private *own)
{
	while (own->chunks) {
		struct astra_report_chunk *next = own->chunks->next;

		free(own->chunks);
		own->chunks = next;
	}
}
