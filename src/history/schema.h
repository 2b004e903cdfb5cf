/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history's file, an SQLite database; see doc/history.md. Only schema.c
 * makes its tables. A build --without-history has no such file; see none.c. */
#ifndef ASTRA_HISTORY_SCHEMA_H
#define ASTRA_HISTORY_SCHEMA_H

#include <stdbool.h>

#include "src/common/error.h"

#define ASTRA_HISTORY_VERSION 1
#define ASTRA_HISTORY_FILE "astraea-history.sqlite"

/* The span of a row in the *_time tables. */
enum astra_history_level {
	ASTRA_HISTORY_MINUTE,
	ASTRA_HISTORY_HOUR,
	ASTRA_HISTORY_DAY, /* from local midnight */
	ASTRA_HISTORY_LEVELS,
};

struct sqlite3;

/* Opens the file for writing, or makes it, with a rollback journal and mode
 * 0600.
 * - A file in WAL mode is converted.
 * - A damaged history, or one of an older version, is renamed to NAME.damaged
 *   or NAME.old, and a new one is begun.
 * - Refused, and left as they are: a newer version, another program's file, and
 *   anything but a regular file or a symbolic link to one of ours.
 * cluster: its name, kept in the file. note: gets a text if a file was renamed,
 * else "". *db: for one thread; close with astra_history_close(). Returns 0, or
 * -1 with err set. */
int astra_history_open(const char *path, const char *cluster,
		       struct sqlite3 **db, struct astra_error *note,
		       struct astra_error *err);

/* Opens a file for reading. Waits at most one second for a lock. *db: for one
 * thread; close with astra_history_close(). Returns 0; 1 if the file can be
 * read later (it is locked, or the writer has to open it first); or -1 with err
 * set. */
int astra_history_open_read(const char *path, struct sqlite3 **db,
			    struct astra_error *err);

/* Whether some program has put the file into WAL mode. Then the file has to be
 * opened again. */
bool astra_history_is_wal(struct sqlite3 *db);

/* Closes the connection. Accepts NULL. */
void astra_history_close(struct sqlite3 *db);

/* Renames a damaged or old file, so that a new one can be made. No connection
 * may be writing to the file. Returns 0 with the new name in note, or -1 with
 * err set. */
int astra_history_set_aside(const char *path, const char *suffix,
			    struct astra_error *note, struct astra_error *err);

#endif
