/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last days' jobs of a pool, from the history's file: what LeaseTerm=auto
 * chooses a term by. */
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
	uint32_t revoked; /* leases that were taken from it */
	double lost_sec;  /* from these leases' ends to the GPUs being free */
};

struct astra_history_past {
	const char *pool;
	double since_sec; /* jobs that were submitted since then ... */
	size_t most;	  /* ... but only the last ones, so many */
	/* Takes a job, the last one first. Returns 0, or -1 to stop. */
	int (*take)(void *arg, const struct astra_history_past_job *job);
	void *arg;
};

/* Read them, in three seconds at most. It opens the file for itself, so any
 * thread may call it. Does I/O.
 * Returns 0, or -1 with err set: there is no history, it is being written to,
 * take() failed, or astra_history_read_cancel() was called. */
int astra_history_past(const struct astra_history_past *past,
		       struct astra_error *err);

#endif
