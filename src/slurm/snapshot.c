/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/charge.h"
#include "src/slurm/park.h"
#include "src/slurm/preempt.h"
#include "src/slurm/survivor.h"
#include "src/slurm/usage.h"
#include "src/slurm/users.h"
#include "src/slurm/warn.h"

/* So long after its start slurmctld may yet hear that a job had ended. */
#define HEARD_SEC 20

/* Nodes. */

/* A node that is asleep is usable: Slurm wakes it for a job. */
static bool is_usable(const node_record_t *node)
{
	if (IS_NODE_DOWN(node) || IS_NODE_FUTURE(node) ||
	    IS_NODE_UNKNOWN(node) || IS_NODE_INVALID_REG(node))
		return false;
	return avail_node_bitmap && bit_test(avail_node_bitmap, node->index);
}

bool astra_node_known(const node_record_t *node)
{
	return node->boot_time || IS_NODE_POWERED_DOWN(node) ||
	       IS_NODE_POWERING_UP(node);
}

static void count_gpus(const node_record_t *node, uint32_t held, bool young,
		       struct astra_node *out)
{
	const gres_node_state_t *g = astra_node_gpus(node);
	uint64_t used;

	if (!g)
		return;
	out->gpus = (uint32_t)g->gres_cnt_avail;
	used = g->gres_cnt_alloc + held;
	if (young && !astra_node_known(node))
		used = g->gres_cnt_avail;
	out->gpus_free = used < out->gpus ? out->gpus - (uint32_t)used : 0;
}

static void fill_node(const struct astra_scene *scene, uint32_t global,
		      bool memory, struct astra_node *out)
{
	const node_record_t *node = node_record_table_ptr[global];
	uint64_t mem = node->config_ptr->real_memory - node->mem_spec_limit;

	*out = (struct astra_node){
		.name = node->name,
		.usable = is_usable(node),
		.emptying = IS_NODE_DRAIN(node) || IS_NODE_FAIL(node),
		/* Slurm starts nothing on a node that is being cleaned up. */
		.settling =
			(cg_node_bitmap && bit_test(cg_node_bitmap, global)) ||
			astra_preempt_keeps(global),
		.cpus = node->cpus_efctv ? node->cpus_efctv : node->cpus,
		.mem_free_mib = UINT64_MAX,
	};
	count_gpus(node, scene->gpus_held[global], scene->young, out);
	if (scene->cpus_used[global] < out->cpus)
		out->cpus_free = out->cpus - scene->cpus_used[global];
	if (memory)
		out->mem_free_mib = scene->mem_used[global] < mem
					    ? mem - scene->mem_used[global]
					    : 0;
	if (scene->exclusive[global])
		out->gpus_free = out->cpus_free = 0;
}

static bitstr_t *pool_nodes(const struct astra_pool_config *pool)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (size_t i = 0; i < pool->partitions.count; i++) {
		const part_record_t *part =
			find_part_record(pool->partitions.name[i]);

		if (part && part->node_bitmap)
			bit_or(nodes, part->node_bitmap);
	}
	return nodes;
}

/* The pool's nodes by slurmctld's order. */
static int map_nodes(struct astra_scene *scene, struct astra_view *view,
		     const struct astra_pool_config *pool)
{
	size_t count = scene->node_count;
	struct astra_node_map *map = &view->map;
	bitstr_t *nodes = pool_nodes(pool);

	*map = (struct astra_node_map){
		.global_count = count,
		.memory = slurm_conf.select_type_param & CR_MEMORY,
	};
	map->local = astra_arena_take(&scene->arena, (count + 1) * 4);
	map->global = astra_arena_take(&scene->arena, (count + 1) * 4);
	view->nodes = astra_arena_take(&scene->arena,
				       (count + 1) * sizeof(*view->nodes));
	for (uint32_t i = 0;
	     view->nodes && map->local && map->global && i < count; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		map->local[i] = ASTRA_NONE;
		if (!node || !bit_test(nodes, i))
			continue;
		map->local[i] = (uint32_t)map->count;
		map->global[map->count++] = i;
		if (node->cpus > map->cpus_max)
			map->cpus_max = node->cpus;
	}
	bit_free(nodes);
	return view->nodes && map->local && map->global ? 0 : -1;
}

