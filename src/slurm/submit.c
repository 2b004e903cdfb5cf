/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/submit.h"

#include <stdio.h>
#include <string.h>

#include "src/slurm/ask.h"
#include "src/slurm/config.h"
#include "src/slurm/wish.h"

/* All that counts of a new job, or of a job as a change would leave it. */
struct request {
	const char *partitions; /* NULL: the default one */
	struct astra_ask ask;
	struct astra_spread spread;
	struct astra_need need;
	uint64_t cpus; /* on each node */
	uint64_t mem_mib;
	bool exclusive;
	bool het;
	bool managed;
	char *const *env;
	uint32_t env_count;
};

/* What the partitions of a request are, taken together. */
struct places {
	bool managed, unmanaged, two_pools;
	char pool[ASTRA_POOL_NAME_MAX];
	struct astra_options options; /* of the pool */
};

/* What a partition's nodes have. */
struct stock {
	uint64_t gpus;	      /* of the type asked for */
	uint64_t most;	      /* on one node */
	uint32_t nodes_gpus;  /* nodes that have the GPUs for a node */
	uint32_t nodes;	      /* and the CPUs and the memory */
	uint64_t gpus_usable; /* on the latter */
};

/* ---- reading a request ----------------------------------------------------
 */

static uint32_t said16(uint16_t n)
{
	return n == NO_VAL16 || n == INFINITE16 ? 0 : n;
}

static uint32_t said32(uint32_t n)
{
	return n == NO_VAL || n == INFINITE ? 0 : n;
}

static uint64_t said_mem(uint64_t mib)
{
	return mib == NO_VAL64 || (mib & MEM_PER_CPU) ? 0 : mib;
}

static int add_ask(struct request *r, const char *job, const char *node,
		   const char *socket, const char *task,
		   struct astra_error *err)
{
	if (astra_ask_add(&r->ask, ASTRA_PER_JOB, job, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_NODE, node, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_SOCKET, socket, err) < 0 ||
	    astra_ask_add(&r->ask, ASTRA_PER_TASK, task, err) < 0)
		return -1;
	return 0;
}

/* The CPUs that each node must have: those of a task at least. */
static uint64_t node_cpus(const struct astra_spread *s, uint32_t task_cpus,
			  uint32_t least)
{
	uint64_t cpus = task_cpus;

	if (task_cpus && !s->tasks && s->tasks_per_node)
		cpus *= s->tasks_per_node;
	return cpus > least ? cpus : least;
}

static int read_new(struct request *r, const job_desc_msg_t *d,
		    struct astra_error *err)
{
	*r = (struct request){
		.partitions = d->partition,
		.spread =
			{
				.nodes_min = said32(d->min_nodes),
				.nodes_max = said32(d->max_nodes),
				.tasks = said32(d->num_tasks),
				.tasks_per_node = said16(d->ntasks_per_node),
				.tasks_per_gpu = said16(d->ntasks_per_tres),
				.sockets_per_node = said16(d->sockets_per_node),
			},
		.mem_mib = said_mem(d->pn_min_memory),
		.exclusive = d->shared == JOB_SHARED_NONE,
		.het = d->het_job_offset != NO_VAL,
		.env = d->spank_job_env,
		.env_count = d->spank_job_env_size,
	};
	r->cpus = node_cpus(&r->spread, said16(d->cpus_per_task),
			    said16(d->pn_min_cpus));
	return add_ask(r, d->tres_per_job, d->tres_per_node, d->tres_per_socket,
		       d->tres_per_task, err);
}

static uint32_t either32(uint32_t changed, uint32_t old)
{
	return changed == NO_VAL ? said32(old) : said32(changed);
}

static uint32_t either16(uint16_t changed, uint16_t old)
{
	return changed == NO_VAL16 ? said16(old) : said16(changed);
}

static const char *either(const char *changed, const char *old)
{
	return changed ? changed : old;
}

/* The job as it would be. CPUs and memory are left out: Slurm has merged
 * them with its own defaults. */
