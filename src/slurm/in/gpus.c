/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/gpus.h"

#include <stdio.h>

#include "src/slurm/conf/gpu_kinds.h"

/* A search for the nth state of gres/gpu (index 0) and of gres/shard (index
 * 1). */
struct search {
	int nth, met[2];
	gres_state_t *found[2];
};

static int match_gres(void *x, void *arg)
{
	static uint32_t ids[2];
	gres_state_t *state = x;
	struct search *search = arg;

	if (!ids[0]) {
		char gpu[] = "gpu", shard[] = "shard";

		ids[1] = gres_build_id(shard);
		ids[0] = gres_build_id(gpu);
	}
	for (int shards = 0; shards < 2; shards++)
		if (state->plugin_id == ids[shards] &&
		    search->met[shards]++ == search->nth)
			search->found[shards] = state;
	return 0;
}

static struct search find_gres(list_t *list, int nth)
{
	struct search search = {.nth = nth};

	if (list)
		list_for_each_ro(list, match_gres, &search);
	return search;
}

gres_state_t *astra_gpu_state(list_t *list, int nth)
{
	struct search search = find_gres(list, nth);

	return search.found[search.met[1] > 0];
}

gres_node_state_t *astra_node_gres(const node_record_t *node, bool shards)
{
	gres_state_t *s =
		node ? find_gres(node->gres_list, 0).found[shards] : NULL;

	return s ? s->gres_data : NULL;
}

gres_node_state_t *astra_node_gpus(const node_record_t *node)
{
	return astra_node_gres(node, false);
}

/* Whether a GPU is held, as a whole or in part, as the other kind. other: the
 * node's state of that kind, or NULL. */
static bool gpus_is_held(const gres_node_state_t *other, int gpu)
{
	return other && other->gres_bit_alloc &&
	       gpu < bit_size(other->gres_bit_alloc) &&
	       bit_test(other->gres_bit_alloc, gpu);
}

static uint32_t gpus_larger(uint32_t a, uint64_t b)
{
	return b > a ? (uint32_t)b : a;
}

/* Count shards, including those of GPUs that a job holds as a whole. */
static void count_shards(const gres_node_state_t *shards,
			 const gres_node_state_t *gpus,
			 struct astra_node_units *out)
{
	for (int i = 0; i < shards->topo_cnt; i++) {
		uint64_t all = shards->topo_gres_cnt_avail[i];
		uint64_t used = gpus_is_held(gpus, i)
					? all
					: shards->topo_gres_cnt_alloc[i];

		out->used += used;
		out->most = gpus_larger(out->most, all);
		out->free = gpus_larger(out->free, used < all ? all - used : 0);
	}
	if (!shards->topo_cnt)
		out->used = shards->gres_cnt_alloc;
	if (shards->topo_cnt &&
	    !(slurm_conf.select_type_param & SELECT_MULTIPLE_SHARING_GRES_PJ))
		return;
	out->most = out->free = out->all;
}

/* Count GPUs, including those of which a job holds a shard. */
static void count_whole(const gres_node_state_t *gpus,
			const gres_node_state_t *shards,
			struct astra_node_units *out)
{
	out->used = gpus->gres_cnt_alloc;
	if (shards && shards->gres_bit_alloc)
		out->used += (uint64_t)bit_set_count(shards->gres_bit_alloc);
	out->most = out->free = out->all;
}

void astra_node_units(const node_record_t *node, bool shards,
		      struct astra_node_units *out)
{
	const gres_node_state_t *own = astra_node_gres(node, shards);
	const gres_node_state_t *other = astra_node_gres(node, !shards);

	*out = (struct astra_node_units){0};
	if (!own)
		return;
	out->all = (uint32_t)own->gres_cnt_avail;
	if (shards)
		count_shards(own, other, out);
	else
		count_whole(own, other, out);
}

uint32_t astra_node_kinds(const node_record_t *node)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	if (!g || g->type_cnt < 2)
		return 1;
	for (int i = 0; i < g->type_cnt; i++)
		if (!g->type_name[i] || !astra_gpu_is_mig(g->type_name[i]))
			return 1;
	return g->type_cnt;
}

uint32_t astra_node_kind_count(const node_record_t *node, uint32_t kind,
			       bitstr_t *devices)
{
	const gres_node_state_t *g = astra_node_gpus(node);
	uint32_t count = 0;

	for (int t = 0; devices && g && t < g->topo_cnt; t++) {
		bitstr_t *of_topo = g->topo_gres_bitmap[t];

		if (of_topo && g->topo_type_id[t] == g->type_id[kind] &&
		    bit_size(of_topo) == bit_size(devices))
			count += (uint32_t)bit_overlap(of_topo, devices);
	}
	return count;
}

void astra_node_kind_units(const node_record_t *node, uint32_t kind,
			   struct astra_node_units *out)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	*out = (struct astra_node_units){0};
	if (!g || kind >= g->type_cnt)
		return;
	out->all = (uint32_t)g->type_cnt_avail[kind];
	out->used =
		g->topo_cnt && g->gres_bit_alloc
			? astra_node_kind_count(node, kind, g->gres_bit_alloc)
			: g->type_cnt_alloc[kind];
	out->most = out->free = out->all;
}

static uint64_t gpus_left(const struct astra_node_units *units)
{
	return units->used < units->all ? units->all - units->used : 0;
}

uint64_t astra_node_free(const node_record_t *node, bool shards,
			 const char *type)
{
	const gres_node_state_t *g = astra_node_gpus(node);
	struct astra_node_units units;
	uint64_t free = 0;

	astra_node_units(node, shards, &units);
	if (shards || !*type)
		return gpus_left(&units);
	for (uint32_t i = 0; g && i < g->type_cnt; i++) {
		if (xstrcmp(g->type_name[i], type) != 0)
			continue;
		astra_node_kind_units(node, i, &units);
		free += gpus_left(&units);
	}
	return free;
}

bool astra_node_has_type(const node_record_t *node, const char *type)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	for (int i = 0; g && i < g->type_cnt; i++)
		if (!xstrcmp(g->type_name[i], type))
			return true;
	return false;
}

void astra_node_types(const node_record_t *node, char *text, size_t size)
{
	const gres_node_state_t *g = astra_node_gpus(node);
	size_t used = 0;

	*text = '\0';
	for (int i = 0; g && i < g->type_cnt && used < size; i++)
		if (g->type_name[i])
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s", used ? "+" : "",
						 g->type_name[i]);
}

bool astra_nodes_have_gpus(bitstr_t *nodes)
{
	bitoff_t last = nodes ? bit_fls(nodes) : -1;

	for (bitoff_t i = 0; i <= last && i < node_record_count; i++) {
		const gres_node_state_t *g;

		if (!bit_test(nodes, i))
			continue;
		g = astra_node_gpus(node_record_table_ptr[i]);
		if (g && g->gres_cnt_config)
			return true;
	}
	return false;
}
