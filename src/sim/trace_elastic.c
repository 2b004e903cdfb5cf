/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a trace's jobs made elastic. */
#include <math.h>

#include "src/sim/trace.h"

/* FNV-1a, and a last mix: names mostly differ in their last digits. */
static double elastic_draw(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	h ^= h >> 32;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 32;
	return (double)(h >> 11) / (double)(UINT64_C(1) << 53);
}

static uint32_t elastic_gpus(double gpus, double most)
{
	return (uint32_t)fmax(1, fmin(gpus, most));
}

static void elastic_make(struct astra_trace_job *job,
			 const struct astra_trace_elastic *how, double gpus,
			 uint32_t node_gpus)
{
	uint32_t least = elastic_gpus(ceil(job->gpus * how->least), gpus);
	uint32_t most = elastic_gpus(floor(job->gpus * how->most), gpus);

	if (least >= most)
		return;
	job->duration_sec *= (double)job->gpus / most;
	job->limit_sec *= (double)job->gpus / least;
	if (most > node_gpus)
		job->nodes = 0;
	job->gpus_min = least;
	job->gpus = most;
}

void astra_trace_make_elastic(struct astra_trace *trace,
			      const struct astra_trace_elastic *how,
			      uint64_t gpus, uint32_t node_gpus)
{
	for (size_t i = 0; i < trace->job_count; i++) {
		struct astra_trace_job *job = &trace->jobs[i];

		if (!job->gpus_min && elastic_draw(job->name) < how->part)
			elastic_make(job, how, (double)gpus, node_gpus);
	}
}
