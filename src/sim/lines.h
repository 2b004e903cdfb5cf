/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the lines of a file or pipe, one by one, in a buffer of fixed size. */
#ifndef ASTRA_LINES_H
#define ASTRA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* Longer lines are not lines of a trace. */
#define ASTRA_LINE_MAX 65536

struct astra_lines {
	const char *name; /* of the file, for messages; borrowed */
	int fd;
	char *buffer;
	size_t begin, end;
	uint32_t number; /* index of the last line, from 1 */
	bool at_end;	 /* nothing left to read */
	bool again;	 /* the last line comes once more */
	char *last;
	char cut[64]; /* start of a line that is too long */
};

/* Opens a file; path "-" is standard input. Returns 0, or -1 with err set. */
int astra_lines_open(struct astra_lines *lines, const char *path,
		     struct astra_error *err);
/* Reads from fd, which astra_lines_close() closes. Returns 0, or -1 with err
 * set; then fd is closed, too. */
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

/* Makes the last line, if unchanged, the next one, too. */
void astra_lines_back(struct astra_lines *lines);

#endif
