/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lines of a file or pipe, one by one, in a buffer of fixed size. */
#ifndef ASTRA_LINES_H
#define ASTRA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* A longer line is not a line of a trace. */
#define ASTRA_LINE_MAX 65536

struct astra_lines {
	const char *name; /* file name, for messages; borrowed */
	int fd;
	char *buffer;
	size_t begin, end;
	uint32_t number; /* number of the last line, from 1 */
	bool at_end;	 /* nothing left to read */
	bool again;	 /* return the last line once more */
	char *last;
	char cut[64]; /* start of a line that was too long */
};

/* Opens a file; path "-" is standard input. Returns 0, or -1 with err set. */
int astra_lines_open(struct astra_lines *lines, const char *path,
		     struct astra_error *err);
/* Reads from fd, which astra_lines_close() closes. Returns 0; or -1 with err
 * set and fd closed. */
int astra_lines_from(struct astra_lines *lines, int fd, const char *name,
		     struct astra_error *err);
void astra_lines_close(struct astra_lines *lines);

/* Reads the next line, without its end (LF or CR LF) and byte order mark. The
 * line may be changed, and lives until the next call.
 * text: whether the line is UTF-8 without control characters except tabs, and
 * not too long; if false, the line is cut where valid text ends.
 * Returns 1, 0 at the end, or -1 with err set. */
int astra_lines_next(struct astra_lines *lines, char **line, bool *text,
		     struct astra_error *err);

/* Makes astra_lines_next() return the last line again. The caller must not have
 * changed it. */
void astra_lines_back(struct astra_lines *lines);

#endif
