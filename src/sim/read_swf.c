/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard Workload Format (Chapin, Cirne, Feitelson et al.: Benchmarks and
 * standards for the evaluation of parallel job schedulers, JSSPP 1999; version
 * 2.2 of the Parallel Workloads Archive). A job has 18 numbers, -1 for unknown;
 * an archive may add more. Comments begin with ';'; some are "; Key: value". */
#include <string.h>
#include <strings.h>

#include "src/sim/field.h"
#include "src/sim/read_priv.h"

#define COUNT_MAX 1e6
#define SPAN_MAX 1e9 /* 31 years */

enum swf {
	SWF_JOB,
	SWF_SUBMIT,
	SWF_WAIT,
	SWF_RUN,
	SWF_PROCS,
	SWF_ASKED_PROCS = 7,
	SWF_ASKED_TIME,
	SWF_STATUS = 10,
	SWF_USER,
	SWF_GROUP,
	SWF_COUNT = 18,
};

static const char *const titles[SWF_COUNT] = {
	[SWF_JOB] = "job",
	[SWF_SUBMIT] = "submit time",
	[SWF_WAIT] = "wait time",
	[SWF_RUN] = "run time",
	[SWF_PROCS] = "processors",
	[SWF_ASKED_PROCS] = "requested processors",
	[SWF_ASKED_TIME] = "requested time",
	[SWF_STATUS] = "status",
	[SWF_USER] = "user",
	[SWF_GROUP] = "group",
};

struct reader {
	struct astra_trace *trace;
	uint32_t procs_per_gpu;
	uint32_t line;
	double last_submit_sec;
	char *fields[SWF_COUNT];
	double values[SWF_COUNT];
};

static int read_swf_defect(struct reader *reader, enum astra_defect kind,
			   enum swf field)
{
	astra_read_defect(reader->trace, kind, reader->line, titles[field],
			  reader->fields[field]);
	return -1;
}

/* Cuts a line at blanks. Returns the count of fields, which may exceed
 * SWF_COUNT. */
static size_t read_swf_split(char *line, char **fields)
{
	size_t count = 0;
	char *save = NULL;

	for (char *at = strtok_r(line, " \t", &save); at;
	     at = strtok_r(NULL, " \t", &save)) {
		if (count < SWF_COUNT)
			fields[count] = at;
		count++;
	}
	return count;
}

/* Reads the fields that the reader needs, which must be numbers in range.
 * Returns 0, or -1 for a defect. */
static int parse_values(struct reader *reader)
{
	for (int i = 0; i < SWF_COUNT; i++) {
		if (!titles[i])
			continue;
		if (astra_field_number(reader->fields[i], &reader->values[i]) !=
		    ASTRA_FIELD_OK)
			return read_swf_defect(reader, ASTRA_DEFECT_VALUE, i);
	}
	if (reader->values[SWF_SUBMIT] < 0)
		return read_swf_defect(reader, ASTRA_DEFECT_VALUE, SWF_SUBMIT);
	if (reader->values[SWF_RUN] > SPAN_MAX)
		return read_swf_defect(reader, ASTRA_DEFECT_VALUE, SWF_RUN);
	if (reader->values[SWF_RUN] < 0)
		return read_swf_defect(reader, ASTRA_DEFECT_DURATION, SWF_RUN);
	return 0;
}

static int read_swf_parse_gpus(struct reader *reader,
			       struct astra_trace_job *job)
{
	enum swf field =
		reader->values[SWF_PROCS] < 0 ? SWF_ASKED_PROCS : SWF_PROCS;
	double procs = reader->values[field];
	uint32_t per = reader->procs_per_gpu ? reader->procs_per_gpu : 1;

	if (procs < 0 || procs > COUNT_MAX * per)
		return read_swf_defect(reader, ASTRA_DEFECT_VALUE, field);
	job->gpus = (uint32_t)(procs / per);
	if (job->gpus < procs / per) {
		job->gpus++;
		read_swf_defect(reader, ASTRA_DEFECT_PART, field);
	}
	return job->gpus ? 0
			 : read_swf_defect(reader, ASTRA_DEFECT_NO_GPU, field);
}

