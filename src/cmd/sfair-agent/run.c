/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/apart.h"
#include "src/cmd/sfair-agent/checkpoint.h"
#include "src/cmd/sfair-agent/follow.h"
#include "src/cmd/sfair-agent/tree.h"
#include "src/common/clock.h"

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

/* Become the program, in the child, or tell the parent why exec() failed. A
 * program that is to be dumped gets its own session, as a dump holds only whole
 * sessions. */
static void run_child(const struct agent_options *options, const sigset_t *mask,
		      const int *outputs, int tell, pid_t agent)
{
	char **words = options->words;

	/* Slurm takes the agent's end for the task's end. So the program must
	 * end with the agent, or it would use GPUs that already have a new
	 * holder. A program with dumps is an exception: after a restore, its
	 * parent ends at once. */
	if (!options->with)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != agent)
		_exit(AGENT_CANNOT_RUN);
	if (outputs) {
		dup2(outputs[0], STDOUT_FILENO);
		dup2(outputs[1], STDERR_FILENO);
	}
	if (options->with)
		setsid();
	if (agent_checkpoint_apart(options))
		agent_apart_leave();
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(*words, words);
	if (write(tell, &errno, sizeof(errno)) < 0) {
		/* The parent has ended. */
	}
	_exit(AGENT_CANNOT_RUN);
}

/* Start the program as a child with this signal mask. outputs: its standard
 * output and error; NULL: the agent's. Returns 0 with the child's pid; or, with
 * err set, the exit status for the failure. */
static int agent_spawn(const struct agent_options *options,
		       const sigset_t *mask, const int *outputs, pid_t *pid,
		       struct astra_error *err)
{
	char **words = options->words;
	pid_t agent = getpid();
	int ends[2], error = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return cannot_run(*words, errno, err);
	*pid = fork();
	if (*pid < 0)
		error = errno;
	else if (!*pid)
		run_child(options, mask, outputs, ends[1], agent);
	close(ends[1]);
	if (!error && read(ends[0], &error, sizeof(error)) <= 0)
		error = 0; /* closed by exec() when the program has started */
	close(ends[0]);
	return error ? cannot_run(*words, error, err) : 0;
}

/* End as the child has ended, with the same exit code or by the same signal, so
 * that Slurm and a shell see no difference. */
static _Noreturn void agent_end_as(int status)
{
	int signal = WTERMSIG(status);
	sigset_t one;

	if (!WIFSIGNALED(status))
		_exit(WEXITSTATUS(status));
	/* The child has already dumped its core, so the agent does not. */
	prctl(PR_SET_DUMPABLE, 0);
	sigemptyset(&one);
	sigaddset(&one, signal);
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), signal);
	_exit(128 + signal);
}

#define LOST_SEC 60 /* longest time that a job lives on after its grace */
#define SAVED 85    /* exit code that makes Astraea requeue the job */

struct run {
	const struct agent_options *options;
	const struct sfair_place *place;
	int notice; /* the checkpoint signal; 0: none */
	int send;   /* the signal sent to the processes in place of the
		     * notice */
	double grace_sec;
	int signals; /* a signalfd */
	pid_t child;
	bool ended;
	int status;	 /* the command's wait status, once it has ended */
	double over_sec; /* when the grace is over; 0: no notice has come */
	bool handed;	 /* a process has received the notice */
	int tries;	 /* how often passing the notice on was tried */
	bool dumped;	 /* the dump is complete and the program has ended */
	bool lost;	 /* the program cannot go on, as the dumper was
			  * killed */
	struct agent_checkpoint checkpoint; /* only with --checkpoint-with */
};

static const char *run_name_of(int signal)
{
	const char *name = sigabbrev_np(signal);

	return name ? name : "RT"; /* a real-time signal has none */
}

/* Return the signals that are passed on. These are all except the signals for
 * faults of the agent itself and those that stop and continue both
 * processes. */
