/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scheduler sees of a job, and what its place makes of its speed. */
#include <stdlib.h>
#include <string.h>

#include "src/model/speed.h"
#include "src/placement/placement.h"
#include "src/sim/virtual.h"

/* GPUs on which it may run fewer: as the trace says, or any number. */
static uint32_t least_gpus(const struct astra_virtual *v,
			   const struct astra_trace_job *t)
{
	uint32_t least = t->gpus_min;

	if (!least && v->options->elastic)
		least = 1;
	return least < t->gpus ? least : 0;
}

static struct astra_request
virtual_job_request_of(const struct astra_virtual *v,
		       const struct astra_trace_job *t)
{
	uint32_t least = least_gpus(v, t);

	return (struct astra_request){
		.gpus = t->gpus,
		.gpus_min = least,
		.charge = t->gpus,
		.nodes_min = least && least < t->nodes ? least : t->nodes,
		.nodes_max = t->nodes,
	};
}

/* By level; the job's own, or what all have. */
static const double *slowdown_of(const struct astra_virtual *v, uint32_t job)
{
	uint32_t profile = v->trace->jobs[job].profile;

	return profile ? v->trace->profiles[profile - 1].slowdown
		       : v->options->slowdown;
}

struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job)
{
	const struct astra_trace_job *t = &v->trace->jobs[job];
	struct astra_job seen = {
		.id = job + 1,
		.tenant = t->tenant,
		.user = v->jobs[job].user,
		.copies = 1,
		.weight = 1,
		.request = virtual_job_request_of(v, t),
		.state = ASTRA_JOB_PENDING,
		.submit_sec = ASTRA_VIRTUAL_BEGIN + t->submit_sec,
		.time_limit_sec = t->limit_sec,
		.revocable = true,
		.checkpoints = v->options->checkpoint_sec > 0,
		.forecast = {.app = t->app,
			     .work_sec = t->duration_sec,
			     .measured = true,
			     .utility = astra_trace_job_utility(
				     v->trace, job, v->options->seed)},
	};

	memcpy(seen.forecast.slowdown, slowdown_of(v, job),
	       sizeof(seen.forecast.slowdown));
	return seen;
}

double astra_virtual_slowdown(const struct astra_virtual *v, uint32_t job,
			      const struct astra_share *shares, size_t count)
{
	return slowdown_of(v,
			   job)[astra_level_of(v->world.nodes, shares, count)];
}

/* All of the cluster, free. NULL when memory is out. */
static struct astra_space *empty_space(const struct astra_cluster *c)
{
	struct astra_space *space;
	uint32_t most = 0;

	for (size_t i = 0; i < c->node_count; i++)
		most = c->nodes[i].gpus > most ? c->nodes[i].gpus : most;
	space = astra_space_create(c->node_count, most);
	for (uint32_t i = 0; space && i < c->node_count; i++) {
		const struct astra_room room = {
			.gpus = c->nodes[i].gpus,
			.cpus = UINT32_MAX,
			.mem_mib = UINT64_MAX,
			.whole = true,
		};

		astra_space_set(space, i, &room);
	}
	return space;
}

int astra_virtual_find_misfits(struct astra_virtual *v)
{
	struct astra_space *space = empty_space(v->cluster);
	struct astra_share *shares =
		calloc(v->cluster->node_count + 1, sizeof(*shares));
	int rc = space && shares ? 0 : -1;

	for (uint32_t i = 0; !rc && i < v->trace->job_count; i++) {
		struct astra_request r;

		if (v->result->jobs[i].start_sec >= 0)
			continue;
		r = virtual_job_request_of(v, &v->trace->jobs[i]);
		if (r.gpus_min)
			r.gpus = r.gpus_min;
		v->result->jobs[i].misfit =
			!astra_place(space, &r, NULL, 0, shares);
	}
	astra_space_destroy(space);
	free(shares);
	return rc;
}
