/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int cannot_run(const char *name, int error, struct astra_error *err)
{
	astra_error_set(err, "%.200s: %s", name, strerror(error));
	return error == ENOENT ? AGENT_NOT_FOUND : AGENT_CANNOT_RUN;
}

int agent_become(char **words, struct astra_error *err)
{
	execvp(*words, words);
	return cannot_run(*words, errno, err);
}

/* In the child: tell the parent why there is no program. */
static void run_child(char **words, const sigset_t *mask, const int *outputs,
		      int tell, pid_t agent)
{
	/* To Slurm the task ends with us: it must not run on beside the next
	 * holder of its GPUs. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != agent)
		_exit(AGENT_CANNOT_RUN);
	if (outputs) {
		dup2(outputs[0], STDOUT_FILENO);
		dup2(outputs[1], STDERR_FILENO);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(*words, words);
	if (write(tell, &errno, sizeof(errno)) < 0) {
		/* Then nobody is left to tell. */
	}
	_exit(AGENT_CANNOT_RUN);
}

int agent_spawn(char **words, const sigset_t *mask, const int *outputs,
		pid_t *pid, struct astra_error *err)
{
	pid_t agent = getpid();
	int ends[2], error = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cannot_run(*words, errno, err);
	*pid = fork();
	if (*pid < 0)
		error = errno;
	else if (!*pid)
		run_child(words, mask, outputs, ends[1], agent);
	close(ends[1]);
	if (!error && read(ends[0], &error, sizeof(error)) <= 0)
		error = 0; /* closed by the program's start */
	close(ends[0]);
	return error ? cannot_run(*words, error, err) : 0;
}

void agent_end_as(int status)
{
	int signal = WTERMSIG(status);
	sigset_t one;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	/* It is the child's core that is wanted. */
	prctl(PR_SET_DUMPABLE, 0);
	sigemptyset(&one);
	sigaddset(&one, signal);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), signal);
	_exit(128 + signal);
}
