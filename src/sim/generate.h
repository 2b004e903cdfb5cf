/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads made up by published statistics, for those without a trace. */
#ifndef ASTRA_GENERATE_H
#define ASTRA_GENERATE_H

#include "src/sim/trace.h"

struct astra_generate_options {
	uint64_t seed;
	uint64_t jobs; /* 0: as many as come in the days, or by default */
	double days;   /* 0: as many as the jobs take, or by default */
};

struct astra_generator {
	const char *name;
	const char *summary; /* one line */
	uint64_t jobs;	     /* by default */
	double days;
	int (*generate)(struct astra_trace *trace,
			const struct astra_generate_options *options);
};

/* All there are, ended by a NULL name. */
extern const struct astra_generator astra_generators[];

/* Make up a trace in an initialized one, and finish it. Its tenants' weights
 * are their quotas. The same options give the same trace; where only one of
 * jobs and days is given, the other follows, so that the load stays the same.
 * Returns 0, or -1 with err set; the trace is to be cleared then, too. */
int astra_trace_generate(struct astra_trace *trace, const char *name,
			 const struct astra_generate_options *options,
			 struct astra_error *err);

#endif