static int read_change(struct request *r, const job_desc_msg_t *d,
		       const job_record_t *job, struct astra_error *err)
{
	const struct job_details *details = job->details;

	*r = (struct request){
		.partitions = either(d->partition, job->partition),
		.spread =
			{
				.nodes_min = either32(d->min_nodes,
						      details->min_nodes),
				.nodes_max = either32(d->max_nodes,
						      details->max_nodes),
				.tasks = either32(d->num_tasks,
						  details->num_tasks),
				.tasks_per_node =
					either16(d->ntasks_per_node,
						 details->ntasks_per_node),
				.tasks_per_gpu =
					either16(d->ntasks_per_tres,
						 details->ntasks_per_tres),
			},
		.exclusive = d->shared == NO_VAL16
				     ? details->whole_node == 1
				     : d->shared == JOB_SHARED_NONE,
		.het = job->het_job_id != 0,
		.env = job->spank_job_env,
		.env_count = job->spank_job_env_size,
	};
	return add_ask(r, either(d->tres_per_job, job->tres_per_job),
		       either(d->tres_per_node, job->tres_per_node),
		       either(d->tres_per_socket, job->tres_per_socket),
		       either(d->tres_per_task, job->tres_per_task), err);
}

/* Whether a change touches anything that is checked here. */
static bool concerns(const job_desc_msg_t *d)
{
	return d->partition || d->tres_per_job || d->tres_per_node ||
	       d->tres_per_socket || d->tres_per_task ||
	       d->min_nodes != NO_VAL || d->max_nodes != NO_VAL ||
	       d->num_tasks != NO_VAL || d->shared != NO_VAL16;
}

/* ---- partitions -----------------------------------------------------------
 */

/* The next partition of a list that Slurm knows; unknown names it refuses
 * itself. *at: where to go on, NULL at first and "" at the end. */
static part_record_t *next_part(const char *list, const char **at)
{
	char name[256];

	if (!list || !*list) {
		bool first = !*at;

		*at = "";
		return first ? default_part_loc : NULL;
	}
	for (const char *p = *at ? *at : list; *p;) {
		size_t len = strcspn(p, ",");
		part_record_t *part = NULL;

		if (len && len < sizeof(name)) {
			memcpy(name, p, len);
			name[len] = '\0';
			part = find_part_record(name);
		}
		p += len;
		p += strspn(p, ",");
		*at = p;
		if (part)
			return part;
	}
	return NULL;
}

static void look_at_places(struct places *places, const char *list)
{
	const char *at = NULL;
	part_record_t *part;

	*places = (struct places){0};
	while ((part = next_part(list, &at))) {
		struct astra_options options;
		char pool[ASTRA_POOL_NAME_MAX];

		if (!astra_config_pool_of(part->name, pool, &options)) {
			places->unmanaged = true;
			continue;
		}
		if (places->managed && strcmp(pool, places->pool))
			places->two_pools = true;
		places->managed = true;
		places->options = options;
		strcpy(places->pool, pool);
	}
}

/* ---- nodes ----------------------------------------------------------------
 */

static uint64_t gpus_of_type(const gres_node_state_t *gpus, const char *type)
{
	uint64_t count = 0;

	if (!*type)
		return gpus->gres_cnt_config;
	if (!gpus->type_cnt) /* the node has not told its types yet */
		return gpus->gres_cnt_config;
	for (int i = 0; i < gpus->type_cnt; i++)
		if (gpus->type_name[i] && !strcmp(gpus->type_name[i], type))
			count += gpus->type_cnt_avail[i];
	return count;
}

/* GPUs of a type ("": any) that a node has when it is up. */
static uint64_t node_gpus(const node_record_t *node, const char *type)
{
	static uint32_t gpu_id;
	gres_state_t *state;
	char gpu[] = "gpu";

	if (!gpu_id)
		gpu_id = gres_build_id(gpu);
	if (!node->gres_list)
		return 0;
	state = list_find_first(node->gres_list, gres_find_id, &gpu_id);
	if (!state || !state->gres_data)
		return 0;
	return gpus_of_type(state->gres_data, type);
}

static void count_node(struct stock *stock, const struct request *r,
		       const node_record_t *node)
{
	uint64_t gpus = node_gpus(node, r->ask.type);

	stock->gpus += gpus;
	if (gpus > stock->most)
		stock->most = gpus;
	if (gpus < r->need.node_gpus)
		return;
	stock->nodes_gpus++;
	if (node->config_ptr->cpus < r->cpus ||
	    node->config_ptr->real_memory < r->mem_mib)
		return;
	stock->nodes++;
	stock->gpus_usable += gpus;
}