static sigset_t watched(void)
{
	static const int own[] = {SIGABRT, SIGBUS,  SIGCONT, SIGFPE,
				  SIGILL,  SIGPIPE, SIGSEGV, SIGSYS,
				  SIGTRAP, SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t set;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(&set, own[i]);
	return set;
}

static bool in_grace(const struct run *r)
{
	return astra_now_sec(CLOCK_MONOTONIC) < r->over_sec;
}

static void say(const struct run *r, long sent)
{
	if (sent > 0 && r->options->verbose)
		fprintf(stderr, "sfair-agent: SIG%s to %ld processes\n",
			run_name_of(r->send), sent);
	if (sent <= 0 && r->tries == 2)
		fprintf(stderr,
			"sfair-agent: the lease ends, and no process catches "
			"SIG%s: without a checkpoint the job loses its GPUs in "
			"%.0f s\n",
			run_name_of(r->send), r->grace_sec);
}

/* Pass the notice on. If no process catches it, because the program is still
 * starting, try again until the grace is over. If the notice is SIGTERM and
 * nobody catches it, it ends the command. */
static void run_hand_on(struct run *r)
{
	long sent = agent_tree_signal(getpid(), r->send);

	r->tries++;
	r->handed |= sent > 0;
	if (sent <= 0 && r->send == SIGTERM && !r->ended)
		r->handed |= kill(r->child, SIGTERM) == 0;
	else
		say(r, sent);
}

/* Return the seconds for the dump: the grace without its last part, which is
 * for the sync. */
static double run_dump_sec(const struct run *r)
{
	return r->grace_sec > 10 ? r->grace_sec - 2 : r->grace_sec * 0.8;
}

/* Dump the command instead of passing the notice on, and end. If the dump
 * fails, the command goes on until the job is requeued. Its work since the dump
 * before is then lost. */
static void run_dump(struct run *r)
{
	struct astra_error err = {""};

	if (in_grace(r) || r->ended)
		return;
	r->over_sec = astra_now_sec(CLOCK_MONOTONIC) + r->grace_sec;
	if (!agent_checkpoint_dump(&r->checkpoint, r->child, run_dump_sec(r),
				   &r->lost, &err)) {
		r->dumped = true;
		if (r->options->verbose)
			fprintf(stderr, "sfair-agent: dumped to %s\n",
				r->checkpoint.folder);
	} else {
		fprintf(stderr,
			"sfair-agent: the lease ends, and there is no dump: "
			"%s\n",
			err.text);
	}
	if (r->dumped || r->lost)
		agent_checkpoint_kill();
}

static void take_notice(struct run *r)
{
	if (r->options->with) {
		run_dump(r);
		return;
	}
	r->over_sec = astra_now_sec(CLOCK_MONOTONIC) + r->grace_sec;
	r->tries = 0;
	run_hand_on(r);
}

/* Reap the children that have ended. Orphaned descendants become children of
 * the agent, too. */
static void reap(struct run *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != r->child)
			continue;
		r->ended = true;
		r->status = status;
	}
	if (pid < 0 && errno == ECHILD)
		r->ended = true;
}

static void take_signal(struct run *r, const struct signalfd_siginfo *info)
{
	int signal = (int)info->ssi_signo;

	if (signal == SIGCHLD) {
		reap(r);
	} else if (r->lost && signal == SIGTERM) {
		r->lost = false; /* the job is requeued */
	} else if (signal == r->notice) {
		take_notice(r);
	} else if (info->ssi_code != SI_KERNEL && !r->ended) {
		/* A signal from the terminal reaches the child anyway. */
		kill(r->child, signal);
	}
}

/* Whether other processes are still writing checkpoints. If the command has
 * died of the notice, Slurm may have sent it to all processes. */
static bool others_save(struct run *r)
{
	if (r->options->with)
		return false;
	if (!r->over_sec && r->notice && WIFSIGNALED(r->status) &&
	    WTERMSIG(r->status) == r->notice)
		take_notice(r);
	return r->handed && in_grace(r) &&
	       agent_tree_catches(getpid(), r->send) > 0;
}

/* Whether the agent waits for the requeue: Slurm requeues the job after the
 * grace. If the program is lost, the agent must not end before that, as this
 * would look like a failure. */
static bool awaits_requeue(const struct run *r)
{
	return r->lost &&
	       astra_now_sec(CLOCK_MONOTONIC) < r->over_sec + LOST_SEC;
}

static void run_wait_for_end(struct run *r)
{
	struct signalfd_siginfo info;
	struct pollfd fd = {.fd = r->signals, .events = POLLIN};

	reap(r); /* a task may already have ended */
	while (!r->ended || awaits_requeue(r) || others_save(r)) {
		bool again = !r->ended && !r->handed && !r->options->with &&
			     in_grace(r);
		int ready = poll(&fd, 1, r->ended ? 100 : again ? 1000 : -1);

		if (!ready && again)
			run_hand_on(r);
		else if (ready > 0 &&
			 read(r->signals, &info, sizeof(info)) == sizeof(info))
			take_signal(r, &info);
	}
}

/* The command's output, if it is to be read. */
static struct {
	bool prints, follows;
	struct agent_tee tee;
	struct agent_follow follow;
} out;

