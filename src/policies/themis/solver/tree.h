/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines as a tree, and what a bidder gets at each node of it. Private to
 * the auction.
 *
 * A score depends on the number of GPUs and on the lowest node (a machine, a
 * rack, the root) that has all of them. So a bundle is a node and a number.
 * Bundles can be dealt out iff, below each node, they add up to no more than
 * its free GPUs. Bundles of machines take their GPUs first. Bundles of racks
 * then take any GPUs left in their rack, and bundles of the root any GPUs left
 * at all. */
#ifndef ASTRA_THEMIS_TREE_H
#define ASTRA_THEMIS_TREE_H

#include "src/policies/themis/solver/game.h"

/* The kinds of nodes: root, rack, then machines by their slot. */
enum {
	ASTRA_THEMIS_ROOT_KIND,
	ASTRA_THEMIS_RACK_KIND,
	ASTRA_THEMIS_MACHINE_KINDS
};

struct astra_themis_node {
	uint32_t parent; /* NONE for the root */
	uint32_t kind;
	uint32_t free;
	uint32_t machine; /* index of the machine, or NONE */
	uint32_t run; /* machines: the first of the equal machines in this rack;
		       * equal machines are next to each other */
};

/* Scores of x GPUs at a node of one kind. */
struct astra_themis_curve {
	const double *value; /* value[x], x <= room */
	const uint32_t *up;  /* the step d with the largest gain / d; 0: none */
	const uint32_t *down; /* the step d with the least loss / d; 0 at x =
			       * 0 */
	uint32_t room;
};

struct astra_themis_tree {
	struct astra_themis_game *game;
	struct astra_themis_node *nodes; /* the root, the racks, the machines */
	uint32_t node_count, rack_count;
	uint32_t *begin; /* by rack: its first machine's node; behind the last
			  * rack: the end */
	uint32_t kind_count;
	struct astra_themis_curve *curves; /* [bidder * kind_count + kind] */
	/* By bidder: the nodes of the machine and of the rack on which it holds
	 * GPUs, or NONE if these have no free GPUs. */
	uint32_t *home_machine, *home_rack;
};

/* Builds the tree. Machines without free GPUs are left out. Memory is the
 * game's. Returns 0, or -1 when out of memory. */
int astra_themis_tree_init(struct astra_themis_tree *tree,
			   struct astra_themis_game *game);

static inline const struct astra_themis_curve *
astra_themis_curve(const struct astra_themis_tree *tree, size_t bidder,
		   uint32_t node)
{
	return &tree->curves[bidder * tree->kind_count +
			     tree->nodes[node].kind];
}

/* Whether GPUs at this node may be added to what the bidder holds: at the root
 * always, elsewhere only if the node has all that the bidder holds. A bidder
 * that holds nothing may have any. */
static inline bool astra_themis_allowed(const struct astra_themis_tree *tree,
					size_t bidder, uint32_t node)
{
	enum astra_level spread = tree->game->players[bidder].spread;

	if (node == 0 || spread == ASTRA_LEVEL_SLOT)
		return true;
	if (node <= tree->rack_count)
		return node == tree->home_rack[bidder];
	return node == tree->home_machine[bidder];
}

/* Returns the next node on the path to the root; NONE after the root. */
static inline uint32_t astra_themis_parent(const struct astra_themis_tree *tree,
					   uint32_t node)
{
	return tree->nodes[node].parent;
}

#endif
