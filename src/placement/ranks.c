/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/placement/space_priv.h"

struct weighed {
	uint32_t weight, node;
};

static int ranks_compare(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool ranks_differ(const struct astra_node *nodes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (nodes[i].weight != nodes[0].weight)
			return true;
	return false;
}

static void ranks_fill(struct astra_ranks *ranks, const struct weighed *list,
		       size_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!i || list[i].weight != list[i - 1].weight)
			ranks->first[ranks->count++] = i;
		ranks->order[i] = list[i].node;
		ranks->rank[list[i].node] = ranks->count - 1;
	}
	ranks->first[ranks->count] = (uint32_t)count;
}

int astra_ranks_make(struct astra_ranks *ranks, const struct astra_node *nodes,
		     size_t count)
{
	struct weighed *list;

	*ranks = (struct astra_ranks){0};
	if (!ranks_differ(nodes, count))
		return 0;
	list = malloc(count * sizeof(*list));
	ranks->order = malloc((3 * count + 1) * sizeof(*ranks->order));
	if (!list || !ranks->order) {
		free(list);
		astra_ranks_free(ranks);
		return -1;
	}
	ranks->rank = ranks->order + count;
	ranks->first = ranks->rank + count;
	for (uint32_t i = 0; i < count; i++)
		list[i] =
			(struct weighed){.weight = nodes[i].weight, .node = i};
	qsort(list, count, sizeof(*list), ranks_compare);
	ranks_fill(ranks, list, count);
	free(list);
	return 0;
}

void astra_ranks_free(struct astra_ranks *ranks)
{
	free(ranks->order);
	*ranks = (struct astra_ranks){0};
}

void astra_space_weigh(struct astra_space *space,
		       const struct astra_ranks *ranks)
{
	space->ranks = ranks->count > 1 ? ranks : NULL;
}
