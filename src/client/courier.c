/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/courier.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/client/answer.h"
#include "src/common/clock.h"
#include "src/common/thread.h"
#include "src/proto/wire.h"

#define WAIT_SEC 1.0   /* longest wait for an answer */
#define FRESH_SEC 10.0 /* older answers are asked for again */
#define RETRY_SEC 10.0 /* after a failure; doubled after each further one */
#define RETRY_SEC_MAX 300.0

/* What the program's threads and the courier share. */
static struct {
	struct sfair_place place;
	bool ready;   /* place and the fork handlers are set */
	bool running; /* the thread was started */
	bool failed;  /* the thread could not be started */
	bool asks;    /* the thread must ask for the lease's end */
	bool reports; /* the thread must send progress */
	bool saves;   /* the thread must send a checkpoint's number */
	bool stale;   /* another run has taken this one's place */
	struct astra_said progress;
	uint64_t step;
	uint64_t answers;     /* messages that were sent, answered or not */
	uint64_t saved;	      /* number of checkpoints reported so far */
	uint64_t saved_heard; /* number of the last one that has a result */
	int saved_result;     /* the errno of that checkpoint */
	double end_sec;	      /* lease's end; infinite: none; NAN: unknown */
	double heard_sec;     /* when end_sec was received; 0: never */
	double due_sec;	      /* progress is not sent before this time */
	double retry_sec;     /* after a failure nothing is sent before this
			       * time */
	double pause_sec;     /* length of the pause after the last failure */
	struct astra_error error;
} c;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;

static double courier_larger(double a, double b)
{
	return a > b ? a : b;
}

/* Wait on a condition until a moment; infinite: until it is signalled. Returns
 * false if the moment came first. */
static bool courier_wait_until(pthread_cond_t *cond, double sec)
{
	struct timespec ts = {.tv_sec = (time_t)courier_larger(sec, 0)};

	if (isinf(sec)) {
		pthread_cond_wait(cond, &lock);
		return true;
	}
	ts.tv_nsec = (long)((sec - (double)ts.tv_sec) * 1e9);
	return pthread_cond_clockwait(cond, &lock, CLOCK_MONOTONIC, &ts) == 0;
}

/* Reset the courier in a child: a fork leaves the thread, and perhaps a held
 * lock, behind. */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void courier_begin_child(void)
{
	c.running = c.failed = c.asks = c.reports = c.saves = false;
	pthread_cond_init(&work, NULL);
	pthread_cond_init(&answered, NULL);
	pthread_mutex_init(&lock, NULL);
}

static void courier_prepare(void)
{
	double left;

	if (c.ready)
		return;
	c.ready = true;
	sfair_place_read(&c.place);
	left = c.place.end_sec - (double)time(NULL);
	c.end_sec =
		left > 0 ? astra_now_sec(CLOCK_MONOTONIC) + left : (double)NAN;
	pthread_atfork(before_fork, after_fork, courier_begin_child);
}

const struct sfair_place *sfair_courier_place(void)
{
	pthread_mutex_lock(&lock);
	courier_prepare();
	pthread_mutex_unlock(&lock);
	return &c.place;
}

/* The thread. */

/* Compute when the next message is due; infinite: none until the next
 * report. */
static double next_send(void)
{
	double due = (double)INFINITY;

	if (c.saves || c.asks)
		due = 0;
	else if (c.reports)
		due = c.due_sec;
	return courier_larger(due, c.retry_sec);
}

static void courier_choose(struct astra_query *query, struct astra_job_ref *ref)
{
	*ref = (struct astra_job_ref){c.place.job, UINT32_MAX};
	*query = (struct astra_query){
		.kind = ASTRA_QUERY_REMAINING,
		.jobs = {.refs = ref, .count = 1},
		.said = c.progress,
	};
	if (c.saves)
		query->kind = ASTRA_QUERY_CHECKPOINTED;
	else if (c.reports && astra_now_sec(CLOCK_MONOTONIC) >= c.due_sec)
		query->kind = ASTRA_QUERY_PROGRESS;
	query->said.run = c.place.run;
	query->said.step = c.step;
}

static enum astra_fault send_query(const struct astra_query *query,
				   struct sfair_answer *answer,
				   struct astra_error *err)
{
	const char *auth = *c.place.auth ? c.place.auth : NULL;
	enum astra_fault fault = ASTRA_FAULT_INTERNAL;
	char *request = astra_query_encode(query), *reply = NULL;

	if (!request) {
		astra_error_nomem(err);
		return fault;
	}
	if (!astra_call(c.place.socket, auth, request, &reply, err))
		fault = sfair_answer_read(reply, answer, err);
	free(reply);
	free(request);
	return fault;
}

int sfair_courier_errno(enum astra_fault fault)
{
	switch (fault) {
	case ASTRA_FAULT_NONE:
		return 0;
	case ASTRA_FAULT_STALE:
		return ESTALE;
	case ASTRA_FAULT_BUSY:
	case ASTRA_FAULT_RATE:
	case ASTRA_FAULT_TIMEOUT:
	case ASTRA_FAULT_NO_DATA:
	case ASTRA_FAULT_NOT_FOUND: /* the job started after the last round */
	case ASTRA_FAULT_INTERNAL:
		return EIO;
	default:
		return EACCES;
	}
}

/* Note a failure. A message that failed only for now is sent again later. */
static void note_failure(int result, double now)
{
	c.asks = false;
	if (result != EIO)
		c.reports = c.saves = false;
	if (result == ESTALE)
		c.stale = true;
	c.pause_sec = c.pause_sec > 0 ? 2 * c.pause_sec : RETRY_SEC;
	if (c.pause_sec > RETRY_SEC_MAX)
		c.pause_sec = RETRY_SEC_MAX;
	c.retry_sec = now + c.pause_sec;
}

