/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster's accounting, by way of sacct: it knows how to find slurmdbd and
 * what its user may see. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/sim/read_priv.h"

#define NOT_FOUND 127 /* as a shell has it */

static const char columns[] = "JobID,JobIDRaw,Account,User,Submit,Start,End,"
			      "ElapsedRaw,AllocTRES,ReqTRES,TimelimitRaw,State,"
			      "NNodes";

struct child {
	pid_t pid;
	int output;
	FILE *complaints; /* what it writes on stderr */
};

/* In the child. argv: sacct's, ended by NULL. */
static void become_sacct(char *const *argv, int output, int complaints)
{
	if (dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(complaints, STDERR_FILENO) < 0)
		_exit(NOT_FOUND);
	/* Seconds since 1970: no time zone, no hour lost in autumn. */
	setenv("SLURM_TIME_FORMAT", "%s", 1);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	fflush(stderr);
	_exit(NOT_FOUND);
}

/* Returns 0, or -1 with err set. */
static int start_sacct(struct child *child, char *const *argv,
		       struct astra_error *err)
{
	int ends[2];

	*child = (struct child){.pid = -1, .output = -1};
	child->complaints = tmpfile();
	if (!child->complaints)
		return astra_error_set(err, "cannot make a file in /tmp: %s",
				       strerror(errno));
	if (pipe2(ends, O_CLOEXEC) < 0) {
		fclose(child->complaints);
		return astra_error_set(err, "pipe: %s", strerror(errno));
	}
	fflush(NULL);
	child->pid = fork();
	if (!child->pid)
		become_sacct(argv, ends[1], fileno(child->complaints));
	close(ends[1]);
	child->output = ends[0];
	if (child->pid > 0)
		return 0;
	close(ends[0]);
	fclose(child->complaints);
	return astra_error_set(err, "fork: %s", strerror(errno));
}

/* What sacct said first; else what was wrong with its output, after which it
 * had nowhere to write; else its status. Returns -1. */
static int complain(FILE *complaints, int status, int rc,
		    struct astra_error *err)
{
	char line[256];

	rewind(complaints);
	if (fgets(line, sizeof(line), complaints)) {
		line[strcspn(line, "\n")] = '\0';
		return astra_error_set(err, "sacct failed: %s", line);
	}
	if (rc < 0)
		return -1;
	if (WIFSIGNALED(status))
		return astra_error_set(err, "sacct failed: signal %d",
				       WTERMSIG(status));
	return astra_error_set(err, "sacct failed: exit status %d",
			       WEXITSTATUS(status));
}

/* Wait for the end. rc: of reading. Returns 0, or -1 with err set. */
static int end_sacct(struct child *child, int rc, struct astra_error *err)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(child->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		rc = astra_error_set(err, "waitpid: %s", strerror(errno));
	else if (status)
		rc = complain(child->complaints, status, rc, err);
	fclose(child->complaints);
	return rc;
}

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
			      struct astra_error *err)
{
	char since[128], until[128], format[sizeof(columns) + 16], where[128];
	char *argv[] = {"sacct",
			"--allusers",
			"--allocations",
			"--duplicates",
			"--parsable2",
			since,
			until,
			format,
			cluster ? where : NULL,
			NULL};
	struct child child;

	snprintf(since, sizeof(since), "--starttime=%s", start);
	snprintf(until, sizeof(until), "--endtime=%s", end);
	snprintf(format, sizeof(format), "--format=%s", columns);
	snprintf(where, sizeof(where), "--clusters=%s", cluster ? cluster : "");
	trace->source = "sacct";
	if (start_sacct(&child, argv, err) < 0 ||
	    end_sacct(&child, read_output(trace, child.output, err), err) < 0)
		return -1;
	return astra_trace_finish(trace, err);
}
