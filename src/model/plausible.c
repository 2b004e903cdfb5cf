/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/plausible.h"

#include <inttypes.h>
#include <math.h>

#define PLAUSIBLE_BEGIN 946684800.0 /* the year 2000 */
#define PLAUSIBLE_AHEAD (366 * 86400.0)
#define PLAUSIBLE_GPUS 4096 /* most GPUs of a node */

static bool is_moment(double sec, double now_sec)
{
	return sec == 0 ||
	       (sec >= PLAUSIBLE_BEGIN && sec <= now_sec + PLAUSIBLE_AHEAD);
}

static bool is_node(const struct astra_node *n)
{
	return n->gpus <= PLAUSIBLE_GPUS && n->gpus_free <= n->gpus &&
	       n->gpus_scattered <= n->gpus_free;
}

static bool plausible_holds_nodes(const struct astra_job *job,
				  const struct astra_snapshot *snapshot)
{
	for (size_t i = 0; i < job->held_count; i++)
		if (job->held[i].node >= snapshot->node_count ||
		    job->held[i].gpus > PLAUSIBLE_GPUS)
			return false;
	return true;
}

static bool plausible_is_job(const struct astra_job *job,
			     const struct astra_snapshot *snapshot)
{
	return job->id && job->tenant < snapshot->tenant_count &&
	       is_moment(job->submit_sec, snapshot->now_sec) &&
	       (job->state != ASTRA_JOB_RUNNING ||
		is_moment(job->start_sec, snapshot->now_sec)) &&
	       isfinite(job->weight) && job->weight >= 0 &&
	       plausible_holds_nodes(job, snapshot);
}

int astra_snapshot_plausible(const struct astra_snapshot *snapshot,
			     struct astra_error *err)
{
	for (size_t i = 0; i < snapshot->node_count; i++)
		if (!is_node(&snapshot->nodes[i]))
			return astra_error_set(err,
					       "node %s with %" PRIu32
					       " of %" PRIu32
					       " GPUs free cannot be",
					       snapshot->nodes[i].name ?: "?",
					       snapshot->nodes[i].gpus_free,
					       snapshot->nodes[i].gpus);
	for (size_t i = 0; i < snapshot->job_count; i++)
		if (!plausible_is_job(&snapshot->jobs[i], snapshot))
			return astra_error_set(err,
					       "job %" PRIu32
					       " cannot be: submitted at %.0f, "
					       "started at %.0f",
					       snapshot->jobs[i].id,
					       snapshot->jobs[i].submit_sec,
					       snapshot->jobs[i].start_sec);
	return 0;
}
