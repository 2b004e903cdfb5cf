/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/usage.h"

#include "src/slurm/in/each_job.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/owner.h"

/* A walk over a job's nodes. Slurm indexes a job's arrays by the set bits of
 * its node bitmap. */
struct walk {
	const job_record_t *job;
	const job_resources_t *res;
	bitstr_t *bitmap;
	bitoff_t node, last;
	uint32_t offset; /* index of the node in the job's arrays */
};

static bool walk_begin(struct walk *w, const job_record_t *job)
{
	*w = (struct walk){.job = job, .res = job->job_resrcs};
	if (w->res && w->res->node_bitmap)
		w->bitmap = w->res->node_bitmap;
	else
		w->bitmap = job->node_bitmap;
	if (!w->bitmap || (w->node = bit_ffs(w->bitmap)) < 0)
		return false;
	w->last = bit_fls(w->bitmap);
	return true;
}

static bool usage_walk_next(struct walk *w)
{
	w->offset++;
	for (w->node++; w->node <= w->last; w->node++)
		if (bit_test(w->bitmap, w->node))
			return true;
	return false;
}

/* Whether the job still holds the present node. */
static bool walk_holds(const struct walk *w)
{
	if (!IS_JOB_COMPLETING(w->job))
		return true;
	return !w->job->node_bitmap_cg ||
	       bit_test(w->job->node_bitmap_cg, w->node);
}

/* Whether the job's CPUs are free. Suspending a job by hand frees its CPUs, but
 * not its GPUs and memory. Such a job has priority 0; select/cons_tres
 * recognises it by that, too. */
static bool freed_cpus(const job_record_t *job)
{
	return IS_JOB_SUSPENDED(job) && !job->priority;
}

static uint32_t walk_cpus(const struct walk *w)
{
	if (freed_cpus(w->job) || !w->res || !w->res->cpus ||
	    w->offset >= w->res->nhosts)
		return 0;
	return w->res->cpus[w->offset];
}

static uint64_t walk_mem(const struct walk *w)
{
	if (!w->res || !w->res->memory_allocated || w->offset >= w->res->nhosts)
		return 0;
	return w->res->memory_allocated[w->offset];
}

/* Return the job's GPUs of one type on a node that counts as several. */
static uint64_t walk_kind_gpus(const struct walk *w, const gres_job_state_t *g,
			       uint32_t kind)
{
	const node_record_t *node = node_record_table_ptr[w->node];
	const gres_node_state_t *has = astra_node_gpus(node);

	if (!has || kind >= has->type_cnt)
		return 0;
	if (g->type_name)
		return xstrcmp(g->type_name, has->type_name[kind])
			       ? 0
			       : g->gres_cnt_node_alloc[w->offset];
	return g->gres_bit_alloc
		       ? astra_node_kind_count(node, kind,
					       g->gres_bit_alloc[w->offset])
		       : 0;
}

/* Return the job's GPUs on the present node. kind: index of the GPU type if the
 * node counts as several, else ASTRA_NONE. */
static uint32_t walk_gpus(const struct walk *w, uint32_t kind)
{
	uint64_t gpus = 0;
	gres_state_t *state;

	for (int i = 0; (state = astra_gpu_state(w->job->gres_list_alloc, i));
	     i++) {
		const gres_job_state_t *g = state->gres_data;

		if (g && g->gres_cnt_node_alloc && w->offset < g->node_cnt)
			gpus += kind == ASTRA_NONE
					? g->gres_cnt_node_alloc[w->offset]
					: walk_kind_gpus(w, g, kind);
	}
	return (uint32_t)gpus;
}

uint32_t astra_usage_gpus(const job_record_t *job)
{
	uint64_t gpus = 0;
	gres_state_t *state;

	for (int i = 0; (state = astra_gpu_state(job->gres_list_alloc, i));
	     i++) {
		const gres_job_state_t *g = state->gres_data;

		for (uint32_t n = 0;
		     g && g->gres_cnt_node_alloc && n < g->node_cnt; n++)
			gpus += g->gres_cnt_node_alloc[n];
	}
	return (uint32_t)gpus;
}

static bool usage_holds_nodes(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) ||
	       IS_JOB_COMPLETING(job);
}

/* Note a node that has left the pool's partitions. It stays in the snapshot
 * until the pool's jobs have left the node: they are charged, and their leases
 * end. */
static void usage_note_left(struct astra_scene *scene, const job_record_t *job,
			    bitstr_t *nodes)
{
	struct astra_view *view;
	size_t pool;

	if (astra_claim_of(job, &pool) != ASTRA_MANAGED ||
	    pool >= scene->view_count)
		return;
	view = &scene->views[pool];
	if (bit_size(nodes) != bit_size(view->own) ||
	    bit_super_set(nodes, view->own))
		return;
	if (!view->left)
		view->left = bit_alloc(bit_size(view->own));
	bit_or(view->left, nodes);
	bit_and_not(view->left, view->own);
}

