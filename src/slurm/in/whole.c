/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/whole.h"

#include "src/slurm/in/managed.h"

/* The last result: many jobs wait in one partition. */
static _Thread_local struct {
	const part_record_t *part;
	time_t at;
	uint32_t cpus;
} whole_last;

/* Return the fewest CPUs that a job can have on the node: with
 * --threads-per-core that is one CPU of each core. */
static uint32_t whole_of_node(const node_record_t *node)
{
	uint32_t cpus = node->cpus_efctv ? node->cpus_efctv : node->cpus;
	uint32_t cores = node->tot_cores > node->core_spec_cnt
				 ? node->tot_cores - node->core_spec_cnt
				 : 0;

	return cpus < cores ? cpus : cores;
}

static uint32_t whole_of_smallest(const part_record_t *part)
{
	uint32_t least = part->max_cpus_per_node;

	for (bitoff_t i = 0; least && i < node_record_count; i++) {
		uint32_t cpus;

		if (!bit_test(part->node_bitmap, i))
			continue;
		cpus = whole_of_node(node_record_table_ptr[i]);
		least = cpus < least ? cpus : least;
	}
	return least == INFINITE ? 0 : least;
}

uint32_t astra_whole_cpus(const job_record_t *job)
{
	const part_record_t *part = job->part_ptr;
	time_t now = time(NULL);
	uint32_t nodes;

	if (!IS_JOB_PENDING(job) || !job->details || !part ||
	    !part->node_bitmap || job->details->core_spec != NO_VAL16 ||
	    !astra_takes_nodes(job))
		return 0;
	if (whole_last.part != part || whole_last.at != now) {
		whole_last.part = part;
		whole_last.at = now;
		whole_last.cpus = whole_of_smallest(part);
	}
	nodes = job->details->min_nodes;
	if (nodes < 1 || nodes > (uint32_t)node_record_count)
		nodes = 1;
	return nodes * whole_last.cpus;
}
