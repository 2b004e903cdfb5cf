/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes the numbers in a snapshot stand for. Numbers are good for one
 * snapshot only: a node that is added, removed or renamed between two of them
 * gives others its number. Whoever keeps numbers from round to round keeps the
 * names here too, and has the numbers changed when the nodes did.
 */
#ifndef ASTRA_NODE_NAMES_H
#define ASTRA_NODE_NAMES_H

#include "src/common/bytes.h"
#include "src/model/model.h"

/* Zeroed: no nodes. */
struct astra_node_names {
	char **names; /* by number; "": the node has none */
	size_t count;
};

/* The numbers that nodes have now, by those that they had. */
struct astra_renumbering {
	uint32_t *now; /* ASTRA_NONE: the node is gone */
	size_t count;  /* numbers from here on are gone, too */
};

/* Go on to a snapshot's nodes. Returns false where all numbers stand for the
 * same nodes as before. Else `by` says what they are now; no two are the same,
 * and a node without a name keeps its number. When out of memory, all nodes
 * are gone.
 * by: free ->now, which may be NULL. */
bool astra_node_names_follow(struct astra_node_names *known,
			     const struct astra_node *nodes, size_t count,
			     struct astra_renumbering *by);

/* The number that a node has now, or ASTRA_NONE. */
uint32_t astra_renumbered(const struct astra_renumbering *by, uint32_t node);

/* Change the numbers, and sort by them. Returns whether all nodes are there
 * still; else each share's node is ASTRA_NONE. */
bool astra_shares_renumber(struct astra_share *shares, size_t count,
			   const struct astra_renumbering *by);

/* Into a zeroed one. Returns 0, or -1 when out of memory; then clear it. */
int astra_node_names_copy(struct astra_node_names *to,
			  const struct astra_node_names *from);

void astra_node_names_put(const struct astra_node_names *known,
			  struct astra_bytes *out);
/* Into a zeroed one. Returns 0, or -1 when out of memory or the data is
 * damaged; then clear it all the same. */
int astra_node_names_get(struct astra_node_names *known,
			 struct astra_reader *in);
void astra_node_names_clear(struct astra_node_names *known);

#endif
