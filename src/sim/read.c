/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/model.h"
#include "src/sim/child.h"
#include "src/sim/read_priv.h"

/* Reads a cluster's accounting through sacct: sacct knows how to find slurmdbd,
 * and which jobs its user may see. */

static const char columns[] =
	"JobID,JobIDRaw,Account,User,Submit,Eligible,"
	"Start,End,ElapsedRaw,AllocTRES,ReqTRES,TimelimitRaw,State,"
	"NNodes";

static int read_output(struct astra_trace *trace, int fd,
		       struct astra_error *err)
{
	struct astra_lines lines;
	int rc;

	if (astra_lines_from(&lines, fd, trace->source, err) < 0)
		return -1;
	rc = astra_read_csv(trace, &lines, err);
	astra_lines_close(&lines);
	return rc;
}

int astra_trace_from_slurmdbd(struct astra_trace *trace, const char *start,
			      const char *end, const char *cluster,
			      const char *partitions, struct astra_error *err)
{
	char since[128], until[128], format[sizeof(columns) + 16], where[128];
	char *argv[] = {"sacct",	"--allusers",  "--allocations",
			"--duplicates", "--parsable2", since,
			until,		format,	       NULL,
			NULL,		NULL};
	char *of = NULL;
	size_t argc = sizeof(argv) / sizeof(*argv) - 3;
	struct astra_child child;
	int rc;

	if (!start)
		return astra_error_set(err, "from when on? start=TIME, as "
					    "sacct takes it: 2026-11-01, "
					    "now-14days");
	snprintf(since, sizeof(since), "--starttime=%s", start);
	snprintf(until, sizeof(until), "--endtime=%s", end ? end : "now");
	snprintf(format, sizeof(format), "--format=%s", columns);
	snprintf(where, sizeof(where), "--clusters=%s", cluster ? cluster : "");
	if (cluster)
		argv[argc++] = where;
	if (partitions && asprintf(&of, "--partition=%s", partitions) < 0)
		return astra_error_nomem(err);
	argv[argc] = of;
	trace->source = "sacct";
	rc = astra_child_start(&child, argv, false, err);
	free(of);
	if (rc < 0 ||
	    astra_child_end(&child, read_output(trace, child.output, err),
			    err) < 0)
		return -1;
	return astra_trace_finish(trace, err);
}

static const struct {
	const char *name;
	enum astra_trace_format format;
} formats[] = {
	{"auto", ASTRA_FORMAT_AUTO},
	{"csv", ASTRA_FORMAT_CSV},
	{"sacct", ASTRA_FORMAT_CSV},
	{"swf", ASTRA_FORMAT_SWF},
};

int astra_trace_format(const char *name, enum astra_trace_format *format,
		       struct astra_error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (strcmp(formats[i].name, name) != 0)
			continue;
		*format = formats[i].format;
		return 0;
	}
	return astra_error_set(err,
			       "there is no trace format %s; there are "
			       "auto, csv, sacct and swf",
			       name);
}

int astra_read_line(struct astra_trace *trace, struct astra_lines *lines,
		    char **line, struct astra_error *err)
{
	bool text;
	int rc;

	while ((rc = astra_lines_next(lines, line, &text, err)) > 0) {
		if (text && (*line)[strspn(*line, " \t")])
			return 1;
		if (text)
			continue;
		trace->lines++;
		astra_trace_defect(trace, ASTRA_DEFECT_TEXT, lines->number,
				   *line);
	}
	return rc;
}

struct astra_line_start astra_line_start(const char *line)
{
	struct astra_line_start start;
	size_t length = strnlen(line, sizeof(start.text) - 1);

	memcpy(start.text, line, length);
	start.text[length] = '\0';
	return start;
}

void astra_read_defect(struct astra_trace *trace, enum astra_defect kind,
		       uint32_t line, const char *column, const char *value)
{
	char text[sizeof(trace->defects->value)];

	snprintf(text, sizeof(text), "%s=%s", column, value);
	astra_trace_defect(trace, kind, line, text);
}

int astra_read_admit(struct astra_trace *trace,
		     const struct astra_trace_job *job,
		     const struct astra_job_names *names, bool unfinished)
{
	struct astra_trace_job named = *job;

	if (trace->taker)
		return trace->taker->take(trace->taker->arg, names->job, job,
					  names, unfinished);
	if (unfinished || job->duration_sec <= 0) {
		astra_read_defect(trace,
				  unfinished ? ASTRA_DEFECT_UNFINISHED
					     : ASTRA_DEFECT_INSTANT,
				  job->line, "job_id", names->job);
		return 0;
	}
	named.tenant = astra_trace_tenant(trace, *names->tenant ? names->tenant
								: "unknown");
	named.user = astra_trace_user(trace, names->user);
	named.app = *names->app ? astra_trace_app(trace, names->app) : 0;
	if (named.tenant == ASTRA_NONE || named.user == ASTRA_NONE ||
	    named.app == ASTRA_NONE)
		return -1;
	return astra_trace_add(trace, &named, names->job);
}

/* Detects the format by the first line, and makes that line be read again.
 * Returns 0, or -1 with err set. */
static int detect(struct astra_lines *lines, enum astra_trace_format *format,
		  struct astra_error *err)
{
	char *line;
	bool text;
	int rc = astra_lines_next(lines, &line, &text, err);

	if (rc < 0)
		return -1;
	if (!rc)
		return astra_error_set(err, "%s is empty", lines->name);
	if (text && *format == ASTRA_FORMAT_AUTO && astra_is_swf(line))
		*format = ASTRA_FORMAT_SWF;
	if (text && *format == ASTRA_FORMAT_AUTO && astra_is_csv(line))
		*format = ASTRA_FORMAT_CSV;
	astra_lines_back(lines);
	if (text && *format != ASTRA_FORMAT_AUTO)
		return 0;
	return astra_error_set(err,
			       "%s: line %u begins no trace: it is neither the "
			       "names of columns, among them submit_s, "
			       "duration_s and gpus, nor sacct -P's, nor "
			       "Standard Workload Format",
			       lines->name, lines->number);
}

int astra_trace_read(struct astra_trace *trace, const char *path,
		     const struct astra_read_options *options,
		     struct astra_error *err)
{
	enum astra_trace_format format = options->format;
	struct astra_lines lines;
	int rc;

	if (astra_lines_open(&lines, path, err) < 0)
		return -1;
	trace->source = lines.name;
	rc = detect(&lines, &format, err);
	if (!rc && format == ASTRA_FORMAT_CSV)
		rc = astra_read_csv(trace, &lines, err);
	else if (!rc)
		rc = astra_read_swf(trace, &lines, options->procs_per_gpu, err);
	astra_lines_close(&lines);
	return rc < 0 ? -1 : astra_trace_finish(trace, err);
}
