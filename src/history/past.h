/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a pool's jobs of the last days from the history's file. LeaseTerm=auto
 * chooses a term by these jobs. */
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
	double ran_sec;	   /* sum of all its runs so far; > 0 */
	uint32_t gpus;	   /* at least 1 */
	bool ended;
	uint32_t revoked; /* leases that were revoked */
	double lost_sec;  /* sum of the times from the ends of these leases
			   * until the GPUs were free */
};

struct astra_history_past {
	const char *pool;
	double since_sec; /* only jobs submitted since then */
	size_t most;	  /* only this many jobs at most, the last ones */
	/* Takes a job. The job submitted last comes first. Returns 0, or -1 to
	 * stop. */
	int (*take)(void *arg, const struct astra_history_past_job *job);
	void *arg;
};

/* Reads the jobs, in at most three seconds. Opens the file on its own, so any
 * thread may call this. Does I/O. Returns 0, or -1 with err set if there is no
 * history, the writer has locked the file, take() failed, time has run out, or
 * astra_history_read_cancel() was called. */
int astra_history_past(const struct astra_history_past *past,
		       struct astra_error *err);

#endif
