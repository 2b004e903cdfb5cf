/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/request.h"

#include <string.h>

#include "src/slurm/in/constraint.h"
#include "src/slurm/in/gpus.h"
#include "src/slurm/in/node_sets.h"
#include "src/slurm/in/owner.h"
#include "src/slurm/in/qos.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/note/marks.h"

struct part_sum {
	const job_record_t *job;
	bitstr_t *nodes;
};

static bool part_lets_run(const part_record_t *part, const job_record_t *job)
{
	return (part->state_up & PARTITION_SCHED) &&
	       (job->time_limit == NO_VAL ||
		job->time_limit <= part->max_time ||
		job->limit_set.time == ADMIN_SET_LIMIT);
}

static int request_add_part(void *x, void *arg)
{
	const part_record_t *part = x;
	const struct part_sum *sum = arg;

	if (part->node_bitmap && part_lets_run(part, sum->job))
		bit_or(sum->nodes, part->node_bitmap);
	return 0;
}

/* Add the nodes of the job's partitions. If it names several, only those count
 * that let the job run now. A single partition always counts: if it does not
 * let the job run, Slurm's own reason says so. */
static void request_add_parts(const job_record_t *job, bitstr_t *nodes)
{
	struct part_sum sum = {.job = job, .nodes = nodes};

	if (job->part_ptr_list)
		list_for_each_ro(job->part_ptr_list, request_add_part, &sum);
	else if (job->part_ptr && job->part_ptr->node_bitmap)
		bit_or(nodes, job->part_ptr->node_bitmap);
}

/* As in get_node_cnts(), a QOS lifts the limit only for a job that says how
 * many nodes it wants. */
uint32_t astra_part_nodes(const job_record_t *job, const part_record_t *part)
{
	bool free = part->max_nodes == INFINITE || !part->max_nodes ||
		    (job->details->max_nodes && astra_qos_frees_nodes(job));

	return free ? INFINITE : part->max_nodes;
}

/* Return which of `nodes`, those of its partitions, the job prefers; NULL: any.
 * It prefers nodes of a magnetic reservation, which others have to leave free;
 * of a FLEX reservation that the job is in; and, with --time-min, nodes on
 * which it can run for its full time limit. The caller frees the result. */
static bitstr_t *request_preferred(job_record_t *job,
				   const struct astra_terms *terms,
				   struct astra_node_order *order, time_t now,
				   bitstr_t *nodes, struct astra_request *out)
{
	const slurmctld_resv_t *resv = job->resv_ptr;
	bitstr_t *preferred;

	if (!IS_JOB_PENDING(job))
		return NULL;
	/* Rows and blocks are chosen among all allowed nodes. */
	if (!resv && !astra_constraint_intricate(job))
		resv = astra_reserved_magnet(job, order, nodes, out, now);
	if (resv && (!resv->node_bitmap ||
		     (job->resv_ptr && !(resv->flags & RESERVE_FLAG_FLEX))))
		resv = NULL;
	if (!resv && !job->time_min)
		return NULL;
	preferred = bit_copy(nodes);
	if (resv)
		bit_and(preferred, resv->node_bitmap);
	astra_reserved_drop(job, terms, now, resv, !resv, preferred);
	out->apart = resv && !job->resv_ptr;
	return preferred;
}

/* Leave in nodes those with free hierarchical resources, if they are enough;
 * otherwise the job waits for these resources (park.c). */
static void request_keep_licensed(job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *licensed;

	if (!job->license_list || !IS_JOB_PENDING(job))
		return;
	licensed = bit_copy(nodes);
	astra_licensed_nodes(job, licensed);
	if (bit_set_count(licensed) > 0 &&
	    (uint32_t)bit_set_count(licensed) >= job->details->min_nodes)
		bit_copybits(nodes, licensed);
	bit_free(licensed);
}

