/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/mask.h"

#include <stdlib.h>

#include "src/slurm/in/gpus.h"

struct astra_mask_node {
	gres_node_state_t *gpus;
	bitstr_t *hidden; /* NULL: GPUs without files, of which Slurm only knows
			   * the count */
	uint64_t count;	  /* how many GPUs without files are hidden */
};

/* Count a GPU as allocated, or not, in all of Slurm's counters: in all, by
 * topology, by type. */
static void count_gpu(gres_node_state_t *g, bitoff_t gpu, bool add)
{
	uint64_t one = add ? 1 : UINT64_MAX; /* modulo 2^64: -1 */

	g->gres_cnt_alloc += one;
	for (int t = 0; t < g->topo_cnt; t++) {
		if (!g->topo_gres_bitmap || !g->topo_gres_bitmap[t] ||
		    gpu >= bit_size(g->topo_gres_bitmap[t]) ||
		    !bit_test(g->topo_gres_bitmap[t], gpu))
			continue;
		g->topo_gres_cnt_alloc[t] += one;
		for (int k = 0; k < g->type_cnt; k++)
			if (g->type_id[k] == g->topo_type_id[t])
				g->type_cnt_alloc[k] += one;
		return;
	}
}

static bool is_type(const gres_node_state_t *g, bitoff_t gpu, const char *type)
{
	if (!type || !*type)
		return true;
	for (int t = 0; t < g->topo_cnt; t++)
		if (g->topo_gres_bitmap && g->topo_gres_bitmap[t] &&
		    gpu < bit_size(g->topo_gres_bitmap[t]) &&
		    bit_test(g->topo_gres_bitmap[t], gpu))
			return !xstrcmp(g->topo_type_name[t], type);
	return true;
}

static int hide_files(struct astra_mask_node *m, uint32_t leave,
		      const char *type)
{
	gres_node_state_t *g = m->gpus;
	uint32_t left = 0;

	m->hidden = bit_alloc(bit_size(g->gres_bit_alloc));
	for (bitoff_t i = 0; i < bit_size(g->gres_bit_alloc); i++) {
		if (bit_test(g->gres_bit_alloc, i))
			continue;
		if (left < leave && is_type(g, i, type)) {
			left++;
			continue;
		}
		bit_set(g->gres_bit_alloc, i);
		bit_set(m->hidden, i);
		count_gpu(g, i, true);
	}
	return left == leave ? 0 : -1;
}

static int hide_counts(struct astra_mask_node *m, uint32_t leave)
{
	gres_node_state_t *g = m->gpus;
	uint64_t free_gpus = g->gres_cnt_avail > g->gres_cnt_alloc
				     ? g->gres_cnt_avail - g->gres_cnt_alloc
				     : 0;

	if (free_gpus < leave)
		return -1;
	m->count = free_gpus - leave;
	g->gres_cnt_alloc += m->count;
	return 0;
}

int astra_mask_add(struct astra_mask *mask, uint32_t node, uint32_t leave,
		   const char *type)
{
	const node_record_t *record = node < (uint32_t)node_record_count
					      ? node_record_table_ptr[node]
					      : NULL;
	gres_node_state_t *gpus = astra_node_gpus(record);
	struct astra_mask_node *grown =
		realloc(mask->nodes, (mask->count + 1) * sizeof(*grown));

	if (grown)
		mask->nodes = grown;
	if (!grown || !gpus)
		return -1;
	grown = &mask->nodes[mask->count++];
	*grown = (struct astra_mask_node){.gpus = gpus};
	if (grown->gpus->gres_bit_alloc)
		return hide_files(grown, leave, type);
	return hide_counts(grown, leave);
}

void astra_mask_undo(struct astra_mask *mask)
{
	for (size_t n = 0; n < mask->count; n++) {
		struct astra_mask_node *m = &mask->nodes[n];

		m->gpus->gres_cnt_alloc -= m->count;
		for (bitoff_t i = 0; m->hidden && i < bit_size(m->hidden);
		     i++) {
			if (!bit_test(m->hidden, i))
				continue;
			bit_clear(m->gpus->gres_bit_alloc, i);
			count_gpu(m->gpus, i, false);
		}
		FREE_NULL_BITMAP(m->hidden);
	}
	free(mask->nodes);
	*mask = (struct astra_mask){0};
}
