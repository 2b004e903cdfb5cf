/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/snapshot.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/slurm/check/overlap.h"
#include "src/slurm/in/arrays.h"
#include "src/slurm/in/charge.h"
#include "src/slurm/in/each_job.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/owner.h"
#include "src/slurm/in/period.h"
#include "src/slurm/in/snapshot_job.h"
#include "src/slurm/in/topology.h"
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/in/usage.h"
#include "src/slurm/in/uses.h"

/* Nodes. */

/* Whether the node can be used. A sleeping node can: Slurm wakes it for a
 * job. */
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

/* Count a node's GPUs. shards: the pool has Gres=shard. kind: index of the GPU
 * type if the node counts as several, else ASTRA_NONE. */
static void snapshot_count_gpus(const node_record_t *node, bool shards,
				uint32_t kind, uint32_t held, bool young,
				struct astra_node *out)
{
	struct astra_node_units units;
	uint64_t used;

	if (kind != ASTRA_NONE)
		astra_node_kind_units(node, kind, &units);
	else
		astra_node_units(node, shards, &units);
	used = units.used + held;
	if (young && !astra_node_known(node))
		used = units.all;
	out->gpus = units.all;
	out->gpus_free = used < out->gpus ? out->gpus - (uint32_t)used : 0;
	if (units.free < out->gpus_free)
		out->gpus_scattered = out->gpus_free - units.free;
	out->slot_gpus = shards ? units.most : astra_slot_gpus(node);
}

/* Return a node's GPU type; NULL: unknown. last: the type of the node before,
 * which is often the same and is then returned. */
static const char *node_type(struct astra_scene *scene,
			     const node_record_t *node, uint32_t kind,
			     const char *last)
{
	char type[4 * ASTRA_GPU_TYPE_MAX];

	if (kind != ASTRA_NONE)
		snprintf(type, sizeof(type), "%s",
			 astra_node_gpus(node)->type_name[kind]);
	else
		astra_node_types(node, type, sizeof(type));
	if (!*type || (last && !strcmp(type, last)))
		return *type ? last : NULL;
	return astra_arena_text(&scene->arena, type);
}

static bool snapshot_keeps(const struct astra_scene *scene, uint32_t node)
{
	return scene->kept && node < bit_size(scene->kept) &&
	       bit_test(scene->kept, node);
}

static void fill_node(const struct astra_scene *scene, size_t local,
		      const struct astra_node_map *map, struct astra_node *out)
{
	uint32_t global = map->global[local];
	const node_record_t *node = node_record_table_ptr[global];
	uint64_t mem = node->config_ptr->real_memory - node->mem_spec_limit;

	*out = (struct astra_node){
		.name = node->name,
		.usable = is_usable(node),
		.emptying = IS_NODE_DRAIN(node) || IS_NODE_FAIL(node),
		/* Slurm starts nothing on a node that is being cleaned up. */
		.settling =
			(cg_node_bitmap && bit_test(cg_node_bitmap, global)) ||
			snapshot_keeps(scene, global),
		.weight = node->config_ptr->weight,
		.cpus = node->cpus_efctv ? node->cpus_efctv : node->cpus,
		.mem_free_mib = ASTRA_UNCOUNTED_MIB,
	};
	snapshot_count_gpus(node, map->shards, map->kind[local],
			    scene->gpus_held[global], scene->young, out);
	if (scene->cpus_used[global] < out->cpus)
		out->cpus_free = out->cpus - scene->cpus_used[global];
	if (map->memory) {
		out->mem_mib = mem;
		out->mem_free_mib = scene->mem_used[global] < mem
					    ? mem - scene->mem_used[global]
					    : 0;
	}
	if (scene->exclusive[global])
		out->gpus_free = out->gpus_scattered = out->cpus_free = 0;
}

