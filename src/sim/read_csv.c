/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads text with named columns, ours or sacct's. Decides which lines are jobs,
 * and reads their values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/intern.h"
#include "src/model/model.h"
#include "src/sim/columns.h"
#include "src/sim/field.h"
#include "src/sim/read_priv.h"

struct astra_run_job {
	struct astra_trace_job job; /* all runs so far, joined; its tenant, user
				     * and app are indices in words */
	bool unfinished;	    /* one of the runs */
};

struct astra_runs {
	struct astra_intern ids, words;
	struct astra_arena names;
	struct astra_run_job *jobs; /* by index of the id */
	size_t job_room;
};

/* Joins a run to its job. The latest run's request counts as the job's. */
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

/* Sets the names of a new job. Returns 0, or -1 if out of memory. */
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

/* Adds a run to the job of this id; the job's duration grows by it. names:
 * copied from the first run. Returns 0, or -1 if out of memory. */
static int runs_put(struct astra_runs *runs, const char *id,
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

/* Adds all jobs to the trace. A job that is left out is counted as a defect.
 * Returns 0, or -1 if out of memory. */
static int runs_add(const struct astra_runs *runs, struct astra_trace *trace)
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

static void runs_clear(struct astra_runs *runs)
{
	astra_intern_clear(&runs->ids);
	astra_intern_clear(&runs->words);
	astra_arena_free(&runs->names);
	free(runs->jobs);
	*runs = (struct astra_runs){0};
}

#define DURATION_MAX 1e9 /* 31 years */

struct reader {
	struct astra_trace *trace;
	struct astra_columns columns;
	struct astra_runs runs; /* only of accounting */
	char *fields[ASTRA_COLUMN_MAX];
	uint32_t line;
	double last_submit_sec;
};

/* What a line says. */
struct row {
	struct astra_trace_job job;
	bool unfinished;
};

static const char *read_csv_field(const struct reader *reader,
				  enum astra_column column)
{
	int at = reader->columns.at[column];

	return at < 0 ? "" : reader->fields[at];
}

/* Counts a defect of a column. Returns -1, for a line that is skipped. */
static int read_csv_defect(struct reader *reader, enum astra_defect kind,
			   enum astra_column column)
{
	astra_read_defect(reader->trace, kind, reader->line,
			  astra_column_name(column),
			  read_csv_field(reader, column));
	return -1;
}

static int read_csv_parse_gpus(struct reader *reader, struct row *row)
{
	static const enum astra_column columns[] = {
		ASTRA_COLUMN_GPUS,
		ASTRA_COLUMN_ALLOC_TRES,
		ASTRA_COLUMN_REQ_TRES,
	};
	enum astra_column column = ASTRA_COLUMN_GPUS;
	enum astra_field_result rc = ASTRA_FIELD_NONE;
	bool part = false;

	for (int i = 0; i < 3 && rc == ASTRA_FIELD_NONE; i++) {
		if (reader->columns.at[columns[i]] < 0)
			continue;
		column = columns[i];
		rc = column == ASTRA_COLUMN_GPUS
			     ? astra_field_count(read_csv_field(reader, column),
						 &row->job.gpus, &part)
			     : astra_field_tres(read_csv_field(reader, column),
						&row->job.gpus);
	}
	/* A job in accounting without TRES never had any. */
	if (rc == ASTRA_FIELD_NONE && column != ASTRA_COLUMN_GPUS)
		return read_csv_defect(reader, ASTRA_DEFECT_NO_GPU, column);
	if (rc != ASTRA_FIELD_OK)
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE, column);
	if (!row->job.gpus)
		return read_csv_defect(reader, ASTRA_DEFECT_NO_GPU, column);
	if (part)
		read_csv_defect(reader, ASTRA_DEFECT_PART, column);
	return 0;
}

/* Reads the end. It matters only for a job that never started; other jobs have
 * a duration. */
static void read_end(struct reader *reader, struct row *row)
{
	if (astra_field_time(read_csv_field(reader, ASTRA_COLUMN_END),
			     &row->job.end_sec) != ASTRA_FIELD_OK)
		row->job.end_sec = 0;
}

/* Uses the time when a job became eligible as its submission: until its
 * dependency, begin time or hold is over, a job does not compete. A job in
 * accounting that never was eligible counts as submitted at its end. */
static int parse_eligible(struct reader *reader, struct row *row)
{
	struct astra_trace_job *j = &row->job;
	double sec;

	if (reader->columns.at[ASTRA_COLUMN_ELIGIBLE] < 0)
		return 0;
	switch (astra_field_time(read_csv_field(reader, ASTRA_COLUMN_ELIGIBLE),
				 &sec)) {
	case ASTRA_FIELD_OK:
		if (j->start_sec >= 0)
			sec = fmin(sec, j->start_sec);
		j->submit_sec = fmax(j->submit_sec, sec);
		return 0;
	case ASTRA_FIELD_NONE:
		if (reader->columns.accounting && j->start_sec < 0)
			j->submit_sec =
				j->end_sec > 0 ? fmax(j->submit_sec, j->end_sec)
					       : HUGE_VAL;
		return 0;
	case ASTRA_FIELD_BAD:
		break;
	}
	return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
			       ASTRA_COLUMN_ELIGIBLE);
}

