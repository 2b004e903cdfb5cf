/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where GPUs are collected for a job whose nodes have to fit together. The
 * engine takes any of the nodes that are left to it, so it is left no others
 * than would do.
 */
#ifndef ASTRA_AIM_H
#define ASTRA_AIM_H

#include "src/slurm/compat/compat.h"
#include "src/slurm/in/node_order.h"

/* Leave in nodes as many as the job needs: for "[a*2&b*1]", where all features
 * have a count, that many of each; for --contiguous neighbours; where
 * topology/block binds, those of one block, or for each --segment as many of
 * one, of as few blocks as those allow. Those with the most free GPUs are
 * taken. Other jobs' nodes are not touched, nor those of one that needs several
 * blocks or a single node. A few walks along all nodes, whatever they have.
 * order: of this picture. Locks: caller holds conf, job, node and part read.
 */
void astra_aim(const job_record_t *job, struct astra_node_order *order,
	       bitstr_t *nodes);

#endif