/* Set the racks. A node of several partitions has its rack in the first one. */
static void place_nodes(const struct astra_scene *scene,
			struct astra_view *view,
			const struct astra_pool_config *pool)
{
	for (size_t p = pool->partitions.count; p-- > 0;) {
		const part_record_t *part =
			find_part_record(pool->partitions.name[p]);

		if (!part || !part->node_bitmap)
			continue;
		for (size_t i = 0; i < view->map.count; i++)
			if (bit_test(part->node_bitmap, view->map.global[i]))
				view->nodes[i].rack =
					astra_rack_of(&scene->racks, part,
						      view->map.global[i]);
	}
}

/* Return how many CPUs of each node the pool's partitions allow their jobs, if
 * each partition has a MaxCPUsPerNode; else NULL. Free the result with
 * xfree(). */
static uint32_t *most_cpus(const struct astra_view *view,
			   const struct astra_pool_config *pool)
{
	uint32_t *most = NULL;

	for (size_t p = 0; p < pool->partitions.count; p++) {
		const part_record_t *part =
			find_part_record(pool->partitions.name[p]);

		if (!part || !part->node_bitmap)
			continue;
		if (part->max_cpus_per_node == INFINITE) {
			xfree(most);
			return NULL;
		}
		if (!most)
			most = xcalloc(view->map.count + 1, sizeof(*most));
		for (size_t i = 0; i < view->map.count; i++)
			if (bit_test(part->node_bitmap, view->map.global[i]) &&
			    part->max_cpus_per_node > most[i])
				most[i] = part->max_cpus_per_node;
	}
	return most;
}

/* Limit CPUs by MaxCPUsPerNode. The jobs of all partitions with such a limit
 * count, also those of other pools. */
static void cap_cpus(const struct astra_scene *scene, struct astra_view *view,
		     const struct astra_pool_config *pool)
{
	uint32_t *most = most_cpus(view, pool), largest = 0;

	for (size_t i = 0; most && i < view->map.count; i++) {
		uint32_t used = scene->cpus_capped[view->map.global[i]];
		uint32_t left = used < most[i] ? most[i] - used : 0;
		struct astra_node *n = &view->nodes[i];

		if (most[i] && most[i] < n->cpus) {
			n->cpus = most[i];
			n->cpus_free =
				left < n->cpus_free ? left : n->cpus_free;
		}
		largest = n->cpus > largest ? n->cpus : largest;
	}
	if (most)
		view->map.cpus_max = largest;
	xfree(most);
}

/* Return how many entries these nodes can make at most. */
static size_t map_room(const struct astra_scene *scene, bitstr_t *nodes)
{
	size_t count = 0;

	for (size_t i = 0; i < scene->node_count; i++)
		if (bit_test(nodes, (bitoff_t)i))
			count += astra_node_kinds(node_record_table_ptr[i]);
	return count;
}

static void map_node(struct astra_node_map *map, uint32_t global)
{
	const node_record_t *node = node_record_table_ptr[global];
	uint32_t kinds = map->shards ? 1 : astra_node_kinds(node);

	map->local[global] = (uint32_t)map->count;
	for (uint32_t k = 0; k < kinds; k++) {
		map->kind[map->count] = kinds > 1 ? k : ASTRA_NONE;
		map->global[map->count++] = global;
	}
	if (kinds > map->kinds_max)
		map->kinds_max = kinds;
	if (node->cpus > map->cpus_max)
		map->cpus_max = node->cpus;
	if (node->tot_sockets > map->sockets_max)
		map->sockets_max = node->tot_sockets;
}

