/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The expected run times of jobs that have not ended: the median over the
 * user's ended jobs that ran longer than this job has by now. If there are
 * none, the median over such jobs of all users. The time limit is an upper
 * bound. */
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

/* Collects the durations of a record's ended jobs. trace: gets their users.
 * Returns 0, or -1 when out of memory; astra_durations_clear() it in both
 * cases. */
int astra_durations_make(struct astra_durations *durations,
			 const struct astra_record *record,
			 struct astra_trace *trace);

/* Returns the seconds, at least 1, that a job is expected to run on. ran_sec:
 * in all its runs; run_sec: in the present run, for which the time limit
 * counts. */
double astra_durations_left_sec(const struct astra_durations *durations,
				uint32_t user, double limit_sec, double ran_sec,
				double run_sec);

void astra_durations_clear(struct astra_durations *durations);

#endif
