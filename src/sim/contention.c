/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "src/sim/metrics.h"

/* N is the count of active jobs. Its integral over [0, t) is a difference of
 * two sums: the ages at t of the jobs submitted before t, and the times since
 * the end of the jobs that ended before t. With sorted instants and running
 * sums, each sum needs only a binary search. */
struct instants {
	double *at;	   /* ascending */
	long double *sums; /* sums[i]: sum of at[0] to at[i - 1] */
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int instants_make(struct instants *in, size_t count)
{
	in->count = count;
	in->at = calloc(count + 1, sizeof(*in->at));
	in->sums = calloc(count + 1, sizeof(*in->sums));
	return in->at && in->sums ? 0 : -1;
}

static void instants_sum(struct instants *in)
{
	if (in->count)
		qsort(in->at, in->count, sizeof(*in->at), by_value);
	for (size_t i = 0; i < in->count; i++)
		in->sums[i + 1] = in->sums[i] + (long double)in->at[i];
}

static void instants_clear(struct instants *in)
{
	free(in->at);
	free(in->sums);
}

/* Returns how many instants are not later than t. */
static size_t instants_until(const struct instants *in, double t)
{
	size_t low = 0, high = in->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (in->at[mid] <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Returns the sum of the ages at t of all instants not later than t. */
static long double instants_age(const struct instants *in, double t)
{
	size_t n = instants_until(in, t);

	return (long double)n * (long double)t - in->sums[n];
}

static double mean_between(const struct instants *begins,
			   const struct instants *ends, double from, double to)
{
	long double there =
		instants_age(begins, to) - instants_age(begins, from);
	long double gone = instants_age(ends, to) - instants_age(ends, from);

	if (to <= from)
		return (double)(instants_until(begins, from) -
				instants_until(ends, from));
	return (double)((there - gone) / (long double)(to - from));
}

int astra_spans_overlap(const struct astra_span *spans, size_t count,
			double *mean)
{
	struct instants begins = {0}, ends = {0};
	int rc = -1;

	if (instants_make(&begins, count) < 0 ||
	    instants_make(&ends, count) < 0)
		goto out;
	for (size_t i = 0; i < count; i++) {
		begins.at[i] = spans[i].begin_sec;
		ends.at[i] = fmax(spans[i].end_sec, spans[i].begin_sec);
	}
	instants_sum(&begins);
	instants_sum(&ends);
	for (size_t i = 0; i < count; i++)
		mean[i] =
			fmax(1, mean_between(&begins, &ends, spans[i].begin_sec,
					     spans[i].end_sec));
	rc = 0;
out:
	instants_clear(&begins);
	instants_clear(&ends);
	return rc;
}

int astra_contention(struct astra_sim_result *r)
{
	size_t count = r->trace->job_count;
	struct astra_span *spans = calloc(count + 1, sizeof(*spans));
	double *mean = calloc(count + 1, sizeof(*mean));
	int rc = -1;

	for (size_t i = 0; spans && i < count; i++)
		spans[i] = (struct astra_span){
			.begin_sec = r->trace->jobs[i].submit_sec,
			.end_sec = r->jobs[i].end_sec < 0 ? r->stop_sec
							  : r->jobs[i].end_sec,
		};
	if (spans && mean)
		rc = astra_spans_overlap(spans, count, mean);
	for (size_t i = 0; !rc && i < count; i++)
		r->jobs[i].contenders = mean[i];
	free(spans);
	free(mean);
	return rc;
}

double astra_ideal_themis_sec(const struct astra_sim_result *result, size_t job)
{
	const struct astra_trace_job *j = &result->trace->jobs[job];
	double work_gpu_sec = j->duration_sec * j->gpus;

	return result->jobs[job].contenders * work_gpu_sec /
	       fmin((double)result->gpus, j->gpus);
}

double astra_ideal_share_sec(const struct astra_sim_result *result, size_t job)
{
	const struct astra_trace_job *j = &result->trace->jobs[job];
	double work_gpu_sec = j->duration_sec * j->gpus;

	return work_gpu_sec /
	       fmin(j->gpus,
		    (double)result->gpus / result->jobs[job].contenders);
}