/* List the pool's nodes in slurmctld's order. */
static int map_nodes(struct astra_scene *scene, struct astra_view *view,
		     const struct astra_config *config, size_t index)
{
	const struct astra_pool_config *pool = &config->pools[index];
	struct astra_node_map *map = &view->map;
	bitstr_t *nodes = bit_copy(view->own);
	size_t count = scene->node_count, room;
	bool whole;

	if (view->left)
		bit_or(nodes, view->left);
	room = map_room(scene, nodes);
	astra_node_sets_free(&view->sets);
	*map = (struct astra_node_map){
		.global_count = count,
		.order = &scene->order,
		.sets = &view->sets,
		.memory = slurm_conf.select_type_param & SELECT_MEMORY,
		.owned = scene->owned,
		.shards = pool->options.shards,
	};
	map->local = astra_arena_take(&scene->arena, (count + 1) * 4);
	map->global = astra_arena_take(&scene->arena, (room + 1) * 4);
	map->kind = astra_arena_take(&scene->arena, (room + 1) * 4);
	view->nodes = astra_arena_take(&scene->arena,
				       (room + 1) * sizeof(*view->nodes));
	whole = view->nodes && map->local && map->global && map->kind;
	for (uint32_t i = 0; whole && i < count; i++) {
		map->local[i] = ASTRA_NONE;
		if (node_record_table_ptr[i] && bit_test(nodes, i))
			map_node(map, i);
	}
	view->pause = astra_reserved_pause(view->own, &pool->options,
					   (time_t)view->model.now_sec);
	bit_free(nodes);
	return whole ? 0 : -1;
}

struct take {
	struct astra_scene *scene;
	const struct astra_config *config;
};

/* Add a job of another pool to the views that look ahead: they need to know
 * when it leaves their nodes. */
static int take_other(struct take *t, size_t own, const job_record_t *job)
{
	int rc = 0;

	for (size_t i = 0; i < t->config->pool_count && !rc; i++) {
		const struct astra_options *o = &t->config->pools[i].options;

		if (i != own && o->leases && o->forecast_sec > 0)
			rc = astra_scene_add_other(t->scene,
						   &t->scene->views[i], job);
	}
	return rc;
}

static int take_job(void *x, void *arg)
{
	job_record_t *job = x;
	struct take *t = arg;
	enum astra_claim claim;
	size_t pool;
	bool ours;

	if (job->magic != JOB_MAGIC || !job->details)
		return 0;
	if (IS_JOB_COMPLETED(job) && job->end_time < t->scene->since)
		return 0;
	claim = astra_claim_of(job, &pool);
	ours = claim == ASTRA_MANAGED || claim == ASTRA_ORDERED;
	if ((ours &&
	     astra_scene_add_job(t->scene, &t->scene->views[pool], t->config,
				 &t->config->pools[pool], job) < 0) ||
	    take_other(t, ours ? pool : SIZE_MAX, job) < 0) {
		t->scene->failed = true;
		return -1;
	}
	return 0;
}

static void fill_nodes(struct astra_scene *scene, struct astra_view *view,
		       const struct astra_options *options)
{
	const char *type = NULL;

	for (size_t i = 0; i < view->map.count; i++) {
		uint32_t global = view->map.global[i];
		const node_record_t *node = node_record_table_ptr[global];

		fill_node(scene, i, &view->map, &view->nodes[i]);
		if (view->left && bit_test(view->left, global)) {
			view->nodes[i].usable = false;
			view->nodes[i].emptying = true;
		}
		type = node_type(scene, node, view->map.kind[i], type);
		view->nodes[i].gpu_type = type;
		if (view->map.kind[i] != ASTRA_NONE)
			view->nodes[i].charge =
				view->nodes[i].gpus *
				astra_weight_of(&options->gpu_weights, type);
		else
			astra_charge_node(options, node, &view->nodes[i]);
		if (scene->owned)
			astra_owner_of_node(node, scene->owners[global],
					    &view->nodes[i]);
		if (view->nodes[i].settling)
			view->unsettled = true;
	}
}