/* Jobs. */

static bool is_cleaning(const job_record_t *job)
{
	return job->details->prolog_running ||
	       (job->step_list && list_count(job->step_list));
}

/* Managed jobs are parked unless there is something else about them; others
 * have Slurm's own reasons. */
static bool is_blocked(const job_record_t *job, bool leases)
{
	if (!leases)
		return !astra_reason_is_plain(job->state_reason);
	return astra_is_parked(job) ? astra_park_limited(job->job_id)
				    : job->state_reason != WAIT_NO_REASON;
}

static enum astra_job_state pending_state(const job_record_t *job, bool leases,
					  time_t now)
{
	if (IS_JOB_COMPLETING(job) || astra_survivor_find(job->job_id))
		return ASTRA_JOB_REQUEUED;
	if (job->priority == 0 || IS_JOB_REVOKED(job))
		return ASTRA_JOB_BLOCKED;
	if (is_blocked(job, leases))
		return ASTRA_JOB_BLOCKED;
	if (job->restart_cnt &&
	    (now <= job->details->submit_time || is_cleaning(job)))
		return ASTRA_JOB_REQUEUED;
	return ASTRA_JOB_PENDING;
}

static enum astra_job_state state_of(const job_record_t *job, bool leases,
				     time_t now)
{
	if (IS_JOB_PENDING(job))
		return pending_state(job, leases, now);
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		return ASTRA_JOB_RUNNING;
	if (job->job_state & JOB_REQUEUE) /* checkpointed in its grace */
		return ASTRA_JOB_REQUEUED;
	return IS_JOB_COMPLETING(job) ? ASTRA_JOB_ENDING : ASTRA_JOB_ENDED;
}

static uint32_t copies_of(const job_record_t *job)
{
	const job_array_struct_t *a = job->array_recs;
	uint32_t left;

	if (!a || !IS_JOB_PENDING(job) || !a->task_cnt)
		return 1;
	if (!a->max_run_tasks)
		return a->task_cnt;
	left = a->max_run_tasks > a->tot_run_tasks
		       ? a->max_run_tasks - a->tot_run_tasks
		       : 0;
	left = left < a->task_cnt ? left : a->task_cnt;
	return left ? left : 1;
}

static double limit_of(const job_record_t *job)
{
	uint32_t limit = job->time_limit;

	if (limit == NO_VAL && job->part_ptr)
		limit = job->part_ptr->max_time;
	return limit == NO_VAL || limit == INFINITE ? 0 : limit * 60.0;
}

/* Slurm's end_time of a running job is when it has to end. */
static void fill_times(const job_record_t *job, time_t now,
		       struct astra_job *out)
{
	const struct astra_survivor *s;

	out->submit_sec = (double)job->details->submit_time;
	out->time_limit_sec = limit_of(job);
	if (job->deadline && job->deadline != NO_VAL)
		out->deadline_sec = (double)job->deadline;
	switch (out->state) {
	case ASTRA_JOB_BLOCKED:
	case ASTRA_JOB_PENDING:
		if (job->restart_cnt) /* the requeue has reset it */
			out->end_sec = out->submit_sec;
		break;
	case ASTRA_JOB_REQUEUED:
		s = astra_survivor_find(job->job_id);
		if (s) {
			out->start_sec = (double)s->start_sec;
			out->end_sec = (double)s->end_sec;
			break;
		}
		out->end_sec =
			job->end_time ? (double)job->end_time : out->submit_sec;
		if (IS_JOB_COMPLETING(job) || !IS_JOB_PENDING(job))
			out->start_sec = (double)job->start_time;
		break;
	case ASTRA_JOB_RUNNING: /* it has not begun while its nodes boot */
		out->start_sec =
			(double)(IS_JOB_CONFIGURING(job) ? now
							 : job->start_time);
		break;
	case ASTRA_JOB_ENDING:
	case ASTRA_JOB_ENDED:
		if (job->nodes) /* else it never ran */
			out->start_sec = (double)job->start_time;
		out->end_sec = (double)job->end_time;
		break;
	}
}

