/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lets priority/multifactor look at usage every 10 s: PriorityCalcPeriod is in
 * minutes, and one second of beside-stock.sh stands for half a minute. Preload it
 * into slurmctld. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define PERIOD_SEC 10

typedef int wait_fn(pthread_cond_t *, pthread_mutex_t *,
		    const struct timespec *);

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *until)
{
	static wait_fn *next;
	struct timespec sooner = *until;
	time_t end = time(NULL) + PERIOD_SEC;
	Dl_info caller;

	/* The version without a clock of its own has the plain name. */
	if (!next)
		next = (wait_fn *)dlvsym(RTLD_NEXT, "pthread_cond_timedwait",
					 "GLIBC_2.3.2");
	if (!next)
		next = (wait_fn *)dlsym(RTLD_NEXT, "pthread_cond_timedwait");
	if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
	    strstr(caller.dli_fname, "priority_multifactor") &&
	    sooner.tv_sec > end)
		sooner.tv_sec = end;
	return next(cond, mutex, &sooner);
}
