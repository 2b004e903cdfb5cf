/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/overlap.h"

#include "src/slurm/check/selfcheck.h"

static bitstr_t *overlap_nodes(const struct astra_pool_config *pool)
{
	bitstr_t *nodes = bit_alloc(node_record_count);

	for (size_t i = 0; i < pool->partitions.count; i++) {
		const part_record_t *part =
			find_part_record(pool->partitions.name[i]);

		if (part && part->node_bitmap &&
		    bit_size(part->node_bitmap) == bit_size(nodes))
			bit_or(nodes, part->node_bitmap);
	}
	return nodes;
}

bitstr_t *astra_pool_nodes(const struct astra_config *config, size_t pool)
{
	bitstr_t *nodes = overlap_nodes(&config->pools[pool]);

	for (size_t i = 0; i < pool; i++) {
		bitstr_t *before = overlap_nodes(&config->pools[i]);

		bit_and_not(nodes, before);
		bit_free(before);
	}
	return nodes;
}

static int overlap_check_pool(const struct astra_config *config, size_t pool,
			      struct astra_error *err)
{
	bitstr_t *nodes = overlap_nodes(&config->pools[pool]);
	int rc = 0;

	for (size_t i = 0; i < pool && !rc; i++) {
		bitstr_t *before = overlap_nodes(&config->pools[i]);
		bitoff_t node;

		bit_and(before, nodes);
		node = bit_ffs(before);
		bit_free(before);
		if (node >= 0 && node_record_table_ptr[node])
			rc = astra_config_overlap(
				config->pools[i].name, config->pools[pool].name,
				node_record_table_ptr[node]->name, err);
	}
	bit_free(nodes);
	return rc;
}

int astra_overlap_check(const struct astra_config *config,
			struct astra_error *err)
{
	bool known = astra_selfcheck_passed() && part_list;
	int rc = 0;

	for (size_t i = 1; known && i < config->pool_count && !rc; i++)
		rc = overlap_check_pool(config, i, err);
	return rc;
}
