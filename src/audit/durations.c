/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/audit/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Assumed run time of a job if nothing is known, not even a time limit. */
#define UNKNOWN_SEC 3600

static int durations_by_time(const void *a, const void *b)
{
	const struct astra_duration *x = a, *y = b;

	return (x->sec > y->sec) - (x->sec < y->sec);
}

static int durations_by_user(const void *a, const void *b)
{
	const struct astra_duration *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return durations_by_time(a, b);
}

static bool durations_ended(const struct astra_record_job *job)
{
	return isfinite(job->end_sec) && job->ran_sec > 0;
}

int astra_durations_make(struct astra_durations *runs,
			 const struct astra_record *record,
			 struct astra_trace *trace)
{
	size_t size = (record->job_count + 1) * sizeof(*runs->all);

	*runs = (struct astra_durations){malloc(size), malloc(size), 0};
	if (!runs->by_user || !runs->all)
		return -1;
	for (size_t i = 0; i < record->job_count; i++) {
		uint32_t user;

		if (!durations_ended(&record->jobs[i]))
			continue;
		user = astra_trace_user(trace, record->jobs[i].user);
		if (user == ASTRA_NONE)
			return -1;
		runs->all[runs->count++] =
			(struct astra_duration){user, record->jobs[i].ran_sec};
	}
	memcpy(runs->by_user, runs->all, runs->count * sizeof(*runs->all));
	qsort(runs->all, runs->count, sizeof(*runs->all), durations_by_time);
	qsort(runs->by_user, runs->count, sizeof(*runs->all),
	      durations_by_user);
	return 0;
}

void astra_durations_clear(struct astra_durations *runs)
{
	free(runs->by_user);
	free(runs->all);
}

/* Returns the index of the first duration that sorts after `run`. */
static size_t durations_after(const struct astra_duration *runs, size_t count,
			      struct astra_duration run,
			      int (*order)(const void *, const void *))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order(&runs[middle], &run) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the median of the user's durations that are longer than ran_sec;
 * without any, the median of all users' such durations. NaN if no duration is
 * longer. */
static double durations_total_sec(const struct astra_durations *r,
				  uint32_t user, double ran_sec)
{
	const struct astra_duration now = {user, ran_sec};
	const struct astra_duration last = {user, HUGE_VAL};
	size_t from =
		durations_after(r->by_user, r->count, now, durations_by_user);
	size_t to =
		durations_after(r->by_user, r->count, last, durations_by_user);

	if (from < to)
		return r->by_user[from + (to - from - 1) / 2].sec;
	from = durations_after(r->all, r->count, now, durations_by_time);
	return from < r->count ? r->all[from + (r->count - from - 1) / 2].sec
			       : (double)NAN;
}

double astra_durations_left_sec(const struct astra_durations *r, uint32_t user,
				double limit_sec, double ran_sec,
				double run_sec)
{
	double total_sec = durations_total_sec(r, user, ran_sec);
	double left_sec = total_sec - ran_sec;

	if (isnan(total_sec))
		left_sec =
			limit_sec > 0 ? HUGE_VAL : fmax(ran_sec, UNKNOWN_SEC);
	if (limit_sec > 0)
		left_sec = fmin(left_sec, limit_sec - run_sec);
	return fmax(left_sec, 1);
}
