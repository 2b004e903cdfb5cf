/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces of texts, for tests. */
#ifndef ASTRA_TRACE_FILE_H
#define ASTRA_TRACE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/sim/read.h"
#include "testsuite/unit/unit.h"

#define HEADER "job_id,tenant,user,submit_s,duration_s,gpus\n"

/* A file of these bytes; text_file_gone() frees the name and unlinks it. */
static inline char *text_file(const char *bytes, size_t size)
{
	char *path = strdup("/tmp/astra-trace-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	while (size) {
		ssize_t put = write(fd, bytes, size);

		assert_true(put > 0);
		bytes += put;
		size -= (size_t)put;
	}
	close(fd);
	return path;
}

static inline void text_file_gone(char *path)
{
	unlink(path);
	free(path);
}

/* Read it as a file. The trace's source is "trace". */
static inline int read_bytes(struct astra_trace *trace, const char *bytes,
			     size_t size, struct astra_error *err)
{
	static const struct astra_read_options options = {0};
	char *path = text_file(bytes, size);
	int rc;

	astra_trace_init(trace);
	rc = astra_trace_read(trace, path, &options, err);
	text_file_gone(path);
	trace->source = "trace";
	return rc;
}

static inline int read_text(struct astra_trace *trace, const char *text,
			    struct astra_error *err)
{
	return read_bytes(trace, text, strlen(text), err);
}

/* A text that can be read. */
static inline void must_read(struct astra_trace *trace, const char *text)
{
	struct astra_error err = {""};

	if (read_text(trace, text, &err) < 0)
		fail_msg("%s", err.text);
}

#endif
