/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as JSON, written directly into a text. Each function appends one
 * value. Failures are recorded in out. */
#ifndef ASTRA_COMMON_ENCODE_H
#define ASTRA_COMMON_ENCODE_H

#include <stdint.h>

#include "src/common/text.h"

/* Append a quoted text; NULL counts as "". Invalid UTF-8 becomes question
 * marks. */
void astra_encode_text(struct astra_text *out, const char *text);

/* Append a number. Infinity is "inf", NaN is null. */
void astra_encode_whole(struct astra_text *out, uint64_t value);
void astra_encode_real(struct astra_text *out, double value);

/* Append a number with all its bits: 17 digits distinguish any two doubles. */
void astra_encode_exact(struct astra_text *out, double value);

/* Return the bytes of the UTF-8 character at text, or 0 if it is invalid. */
size_t astra_utf8_size(const char *text);

#endif
