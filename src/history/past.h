/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a pool in the last days, from the history's file. LeaseTerm=auto
 * chooses a term by them. */
#ifndef ASTRA_HISTORY_PAST_H
#define ASTRA_HISTORY_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"

/* A job that has run. Texts are borrowed until take() returns. */
struct astra_history_past_job {
	const char *tenant, *user;
	double submit_sec; /* seconds since the epoch */
	double ran_sec;	   /* in all its runs so far; > 0 */
	uint32_t gpus;	   /* at least 1 */
	bool ended;
	uint32_t revoked; /* leases that were revoked */
	double lost_sec;  /* from the ends of these leases until the GPUs were
			   * free */
};

struct astra_history_past {
	const char *pool;
	double since_sec; /* only jobs submitted since then */
	size_t most;	  /* at most this many, the last ones */
	/* Takes a job; the last one comes first. Returns 0, or -1 to stop. */
	int (*take)(void *arg, const struct astra_history_past_job *job);
	void *arg;
};

/* Reads the jobs, in three seconds at most. Opens the file for itself, so any
 * thread may call it. Does I/O.
 * Returns 0, or -1 with err set if there is no history, the file is locked by
 * the writer, take() failed, the time is over, or astra_history_read_cancel()
 * was called. */
int astra_history_past(const struct astra_history_past *past,
		       struct astra_error *err);

#endif
