/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job asks for, in the engine's terms. */
#ifndef ASTRA_REQUEST_H
#define ASTRA_REQUEST_H

#include "src/common/arena.h"
#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/in/ask.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/node_order.h"

/* Return the most nodes that a partition allows the job; INFINITE: any. Locks:
 * caller holds job and part read; takes assoc_mgr's read lock. */
uint32_t astra_part_nodes(const job_record_t *job, const part_record_t *part);

/* The nodes of a pool: the index of each in the model, and back. */
struct astra_node_map {
	uint32_t *local;  /* slurmctld's index -> ours, or ASTRA_NONE */
	uint32_t *global; /* ours -> slurmctld's */
	/* Our index -> index of the GPU type, if slurmctld's node counts as
	 * several of ours; else ASTRA_NONE. The entries of one node are
	 * adjacent. */
	uint32_t *kind;
	uint32_t kinds_max; /* most entries of one node */
	size_t count;	    /* of our entries */
	size_t global_count;
	struct astra_node_order *order; /* of slurmctld's; borrowed */
	struct astra_node_sets *sets;	/* borrowed */
	uint32_t cpus_max;		/* of the largest node */
	uint32_t sockets_max;		/* of the node with the most */
	bool memory;			/* Slurm allocates memory */
	bool owned;			/* some job has, or wants, nodes for its
					 * owner alone */
	bool shards;			/* the pool has Gres=shard */
};

/* Fill in out from a job's record and its terms. Bitmaps are taken from the
 * arena, and jobs may share them. A job that may use all of the pool's nodes
 * has no bitmap. Locks: caller holds conf, job, node and part read. Returns 0,
 * or -1 when memory is out. */
int astra_request_of(job_record_t *job, const struct astra_terms *terms,
		     const struct astra_node_map *map, time_t now,
		     struct astra_arena *arena, struct astra_request *out);

/* Return the nodes that a job could use if no node were reserved, by
 * slurmctld's index. Free with bit_free(). Locks: caller holds conf, job, node
 * and part read. */
bitstr_t *astra_request_unreserved(job_record_t *job,
				   const struct astra_node_map *map);

/* Read what a job's texts say about GPUs. Locks: caller holds job read. */
void astra_request_ask(const job_record_t *job, struct astra_ask *ask);

/* Get the GPU type that a job asks for; "": any. Locks: caller holds job
 * read. */
void astra_request_type(const job_record_t *job, char type[ASTRA_GPU_TYPE_MAX]);

#endif
