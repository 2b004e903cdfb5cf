/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/barred.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/model/brief.h"

/* Slurm's WAIT_NODE_NOT_AVAIL, as squeue shows it. */
#define BARRED_NAME "ReqNodeNotAvail"

struct barred {
	struct astra_arena *arena;
	const struct astra_view *view;
	job_record_t *job;
	struct astra_job_info *info;
	struct astra_job *out;
	struct astra_ask ask;
	time_t now;
};

/* Whether the job may have a node of the pool. also: further nodes that it may
 * have, by slurmctld's index, or NULL. */
static bool barred_has(const struct barred *b, uint32_t node, bitstr_t *also)
{
	if (!b->view->nodes[node].usable)
		return false;
	if (astra_node_possible(&b->out->request, node))
		return true;
	if (!also || !bit_test(also, b->view->map.global[node]))
		return false;
	return astra_node_suits(&b->view->map, node, &b->ask);
}

/* Whether the job may have all nodes that it names. */
static bool barred_has_named(const struct barred *b, bitstr_t *also)
{
	for (uint32_t i = 0; b->out->request.required && i < b->view->map.count;
	     i++)
		if (astra_node_required(&b->out->request, i) &&
		    !barred_has(b, i, also))
			return false;
	return true;
}

/* Whether the nodes that the job may have would be enough if all leases
 * ended. */
static bool barred_has_enough(const struct barred *b, bitstr_t *also)
{
	const struct astra_request *q = &b->out->request;
	uint64_t gpus = 0;
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < b->view->map.count; i++) {
		if (!barred_has(b, i, also))
			continue;
		gpus += b->view->nodes[i].gpus;
		nodes++;
		if (nodes >= q->nodes_min && gpus >= astra_request_least(q))
			return true;
	}
	return false;
}

/* Add one bind to the job. Returns NULL when memory is out. */
static struct astra_report_bind *barred_bind(struct barred *b,
					     enum astra_bind_kind kind,
					     const char *name, const char *of)
{
	struct astra_report_bind *bind =
		astra_arena_take(b->arena, sizeof(*bind));

	if (!bind)
		return NULL;
	*bind = (struct astra_report_bind){
		.kind = kind,
		.name = name,
		.of = astra_arena_text(b->arena, of),
		.who = "",
		.option = "",
		.unit = "",
		.limit = (double)NAN,
		.used = (double)NAN,
		.asked = (double)NAN,
		.task = UINT32_MAX,
		.uid = ASTRA_REPORT_NO_UID,
		.state = "",
	};
	b->info->binds = bind;
	b->info->bind_count = 1;
	return bind->of ? bind : NULL;
}

/* Say that a maintenance keeps the job waiting: it has begun, or no lease fits
 * in before it. */
static int barred_maintenance(struct barred *b, const slurmctld_resv_t *maint)
{
	struct astra_report_bind *bind = barred_bind(
		b, ASTRA_BIND_MAINTENANCE, "Maintenance", maint->name);
	char text[128], until[32];
	struct tm tm;

	if (!localtime_r(&maint->end_time, &tm) ||
	    !strftime(until, sizeof(until), "%Y-%m-%dT%H:%M", &tm))
		*until = '\0';
	snprintf(text, sizeof(text), "Lease: maintenance %s until %s",
		 maint->name, until);
	b->info->limit = astra_arena_text(b->arena, text);
	b->info->brief = astra_brief_text(ASTRA_BRIEF_MAINT);
	if (!bind || !b->info->limit)
		return -1;
	bind->unit = "seconds";
	bind->limit = difftime(maint->start_time, b->now);
	bind->asked = astra_reserved_least(&b->info->terms);
	bind->time_sec = (double)maint->end_time;
	b->out->state = ASTRA_JOB_BLOCKED;
	return 0;
}

/* Say that a reservation other than a maintenance begins before the job would
 * end. */
