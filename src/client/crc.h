/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CRC-32 of zlib's crc32() and of Python's zlib.crc32(). */
#ifndef SFAIR_CRC_H
#define SFAIR_CRC_H

#include <stddef.h>
#include <stdint.h>

/* crc: 0, or that of what was before. */
uint32_t sfair_crc(uint32_t crc, const void *data, size_t size);

#endif
