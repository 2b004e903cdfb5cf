/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/runs.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/sim/read_priv.h"

/* The later run tells what the job asks for now. */
static void join(struct astra_trace_job *job, const struct astra_trace_job *run)
{
	double start_sec = job->start_sec;

	if (run->start_sec >= 0 &&
	    (start_sec < 0 || run->start_sec < start_sec))
		start_sec = run->start_sec;
	if (run->submit_sec >= job->submit_sec) {
		job->gpus = run->gpus;
		job->nodes = run->nodes;
		job->limit_sec = run->limit_sec;
	}
	job->submit_sec = fmin(job->submit_sec, run->submit_sec);
	job->start_sec = start_sec;
	job->duration_sec += run->duration_sec;
}

int astra_runs_put(struct astra_runs *runs, const char *id, const char *name,
		   const struct astra_trace_job *run, bool unfinished)
{
	size_t known = runs->ids.count;
	uint32_t at = astra_intern_put(&runs->ids, id);

	if (at == ASTRA_INTERN_NONE)
		return -1;
	if (at < known) {
		join(&runs->jobs[at].job, run);
		runs->jobs[at].unfinished |= unfinished;
		return 0;
	}
	if (astra_grow(&runs->jobs, &runs->job_room, (size_t)at + 1,
		       sizeof(*runs->jobs)) < 0)
		return -1;
	runs->jobs[at].job = *run;
	runs->jobs[at].job.name = astra_arena_text(&runs->names, name);
	runs->jobs[at].unfinished = unfinished;
	return runs->jobs[at].job.name ? 0 : -1;
}

int astra_runs_add(const struct astra_runs *runs, struct astra_trace *trace)
{
	for (size_t i = 0; i < runs->ids.count; i++) {
		const struct astra_run_job *run = &runs->jobs[i];

		if (astra_read_admit(trace, &run->job, run->job.name,
				     run->unfinished) < 0)
			return -1;
	}
	return 0;
}

void astra_runs_clear(struct astra_runs *runs)
{
	astra_intern_clear(&runs->ids);
	astra_arena_free(&runs->names);
	free(runs->jobs);
	*runs = (struct astra_runs){0};
}