static void note_answer(const struct sfair_answer *answer, double now)
{
	c.asks = false;
	c.pause_sec = c.retry_sec = 0;
	c.heard_sec = now;
	if (!isnan(answer->remaining_sec))
		c.end_sec = now + answer->remaining_sec;
}

/* Send one message. The lock is released while the message is under way. A
 * report that the program makes in that time does not count as sent. */
static void send_one(void)
{
	struct astra_error err = {""};
	struct sfair_answer answer = {0};
	struct astra_job_ref ref;
	struct astra_query query;
	enum astra_fault fault;
	uint64_t saved = c.saved;
	double now;

	courier_choose(&query, &ref);
	if (query.kind == ASTRA_QUERY_CHECKPOINTED)
		c.saves = false;
	else if (query.kind == ASTRA_QUERY_PROGRESS)
		c.reports = false;
	pthread_mutex_unlock(&lock);
	fault = send_query(&query, &answer, &err);
	pthread_mutex_lock(&lock);
	now = astra_now_sec(CLOCK_MONOTONIC);
	c.error = err;
	c.answers++;
	if (query.kind == ASTRA_QUERY_CHECKPOINTED) {
		c.saves |= fault != ASTRA_FAULT_NONE;
		c.saved_heard = saved;
		c.saved_result = sfair_courier_errno(fault);
	} else if (query.kind == ASTRA_QUERY_PROGRESS) {
		c.reports |= fault != ASTRA_FAULT_NONE;
		c.due_sec = now + courier_larger(answer.report_sec, 1);
	}
	if (fault)
		note_failure(sfair_courier_errno(fault), now);
	else
		note_answer(&answer, now);
	pthread_cond_broadcast(&answered);
}

static void *courier_run(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		double due = next_send();

		if (due > astra_now_sec(CLOCK_MONOTONIC))
			(void)courier_wait_until(&work, due);
		else
			send_one();
	}
	return NULL;
}

/* Wake the thread, or start it. */
static void wake(void)
{
	pthread_t thread;

	if (c.running || c.failed) {
		pthread_cond_signal(&work);
		return;
	}
	c.failed = astra_thread_begin(&thread, 0, courier_run, NULL) != 0;
	c.running = !c.failed;
	if (c.running)
		pthread_detach(thread);
	else
		astra_error_set(&c.error, "libsfair has got no thread");
}

/* The calls. */

void sfair_courier_progress(const struct astra_said *said)
{
	pthread_mutex_lock(&lock);
	c.progress = *said;
	if (!c.stale && !c.reports) {
		c.reports = true;
		wake();
	}
	pthread_mutex_unlock(&lock);
}

/* Whether to send now. A new call after a failure tries again before the pause
 * ends, unless failures have gone on for long. */
static bool worth_a_try(void)
{
	if (c.pause_sec <= 2 * RETRY_SEC)
		c.retry_sec = 0;
	return c.retry_sec <= astra_now_sec(CLOCK_MONOTONIC);
}

int sfair_courier_checkpointed(uint64_t step)
{
	double until = astra_now_sec(CLOCK_MONOTONIC) + WAIT_SEC;
	int result = EIO;
	uint64_t mine;

	pthread_mutex_lock(&lock);
	mine = ++c.saved;
	c.step = step;
	c.saves = !c.stale;
	if (c.saves && worth_a_try()) {
		wake();
		while (c.running && c.saved_heard < mine &&
		       courier_wait_until(&answered, until))
			;
		result = c.running ? ETIMEDOUT : EIO;
	}
	if (c.stale)
		result = ESTALE;
	else if (c.saved_heard >= mine)
		result = c.saved_result;
	pthread_mutex_unlock(&lock);
	return result;
}

/* Ask for the lease's end. If the end is unknown, wait for the answer, unless
 * the last attempt failed a short time ago. */
static void courier_ask(bool known)
{
	double until = astra_now_sec(CLOCK_MONOTONIC) + WAIT_SEC;
	uint64_t before = c.answers;

	if (astra_now_sec(CLOCK_MONOTONIC) < c.retry_sec)
		return;
	c.asks = true;
	wake();
	while (!known && c.running && c.answers == before)
		if (!courier_wait_until(&answered, until))
			break;
}

double sfair_courier_remaining(void)
{
	double now = astra_now_sec(CLOCK_MONOTONIC), left;

	pthread_mutex_lock(&lock);
	if (!c.stale && (c.heard_sec <= 0 || now > c.heard_sec + FRESH_SEC))
		courier_ask(c.heard_sec > 0 && c.end_sec > now);
	left = c.end_sec - astra_now_sec(CLOCK_MONOTONIC);
	if (c.stale)
		left = 0;
	else if (isnan(left) || (left <= 0 && c.heard_sec < c.end_sec))
		left = (double)INFINITY; /* the lease may have been renewed */
	pthread_mutex_unlock(&lock);
	return courier_larger(left, 0);
}

void sfair_courier_note_error(const struct astra_error *err)
{
	pthread_mutex_lock(&lock);
	c.error = *err;
	pthread_mutex_unlock(&lock);
}

size_t sfair_courier_error(char *text, size_t size)
{
	int length;

	pthread_mutex_lock(&lock);
	length = snprintf(text, size, "%s", c.error.text);
	pthread_mutex_unlock(&lock);
	return (size_t)length;
}
