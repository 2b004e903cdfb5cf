/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/mixed.h"

#include "src/slurm/check/selfcheck.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/gpu_kinds.h"
#include "src/slurm/in/gpus.h"

static void mixed_add_node(struct astra_gpu_kinds *kinds,
			   const struct astra_options *options,
			   const node_record_t *node)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	for (int i = 0; g && i < g->type_cnt; i++)
		if (g->type_name[i])
			astra_gpu_kinds_add(kinds, &options->gpu_weights,
					    node->name, g->type_name[i]);
}

/* Return the kinds of GPUs in a pool. For Gres=shard they are empty: GPUs
 * without shards do not count there, and MIG devices have no shards. They are
 * also empty until the self-check has passed, as slurmctld's nodes must not be
 * read before. */
static struct astra_gpu_kinds mixed_kinds(const struct astra_pool_config *pool)
{
	struct astra_gpu_kinds kinds = {.whole = {.type = ""}};

	if (!astra_selfcheck_passed() || !part_list || pool->options.shards)
		return kinds;
	for (size_t i = 0; i < pool->partitions.count; i++) {
		const part_record_t *part =
			find_part_record(pool->partitions.name[i]);

		for (int n = 0; part && part->node_bitmap &&
				n < (int)bit_size(part->node_bitmap);
		     n++)
			if (bit_test(part->node_bitmap, n) &&
			    node_record_table_ptr[n])
				mixed_add_node(&kinds, &pool->options,
					       node_record_table_ptr[n]);
	}
	return kinds;
}

int astra_mixed_check(const struct astra_config *config,
		      struct astra_error *err)
{
	for (size_t i = 0; i < config->pool_count; i++) {
		struct astra_gpu_kinds kinds = mixed_kinds(&config->pools[i]);

		if (astra_gpu_kinds_check(&kinds, config->pools[i].name, err) <
		    0)
			return -1;
	}
	return 0;
}

void astra_mixed_warn(const struct astra_pool_config *pool,
		      struct astra_error *out)
{
	struct astra_gpu_kinds kinds = mixed_kinds(pool);
	struct astra_error err;

	if (astra_gpu_kinds_check(&kinds, pool->name, &err) < 0)
		astra_error_add(out, "%s", err.text);
	astra_gpu_kinds_warn(&kinds, pool->name, out);
}