static int begin_view(struct astra_scene *scene, size_t index,
		      const struct astra_config *config, time_t now)
{
	struct astra_view *view = &scene->views[index];

	view->job_count = view->other_count = 0;
	view->unsettled = false;
	view->heard_sec = now < scene->start + ASTRA_HEARD_SEC
				  ? (double)(scene->start + ASTRA_HEARD_SEC)
				  : 0;
	view->model = (struct astra_snapshot){
		.now_sec = (double)now,
		.kill_wait_sec =
			slurm_conf.kill_wait ? slurm_conf.kill_wait : 1,
	};
	astra_period_tell(
		(enum astra_period)config->pools[index].options.cap_period, now,
		&view->model);
	astra_tenant_users_begin(&view->users);
	if (map_nodes(scene, view, config, index) < 0 ||
	    astra_tenants_begin(&view->tenants, config, &scene->accounts,
				&scene->arena) < 0 ||
	    astra_qos_begin(&view->qos,
			    &config->pools[index].options.qos_weights) < 0)
		return -1;
	fill_nodes(scene, view, &config->pools[index].options);
	view->blocked = (struct astra_blocked){
		.nodes = view->nodes,
		.global = view->map.global,
		.count = view->map.count,
		.memory = view->map.memory,
		.gpu_tres =
			view->map.shards ? scene->shard_tres : scene->gpu_tres,
	};
	astra_blocked_begin(&view->blocked);
	place_nodes(scene, view, &config->pools[index]);
	cap_cpus(scene, view, &config->pools[index]);
	return 0;
}

static int fill_limits(struct astra_scene *scene, uint32_t id,
		       struct astra_job_info *info)
{
	job_record_t *job = find_job_record(id);

	for (uint32_t i = 0; job && i < info->bind_count; i++)
		if (info->binds[i].kind == ASTRA_BIND_LIMIT &&
		    astra_limit_fill(&scene->arena, job, &info->binds[i]) < 0)
			return -1;
	return 0;
}

static bool snapshot_is_limited(const struct astra_job_info *info)
{
	for (uint32_t i = 0; i < info->bind_count; i++)
		if (info->binds[i].kind == ASTRA_BIND_LIMIT)
			return true;
	return false;
}

/* Look up the limits of the jobs with indices from `from` up to `to`, until
 * *left is 0. Indices count through the jobs of all pools. last: gets the index
 * after the last job that was looked up. */
static int look_up_some(struct astra_scene *scene, size_t from, size_t to,
			uint32_t *left, size_t *last)
{
	size_t number = 0;

	for (size_t v = 0; v < scene->view_count; v++) {
		struct astra_view *view = &scene->views[v];

		for (size_t i = 0; i < view->job_count && *left; i++) {
			size_t own = number + i;

			if (own < from || own >= to ||
			    !snapshot_is_limited(&view->info[i]))
				continue;
			if (fill_limits(scene, view->jobs[i].id,
					&view->info[i]) < 0)
				return -1;
			--*left;
			*last = own + 1;
		}
		number += view->job_count;
	}
	return 0;
}

/* Look up the values of limits in assoc_mgr. Most jobs are under no limit. If
 * there are more jobs than one snapshot looks up, the next snapshot continues
 * with the jobs after them. */
static int look_up_limits(struct astra_scene *scene)
{
	assoc_mgr_lock_t locks = {
		.assoc = READ_LOCK, .qos = READ_LOCK, .tres = READ_LOCK};
	uint32_t left = ASTRA_LIMITS_MAX;
	size_t from = scene->limits_from, last = 0;
	int rc;

	if (!(accounting_enforce & ACCOUNTING_ENFORCE_LIMITS))
		return 0;
	assoc_mgr_lock(&locks);
	rc = look_up_some(scene, from, SIZE_MAX, &left, &last);
	if (!rc)
		rc = look_up_some(scene, 0, from, &left, &last);
	assoc_mgr_unlock(&locks);
	scene->limits_from = left ? 0 : last;
	return rc;
}

/* Copy a node's name, as the original belongs to slurmctld. If the node has
 * several entries, each is called NAME:TYPE. */