static bool enough(const struct stock *stock, const struct request *r)
{
	return stock->nodes >= r->need.nodes &&
	       stock->gpus_usable >= r->need.gpus;
}

static node_record_t *node_at(bitstr_t *bitmap, bitoff_t i)
{
	return i < node_record_count && bit_test(bitmap, i)
		       ? node_record_table_ptr[i]
		       : NULL;
}

static bool part_has_enough(const part_record_t *part, const struct request *r,
			    struct stock *stock)
{
	*stock = (struct stock){0};
	if (!part->node_bitmap)
		return false;
	for (bitoff_t i = 0; i < bit_size(part->node_bitmap); i++) {
		const node_record_t *node = node_at(part->node_bitmap, i);

		if (!node)
			continue;
		count_node(stock, r, node);
		if (enough(stock, r))
			return true;
	}
	return false;
}

/* Whether the partition reaches a GPU of a managed partition. */
static bool reaches_managed_gpus(const part_record_t *part)
{
	ListIterator parts = list_iterator_create(part_list);
	const part_record_t *other;
	bool found = false;

	while (!found && (other = list_next(parts))) {
		if (!astra_config_pool_of(other->name, NULL, NULL) ||
		    !part->node_bitmap || !other->node_bitmap ||
		    !bit_overlap_any(part->node_bitmap, other->node_bitmap))
			continue;
		for (bitoff_t i = 0; i < bit_size(part->node_bitmap); i++) {
			const node_record_t *node =
				node_at(part->node_bitmap, i);

			if (node && bit_test(other->node_bitmap, i) &&
			    node_gpus(node, ""))
				found = true;
		}
	}
	list_iterator_destroy(parts);
	return found;
}

/* ---- the checks -----------------------------------------------------------
 */

/* "4 GPUs", "1 GPU of type a100" */
static const char *gpu_text(uint64_t count, const char *type, char *text,
			    size_t size)
{
	snprintf(text, size, "%llu GPU%s%s%s", (unsigned long long)count,
		 count == 1 ? "" : "s", *type ? " of type " : "", type);
	return text;
}

