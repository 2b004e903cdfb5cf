/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/common/text.h"

#define CHUNK 65536
#define WAIT_NSEC 5000000 /* between two checks for the program's end */

struct run {
	const char *name;
	pid_t pid;
	int in, out;	   /* our ends of the pipes to its standard input and
			    * output; -1: closed */
	const char *input; /* the rest of the text for its input */
	size_t input_size;
	struct astra_text text;
	double until; /* when the program is killed */
	int errors;   /* descriptor for its standard error; 0: the agent's
		       * own */
	struct astra_error *err;
};

void agent_program_split(char *text, char *words[AGENT_WORDS_MAX + 1])
{
	size_t count = 0;
	char *next, *word;

	for (word = strtok_r(text, " \t", &next);
	     word && count < AGENT_WORDS_MAX;
	     word = strtok_r(NULL, " \t", &next))
		words[count++] = word;
	words[count] = NULL;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Start the program in a process group of its own, so that all its processes
 * can be killed. */
static int program_start(struct run *run, char *const *words, int child_in,
			 int child_out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t pipe_only, none;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, child_in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, child_out, STDOUT_FILENO);
	if (run->errors)
		posix_spawn_file_actions_adddup2(&actions, run->errors,
						 STDERR_FILENO);
	posix_spawnattr_init(&attr);
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &pipe_only);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSIGMASK |
						POSIX_SPAWN_SETPGROUP);
	rc = posix_spawnp(&run->pid, words[0], &actions, &attr, words, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return astra_error_set(run->err, "%s: cannot be run: %s",
				       run->name, strerror(rc));
	return 0;
}

static int open_and_start(struct run *run, char *const *words)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, rc = -1;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		astra_error_set(run->err, "no pipe: %s", strerror(errno));
	else
		rc = program_start(run, words, to[0], from[1]);
	run->in = to[1];
	run->out = from[0];
	shut(&to[0]);
	shut(&from[1]);
	if (!rc)
		(void)fcntl(run->in, F_SETFL, O_NONBLOCK);
	return rc;
}

/* Write to the program's input. The program may leave a part of it unread. */
static void feed(struct run *run)
{
	ssize_t n = run->input_size
			    ? write(run->in, run->input, run->input_size)
			    : 0;

	if (n > 0) {
		run->input += n;
		run->input_size -= (size_t)n;
	}
	if (!run->input_size || (n < 0 && errno != EAGAIN && errno != EINTR))
		shut(&run->in);
}

static int drain(struct run *run)
{
	char bytes[CHUNK];
	ssize_t n = read(run->out, bytes, sizeof(bytes));

	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		shut(&run->out);
	else if (astra_text_add(&run->text, bytes, (size_t)n) < 0)
		return astra_error_set(run->err,
				       "%s: answers with more than %zu bytes",
				       run->name, run->text.limit);
	return 0;
}

static int late(const struct run *run, double seconds)
{
	return astra_error_set(run->err,
			       "%s: has not ended within %g s, and was killed",
			       run->name, seconds);
}

static int talk(struct run *run, double seconds)
{
	while (run->out >= 0) {
		struct pollfd fds[] = {{run->out, POLLIN, 0},
				       {run->in, POLLOUT, 0}};
		double left = run->until - astra_now_sec(CLOCK_MONOTONIC);
		int n = left > 0 ? poll(fds, 2, (int)(left * 1000) + 1) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return late(run, seconds);
		if (fds[1].revents)
			feed(run);
		if (fds[0].revents && drain(run) < 0)
			return -1;
	}
	return 0;
}

static int check_end(const struct run *run, int status)
{
	if (WIFSIGNALED(status))
		return astra_error_set(run->err, "%s: died of signal %d (%s)",
				       run->name, WTERMSIG(status),
				       strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return astra_error_set(run->err, "%s: exited with %d",
				       run->name, WEXITSTATUS(status));
	return 0;
}

static int await(struct run *run, double seconds)
{
	const struct timespec pause = {.tv_nsec = WAIT_NSEC};
	int status;

	for (;;) {
		pid_t pid = waitpid(run->pid, &status, WNOHANG);

		if (pid == run->pid) {
			run->pid = -1;
			return check_end(run, status);
		}
		if (pid < 0 && errno != EINTR)
			return astra_error_set(run->err, "%s: was lost: %s",
					       run->name, strerror(errno));
		if (astra_now_sec(CLOCK_MONOTONIC) > run->until)
			return late(run, seconds);
		nanosleep(&pause, NULL);
	}
}

/* Close the program's pipes, and kill the processes that are left. */
static void program_finish(struct run *run)
{
	shut(&run->in);
	shut(&run->out);
	if (run->pid <= 0)
		return;
	kill(-run->pid, SIGKILL);
	while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int agent_program_run(char *const *words, const char *input,
		      const struct agent_limits *limits, char **output,
		      struct astra_error *err)
{
	struct run run = {
		.name = words[0],
		.pid = -1,
		.in = -1,
		.out = -1,
		.input = input,
		.input_size = strlen(input),
		.text = {.limit = limits->output},
		.until = astra_now_sec(CLOCK_MONOTONIC) + limits->seconds,
		.errors = limits->errors,
		.err = err,
	};
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	int rc = open_and_start(&run, words);

	if (!rc)
		rc = talk(&run, limits->seconds);
	if (!rc)
		rc = await(&run, limits->seconds);
	program_finish(&run);
	signal(SIGPIPE, before);
	*output = NULL;
	if (!rc && astra_text_add(&run.text, "", 0) < 0)
		rc = astra_error_nomem(err);
	if (!rc)
		*output = run.text.bytes;
	else
		astra_text_clear(&run.text);
	return rc;
}
