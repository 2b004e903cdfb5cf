/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs and agents reported and what was learned from it, as bytes. Each
 * part has a name, a version and a size. So a release reads the parts that it
 * knows, and a damaged part does not affect the others. Pure: no Slurm, no
 * I/O. */
#ifndef ASTRA_TOLD_STATE_H
#define ASTRA_TOLD_STATE_H

#include <stdbool.h>

#include "src/common/bytes.h"
#include "src/common/error.h"

/* Whether anything has changed since the last call of astra_told_encode(). */
bool astra_told_changed(void);

/* Append all parts to out. Returns 0, or -1 when memory is out. */
int astra_told_encode(struct astra_bytes *out);

/* Read all parts. now_sec: the present time; nothing can be newer. Returns 0,
 * or -1 with err naming a part that cannot be used; the other parts are
 * used. */
int astra_told_decode(const void *data, size_t size, double now_sec,
		      struct astra_error *err);

#endif
