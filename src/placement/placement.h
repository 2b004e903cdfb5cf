/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consolidated placement: on which nodes a job gets its GPUs.
 *
 * A space knows what is free on each node and keeps the nodes sorted by free
 * GPUs, so that a job on a homogeneous cluster is placed in about
 * O(nodes it uses + nodes / 4096). Where CPUs or memory are what limits the
 * nodes, a search may look at each of them.
 *
 * The rule (SPEC section 1): if one node suffices, the node with the least
 * sufficient number of free GPUs; else nodes by descending free GPUs, but as
 * soon as the remainder fits on an unused node, it goes to the least
 * sufficient one. This uses the fewest nodes. Of the places on so many nodes
 * one is taken whose heaviest node has the least weight. Ties go to the lower
 * index.
 */
#ifndef ASTRA_PLACEMENT_H
#define ASTRA_PLACEMENT_H

#include "src/model/model.h"

struct astra_space;

/* What is free on one node; cpus and mem_mib may be "plenty" (their maximum)
 * where the host does not count them. */
struct astra_room {
	uint32_t gpus;
	uint32_t scattered; /* of them, beyond what one job can have. Taking and
			     * giving hope for the best: GPUs that are taken
			     * are of these, those that come back are beside
			     * the others */
	uint32_t cpus;
	uint64_t mem_mib;
	bool whole;	/* nobody is on the node; set, take and give keep it */
	uint32_t owner; /* of all jobs there; 0: of several, or not known */
	bool alone;	/* one of them shares the node with its owner's only */
};

/* A space with `count` nodes on which nothing is free; gpus_max: the most GPUs
 * that any node can ever have free. NULL when out of memory. */
struct astra_space *astra_space_create(size_t count, uint32_t gpus_max);
void astra_space_destroy(struct astra_space *space);

/* A copy with the same rooms, or NULL when out of memory. */
struct astra_space *astra_space_copy(const struct astra_space *space);

/* Nodes by their weights. Zeroed: all weigh the same. */
struct astra_ranks {
	uint32_t count;	 /* of different weights */
	uint32_t *order; /* all nodes, the lightest first, then by index */
	uint32_t *first; /* where the nodes of a rank begin in it */
	uint32_t *rank;	 /* by node: how many weights are less than its own */
};

/* Returns 0, or -1 when memory is out: then all weigh the same. */
int astra_ranks_make(struct astra_ranks *ranks, const struct astra_node *nodes,
		     size_t count);
void astra_ranks_free(struct astra_ranks *ranks);

/* Let places in the space, and in copies of it, heed weights. ranks: of its
 * nodes; borrowed. */
void astra_space_weigh(struct astra_space *space,
		       const struct astra_ranks *ranks);

/* Note what changes from now on, and undo it. Undo returns 0, or -1 when memory
 * was out for a note: then the space is to be made anew. */
void astra_space_log(struct astra_space *space);
int astra_space_undo(struct astra_space *space);

/* Set what is free on a node. A node that is set whole is so again once all
 * that was taken since is given back. */
void astra_space_set(struct astra_space *space, uint32_t node,
		     const struct astra_room *room);
/* The same for a node with so many users, each of whom took something: it is
 * `whole` again once as many shares are given back. */
void astra_space_set_used(struct astra_space *space, uint32_t node,
			  const struct astra_room *room, bool whole,
			  uint32_t users);
const struct astra_room *astra_space_get(const struct astra_space *space,
					 uint32_t node);

/* Free GPUs on all nodes together. */
uint64_t astra_space_gpus(const struct astra_space *space);

/* Free GPUs on the node that has the most. */
uint32_t astra_space_gpus_max(const struct astra_space *space);

/* The least node >= from with so many free GPUs, or ASTRA_SET_END; of the most
 * that the space was made for, with so many or more. gpus > 0. */
size_t astra_space_next(const struct astra_space *space, uint32_t gpus,
			size_t from);

/* Take from a node, as much of it as there is, or give back to it. */
void astra_space_take(struct astra_space *space,
		      const struct astra_share *share);
void astra_space_give(struct astra_space *space,
		      const struct astra_share *share);

/* The GPUs of the request that this room can host, CPUs and memory counted;
 * a multiple of its quantum, its gpus_per_node or nothing. A room without a
 * CPU hosts nothing. */
uint32_t astra_room_fits(const struct astra_room *room,
			 const struct astra_request *request);

/* Whether a job cannot have a part of the node beside those that are there: the
 * node, or the job, is for one owner alone. */
static inline bool astra_room_strange(const struct astra_room *room,
				      const struct astra_request *request)
{
	return !room->whole && (room->alone || request->alone) &&
	       (!room->owner || room->owner != request->owner);
}

/* Whether a room has all of a share. One without a CPU has none. */
bool astra_room_has(const struct astra_room *room,
		    const struct astra_share *share);

/* Find a place for a request; takes nothing.
 * With gpus_per_node, the nodes with the least sufficient rooms. With
 * nodes_min > 1 where fewer would do, nodes_min nodes and the GPUs evenly on
 * them, as far as their rooms allow.
 * banned: bitmap of nodes not to use, or NULL.
 * strict_node_gpus: the GPUs of the largest node: a place on more than
 *   ceil(gpus / strict_node_gpus) nodes is refused; 0: as many as it takes.
 * shares: room for min(gpus, nodes, nodes_max if any) elements; filled with
 *   the nodes by ascending index, CPUs and memory included: for whole_node
 *   all that the node has.
 * One search of a space at a time: it keeps its notes in the space.
 * Returns the number of shares, or 0 when there is no place.
 */
size_t astra_place(const struct astra_space *space,
		   const struct astra_request *request, const uint64_t *banned,
		   uint32_t strict_node_gpus, struct astra_share *shares);

/* The request as if it were for so many GPUs, with the CPUs and the charge that
 * go with them. request->gpus > 0. */
struct astra_request astra_request_sized(const struct astra_request *request,
					 uint32_t gpus);

/* What a request takes on a node where it gets so many GPUs; whole_node is
 * not looked at. */
struct astra_share astra_request_share(const struct astra_request *request,
				       uint32_t node, uint32_t gpus);

#endif
