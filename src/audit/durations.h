/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long jobs are expected to run that have not ended: as long as the median
 * of those of their users' jobs that ended later than they have run by now, or
 * of all users' where there are none, and no longer than their time limits.
 */
#ifndef ASTRA_DURATIONS_H
#define ASTRA_DURATIONS_H

#include "src/audit/record.h"

struct astra_duration {
	uint32_t user; /* of the trace */
	double sec;
};

struct astra_durations {
	struct astra_duration *by_user, *all; /* sorted */
	size_t count;
};

/* Those of a record. trace: users join it. Returns 0, or -1 when out of memory;
 * durations: astra_durations_clear() it, either way. */
int astra_durations_make(struct astra_durations *durations,
			 const struct astra_record *record,
			 struct astra_trace *trace);

/* What is left of a job that has run for ran_sec, of that run_sec in its
 * present run, which its time limit is of. At least 1. */
double astra_durations_left_sec(const struct astra_durations *durations,
				uint32_t user, double limit_sec, double ran_sec,
				double run_sec);

void astra_durations_clear(struct astra_durations *durations);

#endif
