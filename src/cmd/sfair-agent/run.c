/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cmd/sfair-agent/clock.h"
#include "src/cmd/sfair-agent/follow.h"
#include "src/cmd/sfair-agent/spawn.h"
#include "src/cmd/sfair-agent/tree.h"

struct run {
	const struct agent_options *options;
	int notice; /* the checkpoint signal; 0: none */
	int send;   /* what the tree gets for it */
	double grace_sec;
	int signals; /* a signalfd */
	pid_t child;
	bool ended;
	int status;	  /* then, of wait() */
	double until_sec; /* nobody has got the notice yet; 0: no matter */
	int tries;	  /* to hand it on */
};

static const char *name_of(int signal)
{
	const char *name = sigabbrev_np(signal);

	return name ? name : "RT"; /* a real-time signal has none */
}

/* The signals that are passed on. The rest means for the agent what it means
 * for any program: a stop from the terminal stops it, too. */
static sigset_t watched(int notice)
{
	static const int fixed[] = {SIGCHLD, SIGHUP,  SIGINT, SIGQUIT,
				    SIGTERM, SIGUSR1, SIGUSR2};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		sigaddset(&set, fixed[i]);
	if (notice)
		sigaddset(&set, notice);
	return set;
}

/* Hand the notice on; while nobody catches it, as a program that is just
 * starting, it is tried again until the grace is over. */
static void hand_on(struct run *r)
{
	long sent = agent_tree_signal(getpid(), r->send);

	r->tries++;
	if (sent > 0 || agent_now_sec() >= r->until_sec)
		r->until_sec = 0;
	if (sent > 0 && r->options->verbose)
		fprintf(stderr, "sfair-agent: SIG%s to %ld processes\n",
			name_of(r->send), sent);
	if (sent <= 0 && r->tries == 2)
		fprintf(stderr,
			"sfair-agent: the lease ends, and no process catches "
			"SIG%s: without a checkpoint the job loses its GPUs in "
			"%.0f s\n",
			name_of(r->send), r->grace_sec);
}

/* Children of the tree that have lost their parents are ours, too. */
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
	} else if (signal == r->notice) {
		r->until_sec = agent_now_sec() + r->grace_sec;
		r->tries = 0;
		hand_on(r);
	} else if (info->ssi_code != SI_KERNEL) {
		/* Else it comes from the terminal, and the child has got it. */
		kill(r->child, signal);
	}
}

static void wait_for_end(struct run *r)
{
	struct signalfd_siginfo info;
	struct pollfd fd = {.fd = r->signals, .events = POLLIN};

	reap(r); /* a task may have been quicker than we */
	while (!r->ended) {
		int ready = poll(&fd, 1, r->until_sec > 0 ? 1000 : -1);

		if (!ready)
			hand_on(r);
		else if (ready > 0 &&
			 read(r->signals, &info, sizeof(info)) == sizeof(info))
			take_signal(r, &info);
	}
}

/* What the command writes, if that is to be read. */
static struct {
	bool prints, follows;
	struct agent_tee tee;
	struct agent_follow follow;
} out;

/* The pipes of a task are there whether it is followed or not. */
static int pass_outputs_on(const struct agent_options *o,
			   struct astra_error *err)
{
	const int *from = o->task.pid ? o->task.outputs : NULL;

	out.prints =
		from ? *from >= 0 : out.follows && !strcmp(o->log.path, "-");
	return out.prints ? agent_tee_start(&out.tee, from, err) : 0;
}

static void follow(const struct agent_log *log)
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

static int start(struct run *r, const sigset_t *mask, struct astra_error *err)
{
	int rc;

	if (pass_outputs_on(r->options, err) < 0)
		return AGENT_CANNOT_RUN;
	if (out.follows)
		follow(&r->options->log);
	if (r->child)
		return 0;
	rc = agent_spawn(r->options->words, mask,
			 out.prints ? out.tee.into : NULL, &r->child, err);
	if (out.prints)
		agent_tee_given(&out.tee);
	return rc;
}

static void finish(void)
{
	if (out.prints)
		agent_tee_finish(&out.tee);
	if (out.follows)
		agent_follow_finish(&out.follow);
}

int agent_run(const struct agent_options *options,
	      const struct sfair_place *place, struct astra_error *err)
{
	sigset_t set = watched(place->signal), before;
	struct run r = {
		.options = options,
		.notice = place->signal,
		.send = options->send ? options->send : place->signal,
		.grace_sec = place->grace_sec,
		.child = options->task.pid,
	};
	int rc;

	out.follows = agent_follows(options, place);
	r.signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (r.signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
		astra_error_set(err, "cannot watch signals: %s",
				strerror(errno));
		return AGENT_CANNOT_RUN;
	}
	signal(SIGCHLD, SIG_DFL); /* else its end would not be known */
	sigprocmask(r.child ? SIG_SETMASK : SIG_BLOCK, &set, &before);
	rc = start(&r, &before, err);
	if (rc)
		return rc;
	wait_for_end(&r);
	finish();
	agent_end_as(r.status);
}
