/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text that says what was wrong and what to do. */
#ifndef ASTRA_ERROR_H
#define ASTRA_ERROR_H

struct astra_error {
	char text[640];
};

/* Store a formatted text in err, cut at its size.
 * err: may be NULL, then nothing is stored.
 * Returns -1 always, so that a caller can write `return astra_error_set(…)`.
 */
int astra_error_set(struct astra_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append a formatted text to err, after "; ". A text that does not fit is left
 * out, and err then ends with "; ...". */
void astra_error_add(struct astra_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Store the text for a failed allocation. Returns -1. */
int astra_error_nomem(struct astra_error *err);

#endif