/* Return all nodes that Slurm's rules leave to the job, by slurmctld's index.
 * Free with bit_free(). terms: NULL: ignore reservations and preferences.
 * possible: see astra_constraint_apply(). preferred: see request_preferred().
 * Locks: caller holds conf, job, node and part read. */
static bitstr_t *request_allowed_nodes(job_record_t *job,
				       const struct astra_terms *terms,
				       struct astra_node_order *order,
				       time_t now, bitstr_t *possible,
				       bitstr_t **preferred,
				       struct astra_request *out)
{
	const job_details_t *d = job->details;
	bitstr_t *nodes = bit_alloc(node_record_count);

	request_add_parts(job, nodes);
	if (d->exc_node_bitmap)
		bit_and_not(nodes, d->exc_node_bitmap);
	*preferred =
		terms ? request_preferred(job, terms, order, now, nodes, out)
		      : NULL;
	astra_reserved_keep(job, nodes);
	if (terms)
		astra_reserved_drop(job, terms, now, NULL, false, nodes);
	if (out->apart)
		bit_or(nodes, *preferred);
	request_keep_licensed(job, nodes);
	astra_constraint_apply(job, order, nodes, possible);
	return nodes;
}

bitstr_t *astra_request_unreserved(job_record_t *job,
				   const struct astra_node_map *map)
{
	bitstr_t *possible = bit_alloc(node_record_count);
	struct astra_request none = {0};
	bitstr_t *preferred;
	bitstr_t *nodes = request_allowed_nodes(job, NULL, map->order, 0,
						possible, &preferred, &none);

	bit_free(nodes);
	return possible;
}