/* Returns the names of a job. SWF's groups are our tenants. */
static struct astra_job_names read_swf_names_of(const struct reader *reader)
{
	return (struct astra_job_names){
		.job = reader->fields[SWF_JOB],
		.tenant = reader->values[SWF_GROUP] >= 0
				  ? reader->fields[SWF_GROUP]
				  : "",
		.user = reader->values[SWF_USER] >= 0 ? reader->fields[SWF_USER]
						      : "",
		.app = "",
	};
}

/* Reads the job of a line, or counts a defect. Returns 0, or -1 if out of
 * memory. */
static int swf_read_job(struct reader *reader)
{
	struct astra_trace_job job = {.line = reader->line, .start_sec = -1};
	struct astra_job_names names;
	double status;

	if (parse_values(reader) < 0)
		return 0;
	/* 2, 3, 4: a part of a job; the whole job has its own line */
	status = reader->values[SWF_STATUS];
	if ((status >= 2 && status <= 4) ||
	    read_swf_parse_gpus(reader, &job) < 0)
		return 0;
	names = read_swf_names_of(reader);
	job.submit_sec = reader->values[SWF_SUBMIT];
	job.duration_sec = reader->values[SWF_RUN];
	if (reader->values[SWF_WAIT] >= 0)
		job.start_sec = job.submit_sec + reader->values[SWF_WAIT];
	if (reader->values[SWF_ASKED_TIME] > 0)
		job.limit_sec = reader->values[SWF_ASKED_TIME];
	if (job.submit_sec < reader->last_submit_sec)
		read_swf_defect(reader, ASTRA_DEFECT_UNSORTED, SWF_SUBMIT);
	reader->last_submit_sec = job.submit_sec;
	return astra_read_admit(reader->trace, &job, &names, false);
}

static void read_comment(struct astra_trace *trace, const char *line)
{
	double unix_sec;

	line += strspn(line, "; \t");
	if (strncasecmp(line, "UnixStartTime:", 14) != 0)
		return;
	line += 14;
	line += strspn(line, " \t");
	if (astra_field_number(line, &unix_sec) == ASTRA_FIELD_OK &&
	    unix_sec > 0)
		trace->begin_unix_sec = unix_sec;
}

static int swf_read_line(struct reader *reader, char *line)
{
	struct astra_line_start start = astra_line_start(line);

	if (line[strspn(line, " \t")] == ';') {
		read_comment(reader->trace, line + strspn(line, " \t"));
		return 0;
	}
	reader->trace->lines++;
	if (read_swf_split(line, reader->fields) >= SWF_COUNT)
		return swf_read_job(reader);
	astra_trace_defect(reader->trace, ASTRA_DEFECT_FIELDS, reader->line,
			   start.text);
	return 0;
}

int astra_read_swf(struct astra_trace *trace, struct astra_lines *lines,
		   uint32_t procs_per_gpu, struct astra_error *err)
{
	struct reader reader = {
		.trace = trace,
		.procs_per_gpu = procs_per_gpu,
		.last_submit_sec = -1,
	};
	char *line;
	int rc;

	while ((rc = astra_read_line(trace, lines, &line, err)) > 0) {
		reader.line = lines->number;
		if (swf_read_line(&reader, line) < 0)
			return astra_error_nomem(err);
	}
	return rc;
}

bool astra_is_swf(const char *line)
{
	size_t count = 0;

	line += strspn(line, " \t");
	if (*line == ';')
		return true;
	while (*line) {
		size_t length = strcspn(line, " \t");

		if (strspn(line, "0123456789.+-eE") < length)
			return false;
		line += length;
		line += strspn(line, " \t");
		count++;
	}
	return count >= SWF_COUNT;
}
