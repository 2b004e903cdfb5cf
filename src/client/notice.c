/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/common/thread.h"

/* A callback. due: it must still be called. */
struct hook {
	void (*call)(void);
	bool due;
};

struct listener {
	void (*call)(void *arg);
	void *arg;
	bool due;
};

struct resize_listener {
	void (*call)(uint32_t from, uint32_t to, void *arg);
	void *arg;
	uint32_t gpus;
	bool due;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener listener;
static struct resize_listener resize_listener;
static struct hook hook;
static struct sigaction before;
static int caught; /* the signal for which our handler is installed */
static int ends[2] = {-1, -1};
/* The process that has the thread. A child of a fork does not have the
 * thread. */
static volatile pid_t owner;
static atomic_llong came_msec = -1;

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "used in a signal handler");

static void notice_hand_on(int signal, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signal, info, context);
	else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
		before.sa_handler(signal);
}

static void notice_on_signal(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	long long none = -1;

	if (atomic_compare_exchange_strong(&came_msec, &none,
					   astra_now_msec(CLOCK_MONOTONIC)) &&
	    getpid() == owner && write(ends[1], "", 1) < 0) {
		/* The pipe is full, so the thread wakes anyway. */
	}
	notice_hand_on(signal, info, context);
	errno = saved;
}

/* Call all callbacks that are due, those of the stores first. */
static void notice_call(void)
{
	struct hook first;
	struct resize_listener resize;
	struct listener last;

	pthread_mutex_lock(&lock);
	first = hook;
	resize = resize_listener;
	last = listener;
	hook.due = resize_listener.due = listener.due = false;
	pthread_mutex_unlock(&lock);
	if (first.due)
		first.call();
	if (resize.due)
		resize.call(resize.gpus, 0, resize.arg);
	if (last.due)
		last.call(last.arg);
}

/* Wait for bytes. One byte comes for the signal, and one for each callback that
 * is set after the signal. */
static void *wait_for_bytes(void *arg)
{
	char byte;

	(void)arg;
	for (;;) {
		ssize_t got = read(ends[0], &byte, 1);

		if (got > 0)
			notice_call();
		else if (got == 0 || errno != EINTR)
			return NULL;
	}
}

static int notice_start_thread(void)
{
	pthread_t thread;
	int rc = astra_thread_begin(&thread, 0, wait_for_bytes, NULL);

	if (!rc)
		pthread_detach(thread);
	return rc;
}

/* Start the thread, once per process. In a new process all callbacks are
 * due. */
static int listen_for_bytes(void)
{
	int rc;

	if (owner == getpid())
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	/* A write must never block. A full pipe wakes the thread, too. */
	if (fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0)
		rc = errno;
	else
		rc = notice_start_thread();
	if (rc) {
		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	owner = getpid();
	hook.due = hook.call != NULL;
	resize_listener.due = resize_listener.call != NULL;
	listener.due = listener.call != NULL;
	return 0;
}

static int install(int signal)
{
	struct sigaction action = {.sa_sigaction = notice_on_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	if (caught)
		return 0;
	sigemptyset(&action.sa_mask);
	/* The handler uses `before`, so set it first. */
	if (sigaction(signal, NULL, &before) < 0 ||
	    sigaction(signal, &action, NULL) < 0)
		return errno;
	caught = signal;
	return 0;
}

/* Wake the thread for a callback that was set after the signal. */
static void notice_wake(void)
{
	if (atomic_load(&came_msec) >= 0 && write(ends[1], "", 1) < 0) {
		/* The pipe is full, so the thread wakes anyway. */
	}
}

/* Start the thread, install the handler and wake the thread. The order matters,
 * as the handler writes to the thread's pipe. */
static int notice_begin(int signal)
{
	int rc = listen_for_bytes();

	if (!rc)
		rc = install(signal);
	if (!rc)
		notice_wake();
	return rc;
}

int sfair_notice_catch(int signal, void (*callback)(void *arg), void *arg)
{
	int rc;

	pthread_mutex_lock(&lock);
	if (callback) {
		if (callback != listener.call || arg != listener.arg)
			listener = (struct listener){callback, arg, true};
		rc = notice_begin(signal);
	} else {
		rc = install(signal);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int sfair_notice_hook(int signal, void (*call)(void))
{
	int rc;

	pthread_mutex_lock(&lock);
	if (call != hook.call)
		hook = (struct hook){call, true};
	rc = notice_begin(signal);
	pthread_mutex_unlock(&lock);
	return rc;
}

int sfair_notice_resize(int signal, uint32_t gpus,
			void (*call)(uint32_t from, uint32_t to, void *arg),
			void *arg)
{
	struct resize_listener *r = &resize_listener;
	int rc;

	pthread_mutex_lock(&lock);
	if (call != r->call || arg != r->arg)
		*r = (struct resize_listener){call, arg, gpus, true};
	rc = notice_begin(signal);
	pthread_mutex_unlock(&lock);
	return rc;
}

double sfair_notice_age(void)
{
	long long came = atomic_load(&came_msec);

	return came < 0 ? -1
			: (double)(astra_now_msec(CLOCK_MONOTONIC) - came) /
				  1000;
}
