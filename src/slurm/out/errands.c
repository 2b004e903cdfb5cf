/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/errands.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/common/clock.h"
#include "src/common/thread.h"

#define STACK_SIZE (256 * 1024)
#define ERRAND_MAX 16384 /* bytes of an errand's strings */
#define FDS_LATER                                                          \
	64		   /* more descriptors that other threads may open \
			    * meanwhile */
#define WAIT_NSEC 10000000 /* between two checks of a program */
#define TELL_SEC 60	   /* between two reports of failures */
#define STOP_SEC 1 /* how long to wait for a killed program at the end */

void astra_errand_add(struct astra_errand *errand, const char *fmt, ...)
{
	char text[9216];
	va_list args;
	int size;

	va_start(args, fmt);
	size = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	errand->strings.limit = ERRAND_MAX;
	if (size < 0 || (size_t)size >= sizeof(text))
		errand->strings.failed = true;
	else
		(void)astra_text_add(&errand->strings, text, (size_t)size + 1);
	errand->count++;
}

struct astra_errands {
	struct astra_errand_bounds bounds;
	astra_errand_failed *failed;
	pthread_mutex_t lock;
	pthread_cond_t bell;
	pthread_t thread;
	bool runs, stop;
	size_t first, waiting; /* in the ring */
	struct astra_errand_counts counts;
	double told_sec;       /* the thread's own */
	double left, left_sec; /* the thread's own: how many programs could
				* start at once, at time left_sec */
	struct astra_errand ring[];
};

struct astra_errands *
astra_errands_new(const struct astra_errand_bounds *bounds,
		  astra_errand_failed *failed)
{
	struct astra_errands *e =
		calloc(1, sizeof(*e) + bounds->waiting * sizeof(*e->ring));
	pthread_condattr_t attr;

	if (!e)
		return NULL;
	e->bounds = *bounds;
	e->failed = failed;
	e->told_sec = -TELL_SEC;
	e->left = bounds->burst;
	e->left_sec = astra_now_sec(CLOCK_MONOTONIC);
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->bell, &attr);
	pthread_condattr_destroy(&attr);
	return e;
}

/* A program. */

/* Return the highest descriptor of this process, plus some that may be opened
 * meanwhile, but no more than the limit: descriptors beyond the limit cannot be
 * closed. */
static int fds_end(void)
{
	int most = (int)fmin((double)sysconf(_SC_OPEN_MAX), INT_MAX) - 1;
	DIR *dir = opendir("/proc/self/fd");
	int end = 0;

	for (struct dirent *d; dir && (d = readdir(dir));)
		end = atoi(d->d_name) > end ? atoi(d->d_name) : end;
	if (dir)
		closedir(dir);
	return most < 0 || end + FDS_LATER < most ? end + FDS_LATER : most;
}

/* Let the program inherit none of slurmctld's descriptors: otherwise it could
 * hold slurmctld's port while slurmctld is restarted. */
static void errand_files(posix_spawn_file_actions_t *actions)
{
	int end = fds_end();

	posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
					 O_RDWR, 0);
	posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDERR_FILENO);
	for (int fd = STDERR_FILENO + 1; fd <= end; fd++)
		posix_spawn_file_actions_addclose(actions, fd);
}

/* Give the program default signals, as from a shell, and its own session. */
static void errand_signals(posix_spawnattr_t *attr)
{
	sigset_t set;

	sigemptyset(&set);
	posix_spawnattr_setsigmask(attr, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(attr, &set);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK |
					       POSIX_SPAWN_SETSIGDEF |
					       POSIX_SPAWN_SETSID);
}

/* Start a program. Returns 0, or an error number. */
static int errand_spawn(const struct astra_errand *errand, pid_t *pid)
{
	char **strings = calloc(errand->count + 2, sizeof(*strings));
	char *at = errand->strings.bytes;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int rc;

	if (!strings)
		return ENOMEM;
	for (size_t i = 0; i < errand->count; i++, at += strlen(at) + 1)
		strings[i < errand->words ? i : i + 1] = at;
	posix_spawn_file_actions_init(&actions);
	errand_files(&actions);
	posix_spawnattr_init(&attr);
	errand_signals(&attr);
	rc = posix_spawn(pid, strings[0], &actions, &attr, strings,
			 strings + errand->words + 1);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	free(strings);
	return rc;
}

static bool errands_stopped(struct astra_errands *e)
{
	bool stop;

	pthread_mutex_lock(&e->lock);
	stop = e->stop;
	pthread_mutex_unlock(&e->lock);
	return stop;
}

/* Wait for a killed program. It may be stuck in the kernel, or run as another
 * user through sudo. Then it delays other programs, but the end of the queue
 * only for STOP_SEC. */
static void errand_reap(struct astra_errands *e, pid_t pid, int *status)
{
	const struct timespec pause = {.tv_nsec = WAIT_NSEC};
	double until = HUGE_VAL;

	while (astra_now_sec(CLOCK_MONOTONIC) < until) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return;
		if (errands_stopped(e))
			until = fmin(until,
				     astra_now_sec(CLOCK_MONOTONIC) + STOP_SEC);
		nanosleep(&pause, NULL);
	}
}

/* Wait until the program has ended, its time is over or the queue ends. Returns
 * whether it ended by itself. */
