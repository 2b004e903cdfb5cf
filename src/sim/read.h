/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read a trace from a file, or from a cluster's accounting. What is no job, or
 * not as it should be, is counted in the trace with its line and value.
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
	uint32_t procs_per_gpu; /* of SWF; 0: a processor is a GPU */
};

/* The format of that name: "auto", "csv", "sacct", "swf".
 * Returns 0, or -1 with err naming those there are. */
int astra_trace_format(const char *name, enum astra_trace_format *format,
		       struct astra_error *err);

/* Read a file into an initialized trace, and finish it; one with a taker gets
 * no jobs, only the counts of defects.
 * path: "-" is the standard input; it must live as long as the trace.
 * Returns 0, or -1 with err set; the trace is to be cleared then, too. */
int astra_trace_read(struct astra_trace *trace, const char *path,
		     const struct astra_read_options *options,
		     struct astra_error *err);

/* Ask sacct for all jobs that were there between two times, which are as sacct
 * takes them, and finish the trace. Weights are not asked for.
 * start: NULL is refused. end: NULL: now.
 * cluster: NULL: the one of slurm.conf.
 * partitions: separated by commas; NULL: all.
 * Returns as astra_trace_read(); what sacct complained of is in err. */
int astra_trace_from_slurmdbd(struct astra_trace *trace, const char *start,
			      const char *end, const char *cluster,
			      const char *partitions, struct astra_error *err);

#endif
