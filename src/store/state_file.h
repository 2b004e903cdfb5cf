/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A state file that has either the new content or the old one, whatever
 * happens. It consists of a header with magic, format and size, the data, and a
 * CRC-32 of both. It is written as NAME.new, which is then renamed to NAME.
 * With ASTRA_STATE_KEEP, the old NAME becomes NAME.old before. The file
 * survives the process. If it is synced, it also survives the host. No locks;
 * there must be only one writer at a time. */
#ifndef ASTRA_STATE_FILE_H
#define ASTRA_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "src/common/error.h"

/* A refuge for the state while its folder is full or read-only. The refuge is
 * shared memory, which outlives the process but not the host. The refuge counts
 * only while the state file is still the one that could not be replaced. If it
 * is another file, another controller may have written it. No locks; there must
 * be only one writer at a time. */

/* Keeps the data in the refuge instead of writing it to the state file `path`.
 * Does no disk I/O. Returns 0, or -1. */
int astra_refuge_save(const char *path, const void *data, size_t size);

/* Loads the data that was kept for the present state file. *data: owned by the
 * caller, free(); NULL if nothing was kept. */
void astra_refuge_load(const char *path, void **data, size_t *size);

/* Drops the kept data, as the state file can be written again. */
void astra_refuge_drop(const char *path);

#define ASTRA_STATE_SYNC 1u /* wait until the file is on the disk */
#define ASTRA_STATE_KEEP                                                      \
	2u /* the present file becomes NAME.old; it was synced, so one of the \
	    * two always is */

/* Writes the file. Returns 0. Otherwise returns -1, err names the file and the
 * cause, and the old file is still in place. */
int astra_state_write(const char *path, const void *data, size_t size,
		      unsigned flags, struct astra_error *err);

/* Reads the file, or the previous one if the file is missing or damaged.
 * *data: owned by the caller, free(); NULL if there is no state at all.
 * *fallback: set if the previous file was used; err says why.
 * Returns 0, or -1 with err set if neither can be used. */
int astra_state_read(const char *path, void **data, size_t *size,
		     bool *fallback, struct astra_error *err);

/* Reads the previous file. *data: as above. Returns 0, or -1 with err set. */
int astra_state_read_old(const char *path, void **data, size_t *size,
			 struct astra_error *err);

/* Renames an unusable file to NAME.kept, so that the next save can replace
 * NAME. Returns 0, or -1 if the file stays where it is. */
int astra_state_keep(const char *path);

#endif