static bool errand_wait(struct astra_errands *e, pid_t pid, int *status)
{
	const struct timespec pause = {.tv_nsec = WAIT_NSEC};
	double until = astra_now_sec(CLOCK_MONOTONIC) + e->bounds.seconds;

	for (;;) {
		pid_t ended = waitpid(pid, status, WNOHANG);

		if (ended == pid)
			return true;
		if ((ended < 0 && errno != EINTR) || errands_stopped(e) ||
		    astra_now_sec(CLOCK_MONOTONIC) > until)
			break;
		nanosleep(&pause, NULL);
	}
	kill(-pid, SIGKILL);
	errand_reap(e, pid, status);
	return false;
}

/* Report a failure, at most once a minute. */
__attribute__((format(printf, 2, 3))) static void
errand_complain(struct astra_errands *e, const char *fmt, ...)
{
	double now = astra_now_sec(CLOCK_MONOTONIC);
	char text[512];
	va_list args;

	if (now < e->told_sec + TELL_SEC || errands_stopped(e))
		return;
	e->told_sec = now;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	e->failed(text);
}

static bool errand_run(struct astra_errands *e,
		       const struct astra_errand *errand)
{
	const char *program = errand->strings.bytes;
	int status = 0, rc;
	pid_t pid;

	rc = errand_spawn(errand, &pid);
	if (rc)
		errand_complain(e, "%s: %s", program, strerror(rc));
	else if (!errand_wait(e, pid, &status))
		errand_complain(e,
				"%s: killed, for it had not ended within %g s",
				program, e->bounds.seconds);
	else if (WIFSIGNALED(status))
		errand_complain(e, "%s: died of signal %d (%s)", program,
				WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		errand_complain(e, "%s: exited with %d", program,
				WEXITSTATUS(status));
	else
		return true;
	return false;
}

/* The thread. */

/* Return how long to wait until the next program may run. */
static double errands_delay(struct astra_errands *e)
{
	double now = astra_now_sec(CLOCK_MONOTONIC);

	e->left = fmin(e->bounds.burst,
		       e->left + (now - e->left_sec) * e->bounds.rate);
	e->left_sec = now;
	return e->left >= 1 ? 0 : (1 - e->left) / e->bounds.rate;
}

static void errands_sleep(struct astra_errands *e, double seconds)
{
	double until = astra_now_sec(CLOCK_MONOTONIC) + seconds;
	struct timespec t = {.tv_sec = (time_t)until};

	t.tv_nsec = (long)((until - (double)t.tv_sec) * 1e9);
	pthread_cond_timedwait(&e->bell, &e->lock, &t);
}

/* Take the next program when its time has come. Returns false when the queue
 * ends. */
static bool errands_take(struct astra_errands *e, struct astra_errand *out)
{
	double delay = 0;
	bool taken;

	pthread_mutex_lock(&e->lock);
	while (!e->stop && (!e->waiting || (delay = errands_delay(e)) > 0))
		if (e->waiting)
			errands_sleep(e, delay);
		else
			pthread_cond_wait(&e->bell, &e->lock);
	taken = !e->stop;
	if (taken) {
		*out = e->ring[e->first];
		e->first = (e->first + 1) % e->bounds.waiting;
		e->waiting--;
		e->left--;
	}
	pthread_mutex_unlock(&e->lock);
	return taken;
}

static void *errands_thread(void *arg)
{
	struct astra_errands *e = arg;
	struct astra_errand errand;

	while (errands_take(e, &errand)) {
		bool good = errand_run(e, &errand);

		astra_text_clear(&errand.strings);
		pthread_mutex_lock(&e->lock);
		e->counts.done += good;
		e->counts.failed += !good;
		pthread_mutex_unlock(&e->lock);
	}
	return NULL;
}

/* Start the thread. Returns whether it runs. */
static bool errands_begin(struct astra_errands *e)
{
	if (!e->runs)
		e->runs = !astra_thread_begin(&e->thread, STACK_SIZE,
					      errands_thread, e);
	return e->runs;
}

void astra_errands_put(struct astra_errands *e, struct astra_errand *errand)
{
	pthread_mutex_lock(&e->lock);
	if (errand->strings.failed || e->waiting == e->bounds.waiting ||
	    !errands_begin(e)) {
		e->counts.lost++;
		astra_text_clear(&errand->strings);
	} else {
		e->ring[(e->first + e->waiting++) % e->bounds.waiting] =
			*errand;
		pthread_cond_signal(&e->bell);
	}
	pthread_mutex_unlock(&e->lock);
	*errand = (struct astra_errand){.words = 0};
}

struct astra_errand_counts astra_errands_count(struct astra_errands *e)
{
	struct astra_errand_counts counts = {0};

	if (!e)
		return counts;
	pthread_mutex_lock(&e->lock);
	counts = e->counts;
	pthread_mutex_unlock(&e->lock);
	return counts;
}

void astra_errands_free(struct astra_errands *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_signal(&e->bell);
	pthread_mutex_unlock(&e->lock);
	if (e->runs)
		pthread_join(e->thread, NULL);
	for (size_t i = 0; i < e->waiting; i++)
		astra_text_clear(
			&e->ring[(e->first + i) % e->bounds.waiting].strings);
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->bell);
	free(e);
}
