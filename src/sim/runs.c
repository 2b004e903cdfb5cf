/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/runs.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"

/* The later run tells what the job asks for now. */
static void runs_join(struct astra_trace_job *job,
		      const struct astra_trace_job *run)
{
	double start_sec = job->start_sec;

	if (run->start_sec >= 0 &&
	    (start_sec < 0 || run->start_sec < start_sec))
		start_sec = run->start_sec;
	if (run->submit_sec >= job->submit_sec) {
		job->gpus = run->gpus;
		job->gpus_min = run->gpus_min;
		job->nodes = run->nodes;
		job->limit_sec = run->limit_sec;
	}
	job->submit_sec = fmin(job->submit_sec, run->submit_sec);
	job->start_sec = start_sec;
	job->duration_sec += run->duration_sec;
}

/* Returns 0, or -1 when memory is out. */
static int runs_begin(struct astra_runs *runs, struct astra_run_job *new,
		      const struct astra_job_names *names)
{
	new->job.name = astra_arena_text(&runs->names, names->job);
	new->job.tenant = astra_intern_put(&runs->words, names->tenant);
	new->job.user = astra_intern_put(&runs->words, names->user);
	new->job.app = astra_intern_put(&runs->words, names->app);
	return !new->job.name || new->job.tenant == ASTRA_INTERN_NONE ||
			       new->job.user == ASTRA_INTERN_NONE ||
			       new->job.app == ASTRA_INTERN_NONE
		       ? -1
		       : 0;
}

int astra_runs_put(struct astra_runs *runs, const char *id,
		   const struct astra_job_names *names,
		   const struct astra_trace_job *run, bool unfinished)
{
	size_t known = runs->ids.count;
	uint32_t at = astra_intern_put(&runs->ids, id);

	if (at == ASTRA_INTERN_NONE)
		return -1;
	if (at < known) {
		runs_join(&runs->jobs[at].job, run);
		runs->jobs[at].unfinished |= unfinished;
		return 0;
	}
	if (astra_grow(&runs->jobs, &runs->job_room, (size_t)at + 1,
		       sizeof(*runs->jobs)) < 0)
		return -1;
	runs->jobs[at].job = *run;
	runs->jobs[at].unfinished = unfinished;
	return runs_begin(runs, &runs->jobs[at], names);
}

int astra_runs_add(const struct astra_runs *runs, struct astra_trace *trace)
{
	const char *const *words = runs->words.names;

	for (size_t i = 0; i < runs->ids.count; i++) {
		const struct astra_trace_job *job = &runs->jobs[i].job;
		const struct astra_job_names names = {
			.job = job->name,
			.tenant = words[job->tenant],
			.user = words[job->user],
			.app = words[job->app],
		};

		if (astra_read_admit(trace, job, &names,
				     runs->jobs[i].unfinished) < 0)
			return -1;
	}
	return 0;
}

void astra_runs_clear(struct astra_runs *runs)
{
	astra_intern_clear(&runs->ids);
	astra_intern_clear(&runs->words);
	astra_arena_free(&runs->names);
	free(runs->jobs);
	*runs = (struct astra_runs){0};
}
