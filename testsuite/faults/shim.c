/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into slurmctld alone by the fault campaign: a clock that jumps and
 * a disk that is slow, as a shared file says (SHIM_FILE, two int64: nanoseconds
 * to add to the real time, microseconds that a sync takes).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NSEC INT64_C(1000000000)
#define SLICE_NSEC (NSEC / 10)

struct control {
	volatile int64_t offset_nsec;
	volatile int64_t sync_usec;
};

typedef int (*timedwait_fn)(pthread_cond_t *, pthread_mutex_t *,
			    const struct timespec *);

static struct control none;
static struct control *control = &none;
static timedwait_fn real_timedwait;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("SHIM_FILE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = MAP_FAILED;

	/* The unversioned symbol would be that of an older structure. */
	real_timedwait = (timedwait_fn)dlvsym(
		RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
	if (!real_timedwait)
		real_timedwait = (timedwait_fn)dlsym(RTLD_NEXT,
						     "pthread_cond_timedwait");
	if (fd >= 0)
		at = mmap(NULL, sizeof(*control), PROT_READ, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		control = at;
	if (fd >= 0)
		close(fd);
}

static int64_t to_nsec(const struct timespec *t)
{
	return t->tv_sec * NSEC + t->tv_nsec;
}

static struct timespec from_nsec(int64_t n)
{
	return (struct timespec){.tv_sec = n / NSEC, .tv_nsec = n % NSEC};
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, clock, t);

	if (rc == 0 &&
	    (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		*t = from_nsec(to_nsec(t) + control->offset_nsec);
	return rc;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	tv->tv_sec = t.tv_sec;
	tv->tv_usec = t.tv_nsec / 1000;
	return 0;
}

/* In slices, since a jump of the real clock would wake those who wait for a
 * time of day. Slurm waits by no other clock. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond,
			   pthread_mutex_t *restrict mutex,
			   const struct timespec *restrict until)
{
	for (;;) {
		struct timespec now, real;
		int64_t left, slice;
		int rc;

		clock_gettime(CLOCK_REALTIME, &now);
		left = to_nsec(until) - to_nsec(&now);
		slice = left < SLICE_NSEC ? left : SLICE_NSEC;
		real = from_nsec(to_nsec(&now) - control->offset_nsec +
				 (slice > 0 ? slice : 0));
		rc = real_timedwait(cond, mutex, &real);
		if (rc != ETIMEDOUT || left <= SLICE_NSEC)
			return rc;
	}
}

int fsync(int fd)
{
	if (control->sync_usec > 0)
		usleep((useconds_t)control->sync_usec);
	return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	if (control->sync_usec > 0)
		usleep((useconds_t)control->sync_usec);
	return (int)syscall(SYS_fdatasync, fd);
}
