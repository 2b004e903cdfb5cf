/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot of slurmctld for the engine. Its flat arrays are reused each
 * round. They are filled under read locks and read without locks. */
#ifndef ASTRA_SNAPSHOT_H
#define ASTRA_SNAPSHOT_H

#include "src/foresee/runtimes.h"
#include "src/model/model.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/binds.h"
#include "src/slurm/in/blocked.h"
#include "src/slurm/in/classes.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/node_order.h"
#include "src/slurm/in/node_sets.h"
#include "src/slurm/in/qos.h"
#include "src/slurm/in/racks.h"
#include "src/slurm/in/request.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/in/tenant_users.h"
#include "src/slurm/in/tenants.h"

/* What the engine does not need, but queries and changes of jobs need. */
struct astra_job_info {
	uint32_t uid, gid;
	uint32_t array_task; /* or NO_VAL */
	uint32_t array_job;  /* or 0 */
	const char *user, *account, *partition, *name, *nodes, *tasks;
	uint32_t state; /* Slurm's */
	uint32_t state_reason;
	const char *limit; /* the limit, or another cause in Slurm's words, that
			    * keeps a pending job from running; else "" */
	const char *brief; /* what squeue shows in place of `limit`; NULL: the
			    * same */
	struct astra_report_bind *binds; /* what keeps a pending job from
					  * running */
	uint32_t bind_count;
	struct astra_report_array array;
	uint32_t run_gpus; /* GPUs of its last run, which is over; 0: unknown */
	struct astra_terms terms;
	time_t end; /* the end that its record is to get, from
		     * astra_reserved_end(); or 0 */
};

/* A job that is not the pool's, but has, or had until it ended, a part of the
 * pool's nodes. */
struct astra_other {
	struct astra_runtime_job job;
	const struct astra_share *held;
	size_t held_count;
};

/* One pool's snapshot. Strings and arrays live until the next one. */
struct astra_view {
	struct astra_snapshot model;
	struct astra_node_map map;
	struct astra_node_sets sets;
	struct astra_job_info *info; /* parallel to model.jobs */
	struct astra_tenants tenants;
	struct astra_tenant_users users;
	struct astra_qos_weights qos;
	struct astra_blocked blocked;
	struct astra_node *nodes;
	struct astra_job *jobs;
	size_t job_count, job_room, info_room;
	struct astra_other *others; /* filled only if the pool looks ahead */
	size_t other_count, other_room;
	struct astra_pause pause;
	double heard_sec; /* before this time no job loses its GPUs; 0: any job
			   * may */
	bitstr_t *own;	  /* the nodes that the pool leases,
			   * astra_pool_nodes() */
	bitstr_t *left;	  /* nodes that the pool no longer leases, but on which
			   * one of its jobs runs; or NULL */
	bool unsettled;	  /* a job is being cleaned up: take another snapshot
			   * soon */
};

/* How long after its start slurmctld may still hear that a job had ended. */
#define ASTRA_HEARD_SEC 20

/* The snapshots of all pools at one moment. */
struct astra_scene {
	struct astra_view *views; /* one for each pool of the configuration */
	size_t view_count;
	struct astra_accounts accounts;
	struct astra_arena arena;
	uint32_t *cpus_used;   /* by slurmctld's node index */
	uint32_t *cpus_capped; /* the part of cpus_used under a
				* MaxCPUsPerNode */
	uint64_t *mem_used;
	uint32_t *gpus_held; /* by jobs that are being cleaned up */
	bool *exclusive;
	uint32_t *owners; /* owner of all jobs on a node; ASTRA_NONE: several */
	bool owned;	  /* some job has, or wants, nodes for its owner
			   * alone */
	size_t node_count;
	struct astra_racks racks;
	struct astra_classes classes;
	struct astra_node_order order;
	time_t start;		  /* of slurmctld */
	bitstr_t *kept;		  /* nodes that jobs leave for a job that has
				   * preempted them; borrowed, may be NULL */
	int gpu_tres, shard_tres; /* astra_gres_tres() */
	bool young;	    /* slurmctld may not have heard from all nodes */
	time_t since;	    /* jobs that ended earlier are left out */
	size_t limits_from; /* index of the job whose limit is looked up
			     * first */
	bool unnamed; /* a user's name is missing: look it up, then take the
		       * snapshot again */
	bool failed;  /* memory was out */
};

/* Take all snapshots. They include jobs that ended after `since`. Locks: caller
 * holds conf, job, node and part read; takes assoc_mgr's read. Returns 0, or -1
 * with err set. */
int astra_scene_take(struct astra_scene *scene,
		     const struct astra_config *config, time_t since,
		     struct astra_error *err);

void astra_scene_free(struct astra_scene *scene);

/* Whether a node has registered since slurmctld started or took over, or will
 * register when it wakes up. Before that, slurmctld does not know the node's
 * devices and would start a job without any. Locks: caller holds node read. */
bool astra_node_known(const node_record_t *node);

#endif
