/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a trace from a file, or from a cluster's accounting. Lines without a
 * job, or with an unexpected value, are counted in the trace by kind of defect,
 * with the number and the value of the first one. */
#ifndef ASTRA_READ_H
#define ASTRA_READ_H

#include "src/sim/trace.h"

enum astra_trace_format {
	ASTRA_FORMAT_AUTO, /* by its first line */
	ASTRA_FORMAT_CSV,  /* columns by name, as in our traces or in sacct */
	ASTRA_FORMAT_SWF,  /* Standard Workload Format */
};

struct astra_read_options {
	enum astra_trace_format format;
	uint32_t procs_per_gpu; /* of SWF: processors that make a GPU; 0: 1 */
};

/* Finds the format "auto", "csv", "sacct" or "swf". Returns 0, or -1 with err
 * naming the known formats. */
int astra_trace_format(const char *name, enum astra_trace_format *format,
		       struct astra_error *err);

/* Reads a file into an initialized trace, and finishes the trace. A trace with
 * a taker gets no jobs, only counts of defects. path: "-" is the standard
 * input; the string must live as long as the trace. Returns 0, or -1 with err
 * set; clear the trace in either case. */
int astra_trace_read(struct astra_trace *trace, const char *path,
		     const struct astra_read_options *options,
		     struct astra_error *err);

/* Reads all jobs that existed between two times, which are in sacct's format,
 * and finishes the trace. Does not read weights. start: must not be NULL. end:
 * NULL means now. cluster: NULL means that of slurm.conf. partitions: separated
 * by commas; NULL means all. Returns as astra_trace_read(); err has sacct's own
 * message. */
int astra_trace_from_slurmdbd(struct astra_trace *trace, const char *start,
			      const char *end, const char *cluster,
			      const char *partitions, struct astra_error *err);

#endif
