/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the nodes that the indices in a snapshot stand for. Indices are
 * valid for one snapshot only: if a node is added, removed or renamed, other
 * nodes get its index. A module that keeps indices from round to round also
 * keeps the names, in this struct, and renumbers its indices when the nodes
 * change. */
#ifndef ASTRA_NODE_NAMES_H
#define ASTRA_NODE_NAMES_H

#include "src/common/bytes.h"
#include "src/model/model.h"

/* Names of nodes. If zeroed, there are no nodes. */
struct astra_node_names {
	char **names; /* by index; "": the node has none */
	size_t count;
};

/* The present index of each node, by the node's old index. */
struct astra_renumbering {
	uint32_t *now; /* by old index; ASTRA_NONE: the node is gone */
	size_t count;  /* nodes with a higher old index are gone, too */
};

/* Take over a snapshot's nodes. Returns false if all indices stand for the same
 * nodes as before. Otherwise `by` has the new indices, which all differ. A node
 * without a name keeps its index. When memory is out, all nodes count as gone.
 * The caller frees by->now, which may be NULL. */
bool astra_node_names_follow(struct astra_node_names *known,
			     const struct astra_node *nodes, size_t count,
			     struct astra_renumbering *by);

/* Return the present index of a node, or ASTRA_NONE. */
uint32_t astra_renumbered(const struct astra_renumbering *by, uint32_t node);

/* Renumber shares and sort them by node. Returns whether all nodes still exist;
 * if not, each share's node is ASTRA_NONE. */
bool astra_shares_renumber(struct astra_share *shares, size_t count,
			   const struct astra_renumbering *by);

/* Copy names into a zeroed struct. Returns 0, or -1 when memory is out; then
 * clear the struct. */
int astra_node_names_copy(struct astra_node_names *to,
			  const struct astra_node_names *from);

void astra_node_names_put(const struct astra_node_names *known,
			  struct astra_bytes *out);
/* Read names into a zeroed struct. Returns 0, or -1 when memory is out or the
 * data is damaged. Clear the struct in that case too. */
int astra_node_names_get(struct astra_node_names *known,
			 struct astra_reader *in);
void astra_node_names_clear(struct astra_node_names *known);

#endif
