/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of run times, for runtimes.c and its test. */
#ifndef ASTRA_FORESEE_RUNTIMES_PRIV_H
#define ASTRA_FORESEE_RUNTIMES_PRIV_H

#include "src/foresee/runtimes.h"

#define RUNTIME_ROWS_MAX 20000 /* of users and names */

/* The last jobs of a user, or of a user and a name. */
struct runtime_row {
	uint64_t key;
	uint64_t learned; /* astra_runtimes.learned when it was last added to */
	double ran_sec[ASTRA_RUNTIMES_KEPT];
	uint32_t count; /* ever */
};

/* What a job has run before its present run. */
struct runtime_job {
	uint32_t id, run;
	double before_sec;
	bool over;
	bool met;  /* before the present look */
	bool seen; /* since the last round */
};

#endif
