/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What partitions and their nodes have. */
#include <stdio.h>
#include <string.h>

#include "src/slurm/hooks/submit_priv.h"
#include "src/slurm/in/gpus.h"

/* Return the next partition on a list; NULL: no more. Unknown names are
 * skipped, as Slurm itself refuses them. *at: where to go on, NULL at first and
 * "" at the end. */
part_record_t *astra_next_part(const char *list, const char **at)
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

void astra_places_look(struct astra_places *places, const char *list)
{
	const char *at = NULL;
	part_record_t *part;

	*places = (struct astra_places){0};
	while ((part = astra_next_part(list, &at))) {
		struct astra_options options;
		char pool[ASTRA_POOL_NAME_MAX];

		if (!astra_config_pool_of(part->name, pool, &options) ||
		    !options.leases) {
			places->unmanaged = true;
			continue;
		}
		if (places->managed && strcmp(pool, places->pool))
			places->two_pools = true;
		places->managed = true;
		places->exclusive |= !part->max_share;
		places->options = options;
		strcpy(places->pool, pool);
	}
}

static uint64_t gpus_of_type(const gres_node_state_t *gpus, const char *type)
{
	uint64_t count = 0;

	if (!*type)
		return gpus->gres_cnt_config;
	if (!gpus->type_cnt) /* the node has not reported its types yet */
		return gpus->gres_cnt_config;
	for (int i = 0; i < gpus->type_cnt; i++)
		if (gpus->type_name[i] && !strcmp(gpus->type_name[i], type))
			count += gpus->type_cnt_avail[i];
	return count;
}

/* Count the shards of a type, which is the type of their GPUs. */
static uint64_t shards_of_type(const gres_node_state_t *shards,
			       const char *type)
{
	uint64_t count = 0;

	if (!*type || !shards->topo_cnt)
		return shards->gres_cnt_config;
	for (int i = 0; i < shards->topo_cnt; i++)
		if (!xstrcmp(shards->topo_type_name[i], type))
			count += shards->topo_gres_cnt_avail[i];
	return count;
}

/* Return how many GPUs of a type ("": any), or shards of them, a node has when
 * it is up. */
static uint64_t submit_stock_node_gpus(const node_record_t *node, bool shards,
				       const char *type)
{
	const gres_node_state_t *g = astra_node_gres(node, shards);

	if (!g)
		return 0;
	return shards ? shards_of_type(g, type) : gpus_of_type(g, type);
}

/* Return how many of a node's GPUs or shards one job can have. */
static uint64_t node_most(const node_record_t *node, bool shards, uint64_t all)
{
	struct astra_node_units units;

	if (!shards)
		return all;
	astra_node_units(node, true, &units);
	return units.most && units.most < all ? units.most : all;
}

static void count_node(struct astra_stock *stock, const struct astra_submit *r,
		       const node_record_t *node)
{
	uint64_t gpus = submit_stock_node_gpus(node, r->shards, r->ask.type);
	uint64_t most = node_most(node, r->shards, gpus);

	stock->gpus += gpus;
	if (most > stock->most)
		stock->most = most;
	if (most < r->need.node_gpus)
		return;
	stock->nodes_gpus++;
	if (node->config_ptr->cpus < r->cpus ||
	    node->config_ptr->real_memory < r->mem_mib)
		return;
	stock->nodes++;
	stock->gpus_usable += gpus;
}

static bool submit_stock_enough(const struct astra_stock *stock,
				const struct astra_submit *r)
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

bool astra_stock_suffices(const part_record_t *part,
			  const struct astra_submit *r,
			  struct astra_stock *stock)
{
	*stock = (struct astra_stock){0};
	if (!part->node_bitmap)
		return false;
	for (bitoff_t i = 0; i < bit_size(part->node_bitmap); i++) {
		const node_record_t *node = node_at(part->node_bitmap, i);

		if (!node)
			continue;
		count_node(stock, r, node);
		if (submit_stock_enough(stock, r))
			return true;
	}
	return false;
}

/* Whether the partition has a node with a GPU of a managed partition. */
bool astra_stock_reaches_pool(const part_record_t *part)
{
	list_itr_t *parts = list_iterator_create(part_list);
	const part_record_t *other;
	struct astra_options options;
	bool found = false;

	while (!found && (other = list_next(parts))) {
		if (!astra_config_pool_of(other->name, NULL, &options) ||
		    !options.leases || !part->node_bitmap ||
		    !other->node_bitmap ||
		    !bit_overlap_any(part->node_bitmap, other->node_bitmap))
			continue;
		for (bitoff_t i = 0; i < bit_size(part->node_bitmap); i++) {
			const node_record_t *node =
				node_at(part->node_bitmap, i);

			if (node && bit_test(other->node_bitmap, i) &&
			    submit_stock_node_gpus(node, false, ""))
				found = true;
		}
	}
	list_iterator_destroy(parts);
	return found;
}

bool astra_stock_has_kinds(const char *partitions)
{
	const char *at = NULL;
	part_record_t *part;

	while ((part = astra_next_part(partitions, &at)))
		for (bitoff_t i = 0; part->node_bitmap && i < node_record_count;
		     i++)
			if (bit_test(part->node_bitmap, i) &&
			    astra_node_kinds(node_record_table_ptr[i]) > 1)
				return true;
	return false;
}

bool astra_stock_has_gpus(const char *partitions, const char *nodes)
{
	const char *at = NULL;
	part_record_t *part;
	bool found = false;

	if (nodes && *nodes) {
		bitstr_t *named = NULL;
		char *names = xstrdup(nodes);

		(void)astra_nodes_named(names, &named);
		xfree(names);
		found = astra_nodes_have_gpus(named);
		FREE_NULL_BITMAP(named);
		return found;
	}
	while (!found && (part = astra_next_part(partitions, &at)))
		found = astra_nodes_have_gpus(part->node_bitmap);
	return found;
}
