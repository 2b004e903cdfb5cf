/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes workloads from published statistics, for users without a trace. */
#ifndef ASTRA_GENERATE_H
#define ASTRA_GENERATE_H

#include "src/sim/trace.h"

struct astra_generate_options {
	uint64_t seed;
	uint64_t jobs; /* 0: follows from days, or the default */
	double days;   /* 0: follows from jobs, or the default */
};

struct astra_generator {
	const char *name;
	const char *summary; /* one line */
	uint64_t jobs;	     /* default */
	double days;
	int (*generate)(struct astra_trace *trace,
			const struct astra_generate_options *options);
};

/* All generators; ends with a NULL name. */
extern const struct astra_generator astra_generators[];

/* Fills an initialized trace with generated jobs, and finishes the trace. The
 * tenants' weights are their quotas. The same options give the same trace. If
 * only jobs or only days is given, the other is chosen so that the load is the
 * same. Returns 0, or -1 with err set; clear the trace in either case. */
int astra_trace_generate(struct astra_trace *trace, const char *name,
			 const struct astra_generate_options *options,
			 struct astra_error *err);

#endif
