/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfairsim/batch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/common/clock.h"

#define BAR_WIDTH 40
#define PATIENCE_SEC 1

void sfairsim_progress_begin(struct sfairsim_progress *p, bool quiet)
{
	*p = (struct sfairsim_progress){
		.begin_sec = astra_now_sec(CLOCK_MONOTONIC),
		.wanted = !quiet && isatty(STDERR_FILENO),
	};
}

void sfairsim_progress_show(struct sfairsim_progress *p, double done)
{
	double gone = astra_now_sec(CLOCK_MONOTONIC) - p->begin_sec;
	int full = (int)(fmin(fmax(done, 0), 1) * BAR_WIDTH);

	if (!p->wanted || gone < PATIENCE_SEC)
		return;
	fprintf(stderr, "\r[");
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : '.', stderr);
	fprintf(stderr, "] %3.0f %%", 100 * fmin(done, 1));
	if (done > 0.02)
		fprintf(stderr, ", %.0f s left   ", gone / done - gone);
	fflush(stderr);
	p->drawn = true;
}

void sfairsim_progress_end(struct sfairsim_progress *p)
{
	if (p->drawn)
		fprintf(stderr, "\r%*s\r", BAR_WIDTH + 30, "");
	p->drawn = false;
}

#define LOOK_NSEC (100 * 1000 * 1000)

/* The results of a child process, in memory shared with its parent. */
struct sfairsim_share {
	volatile double progress; /* 0 to 1 */
	pid_t pid;		  /* 0: not begun, or already waited for */
	struct astra_error err;
	struct astra_digest digest; /* variable length */
};

static size_t share_size(const struct sfairsim_setup *setup)
{
	return offsetof(struct sfairsim_share, digest) +
	       astra_digest_size(setup->trace.tenant_count);
}

static int make_shares(const struct sfairsim_setup *setup,
		       struct sfairsim_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *at = mmap(NULL, share_size(setup), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return -1;
		cases[i].share = at;
		cases[i].digest = &cases[i].share->digest;
	}
	return 0;
}

void sfairsim_batch_clear(const struct sfairsim_setup *setup,
			  struct sfairsim_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (cases[i].share)
			munmap(cases[i].share, share_size(setup));
		cases[i].share = NULL;
		cases[i].digest = NULL;
	}
}

static void batch_tell(void *arg, double done, double now_sec)
{
	struct sfairsim_share *share = arg;

	(void)now_sec;
	share->progress = done;
}

/* Runs a case in the child. */
static int batch_simulate(const struct sfairsim_setup *setup,
			  const struct sfairsim_case *c)
{
	struct astra_sim_options sim = setup->sim;
	struct astra_sim_result result;
	int rc = 0;

	sim.progress = batch_tell;
	sim.progress_arg = c->share;
	if (astra_simulate(&setup->trace, &setup->cluster, c->scheduler,
			   &c->options, &sim, &result, &c->share->err) < 0)
		return -1;
	if (astra_contention(&result) < 0 ||
	    astra_digest_fill(&result, &c->share->digest) < 0)
		rc = astra_error_nomem(&c->share->err);
	astra_sim_result_clear(&result);
	return rc;
}

static int batch_start(const struct sfairsim_setup *setup,
		       struct sfairsim_case *c, struct astra_error *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return astra_error_set(err, "%s: fork: %s", c->name,
				       strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		_exit(batch_simulate(setup, c) < 0 ? 1 : 0);
	}
	c->share->pid = pid;
	return 0;
}

static struct sfairsim_case *case_of(struct sfairsim_case *cases, size_t count,
				     pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (cases[i].share && cases[i].share->pid == pid)
			return &cases[i];
	return NULL;
}

static int ended(struct sfairsim_case *c, int status, struct astra_error *err)
{
	c->share->pid = 0;
	c->share->progress = 1;
	if (WIFSIGNALED(status))
		return astra_error_set(err, "%s: ended by signal %d", c->name,
				       WTERMSIG(status));
	if (WEXITSTATUS(status))
		return astra_error_set(err, "%s: %.400s", c->name,
				       c->share->err.text);
	return 0;
}

static void batch_show(const struct sfairsim_case *cases, size_t count,
		       struct sfairsim_progress *progress)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += cases[i].share->progress;
	sfairsim_progress_show(progress, sum / (double)count);
}

/* Waits until a child has ended. Returns 0, or -1 with err set. */
static int wait_for_one(struct sfairsim_case *cases, size_t count,
			struct sfairsim_progress *progress,
			struct astra_error *err)
{
	const struct timespec pause = {.tv_nsec = LOOK_NSEC};
	int status;

	for (;;) {
		pid_t pid =
			waitpid(-1, &status, progress->wanted ? WNOHANG : 0);
		struct sfairsim_case *c =
			pid > 0 ? case_of(cases, count, pid) : NULL;

		if (c)
			return ended(c, status, err);
		if (pid < 0 && errno != EINTR)
			return astra_error_set(err, "waitpid: %s",
					       strerror(errno));
		if (!pid)
			nanosleep(&pause, NULL);
		batch_show(cases, count, progress);
	}
}

static void batch_stop_all(struct sfairsim_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pid_t pid = cases[i].share ? cases[i].share->pid : 0;

		if (pid <= 0)
			continue;
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		cases[i].share->pid = 0;
	}
}

int sfairsim_batch(const struct sfairsim_setup *setup,
		   struct sfairsim_case *cases, size_t count, uint32_t cores,
		   bool quiet, struct astra_error *err)
{
	struct sfairsim_progress progress;
	size_t begun = 0, running = 0;
	int rc = 0;

	if (!cores)
		cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	if (make_shares(setup, cases, count) < 0)
		return astra_error_nomem(err);
	sfairsim_progress_begin(&progress, quiet);
	while (!rc && (begun < count || running)) {
		if (begun < count && running < cores) {
			rc = batch_start(setup, &cases[begun++], err);
			running++;
			continue;
		}
		rc = wait_for_one(cases, count, &progress, err);
		running--;
	}
	if (rc < 0)
		batch_stop_all(cases, count);
	sfairsim_progress_end(&progress);
	return rc;
}
