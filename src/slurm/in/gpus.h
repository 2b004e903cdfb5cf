/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of nodes and jobs, and gres/shard, which are parts of them, in
 * slurmctld's own structures. */
#ifndef ASTRA_GPUS_H
#define ASTRA_GPUS_H

#include "src/slurm/compat/compat.h"

/* The gres_state of shard in a job's list, or of gpu where it has none of
 * shard, or NULL. A job may have several, one a type: given in turn, the nth
 * from 0. Borrowed. Locks: those of the list's owner, read. */
gres_state_t *astra_gpu_state(list_t *list, int nth);

/* The GPUs of a node, or its shards, or NULL. Borrowed. node: may be NULL.
 * Locks: caller holds node read. */
gres_node_state_t *astra_node_gres(const node_record_t *node, bool shards);
gres_node_state_t *astra_node_gpus(const node_record_t *node);

/* A node's GPUs, or its shards. */
struct astra_node_units {
	uint32_t all;
	uint64_t used; /* by whom of either kind, as far as Slurm lists it */
	uint32_t most; /* that one job can have of the node */
	uint32_t free; /* that one job can have of it now */
};

/* All zero where it has none, or is NULL. Locks: as above. */
void astra_node_units(const node_record_t *node, bool shards,
		      struct astra_node_units *out);

/* Devices of MIG are no parts of one another: a node that has several types of
 * them, and no other GPUs, is to the engine as many nodes. The number of its
 * types then, else 1. node: may be NULL. Locks: as above. */
uint32_t astra_node_kinds(const node_record_t *node);

/* The same as astra_node_units() of one of the types, from 0. */
void astra_node_kind_units(const node_record_t *node, uint32_t kind,
			   struct astra_node_units *out);

/* How many of these devices are of that type; NULL: 0. */
uint32_t astra_node_kind_count(const node_record_t *node, uint32_t kind,
			       bitstr_t *devices);

/* The GPUs of a type, or with shards its shards, that no job has. type: "":
 * any. node: may be NULL. Locks: as above. */
uint64_t astra_node_free(const node_record_t *node, bool shards,
			 const char *type);

/* Whether a node has GPUs of a type, as far as it has told.
 * Locks: caller holds node read. */
bool astra_node_has_type(const node_record_t *node, const char *type);

/* The types of a node's GPUs, '+' between them; "" where it has told none.
 * Locks: as above. */
void astra_node_types(const node_record_t *node, char *text, size_t size);

/* Whether one of the nodes has GPUs. Locks: caller holds node read. */
bool astra_nodes_have_gpus(bitstr_t *nodes);

#endif
