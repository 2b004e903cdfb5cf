/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expected run times of jobs that have not ended. This is the median over
 * the user's ended jobs that ran longer than this job has so far. If there are
 * none, it is the median over such jobs of all users. The time limit is an
 * upper bound. */
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

/* Collects the durations of a record's ended jobs. trace: their users are added
 * to it. Returns 0, or -1 when out of memory. Call astra_durations_clear() in
 * both cases. */
int astra_durations_make(struct astra_durations *durations,
			 const struct astra_record *record,
			 struct astra_trace *trace);

/* Returns how many more seconds a job is expected to run, at least 1. ran_sec:
 * its time in all its runs. run_sec: its time in the present run, to which the
 * time limit applies. */
double astra_durations_left_sec(const struct astra_durations *durations,
				uint32_t user, double limit_sec, double ran_sec,
				double run_sec);

void astra_durations_clear(struct astra_durations *durations);

#endif
