/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/blocked.h"

#include <math.h>
#include <string.h>

/* The charge of one GPU, CPU and MiB. */
struct worth {
	double gpu, cpu, mem_mib;
};

int astra_gres_tres(const char *name)
{
	assoc_mgr_lock_t locks = {.tres = READ_LOCK};
	int found = -1;

	assoc_mgr_lock(&locks);
	/* Weights of partitions have slurmctld_tres_cnt entries. */
	for (int i = 0; i < (int)g_tres_count && i < slurmctld_tres_cnt; i++) {
		const slurmdb_tres_rec_t *t = assoc_mgr_tres_array[i];

		if (t && !xstrcmp(t->type, "gres") && !xstrcmp(t->name, name))
			found = i;
	}
	assoc_mgr_unlock(&locks);
	return found;
}

static double node_mem_mib(const struct astra_blocked *pool, size_t at)
{
	const node_record_t *node = node_record_table_ptr[pool->global[at]];

	return pool->memory && node ? (double)node->config_ptr->real_memory -
					      (double)node->mem_spec_limit
				    : 0;
}

/* Set the worth of a CPU and of a MiB, relative to a GPU's, by the partition's
 * billing weights. Returns false if these do not weigh GPUs. */
static bool billed(const struct astra_blocked *pool, const job_record_t *record,
		   struct worth *w)
{
	const double *weights =
		record->part_ptr ? record->part_ptr->billing_weights : NULL;

	if (!weights || pool->gpu_tres < 0 || !(weights[pool->gpu_tres] > 0))
		return false;
	w->cpu = w->gpu * weights[TRES_ARRAY_CPU] / weights[pool->gpu_tres];
	w->mem_mib = pool->memory ? w->gpu * weights[TRES_ARRAY_MEM] /
					    weights[pool->gpu_tres]
				  : 0;
	return true;
}

/* Return which part of a Slurm node's worth is that of this node of the pool.
 * It is 1 unless the Slurm node counts as several nodes, one for each type of
 * MIG device: these divide the worth by charge. */
static double blocked_part(const struct astra_blocked *pool, size_t at)
{
	const struct astra_node *n = pool->nodes;
	double all = 0;
	size_t i = at;

	while (i > 0 && pool->global[i - 1] == pool->global[at])
		i--;
	for (; i < pool->count && pool->global[i] == pool->global[at]; i++)
		all += astra_charge(n[i].charge, n[i].gpus);
	return all > 0 ? astra_charge(n[at].charge, n[at].gpus) / all : 1;
}

static void blocked_add_node(const struct astra_blocked *pool, size_t at,
			     struct astra_blocked_sums *to)
{
	const struct astra_node *n = &pool->nodes[at];
	double part = blocked_part(pool, at);

	if (!n->gpus)
		return;
	to->charge += astra_charge(n->charge, n->gpus);
	to->gpus += n->gpus;
	to->cpus += n->cpus * part;
	to->mem_mib += node_mem_mib(pool, at) * part;
	to->count++;
}

static void sum_nodes(struct astra_blocked *pool, const uint64_t *allowed)
{
	const struct astra_request r = {.allowed = allowed};

	pool->allowed = allowed;
	pool->sums = (struct astra_blocked_sums){0};
	for (uint32_t i = 0; i < pool->count; i++)
		if (astra_node_allowed(&r, i))
			blocked_add_node(pool, i, &pool->sums);
}

static bool same_nodes(const struct astra_blocked *pool,
		       const uint64_t *allowed)
{
	size_t words = (pool->count + 63) / 64;

	if (!allowed || !pool->allowed)
		return allowed == pool->allowed;
	return !memcmp(allowed, pool->allowed, words * sizeof(*allowed));
}

static struct worth own_worth(const struct astra_blocked_sums *of)
{
	return (struct worth){
		.gpu = of->gpus > 0 ? of->charge / of->gpus : 1,
		.cpu = of->cpus > 0 ? of->charge / of->cpus : 0,
		.mem_mib = of->mem_mib > 0 ? of->charge / of->mem_mib : 0,
	};
}

/* Return by how much the CPUs, or the memory, are worth more than the GPUs; at
 * least 0. */
