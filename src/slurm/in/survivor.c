/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/survivor.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

/* How long nodes may take to kill what they found, once all have answered. */
#define KILL_SEC 10

static struct astra_survivor *survivors;
static size_t survivor_count, survivor_room;

static void survivor_forget(size_t index)
{
	FREE_NULL_BITMAP(survivors[index].nodes);
	survivors[index] = survivors[--survivor_count];
}

void astra_survivors_free(void)
{
	while (survivor_count)
		survivor_forget(0);
	free(survivors);
	survivors = NULL;
	survivor_room = 0;
}

void astra_survivors_add(const job_record_t *job,
			 const struct astra_box_event *last, time_t end_sec)
{
	struct astra_survivor s = {
		.job = job->job_id,
		.restart_cnt = last->restart_cnt,
		.gpus = last->gpus,
		.start_sec = (time_t)last->start_sec,
		.end_sec = end_sec,
	};
	char nodes[ASTRA_BOX_NODES];

	if (astra_grow(&survivors, &survivor_room, survivor_count + 1,
		       sizeof(*survivors)) < 0)
		return;
	memcpy(nodes, last->nodes, sizeof(nodes));
	if (*nodes && astra_nodes_named(nodes, &s.nodes))
		FREE_NULL_BITMAP(s.nodes);
	info("astraea: %pJ was started before slurmctld was killed; it waits "
	     "until %s have answered",
	     job, *last->nodes ? last->nodes : "all nodes");
	survivors[survivor_count++] = s;
}

static bool has_answered(const node_record_t *node)
{
	return IS_NODE_DOWN(node) ||
	       !(IS_NODE_UNKNOWN(node) || IS_NODE_NO_RESPOND(node));
}

/* Whether the run may have been on the node at this index. */
static bool may_be_on(const struct astra_survivor *s, int i)
{
	return node_record_table_ptr[i] &&
	       (!s->nodes || (i < bit_size(s->nodes) && bit_test(s->nodes, i)));
}

static bool all_answered(const struct astra_survivor *s)
{
	for (int i = 0; i < node_record_count; i++)
		if (may_be_on(s, i) && !has_answered(node_record_table_ptr[i]))
			return false;
	return true;
}

/* Whether the node knows nothing of a run, or cannot be told to end it. */
static bool survivor_is_off(const node_record_t *node)
{
	return IS_NODE_DOWN(node) || IS_NODE_FUTURE(node) ||
	       IS_NODE_POWERED_DOWN(node) || IS_NODE_POWERING_DOWN(node);
}

static int survivor_add_part(void *x, void *arg)
{
	const part_record_t *part = x;

	if (part->node_bitmap)
		bit_or(arg, part->node_bitmap);
	return 0;
}

/* Return the nodes on which the job may start again. The caller frees the
 * result. */
static bitstr_t *survivor_next_nodes(const job_record_t *job)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	if (job->part_ptr_list)
		list_for_each_ro(job->part_ptr_list, survivor_add_part, nodes);
	else if (job->part_ptr)
		(void)survivor_add_part(job->part_ptr, nodes);
	return nodes;
}

/* Tell nodes to end the last run. A slurmd refuses a second copy of a batch job
 * until it is told to end the first, even if that is over. Slurm tells only the
 * nodes that still report the job. Here only the nodes on which the job may
 * start again are told, since a slurmd that is told runs the job's epilog.
 *
 * The job's record has the GPUs of the run before the one that was lost, or
 * none. They are not sent: the epilog would get other GPUs than the run had.
 * slurmd 22.05 even ends by SIGSEGV if that run had fewer nodes, since it reads
 * one element beyond the list of nodes (gres_common_epilog_set_env()). */
static void survivor_abort(job_record_t *job, const struct astra_survivor *s)
{
	bitstr_t *nodes = survivor_next_nodes(job);
	void *gpus = job->gres_list_req;

	for (int i = 0; i < node_record_count; i++)
		if (!may_be_on(s, i) ||
		    survivor_is_off(node_record_table_ptr[i]))
			bit_clear(nodes, i);
	job->gres_list_req = NULL;
	if (bit_ffs(nodes) >= 0)
		abort_job_on_nodes(job, nodes);
	job->gres_list_req = gpus;
	FREE_NULL_BITMAP(nodes);
}

/* Whether the job need not wait any more. If so, the last run is counted: the
 * next run is then a restart and knows it. */
static bool survivor_is_over(struct astra_survivor *s, time_t now)
{
	job_record_t *job = find_job_record(s->job);

	if (!job || !IS_JOB_PENDING(job))
		return true;
	if (!all_answered(s)) {
		s->quiet_since = 0;
		return false;
	}
	if (!s->quiet_since) {
		s->quiet_since = now;
		survivor_abort(job, s);
	}
	if (now < s->quiet_since + KILL_SEC)
		return false;
	if (job->restart_cnt <= s->restart_cnt)
		astra_restarts_set(job, s->restart_cnt + 1);
	return true;
}

void astra_survivors_settle(void)
{
	time_t now = time(NULL);

	for (size_t i = survivor_count; i--;)
		if (survivor_is_over(&survivors[i], now))
			survivor_forget(i);
}

const struct astra_survivor *astra_survivor_find(uint32_t job_id)
{
	for (size_t i = 0; i < survivor_count; i++)
		if (survivors[i].job == job_id)
			return &survivors[i];
	return NULL;
}
