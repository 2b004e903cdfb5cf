/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/publish_nodes.h"

#include <stdlib.h>

#include "src/proto/report_pool.h"

void astra_publish_count(const struct astra_view *view,
			 struct astra_report_pool *pool)
{
	for (size_t i = 0; i < view->model.node_count; i++) {
		const struct astra_node *n = &view->model.nodes[i];

		pool->gpus += n->gpus;
		if (!n->usable) {
			pool->gpus_down += n->gpus_free;
			continue;
		}
		pool->gpus_usable += n->gpus;
		pool->gpus_free += n->gpus_free;
	}
}

static const char *publish_nodes_state_of(const struct astra_node *node)
{
	if (node->emptying)
		return "drained";
	if (!node->usable)
		return "down";
	return node->settling ? "cleaning" : "up";
}

/* Count the jobs that hold GPUs of each node. ends[i] gets the count of node i;
 * it has one entry more than there are nodes. */
static void count_holders(const struct astra_view *view, size_t *ends)
{
	for (size_t i = 0; i < view->job_count; i++) {
		const struct astra_job *job = &view->jobs[i];

		for (size_t k = 0; k < job->held_count; k++)
			if (job->held[k].node < view->model.node_count)
				ends[job->held[k].node]++;
	}
}

/* Sort holders by node. Afterwards ends[i] is the index after node i's holders,
 * which begin where those of node i - 1 end. */
static void sort_holders(const struct astra_view *view, size_t *ends,
			 struct astra_report_holder *holders)
{
	size_t at = 0;

	for (size_t i = 0; i < view->model.node_count; i++) {
		size_t count = ends[i];

		ends[i] = at;
		at += count;
	}
	for (size_t i = 0; i < view->job_count; i++) {
		const struct astra_job *job = &view->jobs[i];

		for (size_t k = 0; k < job->held_count; k++)
			if (job->held[k].node < view->model.node_count)
				holders[ends[job->held[k].node]++] =
					(struct astra_report_holder){
						.job = job->id,
						.gpus = job->held[k].gpus,
					};
	}
}

static size_t publish_nodes_sum(const size_t *counts, size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += counts[i];
	return total;
}

void astra_publish_nodes(struct astra_report *report, const char *pool,
			 const struct astra_view *view)
{
	size_t nodes = view->model.node_count;
	size_t *ends = calloc(nodes + 1, sizeof(*ends));
	struct astra_report_holder *holders = NULL;

	if (ends) {
		count_holders(view, ends);
		holders = calloc(publish_nodes_sum(ends, nodes) + 1,
				 sizeof(*holders));
	}
	if (holders)
		sort_holders(view, ends, holders);
	for (size_t i = 0; holders && i < nodes; i++) {
		const struct astra_node *n = &view->model.nodes[i];
		size_t first = i ? ends[i - 1] : 0;
		struct astra_report_node node = {
			.pool = pool,
			.name = n->name,
			.state = publish_nodes_state_of(n),
			.gpus = n->gpus,
			.gpus_free = n->usable ? n->gpus_free : 0,
			.holders = holders + first,
			.holder_count = (uint32_t)(ends[i] - first),
		};

		(void)astra_report_add_node(report, &node);
	}
	free(holders);
	free(ends);
}
