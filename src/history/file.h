/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the history's file is, before SQLite looks into it. */
#ifndef ASTRA_HISTORY_FILE_H
#define ASTRA_HISTORY_FILE_H

#include <sys/stat.h>

#include "src/common/error.h"

struct sqlite3;

/* Whether the file, and what SQLite may open beside it, is what it should be:
 * a regular file, or a symbolic link to one of our own. Any other may wait for
 * ever when it is opened, or be a device of the whole host.
 * Returns 0 with *st set, 1 when there is none, or -1 with err set. */
int astra_history_look_at(const char *path, struct stat *st,
			  struct astra_error *err);

/* Read bytes of an open file without a lock, and without another descriptor:
 * closing one would drop the locks of our connections. Returns 0 or -1. */
int astra_history_header(struct sqlite3 *db, unsigned char *out, int from,
			 int bytes);

#endif
