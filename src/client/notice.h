/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checkpoint signal. The signal's handler only sets a flag and writes a
 * byte. A thread that waits for bytes calls the stores and the program. The
 * thread calls each callback once: when the signal comes, or right after the
 * callback was set if the signal has come before. A callback that is set again
 * with the same argument is not called again. */
#ifndef SFAIR_NOTICE_H
#define SFAIR_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

/* Install the handler, once. If callback is NULL, the earlier callback stays.
 * Returns 0 or an errno. */
int sfair_notice_catch(int signal, void (*callback)(void *arg), void *arg);

/* Install the handler. The thread calls `hook` before the program's callback.
 * Returns 0 or an errno. */
int sfair_notice_hook(int signal, void (*hook)(void));

/* Install the handler. The thread calls `call` between the hook and the
 * program's callback, with from = gpus, to = 0. It replaces the function of an
 * earlier call. Returns 0 or an errno. */
int sfair_notice_resize(int signal, uint32_t gpus,
			void (*call)(uint32_t from, uint32_t to, void *arg),
			void *arg);

/* Seconds since the signal came; below 0: it has not come. May be called in a
 * signal handler. */
double sfair_notice_age(void);

#endif
