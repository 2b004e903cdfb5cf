/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of nodes and jobs, and gres/shard, which are parts of GPUs, in
 * slurmctld's own structures. */
#ifndef ASTRA_GPUS_H
#define ASTRA_GPUS_H

#include "src/slurm/compat/compat.h"

/* Return the state of gres/shard in a job's list; if there is none, that of
 * gres/gpu; NULL: neither. A job may have several, one for each type: nth
 * counts from 0. Borrowed. Locks: those of the list's owner, read. */
gres_state_t *astra_gpu_state(list_t *list, int nth);

/* Return the GPUs of a node, or its shards, or NULL. Borrowed. node may be
 * NULL. Locks: caller holds node read. */
gres_node_state_t *astra_node_gres(const node_record_t *node, bool shards);
gres_node_state_t *astra_node_gpus(const node_record_t *node);

/* A node's GPUs, or its shards. */
struct astra_node_units {
	uint32_t all;
	uint64_t used; /* by jobs of either kind, as far as Slurm lists their
			  use */
	uint32_t most; /* the most that one job can have of the node */
	uint32_t free; /* the most that one job can have of it now */
};

/* Fill in a node's units: all zero if it has none or is NULL. Locks: as
 * astra_node_gres(). */
void astra_node_units(const node_record_t *node, bool shards,
		      struct astra_node_units *out);

/* Return the number of a node's types if it has several types of MIG devices
 * and no other GPUs, else 1. MIG devices of different types are not
 * interchangeable, so the engine sees such a node as several nodes. node may be
 * NULL. Locks: as astra_node_gres(). */
uint32_t astra_node_kinds(const node_record_t *node);

/* As astra_node_units(), for one type of the node. kind: the type's index, from
 * 0. */
void astra_node_kind_units(const node_record_t *node, uint32_t kind,
			   struct astra_node_units *out);

/* Return how many of `devices` have the type `kind`; 0 if devices is NULL. */
uint32_t astra_node_kind_count(const node_record_t *node, uint32_t kind,
			       bitstr_t *devices);

/* Return how many GPUs of a type, or how many shards, are free. type: ""  means
 * any; ignored for shards. node may be NULL. Locks: as astra_node_gres(). */
uint64_t astra_node_free(const node_record_t *node, bool shards,
			 const char *type);

/* Whether a node has GPUs of a type, as far as the node has reported. Locks:
 * caller holds node read. */
bool astra_node_has_type(const node_record_t *node, const char *type);

/* Write the types of a node's GPUs, joined by '+'; "" if it has reported none.
 * Locks: as astra_node_gres(). */
void astra_node_types(const node_record_t *node, char *text, size_t size);

/* Whether one of the nodes has GPUs. Locks: caller holds node read. */
bool astra_nodes_have_gpus(bitstr_t *nodes);

#endif
