/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads beside those of slurmctld or of somebody's program. */
#ifndef ASTRA_THREAD_H
#define ASTRA_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Begin a thread that gets no signals but those of its own faults: others are
 * for the threads that were there before.
 * stack: bytes, or 0 for the system's size. Returns 0, or an errno value. */
int astra_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *),
		       void *arg);

#endif
