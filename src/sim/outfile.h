/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes several files: either all of them completely, or none. Each is first
 * written under another name in its folder; all are renamed when all are
 * complete. SIGHUP, SIGINT and SIGTERM remove the unfinished files, unless the
 * caller handles these signals. */
#ifndef ASTRA_OUTFILE_H
#define ASTRA_OUTFILE_H

#include <stdio.h>

#include "src/common/error.h"

struct astra_outfile {
	FILE *file;
	char *path; /* final place */
	char *temp; /* NULL: written in place, as a pipe or a device is */
};

struct astra_outfiles {
	struct astra_outfile *files;
	size_t count, room;
};

/* Checks, before a long computation, that a file can be written at path. path:
 * "-" is stdout. Returns 0, or -1 with err set. */
int astra_outfile_check(const char *path, struct astra_error *err);

/* Begins a file; stdout, pipes and devices are written in place. Returns the
 * stream, owned by files, or NULL with err set. */
FILE *astra_outfiles_open(struct astra_outfiles *files, const char *path,
			  struct astra_error *err);

/* Renames all files to their paths. Returns 0, or -1 with err set. files is
 * empty afterwards in either case. */
int astra_outfiles_commit(struct astra_outfiles *files,
			  struct astra_error *err);

/* Removes all files that were not committed. */
void astra_outfiles_clear(struct astra_outfiles *files);

#endif
