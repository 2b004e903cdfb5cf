/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 (FIPS 180-4), for short texts. */
#ifndef ASTRA_SHA256_H
#define ASTRA_SHA256_H

#include <stddef.h>

#define ASTRA_SHA256_HEX 64 /* length of the hash in digits */

/* Write the hash of the bytes as lower-case digits and a NUL. */
void astra_sha256(const void *bytes, size_t size,
		  char hex[ASTRA_SHA256_HEX + 1]);

#endif
