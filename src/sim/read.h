/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a trace from a file, or from a cluster's accounting. Lines that are not
 * jobs, or not as expected, are counted in the trace with their line and value.
 */
#ifndef ASTRA_READ_H
#define ASTRA_READ_H

#include "src/sim/trace.h"

enum astra_trace_format {
	ASTRA_FORMAT_AUTO, /* by its first line */
	ASTRA_FORMAT_CSV,  /* columns by name: ours or sacct's */
	ASTRA_FORMAT_SWF,  /* Standard Workload Format */
};

struct astra_read_options {
	enum astra_trace_format format;
	uint32_t procs_per_gpu; /* of SWF; 0 or 1: a processor is a GPU */
};

/* Finds the format "auto", "csv", "sacct" or "swf". Returns 0, or -1 with err
 * naming the known formats. */
int astra_trace_format(const char *name, enum astra_trace_format *format,
		       struct astra_error *err);

/* Reads a file into an initialized trace, and finishes the trace. A trace with
 * a taker gets no jobs, only counts of defects.
 * path: "-" is the standard input; must live as long as the trace.
 * Returns 0, or -1 with err set; clear the trace in either case. */
int astra_trace_read(struct astra_trace *trace, const char *path,
		     const struct astra_read_options *options,
		     struct astra_error *err);

/* Reads all jobs that existed between two times, as sacct takes them, and
 * finishes the trace. Does not read weights.
 * start: NULL is an error. end: NULL: now.
 * cluster: NULL: the one of slurm.conf.
 * partitions: separated by commas; NULL: all.
 * Returns as astra_trace_read(); err has what sacct complained of. */
int astra_trace_from_slurmdbd(struct astra_trace *trace, const char *start,
			      const char *end, const char *cluster,
			      const char *partitions, struct astra_error *err);

#endif
