/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are written all and whole or not at all: each is written beside
 * its place and renamed when all of them are complete. SIGHUP, SIGINT and
 * SIGTERM leave none behind, unless the caller does something else on them. */
#ifndef ASTRA_OUTFILE_H
#define ASTRA_OUTFILE_H

#include <stdio.h>

#include "src/common/error.h"

struct astra_outfile {
	FILE *file;
	char *path; /* where it belongs */
	char *temp; /* NULL: written in place, as a pipe or a device */
};

struct astra_outfiles {
	struct astra_outfile *files;
	size_t count, room;
};

/* Whether a file could be put there, to be asked before a long computation.
 * path: "-" is stdout. Returns 0, or -1 with err set. */
int astra_outfile_check(const char *path, struct astra_error *err);

/* Begin a file; stdout, pipes and devices are written as they are.
 * Returns the stream, owned by files, or NULL with err set. */
FILE *astra_outfiles_open(struct astra_outfiles *files, const char *path,
			  struct astra_error *err);

/* Put all in their places. Returns 0, or -1 with err set. In any case files is
 * empty afterwards. */
int astra_outfiles_commit(struct astra_outfiles *files,
			  struct astra_error *err);

/* Leave no trace of what was not committed. */
void astra_outfiles_clear(struct astra_outfiles *files);

#endif
