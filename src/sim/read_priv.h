/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the readers of formats. Each reader reads lines until the end, and
 * adds jobs and defects; the caller finishes the trace. */
#ifndef ASTRA_READ_PRIV_H
#define ASTRA_READ_PRIV_H

#include "src/sim/lines.h"
#include "src/sim/read.h"

/* Read a trace in one format. Return 0, or -1 with err set. */
int astra_read_csv(struct astra_trace *trace, struct astra_lines *lines,
		   struct astra_error *err);
int astra_read_swf(struct astra_trace *trace, struct astra_lines *lines,
		   uint32_t procs_per_gpu, struct astra_error *err);

/* Whether a first line names at least one column of traces. */
bool astra_is_csv(const char *line);
/* Whether a first line is a comment or a job in SWF. */
bool astra_is_swf(const char *line);

/* Reads the next line that is neither empty nor defective. Returns 1, 0 at the
 * end, or -1 with err set. */
int astra_read_line(struct astra_trace *trace, struct astra_lines *lines,
		    char **line, struct astra_error *err);

/* A copy of a line's start, as the line itself is cut up. */
struct astra_line_start {
	char text[48];
};
struct astra_line_start astra_line_start(const char *line);

/* Counts a defect, and keeps the column with its value: "gpus=-1". */
void astra_read_defect(struct astra_trace *trace, enum astra_defect kind,
		       uint32_t line, const char *column, const char *value);

/* Adds a job. A job that ran for no time, or that did not end, is counted as a
 * defect instead. job: without the indices of its names. Only names of added
 * jobs get indices, since a tenant without jobs has no share. Returns 0, or -1
 * if out of memory. */
int astra_read_admit(struct astra_trace *trace,
		     const struct astra_trace_job *job,
		     const struct astra_job_names *names, bool unfinished);

#endif