/* nice and scontrol top, or the priority that an operator has set, which goes
 * before all of these. */
static double precedence_of(const job_record_t *job)
{
	if (job->direct_set_prio)
		return 2.0 * NICE_OFFSET + job->priority;
	return (double)NICE_OFFSET - job->details->nice;
}

static int fill_info(struct astra_scene *scene, const job_record_t *job,
		     const struct astra_pool_config *pool,
		     struct astra_job_info *out)
{
	struct astra_arena *a = &scene->arena;
	const char *user = astra_user_name(job->user_id);
	bool holds = !IS_JOB_PENDING(job) && !IS_JOB_COMPLETED(job);
	bool limited = IS_JOB_PENDING(job) && astra_is_parked(job) &&
		       astra_park_limited(job->job_id);

	*out = (struct astra_job_info){
		.uid = job->user_id,
		.gid = job->group_id,
		.array_task = job->array_task_id,
		.array_job = job->array_job_id,
		.account = astra_arena_text(a, job->account),
		.partition = astra_arena_text(a, job->partition),
		.name = astra_arena_text(a, job->name),
		.nodes = astra_arena_text(a, holds ? job->nodes : NULL),
		.tasks = astra_arena_text(
			a,
			job->array_recs ? job->array_recs->task_id_str : NULL),
		.limit = astra_arena_text(a, limited ? job->state_desc : NULL),
		.user = user ? user : "",
		.state = job->job_state,
		.state_reason = job->state_reason,
	};
	if (!user)
		scene->unnamed = true;
	astra_terms_of(job, &pool->options, &out->terms);
	return out->account && out->partition && out->name && out->nodes &&
			       out->tasks && out->limit
		       ? 0
		       : -1;
}

/* A job that ended while slurmctld was down tries to tell it every 15 seconds
 * (RETRY_DELAY of slurmstepd). */
static bool is_unheard(const struct astra_scene *scene, const job_record_t *job,
		       time_t now)
{
	return IS_JOB_RUNNING(job) && job->start_time < scene->start &&
	       now < scene->start + HEARD_SEC;
}

static int fill_job(struct astra_scene *scene, struct astra_view *view,
		    const struct astra_config *config,
		    const struct astra_pool_config *pool, job_record_t *job)
{
	time_t now = (time_t)view->model.now_sec;
	struct astra_job *out;
	struct astra_job_info *info;

	if (astra_grow(&view->jobs, &view->job_room, view->job_count + 1,
		       sizeof(*view->jobs)) < 0 ||
	    astra_grow(&view->info, &view->info_room, view->job_count + 1,
		       sizeof(*view->info)) < 0)
		return -1;
	out = &view->jobs[view->job_count];
	info = &view->info[view->job_count];
	if (fill_info(scene, job, pool, info) < 0)
		return -1;
	*out = (struct astra_job){
		.id = job->job_id,
		.tenant = astra_tenants_of(&view->tenants, config, job),
		.copies = copies_of(job),
		.weight = astra_qos_weight(&view->qos, job->qos_id),
		.precedence = precedence_of(job),
		.state = state_of(job, pool->options.leases, now),
		.lease_sec = info->terms.lease_sec,
		.restart_cnt = job->restart_cnt,
		.booting = IS_JOB_RUNNING(job) && IS_JOB_CONFIGURING(job),
		.revocable = info->terms.revocable,
		.unheard = is_unheard(scene, job, now),
		.checkpoints = info->terms.signal != 0,
	};
	if (job->array_job_id && job->array_job_id != job->job_id)
		out->array_id = job->array_job_id;
	fill_times(job, now, out);
	if (out->tenant == ASTRA_NONE ||
	    astra_request_of(job, &view->map, now, &scene->arena,
			     &out->request) < 0 ||
	    astra_usage_held(job, out->state, &view->map, &scene->arena, out) <
		    0)
		return -1;
	astra_charge_job(&pool->options, job, view->nodes, view->map.count,
			 out);
	if (out->state == ASTRA_JOB_REQUEUED || out->state == ASTRA_JOB_ENDING)
		view->unsettled = true;
	view->job_count++;
	return 0;
}