/* Pass the command's output on. For a task the pipes exist even if nothing is
 * followed. */
static int pass_outputs_on(const struct agent_options *o,
			   struct astra_error *err)
{
	const int *from = o->task.pid ? o->task.outputs : NULL;

	out.prints =
		from ? *from >= 0 : out.follows && !strcmp(o->log.path, "-");
	return out.prints ? agent_tee_start(&out.tee, from, err) : 0;
}

static void run_follow(const struct agent_log *log)
{
	struct astra_error err;

	out.follow.patterns = &log->patterns;
	out.follow.progress.epochs = log->epochs;
	out.follow.tee = out.prints ? &out.tee : NULL;
	out.follow.tail = AGENT_TAIL(log->path);
	out.follows = agent_follow_start(&out.follow, &err) == 0;
	if (!out.follows)
		fprintf(stderr, "sfair-agent: %s\n", err.text);
}

/* Restore the last dump, if there is one. Returns 0, or the exit status for the
 * reason why the command must not run. */
static int run_restore(struct run *r, struct astra_error *err)
{
	const int streams[AGENT_STDIO] = {
		STDIN_FILENO, out.prints ? out.tee.into[0] : STDOUT_FILENO,
		out.prints ? out.tee.into[1] : STDERR_FILENO};
	int rc;

	if (agent_checkpoint_open(&r->checkpoint, r->options, r->place, streams,
				  err) < 0)
		return AGENT_NO_CHECKPOINT;
	rc = agent_checkpoint_restore(&r->checkpoint, streams, &r->child, err);
	if (rc > 0 && r->options->verbose)
		fprintf(stderr, "sfair-agent: goes on from the dump in %s\n",
			r->checkpoint.folder);
	return rc < 0 ? AGENT_NO_CHECKPOINT : 0;
}

static int start(struct run *r, const sigset_t *mask, struct astra_error *err)
{
	int rc;

	if (pass_outputs_on(r->options, err) < 0)
		return AGENT_CANNOT_RUN;
	if (out.follows)
		run_follow(&r->options->log);
	rc = r->options->with ? run_restore(r, err) : 0;
	if (!rc && !r->child)
		rc = agent_spawn(r->options, mask,
				 out.prints ? out.tee.into : NULL, &r->child,
				 err);
	if (out.prints && !r->options->task.pid)
		agent_tee_given(&out.tee);
	return rc;
}

static void run_finish(void)
{
	if (out.prints)
		agent_tee_finish(&out.tee);
	if (out.follows)
		agent_follow_finish(&out.follow);
}

/* End as the command has ended. If the command was dumped, end with the exit
 * code that tells Astraea of the dump. */
static _Noreturn void run_end(const struct run *r)
{
	if (r->dumped)
		_exit(r->options->exit ? (int)r->options->exit : SAVED);
	if (r->options->with && !r->status)
		agent_checkpoint_remove(&r->checkpoint);
	if (r->options->exit && r->handed && r->status)
		_exit((int)r->options->exit);
	agent_end_as(r->status);
}

/* Give the child namespaces of its own. The calling process then only serves
 * the child until it ends. */
static int run_apart(struct astra_error *err)
{
	pid_t child = agent_apart(err);

	if (child > 0)
		agent_end_as(agent_apart_serve(child));
	return child < 0 ? AGENT_NO_CHECKPOINT : 0;
}

int agent_run(const struct agent_options *options,
	      const struct sfair_place *place, struct astra_error *err)
{
	sigset_t set = watched(), all = set, before;
	struct run r = {
		.options = options,
		.place = place,
		.notice = place->signal,
		.send = options->send ? options->send : place->signal,
		.grace_sec = place->grace_sec,
		.child = options->task.pid,
	};
	int rc;

	signal(SIGCHLD, SIG_DFL); /* otherwise the child's end would stay
				   * unknown */
	sigaddset(&all, SIGPIPE); /* the output may be closed */
	sigprocmask(r.child ? SIG_SETMASK : SIG_BLOCK, &all, &before);
	rc = agent_checkpoint_apart(options) ? run_apart(err) : 0;
	if (rc)
		return rc;
	out.follows = agent_follows(options, place);
	r.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (r.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
		astra_error_set(err, "cannot watch signals: %s",
				strerror(errno));
		return AGENT_CANNOT_RUN;
	}
	rc = start(&r, &before, err);
	if (rc)
		return rc;
	run_wait_for_end(&r);
	run_finish();
	run_end(&r);
}
