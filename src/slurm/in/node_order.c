/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/node_order.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/in/gpus.h"

/* The rows before those of the topologies. */
enum { ROW_NUMBERED, ROW_BY_GPUS, ROWS_BEFORE };

_Static_assert(ROWS_BEFORE + ASTRA_TOPOLOGIES_MAX <= 64,
	       "a row has no bit of its own");

int astra_node_order_begin(struct astra_node_order *order,
			   const struct astra_racks *racks)
{
	order->racks = racks;
	order->ready = 0;
	return astra_grow(&order->list, &order->room,
			  (ROWS_BEFORE + racks->topologies) * racks->nodes + 1,
			  sizeof(*order->list));
}

static int node_order_compare(const void *x, const void *y)
{
	const struct astra_ordered_node *a = x, *b = y;

	if (a->rack != b->rack)
		return a->rack < b->rack ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->free != b->free)
		return a->free > b->free ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

/* Whether the caller has to fill a row. Marks the row as filled. */
static bool node_order_claim(struct astra_node_order *order, size_t row)
{
	uint64_t bit = UINT64_C(1) << row;

	if (order->ready & bit)
		return false;
	order->ready |= bit;
	return true;
}

const struct astra_ordered_node *
astra_node_order_numbered(struct astra_node_order *order)
{
	struct astra_ordered_node *list = order->list;

	if (!node_order_claim(order, ROW_NUMBERED))
		return list;
	for (uint32_t i = 0; i < order->racks->nodes; i++) {
		const node_record_t *node = node_record_table_ptr[i];
		struct astra_node_units gpus, shards;

		astra_node_units(node, false, &gpus);
		astra_node_units(node, true, &shards);
		list[i] = (struct astra_ordered_node){
			.node = i,
			.gpus = gpus.all,
			.free = gpus.used < gpus.all ? gpus.all - gpus.used : 0,
			.shards = shards.most,
		};
	}
	return list;
}

/* Return a row, filling it if necessary. part may be NULL: then all nodes are
 * in one rack. */
static const struct astra_ordered_node *
node_order_row(struct astra_node_order *order, const part_record_t *part,
	       size_t row)
{
	const struct astra_ordered_node *from =
		astra_node_order_numbered(order);
	size_t count = order->racks->nodes;
	struct astra_ordered_node *list = order->list + row * count;

	if (!node_order_claim(order, row))
		return list;
	for (uint32_t i = 0; i < count; i++) {
		list[i] = from[i];
		if (!part)
			continue;
		list[i].rack = astra_rack_of(order->racks, part, i);
		list[i].place = astra_rack_place(order->racks, part, i);
	}
	qsort(list, count, sizeof(*list), node_order_compare);
	return list;
}

const struct astra_ordered_node *
astra_node_order_by_gpus(struct astra_node_order *order)
{
	return node_order_row(order, NULL, ROW_BY_GPUS);
}

const struct astra_ordered_node *
astra_node_order_by_rack(struct astra_node_order *order,
			 const part_record_t *part)
{
	return node_order_row(order, part,
			      ROWS_BEFORE +
				      astra_rack_topology(order->racks, part));
}

void astra_node_order_free(struct astra_node_order *order)
{
	free(order->list);
	*order = (struct astra_node_order){0};
}
