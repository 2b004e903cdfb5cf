/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/audit/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

/* A line is either a run, or a job that never ran. */

static int record_begin(struct astra_record *r, struct astra_record_job *new,
			const struct astra_job_names *names)
{
	uint32_t account = astra_intern_put(&r->words, names->tenant);
	uint32_t user = astra_intern_put(&r->words, names->user);
	uint32_t app = astra_intern_put(&r->words, names->app);

	new->name = astra_arena_text(&r->names, names->job);
	if (!new->name || account == ASTRA_INTERN_NONE ||
	    user == ASTRA_INTERN_NONE || app == ASTRA_INTERN_NONE)
		return -1;
	new->account = new->tenant = r->words.names[account];
	new->user = r->words.names[user];
	new->app = r->words.names[app];
	return 0;
}

static int record_add_run(struct astra_record *r, uint32_t job,
			  const struct astra_trace_job *line, double end_sec)
{
	if (astra_grow(&r->runs, &r->run_room, r->run_count + 1,
		       sizeof(*r->runs)) < 0)
		return -1;
	r->runs[r->run_count++] = (struct astra_record_run){
		.job = job,
		.gpus = line->gpus,
		.start_sec = line->start_sec,
		.end_sec = end_sec,
	};
	r->jobs[job].runs++;
	r->jobs[job].start_sec = fmin(r->jobs[job].start_sec, line->start_sec);
	if (isfinite(end_sec))
		r->jobs[job].ran_sec += end_sec - line->start_sec;
	return 0;
}

/* Returns the end of a line's run, or of a job that never ran; HUGE_VAL if it
 * has not ended. */
static double record_end_of(const struct astra_trace_job *line, bool unfinished)
{
	if (unfinished)
		return HUGE_VAL;
	if (line->start_sec >= 0)
		return line->start_sec + line->duration_sec;
	return fmax(line->end_sec, line->submit_sec);
}

/* Merges a line into its job. The line with the latest submission has the job's
 * present request. */
static void record_join(struct astra_record_job *job,
			const struct astra_trace_job *line, double end_sec,
			bool new)
{
	if (new || line->submit_sec >= job->submit_sec) {
		job->gpus = line->gpus;
		job->gpus_min = line->gpus_min;
		job->nodes = line->nodes;
		job->limit_sec = line->limit_sec;
	}
	job->submit_sec = new ? line->submit_sec
			      : fmin(job->submit_sec, line->submit_sec);
	job->end_sec = new ? end_sec : fmax(job->end_sec, end_sec);
}

static int record_take(void *arg, const char *id,
		       const struct astra_trace_job *line,
		       const struct astra_job_names *names, bool unfinished)
{
	struct astra_record *r = arg;
	double end_sec = record_end_of(line, unfinished);
	size_t known = r->ids.count;
	uint32_t at = astra_intern_put(&r->ids, id);
	bool new = at >= known;

	if (at == ASTRA_INTERN_NONE)
		return -1;
	if (new) {
		if (astra_grow(&r->jobs, &r->job_room, (size_t)at + 1,
			       sizeof(*r->jobs)) < 0)
			return -1;
		r->jobs[at] = (struct astra_record_job){.start_sec = HUGE_VAL};
		r->job_count = (size_t)at + 1;
		if (record_begin(r, &r->jobs[at], names) < 0)
			return -1;
	}
	record_join(&r->jobs[at], line, end_sec, new);
	if (line->start_sec < 0 || !(end_sec > line->start_sec))
		return 0;
	return record_add_run(r, at, line, end_sec);
}

/* Sets source and defects. Fails if no job asks for GPUs. */
static int record_finish(struct astra_record *r,
			 const struct astra_trace *trace,
			 struct astra_error *err)
{
	r->source = trace->source;
	r->defects = astra_trace_defects_text(trace);
	if (!r->defects)
		return astra_error_nomem(err);
	if (!r->job_count)
		return astra_error_set(err,
				       "%s: there is no job that asks for "
				       "GPUs",
				       r->source);
	return 0;
}

int astra_record_read(struct astra_record *r, const char *path,
		      const struct astra_read_options *options, bool lenient,
		      struct astra_error *err)
{
	const struct astra_taker taker = {record_take, r};
	struct astra_trace trace;
	int rc;

	astra_trace_init(&trace);
	trace.taker = &taker;
	rc = astra_trace_read(&trace, path, options, err);
	if (!rc && !lenient && astra_trace_check(&trace, err) < 0) {
		astra_error_add(err, "--lenient goes on without such lines");
		rc = -1;
	}
	if (!rc)
		rc = record_finish(r, &trace, err);
	if (!rc && !r->run_count)
		rc = astra_error_set(err,
				     "%s does not say when its jobs started: "
				     "the column is start_s, or Start",
				     r->source);
	astra_trace_clear(&trace);
	return rc;
}

int astra_record_from_slurmdbd(struct astra_record *r, const char *start,
			       const char *end, const char *cluster,
			       const char *partitions, struct astra_error *err)
{
	const struct astra_taker taker = {record_take, r};
	struct astra_trace trace;
	int rc;

	astra_trace_init(&trace);
	trace.taker = &taker;
	rc = astra_trace_from_slurmdbd(&trace, start, end, cluster, partitions,
				       err);
	if (!rc)
		rc = record_finish(r, &trace, err);
	astra_trace_clear(&trace);
	return rc;
}

int astra_record_add(struct astra_record *r, const struct astra_record_job *job)
{
	const struct astra_job_names names = {
		.job = job->name,
		.tenant = job->account,
		.user = job->user,
		.app = job->app ? job->app : "",
	};
	uint32_t at = (uint32_t)r->job_count;
	uint32_t tenant = astra_intern_put(&r->words, job->tenant);
	struct astra_trace_job line = {
		.gpus = job->gpus,
		.start_sec = job->start_sec,
	};
	double end_sec = job->end_sec;

	if (tenant == ASTRA_INTERN_NONE ||
	    astra_grow(&r->jobs, &r->job_room, r->job_count + 1,
		       sizeof(*r->jobs)) < 0)
		return -1;
	r->jobs[at] = *job;
	r->jobs[at].ran_sec = 0;
	r->jobs[at].runs = 0;
	if (record_begin(r, &r->jobs[at], &names) < 0)
		return -1;
	r->jobs[at].tenant = r->words.names[tenant];
	r->job_count++;
	if (isfinite(end_sec))
		end_sec = fmin(end_sec, job->start_sec + job->ran_sec);
	if (!isfinite(job->start_sec) || !(end_sec > job->start_sec))
		return 0;
	return record_add_run(r, at, &line, end_sec);
}

void astra_record_clear(struct astra_record *r)
{
	free(r->jobs);
	free(r->runs);
	free(r->defects);
	astra_intern_clear(&r->ids);
	astra_intern_clear(&r->words);
	astra_arena_free(&r->names);
	*r = (struct astra_record){0};
}
