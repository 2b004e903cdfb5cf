/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads in slurmctld or in another program. */
#ifndef ASTRA_THREAD_H
#define ASTRA_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Start a thread. It gets only the signals of its own faults: other signals are
 * for the program's own threads. stack: bytes, or 0 for the system's size.
 * Returns 0, or an errno. */
int astra_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *),
		       void *arg);

#endif
