/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consolidated placement: on which nodes a job gets its GPUs.
 *
 * A space knows what is free on each node and keeps the nodes sorted by free
 * GPUs. So a job on a homogeneous cluster is placed in about O(nodes it uses +
 * nodes / 4096). If CPUs or memory limit the nodes, a search may look at each
 * node.
 *
 * The rule (SPEC section 1): if one node is enough, the job gets the node with
 * the fewest free GPUs that suffice. Otherwise nodes are taken by descending
 * free GPUs. As soon as the remaining GPUs fit on an unused node, they go to
 * the node with the fewest that suffice. This uses the fewest nodes. Among the
 * places on that many nodes, one is chosen whose heaviest node has the least
 * weight. Ties go to the lower index. */
#ifndef ASTRA_PLACEMENT_H
#define ASTRA_PLACEMENT_H

#include "src/model/model.h"

struct astra_space;

/* What is free on one node. If the host does not count CPUs or memory, cpus or
 * mem_mib has its maximum value. */
struct astra_room {
	uint32_t gpus;
	uint32_t scattered; /* of gpus, those beyond what one job can have. A
			     * take counts as taking scattered GPUs first; GPUs
			     * given back count as not scattered */
	uint32_t cpus;
	uint64_t mem_mib;
	bool whole;	/* no job is on the node; set, take and give maintain
			 * it */
	uint32_t owner; /* owner of all jobs there; 0: several, or unknown */
	bool alone;	/* a job there shares the node only with its owner's
			 * jobs */
};

/* Make a space with `count` nodes on which nothing is free. gpus_max: the most
 * GPUs that any node can ever have free. Returns NULL when memory is out. */
struct astra_space *astra_space_create(size_t count, uint32_t gpus_max);
void astra_space_destroy(struct astra_space *space);

/* Return a copy with the same rooms, or NULL when memory is out. */
struct astra_space *astra_space_copy(const struct astra_space *space);

/* Nodes by weight. If zeroed, all nodes have the same weight. */
struct astra_ranks {
	uint32_t count;	 /* number of different weights */
	uint32_t *order; /* all nodes, the lightest first, then by index */
	uint32_t *first; /* by rank: the index in order where its nodes begin */
	uint32_t *rank;	 /* by node: how many weights are less than its own */
};

/* Fill in the ranks of nodes. Returns 0, or -1 when memory is out: then all
 * nodes have the same weight. */
int astra_ranks_make(struct astra_ranks *ranks, const struct astra_node *nodes,
		     size_t count);
void astra_ranks_free(struct astra_ranks *ranks);

/* Let the choice of places in the space, and in copies of it, depend on
 * weights. ranks: those of the space's nodes; borrowed. */
void astra_space_weigh(struct astra_space *space,
		       const struct astra_ranks *ranks);

/* Begin to log changes, or undo all logged changes. Undo returns 0, or -1 when
 * memory was out for the log: then the space has to be made anew. */
void astra_space_log(struct astra_space *space);
int astra_space_undo(struct astra_space *space);

/* Set what is free on a node. If room->whole is set, the node is whole again
 * once all that was taken since has been given back. */
void astra_space_set(struct astra_space *space, uint32_t node,
		     const struct astra_room *room);
/* Set what is free on a node with this many users, each of which took
 * something. The node is `whole` again once that many shares are given back. */
void astra_space_set_used(struct astra_space *space, uint32_t node,
			  const struct astra_room *room, bool whole,
			  uint32_t users);
const struct astra_room *astra_space_get(const struct astra_space *space,
					 uint32_t node);

/* Return the free GPUs on all nodes together. */
uint64_t astra_space_gpus(const struct astra_space *space);

/* Return the free GPUs on the node that has the most. */
uint32_t astra_space_gpus_max(const struct astra_space *space);

/* Return the least node >= from with exactly `gpus` free GPUs, or
 * ASTRA_SET_END. If gpus is the space's gpus_max, nodes with more count too.
 * gpus > 0. */
size_t astra_space_next(const struct astra_space *space, uint32_t gpus,
			size_t from);

/* Take a share from a node, or as much of it as is free there; give a share
 * back. */
void astra_space_take(struct astra_space *space,
		      const struct astra_share *share);
void astra_space_give(struct astra_space *space,
		      const struct astra_share *share);

/* Return how many GPUs of the request this room can host, with the CPUs and
 * memory. The number is a multiple of the request's quantum; with gpus_per_node
 * it is that or 0. A room without a CPU hosts nothing. */
uint32_t astra_room_fits(const struct astra_room *room,
			 const struct astra_request *request);

/* Whether a job cannot share the node with the jobs there, because the node or
 * the job is for one owner alone. */
static inline bool astra_room_strange(const struct astra_room *room,
				      const struct astra_request *request)
{
	return !room->whole && (room->alone || request->alone) &&
	       (!room->owner || room->owner != request->owner);
}

/* Whether a room has all that a share takes. A room without a CPU has
 * nothing. */
bool astra_room_has(const struct astra_room *room,
		    const struct astra_share *share);

/* Find a place for a request; takes nothing. With gpus_per_node, the place is
 * on the nodes with the smallest sufficient rooms. If nodes_min asks for more
 * nodes than are needed, the place is on nodes_min nodes. Then the GPUs are
 * spread evenly, as far as the nodes' rooms allow.
 * banned: bitmap of nodes not to use, or NULL.
 * strict_node_gpus: the GPUs of the largest node; a place on more than
 * ceil(gpus / strict_node_gpus) nodes is refused; 0: no such limit.
 * shares: room for min(gpus, nodes, nodes_max if any) elements; filled in by
 * ascending node index, including CPUs and memory; for whole_node all that the
 * node has.
 * Only one search of a space at a time: it keeps its state in the space.
 * Returns the number of shares, or 0 when there is no place. */
size_t astra_place(const struct astra_space *space,
		   const struct astra_request *request, const uint64_t *banned,
		   uint32_t strict_node_gpus, struct astra_share *shares);

/* Return the request as if it were for `gpus` GPUs, with their CPUs and charge.
 * request->gpus > 0. */
struct astra_request astra_request_sized(const struct astra_request *request,
					 uint32_t gpus);

/* Return what a request takes on a node on which it gets `gpus` GPUs, ignoring
 * whole_node. */
struct astra_share astra_request_share(const struct astra_request *request,
				       uint32_t node, uint32_t gpus);

#endif
