/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_ROOM 64

/* Make room. A large reply takes megabytes, so new memory is neither cleared
 * nor touched before it is written. */
static int text_reserve(struct astra_text *text, size_t need)
{
	size_t room = text->room ? text->room : LEAST_ROOM;
	char *grown;

	while (room < need) {
		if (room > SIZE_MAX / 2)
			return -1;
		room *= 2;
	}
	grown = realloc(text->bytes, room);
	if (!grown)
		return -1;
	text->bytes = grown;
	text->room = room;
	return 0;
}

char *astra_text_grow(struct astra_text *text, size_t size)
{
	if (!text->failed && (size > SIZE_MAX / 2 - text->size ||
			      text_reserve(text, text->size + size + 1) < 0))
		text->failed = true;
	return text->failed ? NULL : text->bytes + text->size;
}

int astra_text_printf(struct astra_text *text, const char *fmt, ...)
{
	char *line = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text->failed = true;
		return -1;
	}
	n = astra_text_add(text, line, (size_t)n);
	free(line);
	return n;
}

void astra_text_clear(struct astra_text *text)
{
	free(text->bytes);
	*text = (struct astra_text){.limit = text->limit};
}
