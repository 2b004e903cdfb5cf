/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job asks for, in the engine's words. */
#ifndef ASTRA_REQUEST_H
#define ASTRA_REQUEST_H

#include "src/common/arena.h"
#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/in/ask.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/node_order.h"

/* The most nodes that a partition lets the job have; INFINITE: any.
 * Locks: caller holds job and part read; takes assoc_mgr's read lock. */
uint32_t astra_part_nodes(const job_record_t *job, const part_record_t *part);

/* The nodes of a pool: a number in the model for each, and back. */
struct astra_node_map {
	uint32_t *local;  /* slurmctld's index -> ours, or ASTRA_NONE */
	uint32_t *global; /* ours -> slurmctld's */
	/* Ours -> the type of a node that is several of ours, else ASTRA_NONE;
	 * those of one node follow one another, from its local on. */
	uint32_t *kind;
	uint32_t kinds_max; /* of the node that is most of ours */
	size_t count;	    /* of ours */
	size_t global_count;
	struct astra_node_order *order; /* of slurmctld's; borrowed */
	struct astra_node_sets *sets;	/* borrowed */
	uint32_t cpus_max;		/* of the largest node */
	uint32_t sockets_max;		/* of the node that has the most */
	bool memory;			/* Slurm counts memory */
	bool owned;			/* somebody has a node alone, or is to
					 * have one */
	bool shards;			/* the pool shares out shards */
};

/* Fill out in from a job's record, and what it wants of its leases. Bitmaps are
 * taken from the arena, jobs may share them; a job that may use all of the
 * pool's nodes has none. Locks: caller holds conf, job, node and part read.
 * Returns 0, or -1 when out of memory. */
int astra_request_of(job_record_t *job, const struct astra_terms *terms,
		     const struct astra_node_map *map, time_t now,
		     struct astra_arena *arena, struct astra_request *out);

/* The nodes that a job might use if nobody had reserved any; by slurmctld's
 * numbers, to be freed with bit_free().
 * Locks: caller holds conf, job, node and part read. */
bitstr_t *astra_request_unreserved(job_record_t *job,
				   const struct astra_node_map *map);

/* What a job's texts say of GPUs. Locks: caller holds job read. */
void astra_request_ask(const job_record_t *job, struct astra_ask *ask);

/* The GPU type a job asks for; "" for any. Locks: caller holds job read. */
void astra_request_type(const job_record_t *job, char type[ASTRA_GPU_TYPE_MAX]);

#endif