static uint32_t request_said16(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

static uint32_t request_said32(uint32_t n)
{
	return n == NO_VAL || n == INFINITE ? 0 : n;
}

static uint32_t div_up(uint32_t a, uint32_t b)
{
	return b ? a / b + (a % b != 0) : 0;
}

static uint32_t min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t max32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t cut32(uint64_t n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Return the number after the last ':' of "gres:gpu:4" or "gres/gpu:a100:4". */
static uint64_t per_gpu(const char *text)
{
	const char *gpu = text ? strstr(text, "gpu") : NULL;
	uint64_t n = 0;

	while (gpu && *gpu && *gpu != ',') {
		if (*gpu == ':' || *gpu == '=')
			n = strtoull(gpu + 1, NULL, 10);
		gpu++;
	}
	return n;
}

/* GPUs and how they are spread over nodes. */

void astra_request_ask(const job_record_t *job, struct astra_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	astra_ask_add(ask, ASTRA_PER_JOB, job->tres_per_job, NULL);
	astra_ask_add(ask, ASTRA_PER_NODE, job->tres_per_node, NULL);
	astra_ask_add(ask, ASTRA_PER_SOCKET, job->tres_per_socket, NULL);
	astra_ask_add(ask, ASTRA_PER_TASK, job->tres_per_task, NULL);
}

void astra_request_type(const job_record_t *job, char type[ASTRA_GPU_TYPE_MAX])
{
	struct astra_ask ask;

	astra_request_ask(job, &ask);
	memcpy(type, ask.type, ASTRA_GPU_TYPE_MAX);
}

/* Return the most tasks that a node may have; 0: as many as fit. */
static uint32_t request_node_tasks(const job_details_t *d,
				   const struct astra_node_map *map)
{
	uint32_t node = request_said16(d->ntasks_per_node), socket;

	socket = d->mc_ptr ? request_said16(d->mc_ptr->ntasks_per_socket) : 0;
	socket *= map->sockets_max;
	return socket && (!node || socket < node) ? socket : node;
}

/* Return the fewest nodes for the job's tasks. */
static uint32_t task_nodes(const job_details_t *d,
			   const struct astra_node_map *map)
{
	return max32(max32(request_said32(d->min_nodes), 1),
		     div_up(request_said32(d->num_tasks),
			    request_node_tasks(d, map)));
}

/* Return the CPUs that the job asks for. With --overcommit tasks share CPUs. */
static uint32_t request_cpus(const job_details_t *d)
{
	return d->overcommit ? 0 : request_said32(d->orig_min_cpus);
}

/* Return the fewest nodes for the job's tasks and CPUs. */
static uint32_t least_nodes(const job_details_t *d,
			    const struct astra_node_map *map)
{
	return max32(task_nodes(d, map),
		     div_up(request_cpus(d), map->cpus_max));
}

/* Return how many GPUs each node must have. If the job takes whole nodes
 * without a number of GPUs, each must have at least one. */
static uint32_t gpus_of_a_node(const job_details_t *d,
			       const struct astra_ask *ask, bool whole)
{
	uint32_t sockets =
		d->mc_ptr ? request_said16(d->mc_ptr->sockets_per_node) : 0;

	if (ask->count[ASTRA_PER_NODE])
		return cut32(ask->count[ASTRA_PER_NODE]);
	if (whole && astra_ask_is_derived(ask) &&
	    !request_said16(d->ntasks_per_tres))
		return 1;
	return cut32(ask->count[ASTRA_PER_SOCKET] * max32(sockets, 1));
}

struct widest {
	const job_record_t *job;
	uint32_t nodes;
};

static int widest_part(void *x, void *arg)
{
	const part_record_t *part = x;
	struct widest *w = arg;
	uint32_t most = astra_part_nodes(w->job, part);

	w->nodes = max32(w->nodes, min32(most, part->total_nodes));
	return 0;
}

/* Return the most nodes that its partitions allow the job; INFINITE: any. */
static uint32_t part_nodes(const job_record_t *job)
{
	struct widest w = {.job = job};

	if (!job->part_ptr_list)
		return job->part_ptr ? astra_part_nodes(job, job->part_ptr)
				     : INFINITE;
	list_for_each_ro(job->part_ptr_list, widest_part, &w);
	return w.nodes;
}

/* Return the most nodes that the job may have; 0: no limit. */
static uint32_t nodes_limit(const job_record_t *job)
{
	uint32_t most = request_said32(job->details->max_nodes);
	uint32_t of_part = request_said32(part_nodes(job));

	return most && of_part ? min32(most, of_part) : max32(most, of_part);
}

/* Return the most nodes of the job's range; 0: it has no range, or
 * --use-min-nodes. */
static uint32_t most_nodes(const job_record_t *job)
{
	uint32_t most = request_said32(astra_nodes_named_at_most(job));

	if (job->bit_flags & USE_MIN_NODES)
		return 0;
	return min32(most, part_nodes(job));
}

/* For a job with a number of GPUs per node, set how many nodes it has or needs,
 * and how many it would like. */
static void request_range(const job_record_t *job,
			  const struct astra_node_map *map,
			  struct astra_request *out)
{
	uint32_t most = most_nodes(job);

	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) {
		out->nodes_min = max32(job->node_cnt, 1);
		return;
	}
	out->nodes_min = least_nodes(job->details, map);
	if (most > out->nodes_min)
		out->nodes_wish = most;
}

static void read_gpus(const job_record_t *job, const struct astra_node_map *map,
		      const struct astra_ask *ask, struct astra_request *out)
{
	const job_details_t *d = job->details;
	uint64_t in_all = ask->count[ASTRA_PER_JOB];
	uint64_t per_task = ask->count[ASTRA_PER_TASK];

	out->nodes_min = task_nodes(d, map);
	out->nodes_max = nodes_limit(job);
	out->gpus_per_node = gpus_of_a_node(d, ask, out->whole_node);
	if (out->gpus_per_node) {
		if (in_all)
			out->nodes_min =
				max32(cut32(in_all / out->gpus_per_node), 1);
		else
			request_range(job, map, out);
		in_all = (uint64_t)out->gpus_per_node * out->nodes_min;
	} else if (per_task) {
		out->gpus_quantum = cut32(per_task);
		if (!in_all)
			in_all = per_task *
				 max32(request_said32(d->num_tasks), 1);
	}
	if (!in_all) { /* --ntasks-per-gpu alone: Slurm has computed it */
		gres_state_t *s = astra_gpu_state(job->gres_list_req, 0);
		const gres_job_state_t *g = s ? s->gres_data : NULL;

		if (g)
			in_all = g->total_gres;
	}
	out->gpus = max32(cut32(in_all), 1);
}

/* CPUs and memory. */

static uint32_t default_cpus_per_gpu(const job_record_t *job)
{
	gres_state_t *s = astra_gpu_state(job->gres_list_req, 0);
	const gres_job_state_t *g = s ? s->gres_data : NULL;

	if (!g)
		return 0;
	return g->cpus_per_gres ? g->cpus_per_gres : g->def_cpus_per_gres;
}

/* Return the CPUs of all workers and parameter servers that the job may have;
 * each is a task. */
static uint32_t worker_cpus(const job_details_t *d,
			    const struct astra_terms *terms)
{
	uint64_t tasks =
		terms->workers_max ? terms->workers_max + terms->ps : 0;

	return cut32(tasks * max32(request_said16(d->orig_cpus_per_task), 1));
}

static void read_cpus(const job_record_t *job, const struct astra_terms *terms,
		      struct astra_request *out)
{
	const job_details_t *d = job->details;
	uint64_t per = per_gpu(job->cpus_per_tres);

	if (!per)
		per = default_cpus_per_gpu(job);
	out->cpus = max32(request_cpus(d), cut32(per * out->gpus));
	out->cpus = max32(out->cpus, worker_cpus(d, terms));
	out->cpus_per_node = max32(request_said32(d->orig_pn_min_cpus),
				   request_said16(d->orig_cpus_per_task));
}

static void read_memory(const job_record_t *job,
			const struct astra_node_map *map,
			struct astra_request *out)
{
	uint64_t mem = job->details->orig_pn_min_memory;

	if (!map->memory)
		return;
	out->mem_gpu_mib = per_gpu(job->mem_per_tres);
	if (out->mem_gpu_mib || mem == NO_VAL64)
		return;
	if (mem & MEM_PER_CPU)
		out->mem_cpu_mib = mem & ~MEM_PER_CPU;
	else
		out->mem_node_mib = mem;
}

/* Nodes that the job may use. */

/* Set the nodes that the job names. It must have all of them and may have
 * more. */
static int request_named(const job_record_t *job, const struct astra_ask *ask,
			 const struct astra_node_map *map,
			 struct astra_arena *arena, struct astra_request *out)
{
	bitstr_t *named = job->details->req_node_bitmap;
	uint64_t *set;

	if (!named)
		return 0;
	set = astra_arena_take(arena, (map->count / 64 + 1) * 8);
	if (!set)
		return -1;
	for (size_t i = 0; i < map->count; i++)
		if (bit_test(named, map->global[i]) &&
		    (map->kind[i] == ASTRA_NONE ||
		     astra_node_suits(map, i, ask)))
			set[i / 64] |= UINT64_C(1) << (i % 64);
	out->required = set;
	out->nodes_min = max32(out->nodes_min, (uint32_t)bit_set_count(named));
	return 0;
}

/* Apply --gpu-range. It replaces the size in the job's record, which is that of
 * its last or its next run. */
static void request_elastic(const job_record_t *job,
			    const struct astra_terms *terms, time_t now,
			    struct astra_request *out)
{
	uint32_t bound;

	if (!terms->gpus_max)
		return;
	out->gpus = terms->gpus_max;
	bound = astra_resize_bound_of(job, now);
	if (bound >= terms->gpus_min && bound < out->gpus)
		out->gpus = bound;
	if (terms->gpus_min < terms->gpus_max)
		out->gpus_min = terms->gpus_min;
}

/* Whether -N MIN-MAX with GPUs on each node makes the job elastic. For this,
 * its nodes must be interchangeable. The record needs no change: it holds the
 * range, and Slurm tests limits of a waiting job with MIN. A start narrows MIN
 * and MAX only for one select_nodes(), so the range outlives each run and each
 * crash. MAX is cut to the number of nodes that the job may use: otherwise its
 * demand would be more than it can get. A job without a checkpoint signal keeps
 * its size until it has to leave (keeps_size). A job that takes whole nodes, or
 * whose wishes a set of alike nodes cannot express, is not elastic: Slurm gives
 * it as many nodes as are idle at the start (widen.c). */
static bool is_node_range(const job_record_t *job,
			  const struct astra_terms *terms,
			  const struct astra_ask *ask)
{
	return terms->revocable && !terms->gpus_max &&
	       ask->count[ASTRA_PER_NODE] && !ask->count[ASTRA_PER_JOB] &&
	       !ask->count[ASTRA_PER_SOCKET] && !ask->count[ASTRA_PER_TASK] &&
	       !astra_takes_nodes(job) && !astra_names_sizes(job->details) &&
	       !job->details->prefer && !astra_constraint_intricate(job);
}

/* Make the job elastic by nodes. usable: how many nodes it may use. The most
 * GPUs are those on the most nodes. Each node needs as many CPUs as if the job
 * had the fewest nodes. */
static void request_nodes(const job_record_t *job,
			  const struct astra_node_map *map, size_t usable,
			  struct astra_request *out)
{
	uint32_t least = least_nodes(job->details, map);
	uint32_t most = most_nodes(job);
	uint32_t cpus = max32(div_up(out->cpus, out->nodes_min),
			      div_up(request_cpus(job->details), least));

	if (most > usable)
		most = (uint32_t)usable;
	if (most <= least || most > UINT32_MAX / out->gpus_per_node)
		return;
	out->cpus_per_node = max32(out->cpus_per_node, cpus);
	out->cpus = cut32((uint64_t)out->cpus_per_node * most);
	out->nodes_min = least;
	out->nodes_wish = 0;
	out->gpus_min = out->gpus_per_node * least;
	out->gpus = out->gpus_per_node * most;
}

int astra_request_of(job_record_t *job, const struct astra_terms *terms,
		     const struct astra_node_map *map, time_t now,
		     struct astra_arena *arena, struct astra_request *out)
{
	struct astra_ask ask;
	bitstr_t *nodes, *possible, *preferred;
	const struct astra_node_set *set;
	bool failed;

	*out = (struct astra_request){
		.whole_node = astra_takes_nodes(job),
	};
	if (map->owned)
		astra_owner_of_job(job, out);
	astra_request_ask(job, &ask);
	read_gpus(job, map, &ask, out);
	request_elastic(job, terms, now, out);
	if (*ask.type)
		out->gpu_type = astra_arena_text(arena, ask.type);
	possible = bit_alloc(node_record_count);
	nodes = request_allowed_nodes(job, terms, map->order, now, possible,
				      &preferred, out);
	set = astra_node_sets_of(map, nodes, &ask, arena);
	failed = !set;
	read_cpus(job, terms, out);
	if (set && is_node_range(job, terms, &ask))
		request_nodes(job, map, set->count, out);
	read_memory(job, map, out);
	failed |= request_named(job, &ask, map, arena, out) < 0;
	if (set && set->count < map->count)
		out->allowed = set->set;
	if (!bit_equal(nodes, possible)) {
		set = astra_node_sets_of(map, possible, &ask, arena);
		out->possible = set ? set->set : NULL;
		failed |= !set;
	}
	if (preferred) {
		set = astra_node_sets_of(map, preferred, &ask, arena);
		out->preferred = set ? set->set : NULL;
		failed |= !set;
	}
	bit_free(nodes);
	bit_free(possible);
	FREE_NULL_BITMAP(preferred);
	return failed ? -1 : 0;
}
