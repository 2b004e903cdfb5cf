/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far apart GPUs of a node are, as far as slurmctld knows. */
#ifndef ASTRA_TOPOLOGY_H
#define ASTRA_TOPOLOGY_H

#include "src/slurm/compat/compat.h"

/* GPUs of a node that are next to each other: the smallest group of those that
 * are linked (Links of gres.conf, or found by AutoDetect), else of those at one
 * socket (Cores); 0: all of them, or it is not known.
 * Locks: caller holds the node read lock. */
uint32_t astra_slot_gpus(const node_record_t *node);

#endif
