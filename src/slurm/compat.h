/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's private headers, and what differs between its releases. All other
 * files include Slurm through this one only. Tried with 22.05 and 24.11; for
 * the releases between, where a difference began is a guess.
 */
#ifndef ASTRA_COMPAT_H
#define ASTRA_COMPAT_H

#include <config.h> /* not the one beside this file */

#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/parse_config.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurm/compat_client.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#include "src/interfaces/burst_buffer.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/select.h"
#include "src/interfaces/topology.h"
#else
#include "src/common/gres.h"
#include "src/common/power.h"
#include "src/common/select.h"
#include "src/common/slurm_topology.h"
#include "src/slurmctld/burst_buffer.h"
#include "src/slurmctld/preempt.h"
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#include "src/common/job_features.h"
#include "src/slurmctld/proc_req.h"
#include "src/stepmgr/srun_comm.h"
#include "src/stepmgr/stepmgr.h"
#else
#include "src/slurmctld/srun_comm.h"
#endif

#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
/* Written as in the newer releases. */
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;
#define FEATURE_OP_MOR FEATURE_OP_XOR
#endif

/* Write a job's state. Caller holds the job write lock. */
static inline void astra_state_set(job_record_t *job, uint32_t state)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
	job_state_set(job, state);
#else
	job->job_state = state;
#endif
}

/* Choose nodes and start, as the main scheduler does.
 * Locks: caller holds job and node write, part, conf and fed read.
 * Returns a Slurm error number. */
static inline int astra_select_nodes(job_record_t *job)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
	job_node_select_t select = {.job_ptr = job};

	return select_nodes(&select, false, false, SLURMDB_JOB_FLAG_SCHED);
#else
	return select_nodes(job, false, NULL, NULL, false,
			    SLURMDB_JOB_FLAG_SCHED);
#endif
}

/* Requeue a batch job as preempted. Locks: job and node write, fed read.
 * Returns a Slurm error number. */
static inline int astra_requeue(uint32_t job_id)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
	return job_requeue_internal(0, job_id, true, 0);
#else
	return job_requeue(0, job_id, NULL, true, 0);
#endif
}

/* Slurm's counter has 16 bits in some releases. Locks: job write. */
static inline void astra_restarts_set(job_record_t *job, uint32_t count)
{
	job->restart_cnt = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
}

/* Whether slurmctld has all that plugins may look at: jobs, dependencies,
 * priorities. This thread of its own is made right after. Locks: none. */
static inline bool astra_slurmctld_ready(void)
{
	return slurmctld_config.thread_id_purge_files != 0;
}

/* Whether `scontrol reconfigure` puts a new process in slurmctld's place. */
#define ASTRA_RECONFIGURE_REPLACES \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0))

/* Take the array's task array_task_id out of its record, which becomes the
 * task's; its last task needs no other. Locks: job write. */
static inline void astra_array_split(job_record_t *job)
{
	bool last = job->array_recs->task_cnt <= 1;

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
	(void)(last ? job_array_post_sched(job, true)
		    : job_array_split(job, true));
#else
	(void)(last ? job_array_post_sched(job) : job_array_split(job));
#endif
}

/* The nodes of a list of names that exist. Caller frees.
 * Locks: node read. Returns a Slurm error number. */
static inline int astra_nodes_named(char *names, bitstr_t **nodes)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
	return node_name2bitmap(names, true, nodes, NULL);
#else
	return node_name2bitmap(names, true, nodes);
#endif
}

/* A node's place below the switches, as "s0.s4.n7", or just its name. For
 * xfree(). Locks: conf and node read. Returns a Slurm error number. */
static inline int astra_node_address(char *node, char **address)
{
	char *pattern = NULL;
	int rc;

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
	rc = topology_g_get_node_addr(node, address, &pattern);
#else
	rc = slurm_topo_get_node_addr(node, address, &pattern);
#endif
	xfree(pattern);
	return rc;
}

/* The priorities of a job of several partitions, in the order of
 * part_ptr_list. Borrowed, NULL when it has none. Locks: job read. */
