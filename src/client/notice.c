/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct listener {
	void (*call)(void *arg);
	void *arg;
};

struct resize_listener {
	void (*call)(uint32_t from, uint32_t to, void *arg);
	void *arg;
	uint32_t gpus;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listener listener;
static struct resize_listener resize_listener;
static void (*before_listener)(void);
static struct sigaction before;
static int caught; /* the signal whose handler is ours */
static int ends[2] = {-1, -1};
/* Who has the thread: a child of a fork has none. */
static volatile pid_t owner;
static atomic_llong came_msec = -1;

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "used in a signal handler");

static long long now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

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

	if (atomic_compare_exchange_strong(&came_msec, &none, now_msec()) &&
	    getpid() == owner && write(ends[1], "", 1) < 0) {
		/* The pipe is empty and ours: it has room. */
	}
	notice_hand_on(signal, info, context);
	errno = saved;
}

static void *wait_for_byte(void *arg)
{
	void (*hook)(void);
	struct listener copy;
	struct resize_listener resize;
	char byte;

	(void)arg;
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	pthread_mutex_lock(&lock);
	copy = listener;
	resize = resize_listener;
	hook = before_listener;
	pthread_mutex_unlock(&lock);
	if (hook)
		hook();
	if (resize.call)
		resize.call(resize.gpus, 0, resize.arg);
	if (copy.call)
		copy.call(copy.arg);
	return NULL;
}

static int notice_start_thread(void)
{
	sigset_t all, mask;
	pthread_t thread;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	rc = pthread_create(&thread, NULL, wait_for_byte, NULL);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (!rc)
		pthread_detach(thread);
	return rc;
}

/* Somebody who listens for the byte, once a process. */
static int listen_for_byte(void)
{
	int rc;

	if (owner == getpid())
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return errno;
	rc = notice_start_thread();
	if (rc) {
		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	owner = getpid();
	if (atomic_load(&came_msec) >= 0 && write(ends[1], "", 1) < 0)
		return errno;
	return 0;
}

static int install(int signal)
{
	struct sigaction action = {.sa_sigaction = notice_on_signal,
				   .sa_flags = SA_SIGINFO | SA_RESTART};

	if (caught)
		return 0;
	sigemptyset(&action.sa_mask);
	/* The handler looks at it, so it has to be there before. */
	if (sigaction(signal, NULL, &before) < 0 ||
	    sigaction(signal, &action, NULL) < 0)
		return errno;
	caught = signal;
	return 0;
}

int sfair_notice_catch(int signal, void (*callback)(void *arg), void *arg)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (callback) {
		listener = (struct listener){callback, arg};
		rc = listen_for_byte();
	}
	if (!rc)
		rc = install(signal);
	pthread_mutex_unlock(&lock);
	return rc;
}

int sfair_notice_hook(int signal, void (*hook)(void))
{
	int rc;

	pthread_mutex_lock(&lock);
	before_listener = hook;
	rc = listen_for_byte();
	if (!rc)
		rc = install(signal);
	pthread_mutex_unlock(&lock);
	return rc;
}

int sfair_notice_resize(int signal, uint32_t gpus,
			void (*call)(uint32_t from, uint32_t to, void *arg),
			void *arg)
{
	int rc;

	pthread_mutex_lock(&lock);
	resize_listener = (struct resize_listener){call, arg, gpus};
	rc = listen_for_byte();
	if (!rc)
		rc = install(signal);
	pthread_mutex_unlock(&lock);
	return rc;
}

double sfair_notice_age(void)
{
	long long came = atomic_load(&came_msec);

	return came < 0 ? -1 : (double)(now_msec() - came) / 1000;
}
