/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/round/bell.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "src/common/clock.h"

static pthread_mutex_t bell_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell_cond = PTHREAD_COND_INITIALIZER;
static bool stop, event, urgent, settle, reconfigure; /* all guarded by
						       * bell_mutex */
static atomic_bool reset_diag;

/* Return the moment that is wait_sec from now, by the monotonic clock. Slurm
 * counts whole seconds, and its clock may lag by a tick, so the moment is a
 * little later: then time() has the new second. */
static struct timespec bell_moment(double wait_sec)
{
	struct timespec t;
	double at;

	clock_gettime(CLOCK_MONOTONIC, &t);
	at = (double)t.tv_nsec / 1e9 + fmax(wait_sec, 0) + 0.01;
	t.tv_sec += (time_t)floor(at);
	t.tv_nsec = (long)((at - floor(at)) * 1e9);
	return t;
}

/* Return the earliest moment for a round that a user waits for. */
static struct timespec bell_after_pause(const struct astra_pace *pace)
{
	uint64_t at = pace->due_usec;

	return (struct timespec){
		.tv_sec = (time_t)(at / 1000000),
		.tv_nsec = (long)(at % 1000000 * 1000),
	};
}

static bool bell_is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static bool bell_is_past(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return !bell_is_before(&now, t);
}

/* Take the orders. Caller holds bell_mutex. */
static void bell_take_orders(struct astra_bell_orders *orders)
{
	orders->reconfigure = reconfigure;
	orders->reset_diag = atomic_exchange(&reset_diag, false);
	event = urgent = reconfigure = false;
}

bool astra_bell_wait(double due_sec, double last_sec,
		     const struct astra_pace *pace,
		     struct astra_bell_orders *orders)
{
	double now = astra_now_sec(CLOCK_REALTIME);
	double earliest = fmin(floor(last_sec) + 1 - now, 1);
	struct timespec soon = bell_moment(earliest);
	struct timespec due = bell_moment(fmax(due_sec - now, earliest));
	struct timespec next = bell_after_pause(pace);
	bool go_on;

	*orders = (struct astra_bell_orders){0};
	pthread_mutex_lock(&bell_mutex);
	for (;;) {
		bool early = event || urgent || reconfigure;
		const struct timespec *t = early ? &soon : &due;

		if (urgent && bell_is_before(&next, t))
			t = &next;
		orders->round = bell_is_past(t);
		if (stop || settle || orders->round)
			break;
		pthread_cond_clockwait(&bell_cond, &bell_mutex, CLOCK_MONOTONIC,
				       t);
	}
	go_on = !stop;
	orders->settle = settle;
	settle = false;
	if (orders->round)
		bell_take_orders(orders);
	pthread_mutex_unlock(&bell_mutex);
	return go_on;
}

bool astra_bell_stopped(void)
{
	bool stopped;

	pthread_mutex_lock(&bell_mutex);
	stopped = stop;
	pthread_mutex_unlock(&bell_mutex);
	return stopped;
}

void astra_bell_begin(bool again)
{
	pthread_mutex_lock(&bell_mutex);
	stop = event = urgent = settle = false;
	reconfigure = again;
	pthread_mutex_unlock(&bell_mutex);
}

static void bell_raise(bool *flag)
{
	pthread_mutex_lock(&bell_mutex);
	*flag = true;
	pthread_cond_broadcast(&bell_cond);
	pthread_mutex_unlock(&bell_mutex);
}

void astra_bell_stop(void)
{
	bell_raise(&stop);
}

void astra_bell_reconfigure(void)
{
	bell_raise(&reconfigure);
}

void astra_bell_settle(void)
{
	bell_raise(&settle);
}

void astra_bell_ring(void)
{
	bell_raise(&event);
}

void astra_bell_ring_now(void)
{
	bell_raise(&urgent);
}

void astra_bell_reset_diag(void)
{
	reset_diag = true;
}
