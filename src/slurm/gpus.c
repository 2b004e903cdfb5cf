/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/gpus.h"

#include <stdio.h>

struct search {
	uint32_t plugin_id;
	int left;
	gres_state_t *found;
};

static int match_gpu(void *x, void *arg)
{
	gres_state_t *state = x;
	struct search *search = arg;

	if (state->plugin_id != search->plugin_id || search->left-- > 0)
		return 0;
	search->found = state;
	return -1;
}

gres_state_t *astra_gpu_state(list_t *list, int nth)
{
	static uint32_t gpu_id;
	char gpu[] = "gpu";
	struct search search = {.left = nth};

	if (!gpu_id)
		gpu_id = gres_build_id(gpu);
	search.plugin_id = gpu_id;
	if (list)
		list_for_each_ro(list, match_gpu, &search);
	return search.found;
}

const gres_node_state_t *astra_node_gpus(const node_record_t *node)
{
	gres_state_t *s = node ? astra_gpu_state(node->gres_list, 0) : NULL;

	return s ? s->gres_data : NULL;
}

uint64_t astra_gpus_free(const node_record_t *node)
{
	const gres_node_state_t *g = astra_node_gpus(node);

	return g && g->gres_cnt_avail > g->gres_cnt_alloc
		       ? g->gres_cnt_avail - g->gres_cnt_alloc
		       : 0;
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
