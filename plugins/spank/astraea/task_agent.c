/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/spank/astraea/task_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 64, STREAMS = 2 };

/* Between the task and its agent. */
struct pair {
	int ready[2];	   /* closed by the agent's start */
	int streams[2][2]; /* the task's output and error, to the agent */
	bool prints;	   /* there are such */
	sigset_t mask;	   /* of the task */
	char text[TASK_AGENT_MAX + 1];
	char child[64];
	char *words[WORDS_MAX + 1];
};

static bool is_leased(char **env)
{
	static const char name[] = "ASTRAEA_POOL=";

	for (; *env; env++)
		if (!strncmp(*env, name, sizeof(name) - 1))
			return true;
	return false;
}

/* Whether the agent is to read what the task prints: its default, where it
 * follows progress at all. */
static void note_word(struct pair *p, const char *word, bool *elsewhere)
{
	if (!strncmp(word, "--progress", 10))
		p->prints = true;
	if (!strncmp(word, "--log=", 6))
		*elsewhere = strcmp(word, "--log=-") != 0;
}

static void task_agent_split(struct pair *p, const char *path,
			     const char *options)
{
	bool elsewhere = false;
	size_t count = 0;
	char *rest;

	snprintf(p->text, sizeof(p->text), "%s", options);
	p->words[count++] = (char *)(uintptr_t)path;
	p->words[count++] = p->child;
	for (char *word = strtok_r(p->text, " \t", &rest);
	     word && count < WORDS_MAX; word = strtok_r(NULL, " \t", &rest)) {
		note_word(p, word, &elsewhere);
		p->words[count++] = word;
	}
	p->words[count] = NULL;
	p->prints = p->prints && !elsewhere;
}

static int open_pipes(struct pair *p)
{
	if (pipe2(p->ready, O_CLOEXEC) < 0)
		return -1;
	for (int i = 0; p->prints && i < STREAMS; i++)
		if (pipe2(p->streams[i], O_CLOEXEC) < 0)
			return -1;
	return 0;
}

/* The child: wait until the agent runs; where it does not, its parent goes on
 * as the task. */
static void be_task(spank_t spank, struct pair *p, pid_t agent)
{
	char text[16], byte;

	/* To Slurm the task ends with its agent: it must not run on beside the
	 * next holder of its GPUs. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(p->ready[1]);
	if (read(p->ready[0], &byte, 1) > 0 || getppid() != agent)
		_exit(0);
	close(p->ready[0]);
	for (int i = 0; p->prints && i < STREAMS; i++) {
		dup2(p->streams[i][1], STDOUT_FILENO + i);
		close(p->streams[i][0]);
		close(p->streams[i][1]);
	}
	snprintf(text, sizeof(text), "%ld", (long)getpid());
	(void)spank_setenv(spank, "SLURM_TASK_PID", text, 1);
	sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

/* The parent; returns only where there is no agent, in its old state. */
static void be_agent(struct pair *p, pid_t child, char **env)
{
	const char *path = *p->words;

	snprintf(p->child, sizeof(p->child), "--child=%ld,%d,%d", (long)child,
		 p->prints ? p->streams[0][0] : -1,
		 p->prints ? p->streams[1][0] : -1);
	for (int i = 0; p->prints && i < STREAMS; i++) {
		fcntl(p->streams[i][0], F_SETFD, 0);
		close(p->streams[i][1]);
	}
	close(p->ready[0]);
	execve(path, p->words, env);
	slurm_error("--agent: %s: %m; the task runs without it", path);
	for (int i = 0; p->prints && i < STREAMS; i++)
		close(p->streams[i][0]);
	if (write(p->ready[1], "", 1) < 0)
		kill(child, SIGKILL);
	close(p->ready[1]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

void task_agent_start(spank_t spank, const char *path, const char *options)
{
	struct pair p = {.prints = false};
	char **env = NULL;
	pid_t agent = getpid(), child;
	sigset_t all;

	if (spank_get_item(spank, S_JOB_ENV, &env) != ESPANK_SUCCESS ||
	    !is_leased(env))
		return;
	task_agent_split(&p, path, options);
	if (open_pipes(&p) < 0) {
		slurm_error("--agent: %m; the task runs without it");
		return;
	}
	/* None is lost before the agent listens. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &p.mask);
	child = fork();
	if (!child)
		be_task(spank, &p, agent);
	else if (child > 0)
		be_agent(&p, child, env);
	else
		sigprocmask(SIG_SETMASK, &p.mask, NULL);
}
