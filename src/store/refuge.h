/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the state stays while its folder takes nothing, being full or
 * read-only: shared memory, which outlives the process, not the host. It counts
 * only while the state file is the one that could not be replaced: another
 * controller may have gone on from that. No locks; one writer at a time.
 */
#ifndef ASTRA_REFUGE_H
#define ASTRA_REFUGE_H

#include <stddef.h>

/* Keep data instead of writing it to the state file path. Does no disk I/O.
 * Returns 0, or -1. */
int astra_refuge_save(const char *path, const void *data, size_t size);

/* What was kept for that file as it is now. *data: owned by the caller, free();
 * NULL when there is nothing. */
void astra_refuge_load(const char *path, void **data, size_t *size);

/* The state file is written again. */
void astra_refuge_drop(const char *path);

#endif
