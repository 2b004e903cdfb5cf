/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leave a job an exact number of GPUs on each node: the others are marked as
 * allocated while Slurm chooses, and released under the same lock. */
#ifndef ASTRA_MASK_H
#define ASTRA_MASK_H

#include "src/slurm/compat/compat.h"

struct astra_mask {
	struct astra_mask_node *nodes;
	size_t count;
};

/* Hide GPUs of a node until only `leave` GPUs of the type are free. GPUs
 * without files are hidden by count, whatever their type. node: slurmctld's
 * index. type: NULL or "": any. Locks: caller holds node write, and keeps it
 * until astra_mask_undo(). Returns 0, or -1 when fewer are free or memory is
 * out. */
int astra_mask_add(struct astra_mask *mask, uint32_t node, uint32_t leave,
		   const char *type);

/* Release all hidden GPUs. Locks: caller has held node write since
 * astra_mask_add(). */
void astra_mask_undo(struct astra_mask *mask);

#endif
