/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/follow.h"

#include <math.h>
#include <string.h>

#include "src/client/sfair.h"
#include "src/common/clock.h"

#define LOOK_SEC 1.0	 /* between two polls, at least */
#define END_SEC 2	 /* longest wait of the ended job for the last poll */
#define LOOK_COST 1000.0 /* a pause is at least this many polls long */

/* Look at the lines of a window, the newest first. Returns whether the values
 * of all fields are known. */
static bool follow_look_at(struct agent_follow *f, struct agent_window *window,
			   struct agent_seen *seen)
{
	char line[AGENT_LINE];
	size_t end = AGENT_WINDOW;
	bool complete = false;

	while (!complete && agent_window_line(window, &end, line))
		complete = agent_patterns_match(f->patterns, line, seen);
	return complete;
}

/* Copy what was written since the last look, so that the tee need not wait. If
 * the last line is incomplete, it stays in the tee's window, too. */
static void follow_fetch(struct agent_tee *tee, int i, struct agent_window *out)
{
	pthread_mutex_lock(&tee->lock);
	memcpy(out->bytes, tee->windows[i].bytes, tee->windows[i].size);
	out->size = tee->windows[i].size;
	out->at_sec = tee->windows[i].at_sec;
	agent_window_trim(&tee->windows[i]);
	pthread_mutex_unlock(&tee->lock);
}

static void follow_tell(struct agent_follow *f, const struct agent_seen *seen)
{
	struct agent_report report;
	double saved = seen->value[AGENT_SAVED];

	if (agent_progress_report(&f->progress, &report))
		(void)sfair_progress(report.done, report.total, report.iter_sec,
				     report.loss);
	if (saved >= 0 && saved < 1e15)
		(void)sfair_checkpointed((uint64_t)saved);
}

static bool saw_any(const struct agent_seen *seen)
{
	for (size_t i = 0; i < AGENT_FIELDS; i++)
		if (!isnan(seen->value[i]))
			return true;
	return false;
}

static void follow_look(struct agent_follow *f)
{
	struct agent_seen seen;
	double at_sec;

	agent_seen_clear(&seen);
	if (f->tee) {
		follow_fetch(f->tee, 1, &f->window);
		at_sec = f->window.at_sec;
		if (!follow_look_at(f, &f->window, &seen)) {
			follow_fetch(f->tee, 0, &f->window);
			at_sec = fmax(at_sec, f->window.at_sec);
			(void)follow_look_at(f, &f->window, &seen);
		}
	} else {
		agent_tail_read(&f->tail, &f->window,
				astra_now_sec(CLOCK_MONOTONIC));
		at_sec = f->window.at_sec;
		(void)follow_look_at(f, &f->window, &seen);
		agent_window_trim(&f->window);
	}
	if (!saw_any(&seen))
		return;
	agent_progress_see(&f->progress, &seen, at_sec);
	follow_tell(f, &seen);
}

static void follow_wait_for_end(struct agent_follow *f, double sec)
{
	double until = astra_now_sec(CLOCK_MONOTONIC) + sec;
	struct timespec ts = {.tv_sec = (time_t)until};

	ts.tv_nsec = (long)((until - (double)ts.tv_sec) * 1e9);
	pthread_mutex_lock(&f->lock);
	if (!f->ends)
		pthread_cond_clockwait(&f->work, &f->lock, CLOCK_MONOTONIC,
				       &ts);
	pthread_mutex_unlock(&f->lock);
}

static bool ends(struct agent_follow *f)
{
	bool ends;

	pthread_mutex_lock(&f->lock);
	ends = f->ends;
	pthread_mutex_unlock(&f->lock);
	return ends;
}

static void *follow_run(void *arg)
{
	struct agent_follow *f = arg;

	while (!ends(f)) {
		double before = astra_now_sec(CLOCK_THREAD_CPUTIME_ID), cost;

		follow_look(f);
		cost = astra_now_sec(CLOCK_THREAD_CPUTIME_ID) - before;
		follow_wait_for_end(f, fmax(LOOK_SEC, LOOK_COST * cost));
	}
	follow_look(f);
	return NULL;
}

int agent_follow_start(struct agent_follow *f, struct astra_error *err)
{
	int error;

	for (size_t i = 0; i < AGENT_FIELDS; i++)
		f->progress.value[i] = (double)NAN;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->work, NULL);
	error = pthread_create(&f->thread, NULL, follow_run, f);
	if (error)
		return astra_error_set(err, "--log: %s", strerror(error));
	return 0;
}

void agent_follow_finish(struct agent_follow *f)
{
	struct timespec until = {.tv_sec = time(NULL) + END_SEC};

	pthread_mutex_lock(&f->lock);
	f->ends = true;
	pthread_cond_signal(&f->work);
	pthread_mutex_unlock(&f->lock);
	/* A regular expression may run for ever; the job does not wait for
	 * that. */
	(void)pthread_timedjoin_np(f->thread, NULL, &until);
}
