/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When jobs free their GPUs. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/sim/baseline.h"

double astra_baseline_left(const struct astra_baseline_run *run, uint32_t job)
{
	const struct astra_job *j = &run->snapshot->jobs[job];
	const struct astra_oracle *o = &run->oracle[job];
	double ran =
		j->state == ASTRA_JOB_RUNNING ? run->now_sec - j->start_sec : 0;

	if (j->time_limit_sec > 0)
		return fmax(0, j->time_limit_sec - ran);
	return o->cold_sec + o->left_sec * fmax(1, o->slowdown);
}

static int compare_ends(const void *a, const void *b)
{
	const struct astra_end *x = a, *y = b;

	if (x->at_sec < y->at_sec || x->at_sec > y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->gpus < y->gpus ? -1 : x->gpus > y->gpus;
}

static struct astra_end
baseline_easy_end_of(const struct astra_baseline_run *run, uint32_t job)
{
	return (struct astra_end){
		.at_sec = run->now_sec + astra_baseline_left(run, job),
		.gpus = run->snapshot->jobs[job].request.gpus,
	};
}

size_t astra_baseline_ends(struct astra_baseline_run *run)
{
	size_t count = 0;

	if (astra_grow(&run->ends, &run->ends_room,
		       run->snapshot->job_count + run->picked.count + 1,
		       sizeof(*run->ends)) < 0)
		return SIZE_MAX;
	for (size_t i = 0; i < run->snapshot->job_count; i++)
		if (run->snapshot->jobs[i].state == ASTRA_JOB_RUNNING)
			run->ends[count++] =
				baseline_easy_end_of(run, (uint32_t)i);
	for (size_t i = 0; i < run->picked.count; i++)
		run->ends[count++] =
			baseline_easy_end_of(run, run->picked.items[i]);
	qsort(run->ends, count, sizeof(*run->ends), compare_ends);
	return count;
}