static const char *copy_name(struct astra_scene *scene,
			     const struct astra_node *node, uint32_t kind)
{
	char name[ASTRA_GPU_TYPE_MAX + HOST_NAME_MAX];

	if (kind == ASTRA_NONE)
		return astra_arena_text(&scene->arena, node->name);
	snprintf(name, sizeof(name), "%s:%s", node->name, node->gpu_type);
	return astra_arena_text(&scene->arena, name);
}

static void end_view(struct astra_scene *scene, struct astra_view *view)
{
	for (size_t i = 0; i < view->map.count; i++)
		view->nodes[i].name =
			copy_name(scene, &view->nodes[i], view->map.kind[i]);
	if (scene->classes.count > 1)
		view->model.preempts = scene->classes.preempts;
	view->model.nodes = view->nodes;
	view->model.node_count = view->map.count;
	view->model.tenants = view->tenants.list;
	view->model.tenant_count = view->tenants.count;
	view->model.users = view->users.list;
	view->model.user_count = view->users.count;
	view->model.jobs = view->jobs;
	view->model.job_count = view->job_count;
	scene->unnamed |= view->tenants.unnamed;
}

static void take_nodes(struct astra_scene *scene,
		       const struct astra_config *config)
{
	for (size_t i = 0; i < scene->view_count; i++) {
		FREE_NULL_BITMAP(scene->views[i].own);
		FREE_NULL_BITMAP(scene->views[i].left);
		scene->views[i].own = astra_pool_nodes(config, i);
	}
}

static int make_views(struct astra_scene *scene, size_t count)
{
	if (scene->view_count == count)
		return 0;
	for (size_t i = 0; i < scene->view_count; i++) {
		free(scene->views[i].jobs);
		free(scene->views[i].info);
		free(scene->views[i].others);
		FREE_NULL_BITMAP(scene->views[i].own);
		FREE_NULL_BITMAP(scene->views[i].left);
		astra_tenants_free(&scene->views[i].tenants);
		astra_tenant_users_free(&scene->views[i].users);
		astra_qos_free(&scene->views[i].qos);
		astra_node_sets_free(&scene->views[i].sets);
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
	scene->gpu_tres = astra_gres_tres("gpu");
	scene->shard_tres = astra_gres_tres("shard");
	if (make_views(scene, config->pool_count) < 0)
		return astra_error_nomem(err);
	take_nodes(scene, config);
	if (astra_accounts_read(&scene->accounts, config, &scene->arena) < 0 ||
	    astra_usage_count(scene) < 0 ||
	    astra_racks_take(&scene->racks, now) < 0 ||
	    astra_node_order_begin(&scene->order, &scene->racks) < 0)
		return astra_error_nomem(err);
	astra_classes_read(&scene->classes);
	for (size_t i = 0; i < scene->view_count; i++)
		if (begin_view(scene, i, config, now) < 0)
			return astra_error_nomem(err);
	astra_each_job(take_job, &t);
	if (scene->failed || look_up_limits(scene) < 0)
		return astra_error_nomem(err);
	for (size_t i = 0; i < scene->view_count; i++)
		if (config->pools[i].options.leases &&
		    astra_uses_find(&scene->arena, &scene->views[i],
				    &config->pools[i].options) < 0)
			return astra_error_nomem(err);
	for (size_t i = 0; i < scene->view_count; i++)
		if (astra_arrays_share(&scene->arena, &scene->views[i]) < 0 ||
		    astra_unleased_share(&scene->arena, i, &scene->views[i],
					 &config->pools[i].options) < 0)
			return astra_error_nomem(err);
	for (size_t i = 0; i < scene->view_count; i++)
		end_view(scene, &scene->views[i]);
	return 0;
}

void astra_scene_free(struct astra_scene *scene)
{
	(void)make_views(scene, 0);
	free(scene->views);
	astra_accounts_free(&scene->accounts);
	astra_node_order_free(&scene->order);
	astra_racks_free(&scene->racks);
	astra_arena_free(&scene->arena);
	*scene = (struct astra_scene){0};
}
