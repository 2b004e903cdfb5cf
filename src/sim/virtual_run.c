/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run of a job was good for. */
#include <math.h>

#include "src/common/grow.h"
#include "src/sim/virtual.h"

double astra_virtual_progress(const struct astra_virtual_job *j, double now_sec)
{
	return fmax(0, now_sec - j->progress_from_sec) / j->stretch;
}

static int virtual_run_keep_run(struct astra_virtual *v, uint32_t job,
				double now_sec)
{
	struct astra_sim_result *r = v->result;
	const struct astra_virtual_job *j = &v->jobs[job];

	if (!v->options->runs)
		return 0;
	if (astra_grow(&r->runs, &v->run_room, r->run_count + 1,
		       sizeof(*r->runs)) < 0)
		return -1;
	r->runs[r->run_count++] = (struct astra_sim_run){
		.job = job,
		.start_sec = j->start_sec,
		.end_sec = now_sec,
		.gpus = j->held_gpus,
		.nodes = (uint32_t)j->held_count,
	};
	return 0;
}

int astra_virtual_count_run(struct astra_virtual *v, uint32_t job,
			    double signal_sec, double now_sec)
{
	const struct astra_virtual_job *j = &v->jobs[job];
	struct astra_sim_job *out = &v->result->jobs[job];
	double gpus = j->held_gpus;
	double cold = fmin(signal_sec, j->progress_from_sec) - j->start_sec;
	double work = astra_virtual_progress(j, signal_sec);

	out->cold_gpu_sec += gpus * cold;
	out->checkpoint_gpu_sec += gpus * (now_sec - signal_sec);
	out->slow_gpu_sec +=
		v->trace->jobs[job].gpus * work * (j->slowdown - 1);
	out->leases += (uint32_t)fmax(
		1, ceil((now_sec - j->start_sec) / v->lease_sec - 1e-9));
	return virtual_run_keep_run(v, job, now_sec);
}

int astra_virtual_stop(struct astra_virtual *v, double now_sec)
{
	for (size_t i = 0; i < v->active_count; i++) {
		uint32_t job = v->active[i].id - 1;
		const struct astra_virtual_job *j = &v->jobs[job];

		if (v->active[i].state == ASTRA_JOB_RUNNING &&
		    astra_virtual_count_run(
			    v, job, j->leaving ? j->signal_sec : now_sec,
			    now_sec) < 0)
			return -1;
	}
	return 0;
}
