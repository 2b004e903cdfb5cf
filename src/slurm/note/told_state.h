/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs and agents said, and what was learned from it, as bytes: parts of a
 * name, a version and a size each, so that a release reads those that it knows,
 * and one that is damaged costs the others nothing. Pure: no Slurm, no I/O. */
#ifndef ASTRA_TOLD_STATE_H
#define ASTRA_TOLD_STATE_H

#include <stdbool.h>

#include "src/common/bytes.h"
#include "src/common/error.h"

/* Whether anything has changed since the last call of astra_told_encode(). */
bool astra_told_changed(void);

/* Returns 0, or -1 when out of memory. */
int astra_told_encode(struct astra_bytes *out);

/* now_sec: the present time; nothing was said later.
 * Returns 0, or -1 with err naming the parts that cannot be used: the others
 * are in force. */
int astra_told_decode(const void *data, size_t size, double now_sec,
		      struct astra_error *err);

#endif
