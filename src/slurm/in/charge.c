/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/charge.h"

#include "src/slurm/in/gpus.h"
#include "src/slurm/in/request.h"
#include "src/slurm/in/survivor.h"
#include "src/slurm/in/usage.h"

/* Return the charge of a node's GPUs. GPUs without a type weigh 1. */
static double charge_of(const struct astra_options *options,
			const gres_node_state_t *g)
{
	uint64_t left = g->gres_cnt_avail;
	double charge = 0;

	for (int i = 0; i < g->type_cnt; i++) {
		uint64_t n = g->type_cnt_avail[i];

		n = n < left ? n : left;
		left -= n;
		charge += (double)n * astra_weight_of(&options->gpu_weights,
						      g->type_name[i]);
	}
	return charge + (double)left;
}

void astra_charge_node(const struct astra_options *options,
		       const node_record_t *record, struct astra_node *node)
{
	const gres_node_state_t *g = astra_node_gpus(record);

	/* In a pool of shards, GPUs without shards are not counted. */
	if (options->shards && !node->gpus)
		return;
	if (g && (options->gpu_weights.count || options->shards))
		node->charge = charge_of(options, g);
}

/* Return the charge of a shard: its part of all shards on the node, times the
 * charge of the node's GPUs. */
static double shard_charge(const struct astra_options *options,
			   const node_record_t *record)
{
	const gres_node_state_t *g = astra_node_gpus(record);
	struct astra_node_units units;

	astra_node_units(record, true, &units);
	return g && units.all ? charge_of(options, g) / units.all : 1;
}

/* Return the charge of GPUs that a job holds on a node without having named a
 * type: by the devices, or, if these are unknown, by the mean of the node. */
static double untyped(const struct astra_options *options,
		      const gres_node_state_t *node, bitstr_t *devices,
		      uint64_t gpus)
{
	double charge = 0;
	uint64_t known = 0;

	if (!node || !node->gres_cnt_avail)
		return (double)gpus;
	for (int i = 0; devices && i < node->topo_cnt; i++) {
		bitstr_t *of_type = node->topo_gres_bitmap[i];
		uint64_t n;

		if (!of_type || bit_size(of_type) != bit_size(devices))
			continue;
		n = (uint64_t)bit_overlap(of_type, devices);
		known += n;
		charge += (double)n * astra_weight_of(&options->gpu_weights,
						      node->topo_type_name[i]);
	}
	if (known == gpus)
		return charge;
	return (double)gpus * charge_of(options, node) /
	       (double)node->gres_cnt_avail;
}

/* Return the charge of the devices in one entry of the job's allocation. */
static double entry_charge(const struct astra_options *options,
			   const gres_job_state_t *g, bitstr_t *nodes)
{
	bitoff_t last = bit_fls(nodes);
	uint32_t offset = 0;
	double charge = 0;

	for (bitoff_t n = bit_ffs(nodes); n >= 0 && n <= last; n++) {
		uint64_t gpus;

		if (!bit_test(nodes, n))
			continue;
		if (offset >= g->node_cnt)
			break;
		gpus = g->gres_cnt_node_alloc[offset];
		if (options->shards)
			charge +=
				(double)gpus *
				shard_charge(options, node_record_table_ptr[n]);
		else if (g->type_name)
			charge += (double)gpus *
				  astra_weight_of(&options->gpu_weights,
						  g->type_name);
		else if (node_record_table_ptr[n])
			charge += untyped(
				options,
				astra_node_gpus(node_record_table_ptr[n]),
				g->gres_bit_alloc ? g->gres_bit_alloc[offset]
						  : NULL,
				gpus);
		offset++;
	}
	return charge;
}

static double charge_held(const struct astra_options *options,
			  const job_record_t *record)
{
	bitstr_t *nodes = record->node_bitmap;
	gres_state_t *state;
	double charge = 0;

	if (record->job_resrcs && record->job_resrcs->node_bitmap)
		nodes = record->job_resrcs->node_bitmap;
	if (!nodes)
		return 0;
	for (int i = 0; (state = astra_gpu_state(record->gres_list_alloc, i));
	     i++) {
		const gres_job_state_t *g = state->gres_data;

		if (g && g->gres_cnt_node_alloc)
			charge += entry_charge(options, g, nodes);
	}
	return charge;
}

static double mean(const struct astra_request *request,
		   const struct astra_node *nodes, size_t count)
{
	double charge = 0, gpus = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!astra_node_allowed(request, i) ||
		    (request->required && !astra_node_required(request, i)))
			continue;
		charge += astra_charge(nodes[i].charge, nodes[i].gpus);
		gpus += nodes[i].gpus;
	}
	return gpus > 0 ? charge / gpus : 1;
}

/* Whether the job's last run is over, so that it is known what the run had. */
static bool charge_is_over(const struct astra_job *job)
{
	return job->start_sec > 0 && (job->state == ASTRA_JOB_REQUEUED ||
				      job->state == ASTRA_JOB_ENDING ||
				      job->state == ASTRA_JOB_ENDED);
}

uint32_t astra_charge_run_gpus(const struct astra_job *job,
			       const job_record_t *record)
{
	const struct astra_survivor *s = astra_survivor_find(record->job_id);

	if (!charge_is_over(job))
		return 0;
	return s ? s->gpus : (uint32_t)astra_usage_gpus(record);
}

/* Return the charge of a run that is over, from the record. If slurmctld was
 * killed since, only the number of GPUs was noted: then each is one GPU's
 * charge. */
static double ran(const struct astra_options *options,
		  const job_record_t *record, double each)
{
	const struct astra_survivor *s = astra_survivor_find(record->job_id);

	if (s)
		return s->gpus * each;
	return options->gpu_weights.count || options->shards
		       ? charge_held(options, record)
		       : astra_usage_gpus(record);
}

uint32_t astra_charge_gpus(const struct astra_request *request,
			   const struct astra_node *nodes, size_t count)
{
	uint32_t n = request->nodes_min ? request->nodes_min : 1, least = 0;
	uint32_t each = request->gpus / n + (request->gpus % n != 0);
	uint32_t named = 0;

	if (!request->whole_node)
		return request->gpus;
	for (uint32_t i = 0; i < count; i++) {
		if (astra_node_required(request, i) && n) {
			named += nodes[i].gpus;
			n--;
		} else if (nodes[i].gpus >= each &&
			   astra_node_allowed(request, i) &&
			   (!least || nodes[i].gpus < least)) {
			least = nodes[i].gpus;
		}
	}
	return least || named ? named + least * n : request->gpus;
}

void astra_charge_job(const struct astra_options *options,
		      const job_record_t *record,
		      const struct astra_node *nodes, size_t count,
		      struct astra_job *job)
{
	char type[ASTRA_GPU_TYPE_MAX];
	double each = 1;

	if (options->gpu_weights.count || options->shards ||
	    job->request.whole_node) {
		astra_request_type(record, type);
		each = *type && !options->shards
			       ? astra_weight_of(&options->gpu_weights, type)
			       : mean(&job->request, nodes, count);
		job->request.charge =
			each * astra_charge_gpus(&job->request, nodes, count);
		if (job->held_count)
			job->held_charge = charge_held(options, record);
	}
	if (charge_is_over(job))
		job->run_charge = ran(options, record, each);
}