static int parse_submit(struct reader *reader, struct row *row)
{
	read_end(reader, row);
	if (astra_field_time(read_csv_field(reader, ASTRA_COLUMN_SUBMIT),
			     &row->job.submit_sec) != ASTRA_FIELD_OK)
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
				       ASTRA_COLUMN_SUBMIT);
	row->job.start_sec = -1;
	switch (astra_field_time(read_csv_field(reader, ASTRA_COLUMN_START),
				 &row->job.start_sec)) {
	case ASTRA_FIELD_OK:
		return 0;
	case ASTRA_FIELD_NONE:
		row->job.start_sec = -1;
		return 0;
	case ASTRA_FIELD_BAD:
		break;
	}
	return read_csv_defect(reader, ASTRA_DEFECT_VALUE, ASTRA_COLUMN_START);
}

/* Reads the job's duration, or else its elapsed time, or else end - start: the
 * first of these that is known. */
static enum astra_field_result span_of(struct reader *reader,
				       const struct row *row,
				       enum astra_column *column, double *sec)
{
	enum astra_field_result rc = ASTRA_FIELD_NONE;

	*column = ASTRA_COLUMN_DURATION;
	rc = astra_field_number(read_csv_field(reader, *column), sec);
	if (rc != ASTRA_FIELD_NONE)
		return rc;
	if (reader->columns.at[ASTRA_COLUMN_ELAPSED] >= 0)
		*column = ASTRA_COLUMN_ELAPSED;
	rc = astra_field_span(read_csv_field(reader, ASTRA_COLUMN_ELAPSED),
			      sec);
	if (rc != ASTRA_FIELD_NONE)
		return rc;
	rc = astra_field_time(read_csv_field(reader, ASTRA_COLUMN_END), sec);
	if (reader->columns.at[*column] < 0 || rc == ASTRA_FIELD_BAD)
		*column = ASTRA_COLUMN_END;
	if (rc == ASTRA_FIELD_OK && row->job.start_sec < 0)
		return ASTRA_FIELD_NONE;
	*sec -= row->job.start_sec;
	return rc;
}

static int parse_duration(struct reader *reader, struct row *row)
{
	enum astra_column column;
	double sec = 0;
	enum astra_field_result rc = span_of(reader, row, &column, &sec);

	row->unfinished =
		astra_state_open(read_csv_field(reader, ASTRA_COLUMN_STATE));
	if (row->unfinished &&
	    (reader->columns.accounting || rc == ASTRA_FIELD_NONE))
		return 0;
	row->unfinished = false;
	if (rc == ASTRA_FIELD_BAD ||
	    (rc == ASTRA_FIELD_OK && sec > DURATION_MAX))
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE, column);
	if (rc == ASTRA_FIELD_NONE || sec < 0)
		return read_csv_defect(reader, ASTRA_DEFECT_DURATION, column);
	row->job.duration_sec = sec;
	return 0;
}

static int parse_limit(struct reader *reader, struct row *row)
{
	enum astra_column column = ASTRA_COLUMN_LIMIT;
	double sec = 0;
	enum astra_field_result rc =
		astra_field_span(read_csv_field(reader, column), &sec);

	if (rc == ASTRA_FIELD_NONE) {
		column = ASTRA_COLUMN_LIMIT_MIN;
		rc = astra_field_number(read_csv_field(reader, column), &sec);
		sec *= 60;
	}
	if (rc == ASTRA_FIELD_BAD || (rc == ASTRA_FIELD_OK && sec < 0))
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE, column);
	row->job.limit_sec = rc == ASTRA_FIELD_OK ? sec : 0;
	return 0;
}

static int read_csv_parse_nodes(struct reader *reader, struct row *row)
{
	bool part = false;
	enum astra_field_result rc =
		astra_field_count(read_csv_field(reader, ASTRA_COLUMN_NODES),
				  &row->job.nodes, &part);

	if (rc == ASTRA_FIELD_BAD || part)
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
				       ASTRA_COLUMN_NODES);
	return 0;
}

static int parse_profile(struct reader *reader, struct row *row)
{
	struct astra_profile profile;

	switch (astra_field_profile(
		read_csv_field(reader, ASTRA_COLUMN_SLOWDOWN), '/', &profile)) {
	case ASTRA_FIELD_OK:
		row->job.profile = astra_trace_profile(reader->trace, &profile);
		return 0;
	case ASTRA_FIELD_NONE:
		return 0;
	case ASTRA_FIELD_BAD:
		break;
	}
	return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
			       ASTRA_COLUMN_SLOWDOWN);
}

static int read_csv_parse_utility(struct reader *reader, struct row *row)
{
	struct astra_utility utility;

	switch (astra_field_utility(
		read_csv_field(reader, ASTRA_COLUMN_UTILITY), &utility)) {
	case ASTRA_FIELD_OK:
		row->job.utility = astra_trace_utility(reader->trace, &utility);
		return 0;
	case ASTRA_FIELD_NONE:
		return 0;
	case ASTRA_FIELD_BAD:
		break;
	}
	return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
			       ASTRA_COLUMN_UTILITY);
}

