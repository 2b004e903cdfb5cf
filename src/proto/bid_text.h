/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of --bid. Uses the C library alone, since spank/astraea links it,
 * too. */
#ifndef ASTRA_BID_TEXT_H
#define ASTRA_BID_TEXT_H

#include "src/common/error.h"
#include "src/proto/curves.h"

#define ASTRA_BID_TEXT_MAX 8192 /* bytes, white space not counted */

/* Reads the file of --bid:
 * {"seconds": {"slot": [900, 480], "machine": [900, "inf"], ...}}
 * Each level has 1 to ASTRA_BID_GPUS_MAX numbers above 0 and up to 1e9, or
 * "inf"; slot is required.
 * out: to be cleared by the caller; empty on failure.
 * Returns 0, or -1 with err set. */
int astra_bid_text_read(const char *text, struct astra_curves *out,
			struct astra_error *err);

/* Copies the text without white space, cut to size bytes. Returns the length of
 * the whole text without white space. */
size_t astra_bid_text_compact(const char *text, char *out, size_t size);

#endif
