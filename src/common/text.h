/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing text with an upper bound. */
#ifndef ASTRA_TEXT_H
#define ASTRA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct astra_text {
	char *bytes; /* ended by a NUL once anything was added; free() it */
	size_t size; /* without the NUL */
	size_t room;
	size_t limit; /* 0: none */
	bool failed;  /* memory was out, or the limit was met */
};

/* Append. What does not fit whole is left out, and the text is marked failed;
 * so a caller may add many and check once.
 * Returns 0, or -1 when the text has failed. */
int astra_text_add(struct astra_text *text, const char *bytes, size_t size);
int astra_text_printf(struct astra_text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Free what it holds; it is empty and usable afterwards. */
void astra_text_clear(struct astra_text *text);

#endif
