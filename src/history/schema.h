/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history's file: an SQLite database, see doc/history.md. Only this makes
 * its tables. With --without-history there is no such file, see none.c.
 */
#ifndef ASTRA_HISTORY_SCHEMA_H
#define ASTRA_HISTORY_SCHEMA_H

#include <stdbool.h>

#include "src/common/error.h"

#define ASTRA_HISTORY_VERSION 1
#define ASTRA_HISTORY_FILE "astraea-history.sqlite"

/* Of the *_time tables: what a row is the sum of. */
enum astra_history_level {
	ASTRA_HISTORY_MINUTE,
	ASTRA_HISTORY_HOUR,
	ASTRA_HISTORY_DAY, /* from local midnight on */
	ASTRA_HISTORY_LEVELS,
};

struct sqlite3;

/* Open the file to write, and make it if it is not there: with a rollback
 * journal, for the owner only; one in WAL mode is converted. A history that is
 * damaged, or of an older version, is renamed to NAME.damaged or NAME.old, and
 * a new one is begun; one of a newer version, what has something else in it,
 * and what is not a regular file (or a symbolic link to one of ours) is refused
 * and stays as it is. cluster: its name, kept in the file. note: gets a text
 * when a file was renamed, else "". *db: for one thread; close with
 * astra_history_close(). Returns 0, or -1 with err set. */
int astra_history_open(const char *path, const char *cluster,
		       struct sqlite3 **db, struct astra_error *note,
		       struct astra_error *err);

/* Open a file to read. *db: for one thread; close with astra_history_close().
 * It waits 0.2 s for a lock at most. Returns 0, 1 when it can be read later
 * (locked, or to be taken up by the writer first), or -1 with err set. */
int astra_history_open_read(const char *path, struct sqlite3 **db,
			    struct astra_error *err);

/* Whether somebody has put the file into WAL mode: it is to be opened anew. */
bool astra_history_is_wal(struct sqlite3 *db);

/* Accepts NULL. */
void astra_history_close(struct sqlite3 *db);

/* Rename a file that SQLite finds damaged, so that a new one can be begun. No
 * connection may be writing to it. Returns 0 with the new name in note, or -1
 * with err set. */
int astra_history_set_aside(const char *path, const char *suffix,
			    struct astra_error *note, struct astra_error *err);

#endif
