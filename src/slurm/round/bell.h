/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bell tells the engine's thread that a round is wanted. Any module may
 * ring it. The bell depends on no other module, so a module can ring it without
 * depending on the thread. */
#ifndef ASTRA_BELL_H
#define ASTRA_BELL_H

#include <stdbool.h>

#include "src/slurm/round/pace.h"

/* What the thread is to do. */
struct astra_bell_orders {
	bool settle;	  /* settle jobs that left with a checkpoint */
	bool round;	  /* run a round; the orders below come with one */
	bool reconfigure; /* read astraea.conf again */
	bool reset_diag;  /* reset the counts of `sfair diag` */
};

/* Tell that something happened that may let a job start. This and the functions
 * below may be called from any thread, with any locks held. */
void astra_bell_ring(void);

/* As astra_bell_ring(), when a user waits at the terminal. The next round comes
 * at once, unless rounds have taken more than a tenth of the time. */
void astra_bell_ring_now(void);

/* Settle jobs that left with a checkpoint at once, without a round. */
void astra_bell_settle(void);

/* Read astraea.conf again in the next round, which comes at once. */
void astra_bell_reconfigure(void);

/* Reset the counts of `sfair diag` with the next round. */
void astra_bell_reset_diag(void);

/* Forget earlier rings. reconfigure: read astraea.conf again in the first
 * round. Call before the thread is made. */
void astra_bell_begin(bool reconfigure);

/* Make astra_bell_wait() return false from now on. */
void astra_bell_stop(void);

/* Whether astra_bell_stop() was called since the begin. */
bool astra_bell_stopped(void);

/* Sleep until a round is due or the bell rings. There are two rounds in one
 * second only if a user waits at the terminal. Requests for a round are kept
 * until one is due.
 * due_sec, last_sec: when the next round is due, and when the last round was,
 * in seconds since 1970. pace: of the rounds.
 * Returns false if the thread is to stop; otherwise orders is filled in. */
bool astra_bell_wait(double due_sec, double last_sec,
		     const struct astra_pace *pace,
		     struct astra_bell_orders *orders);

#endif