static inline uint32_t *astra_part_priorities(const job_record_t *job)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
	return job->part_prio ? job->part_prio->priority_array : NULL;
#else
	return job->priority_array;
#endif
}

/* The locks of a start; used for all that changes jobs. */
static inline slurmctld_lock_t astra_write_locks(void)
{
	return (slurmctld_lock_t){
		.conf = READ_LOCK,
		.job = WRITE_LOCK,
		.node = WRITE_LOCK,
		.part = READ_LOCK,
		.fed = READ_LOCK,
	};
}

static inline slurmctld_lock_t astra_read_locks(void)
{
	return (slurmctld_lock_t){
		.conf = READ_LOCK,
		.job = READ_LOCK,
		.node = READ_LOCK,
		.part = READ_LOCK,
	};
}

/* Entry points whose arguments differ. priority: sprio's lines, filtered by
 * the plugin before 24.05; job_submit: a text for a refused change since
 * 23.02. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#define ASTRA_FACTORS_PARAMS uid_t uid
#define ASTRA_FACTORS_ARGS uid
#else
#define ASTRA_FACTORS_PARAMS priority_factors_request_msg_t *request, uid_t uid
#define ASTRA_FACTORS_ARGS request, uid
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#define ASTRA_MODIFY_PARAMS \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid, char **err_msg
#define ASTRA_MODIFY_ERR err_msg
typedef priority_factors_t astra_factors_t;
#else
#define ASTRA_MODIFY_PARAMS \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid
#define ASTRA_MODIFY_ERR NULL
typedef priority_factors_object_t astra_factors_t;
#endif
/* burst_buffer: what the gate has no use for. */
#define ASTRA_UNUSED __attribute__((unused))
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
#define ASTRA_BB_STATUS_PARAMS                                \
	ASTRA_UNUSED uint32_t argc, ASTRA_UNUSED char **argv, \
		ASTRA_UNUSED uint32_t uid, ASTRA_UNUSED uint32_t gid
#define ASTRA_BB_SCRIPT_PARAMS                                        \
	ASTRA_UNUSED char *func, ASTRA_UNUSED uint32_t job_id,        \
		ASTRA_UNUSED uint32_t argc, ASTRA_UNUSED char **argv, \
		ASTRA_UNUSED job_info_msg_t *jobs, ASTRA_UNUSED char **answer
#else
#define ASTRA_BB_STATUS_PARAMS \
	ASTRA_UNUSED uint32_t argc, ASTRA_UNUSED char **argv
#define ASTRA_BB_SCRIPT_PARAMS                                        \
	ASTRA_UNUSED char *func, ASTRA_UNUSED uint32_t job_id,        \
		ASTRA_UNUSED uint32_t argc, ASTRA_UNUSED char **argv, \
		ASTRA_UNUSED char **answer
#endif

/* How sbatch writes --gpus=N for slurmctld. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
#define ASTRA_GPU_TRES "gres/gpu:"
#else
#define ASTRA_GPU_TRES "gres:gpu:"
#endif

/* The numbers of a line of sprio; NULL when it has none. */
static inline astra_factors_t *astra_factors(priority_factors_object_t *line)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
	return line->prio_factors;
#else
	return line;
#endif
}

/* sshare loads priority/ltgf, and with it libastraea, where there is no
 * slurmctld: its functions are looked up when they are called, but its data
 * when the library is loaded. So all data that is used must be weak; a test
 * compares this list with what the library needs. */
#pragma weak acct_db_conn
#pragma weak avail_node_bitmap
#pragma weak cg_node_bitmap
#pragma weak cluster_cpus
#pragma weak default_part_loc
#pragma weak fed_mgr_fed_rec
#pragma weak idle_node_bitmap
#pragma weak job_list
#pragma weak last_job_update
#pragma weak last_node_update
#pragma weak last_part_update
#pragma weak part_list
#pragma weak resv_list
#pragma weak share_node_bitmap
#pragma weak slurmctld_config
#pragma weak slurmctld_primary
#pragma weak slurmctld_tres_cnt
#pragma weak accounting_enforce
#pragma weak up_node_bitmap

#endif