static int barred_reservation(struct barred *b, const slurmctld_resv_t *resv)
{
	struct astra_report_bind *bind =
		barred_bind(b, ASTRA_BIND_RESERVED, BARRED_NAME, resv->name);

	b->info->limit = BARRED_NAME ", May be reserved for other job";
	b->info->brief = BARRED_NAME;
	if (!bind)
		return -1;
	bind->unit = "seconds";
	bind->limit = difftime(resv->start_time, b->now);
	bind->asked = (double)astra_reserved_run_sec(b->job, false);
	bind->time_sec = (double)resv->end_time;
	return 0;
}

/* Say which nodes are drained or down. */
static int barred_nodes(struct barred *b, bitstr_t *nodes)
{
	const node_record_t *first = node_record_table_ptr[bit_ffs(nodes)];
	char *names = bitmap2node_name(nodes);
	struct astra_report_bind *bind =
		barred_bind(b, ASTRA_BIND_NODES, BARRED_NAME, names);
	char text[160];

	snprintf(text, sizeof(text), BARRED_NAME ", UnavailableNodes:%s",
		 names ? names : "");
	xfree(names);
	b->info->limit = astra_arena_text(b->arena, text);
	b->info->brief = BARRED_NAME;
	if (!bind || !b->info->limit)
		return -1;
	bind->who = astra_arena_text(b->arena,
				     node_state_string(first->node_state));
	return bind->who ? 0 : -1;
}

/* Return the nodes that the job names and that are not up. The caller frees the
 * result. */
static bitstr_t *barred_down(const struct barred *b)
{
	const struct astra_view *view = b->view;
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (uint32_t i = 0; i < view->map.count; i++)
		if (astra_node_required(&b->out->request, i) &&
		    !view->nodes[i].usable &&
		    !(view->left && bit_test(view->left, view->map.global[i])))
			bit_set(nodes, view->map.global[i]);
	return nodes;
}

/* Whether the job could run if no node were reserved. */
static bool barred_only_by_reservation(struct barred *b)
{
	bitstr_t *also = astra_request_unreserved(b->job, &b->view->map);
	bool all;

	astra_request_ask(b->job, &b->ask);
	all = barred_has_named(b, also) && barred_has_enough(b, also);
	bit_free(also);
	return all;
}

/* Find and say what keeps the job from its nodes. named: it cannot have all
 * nodes that it names. among: only reservations of these nodes count. */
static int barred_explain(struct barred *b, bool named, bitstr_t *among)
{
	struct astra_keepers keepers = {NULL, NULL};
	bitstr_t *down;
	int rc = 0;

	if (resv_list && list_count(resv_list))
		keepers = astra_reserved_keepers(b->job, &b->info->terms, among,
						 b->now);
	if (keepers.maint)
		return barred_maintenance(b, keepers.maint);
	down = barred_down(b);
	if (named && bit_ffs(down) >= 0)
		rc = barred_nodes(b, down);
	else if (keepers.other && barred_only_by_reservation(b))
		rc = barred_reservation(b, keepers.other);
	bit_free(down);
	return rc;
}

int astra_barred_find(struct astra_arena *arena, const struct astra_view *view,
		      job_record_t *job, struct astra_job_info *info,
		      struct astra_job *out)
{
	struct barred b = {
		.arena = arena,
		.view = view,
		.job = job,
		.info = info,
		.out = out,
		.now = (time_t)view->model.now_sec,
	};
	bitstr_t *among;
	bool named;
	int rc;

	if (!out->request.required && (!resv_list || !list_count(resv_list)))
		return 0;
	named = !barred_has_named(&b, NULL);
	if (!named && barred_has_enough(&b, NULL))
		return 0;
	if (named)
		return barred_explain(&b, true, job->details->req_node_bitmap);
	among = bit_alloc(node_record_count);
	for (size_t i = 0; i < view->map.count; i++)
		bit_set(among, view->map.global[i]);
	rc = barred_explain(&b, false, among);
	bit_free(among);
	return rc;
}
