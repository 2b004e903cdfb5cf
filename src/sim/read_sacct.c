/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster's accounting, by way of sacct: it knows how to find slurmdbd and
 * what its user may see. */
#include <stdio.h>
#include <stdlib.h>

#include "src/sim/child.h"
#include "src/sim/read_priv.h"

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
