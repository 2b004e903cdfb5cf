/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as JSON, straight into a text. Each appends one; out says whether that
 * failed. */
#ifndef ASTRA_COMMON_ENCODE_H
#define ASTRA_COMMON_ENCODE_H

#include <stdint.h>

#include "src/common/text.h"

/* A quoted text; NULL is "". Bytes that are no UTF-8 become question marks. */
void astra_encode_text(struct astra_text *out, const char *text);

/* A number; infinity is "inf", and what is none is null. */
void astra_encode_whole(struct astra_text *out, uint64_t value);
void astra_encode_real(struct astra_text *out, double value);

/* The same with all its bits: 17 digits tell any two doubles apart. */
void astra_encode_exact(struct astra_text *out, double value);

/* The bytes of the UTF-8 character at text, or 0 where there is none. */
size_t astra_utf8_size(const char *text);

#endif
