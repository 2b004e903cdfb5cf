/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs hold of nodes. */
#ifndef ASTRA_USAGE_H
#define ASTRA_USAGE_H

#include "src/slurm/in/snapshot.h"

/* Count what all jobs of slurmctld, managed or not, hold of each node. Jobs
 * that are being cleaned up hold their part until their epilog is over,
 * although Slurm has dropped its counters. The caller has set own of each view;
 * left is set here. Locks: caller holds job, node and part read. Returns 0, or
 * -1 when memory is out. */
int astra_usage_count(struct astra_scene *scene);

/* Whether a job has, or had, a part of the pool's nodes. Locks: caller holds
 * job read. */
bool astra_usage_touches(const job_record_t *job,
			 const struct astra_node_map *map);

/* Put a job's shares of the pool's nodes into out->held. Locks: caller holds
 * job read. Returns 0, or -1 when memory is out. */
int astra_usage_held(const job_record_t *job, enum astra_job_state state,
		     const struct astra_node_map *map,
		     struct astra_arena *arena, struct astra_job *out);

/* Return all GPUs of a job's run, whether it still holds them or is over; 0:
 * unknown. Locks: caller holds job read. */
uint32_t astra_usage_gpus(const job_record_t *job);

#endif
