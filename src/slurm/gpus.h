/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The GPUs of nodes and jobs, in slurmctld's own structures. */
#ifndef ASTRA_GPUS_H
#define ASTRA_GPUS_H

#include "src/slurm/compat.h"

/* The gres_state of gpu in a node's or job's list, or NULL. A job may have
 * several, one a type: given in turn, the nth from 0. Borrowed.
 * Locks: those of the list's owner, read. */
gres_state_t *astra_gpu_state(list_t *list, int nth);

/* The GPUs of a node, or NULL. Borrowed. node: may be NULL.
 * Locks: caller holds node read. */
const gres_node_state_t *astra_node_gpus(const node_record_t *node);

/* How many of them nobody holds. node: may be NULL. Locks: as above. */
uint64_t astra_gpus_free(const node_record_t *node);

/* Whether a node has GPUs of a type, as far as it has told.
 * Locks: caller holds node read. */
bool astra_node_has_type(const node_record_t *node, const char *type);

/* The types of a node's GPUs, '+' between them; "" where it has told none.
 * Locks: as above. */
void astra_node_types(const node_record_t *node, char *text, size_t size);

/* Whether one of the nodes has GPUs. Locks: caller holds node read. */
bool astra_nodes_have_gpus(bitstr_t *nodes);

#endif
