/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_SIZE (4 * ASTRA_LINE_MAX)
#define DROPPED_MAX ((size_t)256 << 20) /* an endless file: /dev/zero */

int astra_lines_from(struct astra_lines *lines, int fd, const char *name,
		     struct astra_error *err)
{
	*lines = (struct astra_lines){
		.name = name,
		.fd = fd,
		.buffer = malloc(BUFFER_SIZE + 1),
	};
	if (lines->buffer)
		return 0;
	close(fd);
	return astra_error_nomem(err);
}

int astra_lines_open(struct astra_lines *lines, const char *path,
		     struct astra_error *err)
{
	bool input = !strcmp(path, "-");
	int fd = input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	*lines = (struct astra_lines){.fd = -1};
	if (fd < 0)
		return astra_error_set(err, "cannot read %s: %s", path,
				       strerror(errno));
	return astra_lines_from(lines, fd, input ? "standard input" : path,
				err);
}

void astra_lines_close(struct astra_lines *lines)
{
	if (lines->fd >= 0)
		close(lines->fd);
	free(lines->buffer);
	*lines = (struct astra_lines){.fd = -1};
}

/* Moves the unread bytes to the front of the buffer, and reads more behind
 * them. Returns 0, or -1 with err set. */
static int lines_fill(struct astra_lines *lines, struct astra_error *err)
{
	ssize_t got;

	memmove(lines->buffer, lines->buffer + lines->begin,
		lines->end - lines->begin);
	lines->end -= lines->begin;
	lines->begin = 0;
	do
		got = read(lines->fd, lines->buffer + lines->end,
			   BUFFER_SIZE - lines->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return astra_error_set(err, "cannot read %s: %s", lines->name,
				       strerror(errno));
	lines->at_end = !got;
	lines->end += (size_t)got;
	return 0;
}

/* Keeps the start of a line that is too long for the buffer, and drops its
 * rest. Returns 1, or -1 with err set. */
static int cut(struct astra_lines *lines, struct astra_error *err)
{
	size_t dropped = 0;
	char *stop;

	snprintf(lines->cut, sizeof(lines->cut), "%s", lines->last);
	lines->last = lines->cut;
	do {
		if (lines_fill(lines, err) < 0)
			return -1;
		stop = memchr(lines->buffer, '\n', lines->end);
		lines->begin =
			stop ? (size_t)(stop + 1 - lines->buffer) : lines->end;
		dropped += lines->begin;
		if (dropped > DROPPED_MAX)
			return astra_error_set(err, "%s: line %u has no end",
					       lines->name, lines->number);
	} while (!stop && !lines->at_end);
	return 1;
}

/* Returns the length of the UTF-8 character at s, within size bytes; 0 if it is
 * invalid or a control character. (RFC 3629: no surrogates, no overlong forms.)
 */
static size_t character(const unsigned char *s, size_t size)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
	uint32_t code = *s & (0x7fU >> length);

	if (*s < 0x80)
		return (*s >= ' ' && *s != 0x7f) || *s == '\t';
	if (*s < 0xc0 || *s >= 0xf8 || length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3fU);
	}
	if (code < least[length] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* Terminates a line of size bytes where its valid text ends. Returns whether
 * the whole line is valid text. */
static bool end_text(char *line, size_t size)
{
	size_t at = 0, length = 1;

	if (size && line[size - 1] == '\r')
		size--;
	while (at < size && length) {
		length = line[at] >= ' ' && line[at] <= '~'
				 ? 1
				 : character((unsigned char *)line + at,
					     size - at);
		at += length;
	}
	line[at] = '\0';
	return length > 0 && size <= ASTRA_LINE_MAX;
}

static char *without_mark(const struct astra_lines *lines, char *line,
			  size_t *size)
{
	if (lines->number != 1 || *size < 3 || memcmp(line, "\xef\xbb\xbf", 3))
		return line;
	*size -= 3;
	return line + 3;
}

/* Reads until the buffer has a whole line, or is full. stop: the line's end,
 * NULL if not found. Returns 0, or -1 with err set. */
static int whole_line(struct astra_lines *lines, char **stop,
		      struct astra_error *err)
{
	*stop = memchr(lines->buffer + lines->begin, '\n',
		       lines->end - lines->begin);
	while (!*stop && !lines->at_end &&
	       lines->end - lines->begin < BUFFER_SIZE) {
		if (lines_fill(lines, err) < 0)
			return -1;
		*stop = memchr(lines->buffer, '\n', lines->end);
	}
	return 0;
}

int astra_lines_next(struct astra_lines *lines, char **line, bool *text,
		     struct astra_error *err)
{
	char *stop;
	size_t size;
	int rc = 1;

	*text = true;
	if (!lines->again) {
		if (whole_line(lines, &stop, err) < 0)
			return -1;
		lines->last = lines->buffer + lines->begin;
		size = stop ? (size_t)(stop - lines->last)
			    : lines->end - lines->begin;
		if (!stop && !size)
			return 0;
		lines->begin += size + (stop ? 1 : 0);
		lines->number++;
		lines->last = without_mark(lines, lines->last, &size);
		*text = end_text(lines->last, size);
		if (!stop && !lines->at_end)
			rc = cut(lines, err);
	}
	lines->again = false;
	*line = lines->last;
	return rc;
}

void astra_lines_back(struct astra_lines *lines)
{
	lines->again = true;
}
