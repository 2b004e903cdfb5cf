/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/common/text.h"

#define NOT_FOUND 127 /* as a shell reports it */

/* Runs the program, in the child. */
static void become(char *const *argv, bool apart, int output, int complaints)
{
	if ((apart && setpgid(0, 0) < 0) || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(complaints, STDERR_FILENO) < 0)
		_exit(NOT_FOUND);
	/* Have Slurm print seconds since 1970: these need no time zone, and
	 * stay unique when summer time ends. */
	setenv("SLURM_TIME_FORMAT", "%s", 1);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(NOT_FOUND);
}

int astra_child_start(struct astra_child *child, char *const *argv, bool apart,
		      struct astra_error *err)
{
	int ends[2];

	*child = (struct astra_child){
		.name = argv[0],
		.pid = -1,
		.output = -1,
		.complaints = tmpfile(),
	};
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
		become(argv, apart, ends[1], fileno(child->complaints));
	close(ends[1]);
	child->output = ends[0];
	if (child->pid > 0)
		return 0;
	close(ends[0]);
	fclose(child->complaints);
	return astra_error_set(err, "fork: %s", strerror(errno));
}

/* Sets err to the first line that the program wrote to stderr. If there is
 * none, err says what was wrong with the output (if rc < 0), else names the
 * exit status. Returns -1. */
static int child_complain(const struct astra_child *child, int status, int rc,
			  struct astra_error *err)
{
	char line[256];

	rewind(child->complaints);
	if (fgets(line, sizeof(line), child->complaints)) {
		line[strcspn(line, "\n")] = '\0';
		return astra_error_set(err, "%s failed: %s", child->name, line);
	}
	if (rc < 0)
		return -1;
	if (WIFSIGNALED(status))
		return astra_error_set(err, "%s failed: signal %d", child->name,
				       WTERMSIG(status));
	return astra_error_set(err, "%s failed: exit status %d", child->name,
			       WEXITSTATUS(status));
}

int astra_child_end(struct astra_child *child, int rc, struct astra_error *err)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(child->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		rc = astra_error_set(err, "waitpid: %s", strerror(errno));
	else if (status)
		rc = child_complain(child, status, rc, err);
	fclose(child->complaints);
	return rc;
}

/* Waits for output until until_sec, or for ever if that is infinite. Returns 0.
 * If no output came in time, kills the program and returns -1 with err set. */
static int child_wait(const struct astra_child *child, double until_sec,
		      struct astra_error *err)
{
	struct pollfd ready = {.fd = child->output, .events = POLLIN};

	while (isfinite(until_sec)) {
		double left_sec = until_sec - astra_now_sec(CLOCK_MONOTONIC);
		int rc = left_sec > 0 ? poll(&ready, 1, (int)(1e3 * left_sec))
				      : 0;

		if (rc > 0)
			return 0;
		if (rc < 0 && errno == EINTR)
			continue;
		kill(-child->pid, SIGKILL);
		return astra_error_set(err, "%s does not answer", child->name);
	}
	return 0;
}

static int child_read_all(const struct astra_child *child, double until_sec,
			  struct astra_text *text, struct astra_error *err)
{
	char bytes[4096];
	ssize_t got;

	for (;;) {
		if (child_wait(child, until_sec, err) < 0)
			return -1;
		got = read(child->output, bytes, sizeof(bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return astra_error_set(err, "read: %s",
					       strerror(errno));
		if (!got)
			return astra_text_add(text, "", 0) < 0
				       ? astra_error_nomem(err)
				       : 0;
		if (astra_text_add(text, bytes, (size_t)got) < 0)
			return astra_error_nomem(err);
	}
}

int astra_child_text(char *const *argv, char **text, struct astra_error *err)
{
	return astra_child_text_within(argv, HUGE_VAL, text, err);
}

int astra_child_text_within(char *const *argv, double sec, char **text,
			    struct astra_error *err)
{
	double until_sec = astra_now_sec(CLOCK_MONOTONIC) + sec;
	struct astra_text all = {0};
	struct astra_child child;
	int rc;

	if (astra_child_start(&child, argv, true, err) < 0)
		return -1;
	rc = child_read_all(&child, until_sec, &all, err);
	close(child.output);
	rc = astra_child_end(&child, rc, err);
	if (rc < 0) {
		astra_text_clear(&all);
		return -1;
	}
	*text = all.bytes;
	return 0;
}
