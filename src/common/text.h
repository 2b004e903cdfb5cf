/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing text with an upper bound. */
#ifndef ASTRA_TEXT_H
#define ASTRA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct astra_text {
	char *bytes; /* ends with a NUL once anything was added; free() it */
	size_t size; /* without the NUL */
	size_t room;
	size_t limit; /* largest size; 0: no limit */
	bool failed;  /* memory was out, or the limit was reached */
};

/* Return where `size` bytes can be written, or NULL when memory is out or the
 * text has failed before. The bytes count only after astra_text_took() says how
 * many were used. A piece that does not fit completely is left out, and the
 * text is marked as failed. So a caller may add many pieces and check once. */
char *astra_text_grow(struct astra_text *text, size_t size);

static inline char *astra_text_room(struct astra_text *text, size_t size)
{
	if (text->failed || size >= text->room - text->size)
		return astra_text_grow(text, size);
	return text->bytes + text->size;
}

static inline int astra_text_took(struct astra_text *text, size_t size)
{
	if (text->limit && size > text->limit - text->size) {
		text->failed = true;
		size = 0;
	}
	text->size += size;
	text->bytes[text->size] = '\0';
	return text->failed ? -1 : 0;
}

/* Append. Returns 0, or -1 if the text has failed. A large reply needs a
 * million calls. */
static inline int astra_text_add(struct astra_text *text, const char *bytes,
				 size_t size)
{
	char *room = astra_text_room(text, size);

	if (!room)
		return -1;
	if (size)
		memcpy(room, bytes, size);
	return astra_text_took(text, size);
}

int astra_text_printf(struct astra_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Free what the text holds. It is then empty and can be reused. */
void astra_text_clear(struct astra_text *text);

#endif
