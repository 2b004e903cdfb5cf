/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/thread.h"

#include <signal.h>

int astra_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *),
		       void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}
