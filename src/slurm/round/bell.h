/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bell: what tells the engine's thread that a round is wanted. Anybody may
 * ring it; it knows nobody, so no module depends on the thread for a wake-up.
 */
#ifndef ASTRA_BELL_H
#define ASTRA_BELL_H

#include <stdbool.h>

#include "src/slurm/round/pace.h"

/* What the thread is to do. */
struct astra_bell_orders {
	bool settle;	  /* settle jobs that left with a checkpoint */
	bool round;	  /* what follows comes with one */
	bool reconfigure; /* read astraea.conf again */
	bool reset_diag;  /* begin the numbers of `sfair diag` anew */
};

/* Something happened that may let a job start. Any thread, any locks held;
 * so are those below. */
void astra_bell_ring(void);

/* The same, and somebody waits at the terminal for it: the next round comes
 * at once, if rounds have not taken more than a tenth of the time. */
void astra_bell_ring_now(void);

/* Have jobs that left with a checkpoint settled at once, without a round. */
void astra_bell_settle(void);

/* Read astraea.conf again in the next round, which comes at once. */
void astra_bell_reconfigure(void);

/* Begin the numbers of `sfair diag` anew with the next round, whenever it
 * comes. */
void astra_bell_reset_diag(void);

/* Forget what was rung. reconfigure: astraea.conf is to be read again in the
 * first round. Before the thread is made. */
void astra_bell_begin(bool reconfigure);

/* Let astra_bell_wait() return false, now and from now on. */
void astra_bell_stop(void);

/* Whether astra_bell_stop() was called since the begin. */
bool astra_bell_stopped(void);

/* Sleep until a round is due, or until somebody rings; two rounds in a second
 * only where somebody waits at the terminal. Requests for a round are kept
 * while none is due. due_sec, last_sec: when the next round is due, and when
 * the last one was, in s since 1970; pace: of the rounds. Returns false to
 * stop, otherwise orders is filled. */
bool astra_bell_wait(double due_sec, double last_sec,
		     const struct astra_pace *pace,
		     struct astra_bell_orders *orders);

#endif