/* Note the owner of all jobs that hold a part of a node. */
static void usage_note_owner(struct astra_scene *scene, const job_record_t *job,
			     bitoff_t node)
{
	uint32_t *owner = &scene->owners[node];
	uint32_t own = astra_owner_of_user(job);

	*owner = !*owner || *owner == own ? own : ASTRA_NONE;
}

static int count_job(void *x, void *arg)
{
	const job_record_t *job = x;
	struct astra_scene *scene = arg;
	bool exclusive, completing = IS_JOB_COMPLETING(job);
	bool capped =
		job->part_ptr && job->part_ptr->max_cpus_per_node != INFINITE;
	struct walk w;

	if (job->details && !IS_JOB_COMPLETED(job))
		scene->owned |= astra_owner_wants(job);
	if (!usage_holds_nodes(job) || !walk_begin(&w, job))
		return 0;
	exclusive = job->details && astra_takes_nodes(job);
	if (job->details)
		usage_note_left(scene, job, w.bitmap);
	do {
		if ((size_t)w.node >= scene->node_count || !walk_holds(&w))
			continue;
		scene->cpus_used[w.node] += walk_cpus(&w);
		if (capped)
			scene->cpus_capped[w.node] += walk_cpus(&w);
		scene->mem_used[w.node] += walk_mem(&w);
		if (completing)
			scene->gpus_held[w.node] += walk_gpus(&w, ASTRA_NONE);
		scene->exclusive[w.node] |= exclusive;
		usage_note_owner(scene, job, w.node);
	} while (usage_walk_next(&w));
	return 0;
}

int astra_usage_count(struct astra_scene *scene)
{
	struct astra_arena *a = &scene->arena;
	size_t count = (size_t)node_record_count;

	scene->node_count = count;
	scene->cpus_used = astra_arena_take(a, (count + 1) * 4);
	scene->cpus_capped = astra_arena_take(a, (count + 1) * 4);
	scene->mem_used = astra_arena_take(a, (count + 1) * 8);
	scene->gpus_held = astra_arena_take(a, (count + 1) * 4);
	scene->exclusive = astra_arena_take(a, count + 1);
	scene->owners = astra_arena_take(a, (count + 1) * 4);
	if (!scene->cpus_used || !scene->cpus_capped || !scene->mem_used ||
	    !scene->gpus_held || !scene->exclusive || !scene->owners)
		return -1;
	astra_each_job(count_job, scene);
	return 0;
}

/* Return the node's index in the pool, or ASTRA_NONE. */
static uint32_t walk_local(const struct walk *w,
			   const struct astra_node_map *map)
{
	return (size_t)w->node < map->global_count ? map->local[w->node]
						   : ASTRA_NONE;
}

bool astra_usage_touches(const job_record_t *job,
			 const struct astra_node_map *map)
{
	struct walk w;

	if (!walk_begin(&w, job))
		return false;
	do {
		if (walk_local(&w, map) != ASTRA_NONE)
			return true;
	} while (usage_walk_next(&w));
	return false;
}

/* Add what a job holds of a node: one share for each type of which it has GPUs
 * there, or one share if it has no GPUs. */
static void usage_add(const struct walk *w, const struct astra_node_map *map,
		      uint32_t node, struct astra_share *held, size_t *count)
{
	struct astra_share share = {
		.node = node,
		.cpus = walk_cpus(w),
		.mem_mib = walk_mem(w),
	};
	size_t before = *count;

	for (size_t i = node;
	     i < map->count && map->global[i] == map->global[node]; i++) {
		share.gpus = walk_gpus(w, map->kind[i]);
		if (!share.gpus)
			continue;
		share.node = (uint32_t)i;
		held[(*count)++] = share;
		share.cpus = 0;
		share.mem_mib = 0;
	}
	if (*count == before)
		held[(*count)++] = share;
}

int astra_usage_held(const job_record_t *job, enum astra_job_state state,
		     const struct astra_node_map *map,
		     struct astra_arena *arena, struct astra_job *out)
{
	struct astra_share *held;
	struct walk w;

	if (state != ASTRA_JOB_RUNNING && state != ASTRA_JOB_REQUEUED &&
	    state != ASTRA_JOB_ENDING)
		return 0;
	if (!usage_holds_nodes(job) || !walk_begin(&w, job))
		return 0;
	held = astra_arena_take(arena, (size_t)bit_set_count(w.bitmap) *
					       map->kinds_max * sizeof(*held));
	if (!held)
		return -1;
	out->held = held;
	do {
		uint32_t node = walk_local(&w, map);

		if (node != ASTRA_NONE && walk_holds(&w))
			usage_add(&w, map, node, held, &out->held_count);
	} while (usage_walk_next(&w));
	for (size_t i = 0; i < out->held_count; i++) {
		held[i].owner = out->request.owner;
		held[i].alone = out->request.alone;
	}
	return 0;
}
