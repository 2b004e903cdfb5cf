/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/request_nodes.h"

#include "src/slurm/in/constraint.h"
#include "src/slurm/in/qos.h"
#include "src/slurm/in/reserved.h"

struct part_sum {
	const job_record_t *job;
	bitstr_t *nodes;
};

static bool request_nodes_lets_run(const part_record_t *part,
				   const job_record_t *job)
{
	return (part->state_up & PARTITION_SCHED) &&
	       (job->time_limit == NO_VAL ||
		job->time_limit <= part->max_time ||
		job->limit_set.time == ADMIN_SET_LIMIT);
}

static int request_nodes_add_part(void *x, void *arg)
{
	const part_record_t *part = x;
	const struct part_sum *sum = arg;

	if (part->node_bitmap && request_nodes_lets_run(part, sum->job))
		bit_or(sum->nodes, part->node_bitmap);
	return 0;
}

/* Of several partitions those that let it run now; where there is one, Slurm's
 * own reason says that it does not. */
static void request_nodes_add_parts(const job_record_t *job, bitstr_t *nodes)
{
	struct part_sum sum = {.job = job, .nodes = nodes};

	if (job->part_ptr_list)
		list_for_each_ro(job->part_ptr_list, request_nodes_add_part,
				 &sum);
	else if (job->part_ptr && job->part_ptr->node_bitmap)
		bit_or(nodes, job->part_ptr->node_bitmap);
}

struct resv_test {
	const job_record_t *job;
	bitstr_t *nodes;
	time_t from, until;
};

/* Nodes that others have reserved for a part of the job's run are out. */
static int drop_reserved(void *x, void *arg)
{
	slurmctld_resv_t *resv = x;
	struct resv_test *t = arg;

	if (astra_reserved_own(t->job, resv) || !resv->node_bitmap ||
	    resv->end_time <= t->from || resv->start_time >= t->until ||
	    (resv->flags & RESERVE_FLAG_MAGNETIC) || resv->max_start_delay)
		return 0;
	if (resv->ctld_flags & RESV_CTLD_FULL_NODE)
		bit_and_not(t->nodes, resv->node_bitmap);
	return 0;
}

static time_t run_length(const job_record_t *job)
{
	uint32_t limit = job->time_limit;

	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->max_time;
	if (limit == NO_VAL || limit == INFINITE)
		return 365 * 24 * 3600;
	return (time_t)limit * 60;
}

/* As get_node_cnts(): a QOS frees only who says how many it wants. */
uint32_t astra_part_nodes(const job_record_t *job, const part_record_t *part)
{
	bool free = part->max_nodes == INFINITE || !part->max_nodes ||
		    (job->details->max_nodes && astra_qos_frees_nodes(job));

	return free ? INFINITE : part->max_nodes;
}

bitstr_t *astra_request_nodes(job_record_t *job, struct astra_node_order *order,
			      time_t now, bitstr_t *possible)
{
	const job_details_t *d = job->details;
	bitstr_t *nodes = bit_alloc(node_record_count);
	struct resv_test test = {
		.job = job,
		.nodes = nodes,
		.from = now,
		.until = now + run_length(job),
	};

	request_nodes_add_parts(job, nodes);
	if (d->exc_node_bitmap)
		bit_and_not(nodes, d->exc_node_bitmap);
	astra_reserved_keep(job, nodes);
	if (resv_list)
		list_for_each_ro(resv_list, drop_reserved, &test);
	astra_constraint_apply(job, order, nodes, possible);
	return nodes;
}
