/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/file.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/history/schema.h"

#define FORMATS_AT 18 /* in the file */

static const char *file_kind_of(mode_t mode)
{
	return S_ISDIR(mode)			? "a directory"
	       : S_ISFIFO(mode)			? "a FIFO"
	       : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
	       : S_ISSOCK(mode)			? "a socket"
						: "no regular file";
}

/* As astra_history_look_at(), of one. */
static int file_look_at(const char *path, struct stat *st,
			struct astra_error *err)
{
	bool link;

	if (lstat(path, st) < 0)
		return errno == ENOENT ? 1
				       : astra_error_set(err, "%s: %s", path,
							 strerror(errno));
	link = S_ISLNK(st->st_mode);
	if (link && stat(path, st) < 0)
		return astra_error_set(err, "%s is a symbolic link: %s", path,
				       strerror(errno));
	if (!S_ISREG(st->st_mode))
		return astra_error_set(err,
				       "%s is %s%s, and no file to write to",
				       path, link ? "a symbolic link to " : "",
				       file_kind_of(st->st_mode));
	if (link && st->st_uid != geteuid())
		return astra_error_set(
			err, "%s is a symbolic link to another user's file",
			path);
	return 0;
}

int astra_history_look_at(const char *path, struct stat *st,
			  struct astra_error *err)
{
	static const char *const beside[] = {"-journal", "-wal", "-shm"};

	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		char name[4096 + 16];

		snprintf(name, sizeof(name), "%s%s", path, beside[i]);
		if (file_look_at(name, st, err) < 0)
			return -1;
	}
	return file_look_at(path, st, err);
}

int astra_history_header(sqlite3 *db, unsigned char *out, int from, int bytes)
{
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER,
				 &file) != SQLITE_OK ||
	    !file || !file->pMethods)
		return -1;
	return file->pMethods->xRead(file, out, bytes, from) == SQLITE_OK ? 0
									  : -1;
}

/* A file in WAL mode has a part that all who have it open map: slurmctld would
 * die of SIGBUS if somebody cut it. So it is never opened as such. */
bool astra_history_is_wal(sqlite3 *db)
{
	unsigned char formats[2] = {0};

	return astra_history_header(db, formats, FORMATS_AT, sizeof(formats)) ==
		       0 &&
	       (formats[0] == 2 || formats[1] == 2);
}
