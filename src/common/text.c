/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

int astra_text_add(struct astra_text *text, const char *bytes, size_t size)
{
	if (text->failed)
		return -1;
	if ((text->limit && size > text->limit - text->size) ||
	    (text->size + size >= text->room &&
	     astra_grow(&text->bytes, &text->room, text->size + size + 1, 1))) {
		text->failed = true;
		return -1;
	}
	if (size)
		memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
	return 0;
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