static int parse_least(struct reader *reader, struct row *row)
{
	bool part = false;
	enum astra_field_result rc =
		astra_field_count(read_csv_field(reader, ASTRA_COLUMN_GPUS_MIN),
				  &row->job.gpus_min, &part);

	if (rc == ASTRA_FIELD_BAD || part || row->job.gpus_min > row->job.gpus)
		return read_csv_defect(reader, ASTRA_DEFECT_VALUE,
				       ASTRA_COLUMN_GPUS_MIN);
	return 0;
}

/* Adds the row's job. Returns 0, or -1 if out of memory. */
static int read_csv_admit(struct reader *reader, const struct row *row)
{
	const char *key = read_csv_field(reader, ASTRA_COLUMN_RAW_ID);
	struct astra_job_names names = {
		.job = read_csv_field(reader, ASTRA_COLUMN_ID),
		.tenant = read_csv_field(reader, ASTRA_COLUMN_TENANT),
		.user = read_csv_field(reader, ASTRA_COLUMN_USER),
		.app = read_csv_field(reader, ASTRA_COLUMN_APP),
	};

	if (!*names.job)
		names.job = key;
	if (row->job.profile == ASTRA_NONE || row->job.utility == ASTRA_NONE)
		return -1;
	if (!*key)
		key = names.job;
	if (reader->columns.accounting && reader->trace->taker)
		return reader->trace->taker->take(reader->trace->taker->arg,
						  key, &row->job, &names,
						  row->unfinished);
	if (reader->columns.accounting)
		return runs_put(&reader->runs, key, &names, &row->job,
				row->unfinished);
	if (row->job.submit_sec < reader->last_submit_sec)
		read_csv_defect(reader, ASTRA_DEFECT_UNSORTED,
				ASTRA_COLUMN_SUBMIT);
	reader->last_submit_sec = row->job.submit_sec;
	return astra_read_admit(reader->trace, &row->job, &names,
				row->unfinished);
}

/* Reads the job of a line, or counts a defect. Returns 0, or -1 if out of
 * memory. */
static int csv_read_row(struct reader *reader)
{
	struct row row = {.job.line = reader->line};

	if (read_csv_parse_gpus(reader, &row) < 0 ||
	    parse_submit(reader, &row) < 0 ||
	    parse_eligible(reader, &row) < 0 ||
	    parse_duration(reader, &row) < 0 || parse_limit(reader, &row) < 0 ||
	    read_csv_parse_nodes(reader, &row) < 0 ||
	    parse_profile(reader, &row) < 0 ||
	    read_csv_parse_utility(reader, &row) < 0 ||
	    parse_least(reader, &row) < 0)
		return 0;
	/* Before a job starts, NNodes of sacct is only the smallest count of
	 * nodes that Slurm expects: 1 for --gpus=8. */
	if (reader->columns.accounting && row.job.start_sec < 0)
		row.job.nodes = 0;
	return read_csv_admit(reader, &row);
}

/* Whether the line is a step of a job, such as 12.batch or 12.0. */
static bool is_step(const struct reader *reader)
{
	return reader->columns.accounting &&
	       (strchr(read_csv_field(reader, ASTRA_COLUMN_ID), '.') ||
		strchr(read_csv_field(reader, ASTRA_COLUMN_RAW_ID), '.'));
}

/* Cuts a line into fields. Returns whether the line is to be read. */
static bool read_csv_split(struct reader *reader, char *line)
{
	const struct astra_columns *columns = &reader->columns;
	struct astra_line_start start = astra_line_start(line);
	size_t count;

	count = astra_field_split(line, columns->separator,
				  columns->separator != '|', reader->fields,
				  ASTRA_COLUMN_MAX);
	if (count == columns->count && is_step(reader))
		return false;
	reader->trace->lines++;
	if (count != columns->count)
		astra_trace_defect(reader->trace, ASTRA_DEFECT_FIELDS,
				   reader->line, start.text);
	return count == columns->count;
}

static int read_rows(struct reader *reader, struct astra_lines *lines,
		     struct astra_error *err)
{
	char *line;
	int rc;

	while ((rc = astra_read_line(reader->trace, lines, &line, err)) > 0) {
		reader->line = lines->number;
		if (read_csv_split(reader, line) && csv_read_row(reader) < 0)
			return astra_error_nomem(err);
	}
	return rc;
}

int astra_read_csv(struct astra_trace *trace, struct astra_lines *lines,
		   struct astra_error *err)
{
	struct reader reader = {.trace = trace, .last_submit_sec = -1e300};
	char *line;
	int rc = astra_read_line(trace, lines, &line, err);

	if (rc > 0)
		rc = astra_columns_parse(&reader.columns, line, lines, err);
	if (!rc)
		rc = read_rows(&reader, lines, err);
	if (!rc && runs_add(&reader.runs, trace) < 0)
		rc = astra_error_nomem(err);
	runs_clear(&reader.runs);
	return rc;
}
