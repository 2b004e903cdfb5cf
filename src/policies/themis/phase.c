/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/phase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/themis/partition.h"

static void add_fluid(const struct astra_themis_phase *phase, uint32_t from,
		      uint32_t to, double *seconds)
{
	double sum = phase->more_sec, most = 0;

	for (uint32_t i = 0; i < phase->job_count; i++) {
		sum += phase->work_sec[i];
		most = fmax(most, phase->work_sec[i]);
	}
	for (uint32_t k = from; k <= to; k++) {
		double d = k < phase->job_gpus_max ? k : phase->job_gpus_max;

		seconds[k - from] += fmax(sum / k, most / d);
	}
}

static int longer_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

/* At least a GPU for each job, and one more for whichever ends last, as long as
 * it can use it. gpus: scratch of one a job. */
static void add_bundles(const struct astra_themis_phase *phase,
			const double *work, uint32_t from, uint32_t to,
			uint32_t *gpus, double *seconds)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < phase->job_count; i++)
		gpus[i] = 1;
	for (uint32_t k = phase->job_count; k <= to; k++) {
		for (uint32_t i = 0; i < phase->job_count; i++)
			if (work[i] / gpus[i] > work[last] / gpus[last])
				last = i;
		if (k >= from)
			seconds[k - from] += work[last] / gpus[last];
		if (gpus[last] < phase->job_gpus_max)
			gpus[last]++;
	}
}

static int add_rigid(const struct astra_themis_phase *phase, uint32_t from,
		     uint32_t to, double *seconds)
{
	uint32_t count = phase->job_count;
	uint32_t queued = to < count ? to + 1 : count;
	double *work = malloc((2 * sizeof(*work) + sizeof(uint32_t)) * count);
	double *load = work + count, makespan, least = HUGE_VAL;

	if (!work)
		return -1;
	memcpy(work, phase->work_sec, count * sizeof(*work));
	qsort(work, count, sizeof(*work), longer_first);
	for (uint32_t k = from; k < queued; k++) {
		makespan = astra_themis_makespan(work, count, k, load);
		least = fmin(least, makespan);
		seconds[k - from] += least;
	}
	add_bundles(phase, work, from, to, (uint32_t *)(load + count), seconds);
	free(work);
	return 0;
}

int astra_themis_phase_add(const struct astra_themis_phase *phase, bool rigid,
			   uint32_t from, uint32_t to, double *seconds)
{
	if (!phase->job_count)
		return 0;
	if (rigid)
		return add_rigid(phase, from, to, seconds);
	add_fluid(phase, from, to, seconds);
	return 0;
}

double astra_themis_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), longer_first);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
