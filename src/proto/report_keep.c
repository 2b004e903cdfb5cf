/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
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

const void *astra_report_copy(struct astra_report *report, const void *items,
			      size_t count, size_t size)
{
	void *copy = bytes_for(report->own, count * size, sizeof(double));

	return copy && count ? memcpy(copy, items, count * size) : copy;
}

static int report_keep_text(void *report, const char **text, const char *like)
{
	*text = astra_report_keep(report, *text, like);
	return *text ? 0 : -1;
}

int astra_report_keep_all(struct astra_report *report, void *record,
			  const void *before,
			  const struct astra_member *members)
{
	return astra_members_keep(record, before, members, report_keep_text,
				  report);
}

int astra_report_append(struct astra_report *report, void *list, size_t *count,
			size_t *room, const void *record, size_t size,
			const struct astra_member *members)
{
	char *at;

	if (astra_grow(list, room, *count + 1, size) < 0)
		return -1;
	at = *(char **)list + *count * size;
	memcpy(at, record, size);
	if (astra_report_keep_all(report, at, *count ? at - size : NULL,
				  members) < 0)
		return -1;
	++*count;
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
