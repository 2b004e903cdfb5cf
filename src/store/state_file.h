/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A state file that is either the new one or the old one, whatever happens:
 * a header with magic, format and size, the data, and a CRC-32 of both.
 * Written as NAME.new and renamed over NAME after NAME has become NAME.old.
 * Synced or not, it survives the process; synced, it survives the host. No
 * locks; one writer at a time.
 */
#ifndef ASTRA_STATE_FILE_H
#define ASTRA_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"

/* Where the state stays while its folder takes nothing, being full or
 * read-only: shared memory, which outlives the process, not the host. It counts
 * only while the state file is the one that could not be replaced: another
 * controller may have gone on from that. No locks; one writer at a time.
 */

/* Keep data instead of writing it to the state file path. Does no disk I/O.
 * Returns 0, or -1. */
int astra_refuge_save(const char *path, const void *data, size_t size);

/* What was kept for that file as it is now. *data: owned by the caller, free();
 * NULL when there is nothing. */
void astra_refuge_load(const char *path, void **data, size_t *size);

/* The state file is written again. */
void astra_refuge_drop(const char *path);

#define ASTRA_STATE_SYNC 1u /* wait until it is on the disk */
#define ASTRA_STATE_KEEP                                       \
	2u /* what is there now becomes NAME.old: a state that \
	    * was synced, so that one of them always is */

/* Returns 0, or -1 with err naming the file and the cause; what was there
 * before is still there then. */
int astra_state_write(const char *path, const void *data, size_t size,
		      unsigned flags, struct astra_error *err);

/* Read the file, or the previous one when it is missing or damaged.
 * *data: owned by the caller, free(); NULL when there is no state at all.
 * *fallback: set when the previous one was used; err says why.
 * Returns 0, or -1 with err set when neither can be used. */
int astra_state_read(const char *path, void **data, size_t *size,
		     bool *fallback, struct astra_error *err);

/* Read the previous one. *data: as above. Returns 0, or -1 with err set. */
int astra_state_read_old(const char *path, void **data, size_t *size,
			 struct astra_error *err);

/* Put the file that could not be used out of the way of the next save, as
 * NAME.kept, for whoever can read it. Returns 0, or -1 when it stays. */
int astra_state_keep(const char *path);

#endif
