/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of learned run times, for runtimes.c and its test. */
#ifndef ASTRA_FORESEE_RUNTIMES_PRIV_H
#define ASTRA_FORESEE_RUNTIMES_PRIV_H

#include "src/foresee/runtimes.h"

#define RUNTIME_ROWS_MAX 20000 /* for users, and for users with a name */

/* Run times of the last jobs of a user, or of a user's jobs of one name. */
struct runtime_row {
	uint64_t key;
	uint64_t learned; /* astra_runtimes.learned when a run was last added */
	double ran_sec[ASTRA_RUNTIMES_KEPT];
	uint32_t count; /* number of runs ever added */
};

/* A job's earlier runs. */
struct runtime_job {
	uint32_t id, run;
	double before_sec;
	bool over;
	bool met;  /* seen before this call, or restored */
	bool seen; /* seen since the last round */
};

#endif
