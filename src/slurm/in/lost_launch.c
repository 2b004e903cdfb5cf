/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/lost_launch.h"

#include <stdbool.h>
#include <time.h>

#include "src/slurm/compat/compat.h"

/* Longest time that a launch waits in slurmctld. */
#define QUEUE_SEC 600
/* What Slurm adds to BatchStartTimeout, plus time for a slow node. */
#define SLACK_SEC 20

static time_t
	started_sec; /* when slurmctld started; 0: no node is to be asked */

void astra_lost_launch_doubt(void)
{
	started_sec = time(NULL);
}

static bool lost_launch_possible(const job_record_t *job)
{
	return job->magic == JOB_MAGIC && IS_JOB_RUNNING(job) &&
	       !IS_JOB_CONFIGURING(job) && !IS_JOB_COMPLETING(job) &&
	       job->batch_flag && job->batch_host &&
	       job->start_time <= started_sec &&
	       job->start_time > started_sec - QUEUE_SEC;
}

static int lost_launch_add(void *x, void *arg)
{
	const job_record_t *job = x;
	agent_arg_t *order = arg;
	node_record_t *node;

	if (!lost_launch_possible(job))
		return 0;
	node = find_node_record(job->batch_host);
	if (!node || IS_NODE_DOWN(node) || IS_NODE_NO_RESPOND(node))
		return 0; /* the node registers when it is up again */
	if (order->protocol_version > node->protocol_version)
		order->protocol_version = node->protocol_version;
	astra_order_pack_address(order, node);
	hostlist_push_host(order->hostlist, node->name);
	return 0;
}

/* Send the order. Slurm frees it. */
static void lost_launch_send(agent_arg_t *order)
{
	hostlist_uniq(order->hostlist);
	order->node_count = (uint32_t)hostlist_count(order->hostlist);
	if (!order->node_count) {
		hostlist_destroy(order->hostlist);
		xfree(order);
		return;
	}
	verbose("astraea: %u nodes are asked for the jobs that started shortly "
		"before slurmctld",
		order->node_count);
	ping_begin(); /* Slurm calls ping_end() when the nodes have answered */
	set_agent_arg_r_uid(order, (uid_t)SLURM_AUTH_UID_ANY);
	agent_queue_request(order);
}

void astra_lost_launch_ask(void)
{
	agent_arg_t *order;

	if (!started_sec || time(NULL) < started_sec + SLACK_SEC +
						 slurm_conf.batch_start_timeout)
		return;
	order = xmalloc(sizeof(*order));
	order->msg_type = REQUEST_NODE_REGISTRATION_STATUS;
	order->protocol_version = SLURM_PROTOCOL_VERSION;
	order->hostlist = hostlist_create(NULL);
	list_for_each_ro(job_list, lost_launch_add, order);
	started_sec = 0;
	lost_launch_send(order);
}
