/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/common/thread.h"

#include <signal.h>

int astra_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *),
		       void *arg)
{
	static const int faults[] = {SIGSEGV, SIGBUS,  SIGFPE,
				     SIGILL,  SIGTRAP, SIGSYS};
	sigset_t blocked, before;
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(&blocked, faults[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	rc = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}
