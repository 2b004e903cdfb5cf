/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a file or pipe, as they come: a file of any size takes the
 * memory of its longest line.
 */
#ifndef ASTRA_LINES_H
#define ASTRA_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* What is longer is no line of a trace. */
#define ASTRA_LINE_MAX 65536

struct astra_lines {
	const char *name; /* of the file, for messages; borrowed */
	int fd;
	char *buffer;
	size_t begin, end;
	uint32_t number; /* of the last line, from 1 */
	bool at_end;	 /* nothing more to read */
	bool again;	 /* the last line comes once more */
	char *last;
	char cut[64]; /* the beginning of a line that is too long */
};

/* path: "-" is the standard input. Returns 0, or -1 with err set. */
int astra_lines_open(struct astra_lines *lines, const char *path,
		     struct astra_error *err);
/* Read from fd, which astra_lines_close() closes. Returns 0, or -1 with err
 * set; then fd is closed, too. */
int astra_lines_from(struct astra_lines *lines, int fd, const char *name,
		     struct astra_error *err);
void astra_lines_close(struct astra_lines *lines);

/* The next line, without its end (LF or CR LF) and a byte order mark; it may be
 * changed, and lives until the next call.
 * text: what is UTF-8 without control characters (tabs are none) and not too
 *   long; false: it is cut where that ends.
 * Returns 1, 0 at the end, or -1 with err set. */
int astra_lines_next(struct astra_lines *lines, char **line, bool *text,
		     struct astra_error *err);

/* Let the last line, if unchanged, be the next one, too. */
void astra_lines_back(struct astra_lines *lines);

#endif
