/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far apart the GPUs of a node are, as far as slurmctld knows. */
#ifndef ASTRA_TOPOLOGY_H
#define ASTRA_TOPOLOGY_H

#include "src/slurm/compat/compat.h"

/* Return how many GPUs of a node are next to each other: the size of the
 * smallest group of linked GPUs (Links of gres.conf, or found by AutoDetect),
 * else of the smallest group at one socket (Cores); 0: all of them, or unknown.
 * Locks: caller holds the node read lock. */
uint32_t astra_slot_gpus(const node_record_t *node);

#endif
