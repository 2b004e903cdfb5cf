/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/oasis/amounts.h"

#include <math.h>

#define FINENESS 30 /* bits behind the binary point */

/* Sums over nodes with GPUs. */
struct sums {
	double count;
	double of[OASIS_POOL_RESOURCES];
};

static bool amounts_tells_cpus(const struct astra_node *node)
{
	return node->cpus && node->cpus != UINT32_MAX;
}

static bool tells_memory(const struct astra_node *node)
{
	return node->mem_mib && node->mem_mib != UINT64_MAX;
}

static void amounts_add_node(struct sums *sums, const struct astra_node *node)
{
	const double told[OASIS_POOL_RESOURCES] = {
		[OASIS_GPUS] = node->gpus,
		[OASIS_CPUS] =
			amounts_tells_cpus(node) ? node->cpus : (double)NAN,
		[OASIS_MEMORY] = tells_memory(node) ? (double)node->mem_mib
						    : (double)NAN,
	};

	sums->count++;
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		sums->of[r] += told[r];
}

/* Return the present unit of a resource, from what there is of it per GPU; 0:
 * unknown. A known unit is kept if it has changed little. */
static double amounts_unit_of(double known, double each)
{
	if (!(each > 0))
		return 0;
	return known > 0 && each <= 2 * known && 2 * each >= known ? known
								   : each;
}

/* Set the units from all nodes, even those that are down. Returns whether a
 * known unit has changed. */
static bool set_units(struct oasis_amounts *amounts, const struct sums *all)
{
	bool changed = false;

	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++) {
		double was = amounts->unit[r];

		amounts->unit[r] =
			amounts_unit_of(was, all->of[r] / all->of[OASIS_GPUS]);
		changed |= was > 0 && amounts->unit[r] > 0 &&
			   was != amounts->unit[r];
	}
	amounts->unit[OASIS_GPUS] = 1;
	return changed;
}

bool oasis_amounts_see(struct oasis_amounts *amounts,
		       const struct astra_offer *offer)
{
	struct sums all = {0}, usable = {0};
	double part;
	bool changed;

	amounts->node_gpus_max = 0;
	for (size_t n = 0; n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		if (!node->gpus)
			continue;
		amounts_add_node(&all, node);
		if (node->usable)
			amounts_add_node(&usable, node);
		if (node->gpus > amounts->node_gpus_max)
			amounts->node_gpus_max = node->gpus;
	}
	amounts->node_gpus = all.count > 0 ? all.of[OASIS_GPUS] / all.count : 0;
	changed = set_units(amounts, &all);
	/* A part of a pool has the same part of each resource as of the
	 * GPUs. */
	part = usable.count > 0 ? (double)offer->gpus / usable.of[OASIS_GPUS]
				: 0;
	for (size_t r = 0; r < OASIS_POOL_RESOURCES; r++)
		amounts->capacity[r] =
			amounts->unit[r] > 0
				? part * usable.of[r] / amounts->unit[r]
				: 0;
	amounts->capacity[OASIS_GPUS] = (double)offer->gpus;
	return changed;
}

/* Return the smallest number of nodes that the job can run on. */
static double amounts_nodes_of(const struct oasis_amounts *amounts,
			       const struct astra_request *q)
{
	double most =
		q->gpus_per_node ? q->gpus_per_node : amounts->node_gpus_max;
	double nodes = most > 0 ? ceil(q->gpus / most) : 1;

	return fmax(fmax(nodes, q->nodes_min), 1);
}

void oasis_amounts_demand(const struct oasis_amounts *amounts,
			  const struct astra_request *q,
			  double demand[OASIS_POOL_RESOURCES])
{
	double nodes = amounts_nodes_of(amounts, q);
	double cpus = fmax(q->cpus, nodes * q->cpus_per_node);
	double total[OASIS_POOL_RESOURCES] = {
		[OASIS_GPUS] = q->gpus,
		[OASIS_CPUS] = cpus,
		[OASIS_MEMORY] = fmax(fmax(nodes * (double)q->mem_node_mib,
					   q->gpus * (double)q->mem_gpu_mib),
				      cpus * (double)q->mem_cpu_mib),
	};

	demand[OASIS_GPUS] = 1;
	for (size_t r = OASIS_CPUS; r < OASIS_POOL_RESOURCES; r++) {
		double units = 0;

		if (amounts->unit[r] > 0)
			units = total[r] / amounts->unit[r];
		if (amounts->unit[r] > 0 && q->whole_node)
			units = fmax(units, nodes * amounts->node_gpus);
		demand[r] = ldexp(floor(ldexp(units / q->gpus, FINENESS)),
				  -FINENESS);
	}
}
