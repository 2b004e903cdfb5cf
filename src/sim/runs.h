/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of accounted jobs: each requeue begins a line of its own, which is the
 * same job. */
#ifndef ASTRA_RUNS_H
#define ASTRA_RUNS_H

#include "src/common/intern.h"
#include "src/sim/read_priv.h"

struct astra_run_job {
	struct astra_trace_job job; /* all runs that were put, as one; its
				     * tenant, user and app are words */
	bool unfinished;	    /* one of them */
};

struct astra_runs {
	struct astra_intern ids, words;
	struct astra_arena names;
	struct astra_run_job *jobs; /* by number of the id */
	size_t job_room;
};

/* Add a run to the job of that id: it lasts longer by it. names: copied, those
 * of the first run. Returns 0, or -1 when memory is out. */
int astra_runs_put(struct astra_runs *runs, const char *id,
		   const struct astra_job_names *names,
		   const struct astra_trace_job *run, bool unfinished);

/* Give all jobs to the trace, or count their defects.
 * Returns 0, or -1 when memory is out. */
int astra_runs_add(const struct astra_runs *runs, struct astra_trace *trace);
void astra_runs_clear(struct astra_runs *runs);

#endif