static double excess(const struct worth *w, double gpus, double cpus,
		     double mem_mib)
{
	return fmax(fmax(w->cpu * cpus, w->mem_mib * mem_mib) - w->gpu * gpus,
		    0);
}

static double held_excess(const struct astra_blocked *pool,
			  const job_record_t *record,
			  const struct astra_job *job)
{
	double sum = 0;

	for (size_t i = 0; i < job->held_count; i++) {
		const struct astra_share *s = &job->held[i];
		struct astra_blocked_sums node = {0};
		struct worth w;

		blocked_add_node(pool, s->node, &node);
		w = own_worth(&node);
		billed(pool, record, &w);
		sum += fmin(excess(&w, s->gpus, s->cpus, (double)s->mem_mib),
			    fmax(node.charge - w.gpu * s->gpus, 0));
	}
	return sum;
}

void astra_blocked_begin(struct astra_blocked *pool)
{
	pool->allowed = NULL;
	pool->least_cpus = pool->least_mem_mib = INFINITY;
	sum_nodes(pool, NULL);
	for (size_t i = 0; i < pool->count; i++) {
		double gpus = pool->nodes[i].gpus / blocked_part(pool, i);

		if (!(gpus > 0))
			continue;
		pool->least_cpus =
			fmin(pool->least_cpus, pool->nodes[i].cpus / gpus);
		pool->least_mem_mib =
			fmin(pool->least_mem_mib, node_mem_mib(pool, i) / gpus);
	}
}

/* Return an upper bound of the excess: the charge of as many mean nodes as the
 * job needs, less the charge of its GPUs. */
static double most_excess(const struct astra_blocked_sums *of,
			  const struct astra_request *r, double gpu,
			  double cpus, double mem_mib)
{
	double count = (double)of->count, n = r->nodes_min;

	if (r->gpus_per_node)
		n = fmax(n, ceil((double)r->gpus / r->gpus_per_node));
	if (of->gpus > 0)
		n = fmax(n, ceil(r->gpus * count / of->gpus));
	if (of->cpus > 0)
		n = fmax(n, ceil(cpus * count / of->cpus));
	if (of->mem_mib > 0)
		n = fmax(n, ceil(mem_mib * count / of->mem_mib));
	return fmax(n * of->charge / count - gpu * r->gpus, 0);
}

/* Return the excess of what the job asks for, as on the mean of the nodes that
 * it may use. */
static double asked_excess(struct astra_blocked *pool,
			   const job_record_t *record,
			   const struct astra_request *r)
{
	double nodes = r->nodes_min ? r->nodes_min : 1;
	double cpus = fmax(r->cpus, r->cpus_per_node * nodes);
	double mem_mib = (double)r->mem_node_mib * nodes +
			 (double)r->mem_gpu_mib * r->gpus +
			 (double)r->mem_cpu_mib * cpus;
	const struct astra_blocked_sums *of = &pool->sums;
	struct worth w = {.gpu = 1};
	bool priced;

	if (r->gpus)
		w.gpu = astra_charge(r->charge, r->gpus) / r->gpus;
	priced = billed(pool, record, &w);
	if (priced ? !(excess(&w, r->gpus, cpus, mem_mib) > 0)
		   : cpus <= pool->least_cpus * r->gpus &&
			     mem_mib <= pool->least_mem_mib * r->gpus)
		return 0;
	if (!same_nodes(pool, r->allowed))
		sum_nodes(pool, r->allowed);
	if (!of->count)
		return 0;
	if (!priced)
		w = own_worth(of);
	return fmin(excess(&w, r->gpus, cpus, mem_mib),
		    most_excess(of, r, w.gpu, cpus, mem_mib));
}

void astra_charge_blocked(struct astra_blocked *pool,
			  const job_record_t *record, struct astra_job *job)
{
	double more;

	if (job->request.whole_node)
		return; /* it is charged for the whole node already */
	more = asked_excess(pool, record, &job->request);
	if (more > 0)
		job->request.charge =
			astra_charge(job->request.charge, job->request.gpus) +
			more;
	more = held_excess(pool, record, job);
	if (more > 0)
		job->held_charge =
			astra_charge(job->held_charge, astra_held_gpus(job)) +
			more;
}