struct take {
	struct astra_scene *scene;
	const struct astra_config *config;
};

static int take_job(void *x, void *arg)
{
	job_record_t *job = x;
	struct take *t = arg;
	enum astra_claim claim;
	size_t pool;

	if (job->magic != JOB_MAGIC || !job->details)
		return 0;
	if (IS_JOB_COMPLETED(job) && job->end_time < t->scene->since)
		return 0;
	claim = astra_claim_of(job, &pool);
	if (claim != ASTRA_MANAGED && claim != ASTRA_ORDERED)
		return 0;
	if (fill_job(t->scene, &t->scene->views[pool], t->config,
		     &t->config->pools[pool], job) < 0) {
		t->scene->failed = true;
		return -1;
	}
	return 0;
}

static int begin_view(struct astra_scene *scene, size_t index,
		      const struct astra_config *config, time_t now)
{
	struct astra_view *view = &scene->views[index];

	view->job_count = 0;
	view->unsettled = false;
	view->model = (struct astra_snapshot){.now_sec = (double)now};
	if (map_nodes(scene, view, &config->pools[index]) < 0 ||
	    astra_tenants_begin(&view->tenants, config, &scene->arena) < 0 ||
	    astra_qos_begin(&view->qos,
			    &config->pools[index].options.qos_weights) < 0)
		return -1;
	for (size_t i = 0; i < view->map.count; i++) {
		uint32_t global = view->map.global[i];

		fill_node(scene, global, view->map.memory, &view->nodes[i]);
		astra_charge_node(&config->pools[index].options,
				  node_record_table_ptr[global],
				  &view->nodes[i]);
		if (view->nodes[i].settling)
			view->unsettled = true;
	}
	return 0;
}

/* Node names belong to slurmctld; keep copies. */
static void end_view(struct astra_scene *scene, struct astra_view *view)
{
	for (size_t i = 0; i < view->map.count; i++)
		view->nodes[i].name =
			astra_arena_text(&scene->arena, view->nodes[i].name);
	view->model.nodes = view->nodes;
	view->model.node_count = view->map.count;
	view->model.tenants = view->tenants.list;
	view->model.tenant_count = view->tenants.count;
	view->model.jobs = view->jobs;
	view->model.job_count = view->job_count;
	scene->unnamed |= view->tenants.unnamed;
}

static int make_views(struct astra_scene *scene, size_t count)
{
	if (scene->view_count == count)
		return 0;
	for (size_t i = 0; i < scene->view_count; i++) {
		free(scene->views[i].jobs);
		free(scene->views[i].info);
		astra_tenants_free(&scene->views[i].tenants);
		astra_qos_free(&scene->views[i].qos);
	}
	free(scene->views);
	scene->view_count = 0;
	scene->views = calloc(count, sizeof(*scene->views));
	if (!scene->views)
		return -1;
	scene->view_count = count;
	return 0;
}

int astra_scene_take(struct astra_scene *scene,
		     const struct astra_config *config, time_t since,
		     struct astra_error *err)
{
	struct take t = {.scene = scene, .config = config};
	time_t now = time(NULL);

	astra_arena_reset(&scene->arena);
	scene->since = since;
	scene->unnamed = scene->failed = false;
	if (make_views(scene, config->pool_count) < 0 ||
	    astra_usage_count(scene) < 0)
		return astra_error_nomem(err);
	for (size_t i = 0; i < scene->view_count; i++)
		if (begin_view(scene, i, config, now) < 0)
			return astra_error_nomem(err);
	list_for_each_ro(job_list, take_job, &t);
	if (scene->failed)
		return astra_error_nomem(err);
	for (size_t i = 0; i < scene->view_count; i++)
		end_view(scene, &scene->views[i]);
	astra_warn_scene(scene, config, &scene->warning);
	return 0;
}

void astra_scene_free(struct astra_scene *scene)
{
	(void)make_views(scene, 0);
	free(scene->views);
	astra_arena_free(&scene->arena);
	*scene = (struct astra_scene){0};
}
