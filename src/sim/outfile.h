/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes files all and whole, or not at all. Each is written beside its place,
 * and renamed when all are complete. SIGHUP, SIGINT and SIGTERM leave none
 * behind, unless the caller handles them. */
#ifndef ASTRA_OUTFILE_H
#define ASTRA_OUTFILE_H

#include <stdio.h>

#include "src/common/error.h"

struct astra_outfile {
	FILE *file;
	char *path; /* final place */
	char *temp; /* NULL: written in place, such as a pipe or a device */
};

struct astra_outfiles {
	struct astra_outfile *files;
	size_t count, room;
};

/* Checks that a file can be written there, before a long computation. path: "-"
 * is stdout. Returns 0, or -1 with err set. */
int astra_outfile_check(const char *path, struct astra_error *err);

/* Begins a file; stdout, pipes and devices are written in place. Returns the
 * stream, owned by files, or NULL with err set. */
FILE *astra_outfiles_open(struct astra_outfiles *files, const char *path,
			  struct astra_error *err);

/* Puts all files in their places. Returns 0, or -1 with err set. files is empty
 * afterwards in either case. */
int astra_outfiles_commit(struct astra_outfiles *files,
			  struct astra_error *err);

/* Removes all files that were not committed. */
void astra_outfiles_clear(struct astra_outfiles *files);

#endif