static int refuse_short(const part_record_t *part, const struct request *r,
			const struct stock *stock, struct astra_error *err)
{
	char all[128], each[128], have[128];

	gpu_text(r->need.gpus, r->ask.type, all, sizeof(all));
	gpu_text(r->need.node_gpus, r->ask.type, each, sizeof(each));
	gpu_text(stock->gpus, r->ask.type, have, sizeof(have));
	if (stock->most < r->need.node_gpus && stock->gpus)
		astra_error_set(err,
				"%s on one node: no node of partition %s "
				"has more than %llu",
				each, part->name,
				(unsigned long long)stock->most);
	else if (stock->gpus < r->need.gpus)
		astra_error_set(err, "%s: all of partition %s has %s", all,
				part->name, have);
	else if (stock->nodes_gpus < r->need.nodes)
		astra_error_set(err,
				"%u nodes with %s each: partition %s has "
				"%u such nodes",
				r->need.nodes, each, part->name,
				stock->nodes_gpus);
	else
		astra_error_set(err,
				"%s on nodes with %llu CPUs and %llu MiB "
				"at least: those of partition %s have "
				"%llu",
				all, (unsigned long long)r->cpus,
				(unsigned long long)r->mem_mib, part->name,
				(unsigned long long)stock->gpus_usable);
	return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

/* One of the partitions must do. */
static int check_size(const struct request *r, struct astra_error *err)
{
	int rc = SLURM_SUCCESS;
	const char *at = NULL;
	part_record_t *part;
	struct stock stock;

	while ((part = next_part(r->partitions, &at))) {
		if (part_has_enough(part, r, &stock))
			return SLURM_SUCCESS;
		rc = refuse_short(part, r, &stock, err);
	}
	return rc;
}

static int check_wish(const struct request *r, const struct places *places,
		      struct astra_error *err)
{
	struct astra_wish wish;

	if (astra_wish_read(r->env, r->env_count, &wish, err) < 0 ||
	    astra_wish_check(&wish, &places->options, err) < 0)
		return ESLURM_INVALID_TIME_LIMIT;
	return SLURM_SUCCESS;
}

static int check_form(const struct request *r, const struct places *places,
		      struct astra_error *err)
{
	if (places->two_pools) {
		astra_error_set(err, "the partitions of one job must belong "
				     "to one pool");
		return ESLURM_INVALID_PARTITION_NAME;
	}
	if (places->unmanaged) {
		astra_error_set(err, "GPUs are leased in some of these "
				     "partitions and not in others: name "
				     "only the ones or the others");
		return ESLURM_INVALID_PARTITION_NAME;
	}
	if (r->het) {
		astra_error_set(err, "a heterogeneous job cannot have leased "
				     "GPUs");
		return ESLURM_NOT_SUPPORTED;
	}
	if (astra_ask_is_derived(&r->ask) &&
	    r->spread.tasks % r->spread.tasks_per_gpu) {
		astra_error_set(err, "%u tasks cannot be %u on each GPU",
				r->spread.tasks, r->spread.tasks_per_gpu);
		return ESLURM_INVALID_GRES;
	}
	if (r->ask.two_types) {
		astra_error_set(err, "leased GPUs of one job are of one type, "
				     "or of any");
		return ESLURM_INVALID_GRES;
	}
	return SLURM_SUCCESS;
}

static int check_managed(const struct request *r, const struct places *places,
			 struct astra_error *err)
{
	int rc = check_form(r, places, err);

	if (!rc)
		rc = check_size(r, err);
	return rc ? rc : check_wish(r, places, err);
}

/* Without GPUs, or in partitions of Slurm's own: such a job is none of our
 * business unless it takes leased GPUs along. */
static int check_unmanaged(const struct request *r, const struct places *places,
			   struct astra_error *err)
{
	const char *at = NULL;
	part_record_t *part;

	if (places->managed && (r->ask.parts || r->exclusive)) {
		astra_error_set(err,
				"%s would take leased GPUs: ask for them "
				"with --gres=gpu:N, or use another "
				"partition",
				r->exclusive ? "--exclusive"
					     : "a part of a GPU");
		return ESLURM_INVALID_GRES;
	}
	if (!r->need.gpus)
		return SLURM_SUCCESS;
	while ((part = next_part(r->partitions, &at))) {
		if (!reaches_managed_gpus(part))
			continue;
		astra_error_set(err,
				"the GPUs of partition %s are leased "
				"through another partition: ask for them "
				"there",
				part->name);
		return ESLURM_INVALID_PARTITION_NAME;
	}
	return SLURM_SUCCESS;
}

static int check(struct request *r, struct astra_error *err)
{
	struct places places;

	r->need = astra_ask_need(&r->ask, &r->spread);
	look_at_places(&places, r->partitions);
	r->managed = places.managed && r->need.gpus;
	if (r->managed)
		return check_managed(r, &places, err);
	return check_unmanaged(r, &places, err);
}

static void tell(char **err_msg, const struct astra_error *err)
{
	if (err_msg)
		xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", err->text);
}

/* Slurm would derive the same number, but only in the job's gres list. */
static void write_out(job_desc_msg_t *desc, const struct request *r)
{
	if (!desc->tres_per_job)
		xstrfmtcat(desc->tres_per_job, ASTRA_GPU_TRES "%llu",
			   (unsigned long long)r->need.gpus);
}

int astra_submit_check(job_desc_msg_t *desc, char **err_msg)
{
	struct astra_error err = {""};
	struct request request;
	int rc = ESLURM_INVALID_GRES;

	if (!read_new(&request, desc, &err))
		rc = check(&request, &err);
	if (rc)
		tell(err_msg, &err);
	else if (request.managed && astra_ask_is_derived(&request.ask))
		write_out(desc, &request);
	return rc;
}

int astra_submit_check_change(const job_desc_msg_t *desc,
			      const job_record_t *job, uint32_t uid,
			      char **err_msg)
{
	struct astra_error err = {""};
	struct request request;
	int rc = ESLURM_INVALID_GRES;

	if (!IS_JOB_PENDING(job) || !job->details || !concerns(desc))
		return SLURM_SUCCESS;
	if (!read_change(&request, desc, job, &err))
		rc = check(&request, &err);
	if (!rc)
		return SLURM_SUCCESS;
	if (job->user_id != uid && !validate_operator(uid))
		return ESLURM_USER_ID_MISSING;
	tell(err_msg, &err);
	info("job %u cannot be changed so: %s", job->job_id, err.text);
	return rc;
}
