/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The differences between Slurm's releases. All other files include Slurm's
 * headers only through this one. m4/astra_slurm_compat.m4 detects each
 * ASTRA_SLURM_... and says which release brought it. */
#ifndef ASTRA_COMPAT_H
#define ASTRA_COMPAT_H

#include "src/slurm/compat/compat_client.h"
#include "src/slurm/compat/slurm_headers.h"

/* Names as in the newer releases. */
#ifdef ASTRA_SLURM_XLIST
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;
#endif
#ifdef ASTRA_SLURM_OP_XOR
#define FEATURE_OP_MOR FEATURE_OP_XOR
#endif
#ifdef ASTRA_SLURM_CR_MEMORY
#define SELECT_MEMORY CR_MEMORY
#ifdef MULTIPLE_SHARING_GRES_PJ
#define SELECT_MULTIPLE_SHARING_GRES_PJ MULTIPLE_SHARING_GRES_PJ
#else /* 22.05 does not have it */
#define SELECT_MULTIPLE_SHARING_GRES_PJ 0
#endif
#endif

/* Write a job's state. Caller holds the job write lock. */
static inline void astra_state_set(job_record_t *job, uint32_t state)
{
#ifdef ASTRA_SLURM_JOB_STATE_SET
	job_state_set(job, state);
#else
	job->job_state = state;
#endif
}

/* Whether a magnetic reservation only attracts jobs that end before it does. */
static inline bool astra_magnets_outlast(void)
{
	return SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0);
}

/* Choose nodes for a job and start it, as the main scheduler does.
 * Locks: caller holds job and node write, part, conf and fed read.
 * Returns a Slurm error number. */
static inline int astra_select_nodes(job_record_t *job)
{
#ifdef ASTRA_SLURM_SELECT_STRUCT
	job_node_select_t select = {.job_ptr = job};

	return select_nodes(&select, false, false, SLURMDB_JOB_FLAG_SCHED);
#else
	return select_nodes(job, false, NULL, NULL, false,
			    SLURMDB_JOB_FLAG_SCHED);
#endif
}

/* Requeue a batch job as preempted. Locks: job and node write, fed read.
 * Returns a Slurm error number. */
static inline int astra_requeue(job_record_t *job)
{
#ifdef ASTRA_SLURM_REQUEUE_JOB
	return job_requeue_internal(0, job, true, 0);
#else
	return job_requeue(0, job->job_id, NULL, true, 0);
#endif
}

/* Count the job for the limits on submissions, as Slurm does at a requeue: the
 * end of the job's run has removed it from that count. Locks: caller holds job
 * write. */
static inline void astra_submit_count(job_record_t *job)
{
#ifdef ASTRA_SLURM_SUBMIT_LOCKED
	acct_policy_add_job_submit(job, false);
#else
	acct_policy_add_job_submit(job);
#endif
}

/* Give a pending job the present limits of its association and QOS. Locks:
 * caller holds job write, part read. */
static inline void astra_limits_renew(job_record_t *job)
{
#ifdef ASTRA_SLURM_LIMITS_TOLD
	(void)acct_policy_update_pending_job(job, true);
#else
	(void)acct_policy_update_pending_job(job);
#endif
}

/* Make a pending batch job's next run a new run for slurmdbd. slurmdbd
 * identifies a run by the job and the time of submission; in newer releases by
 * an index that slurmctld draws and by which it finds the job, as in
 * batch_requeue_fini(). submit_sec: of the last run. Locks: job and node write,
 * fed read. */
static inline void astra_run_renew(job_record_t *job, time_t submit_sec)
{
	job_details_t *details = job->details;
#ifdef ASTRA_SLURM_RUN_INDEX
	time_t begin_sec = details->begin_time;

	details->submit_time = submit_sec;
	batch_requeue_fini(job);
	details->begin_time = begin_sec; /* without Slurm's delay */
#else
	time_t now = time(NULL);

	details->submit_time = now > submit_sec ? now : submit_sec + 1;
	job->db_index = 0;
#endif
}

/* Whether slurmctld's record of the job has this run's index, by which the
 * run's processes name it. Locks: caller holds job read. */
static inline bool astra_run_is(const job_record_t *job, uint64_t index)
{
#ifdef ASTRA_SLURM_RUN_INDEX
	return job->step_id.sluid == index;
#else
	(void)job;
	(void)index;
	return true;
#endif
}

/* Whether the request would crash slurmctld. When Slurm spreads a job whose
 * GRES count is for the whole job, it follows a NULL pointer
 * (_eval_nodes_spread(), fixed in 25.05). So anybody who may submit a job can
 * crash slurmctld, and it crashes again each time that it has read the job from
 * its state. */
static inline bool astra_desc_ends_slurmctld(const job_desc_msg_t *desc)
{
#ifdef ASTRA_SLURM_SPREAD_ENDS
	return (desc->bitflags & SPREAD_JOB) &&
	       (desc->tres_per_job || desc->tres_per_socket ||
		desc->tres_per_task);
#else
	(void)desc;
	return false;
#endif
}

/* Add a node's address to a message to nodes, if other nodes cannot look it up.
 * Locks: node read. */
static inline void astra_order_pack_address(agent_arg_t *order,
					    const node_record_t *node)
{
#ifdef PACK_FANOUT_ADDRS
	if (PACK_FANOUT_ADDRS(node))
		order->msg_flags |= SLURM_PACK_ADDRS;
#else
	(void)order;
	(void)node;
#endif
}

/* Whether a licence is a hierarchical resource, with a count for each layer of
 * nodes. */
static inline bool astra_licence_has_layers(const licenses_t *licence)
{
#ifdef ASTRA_SLURM_HRES
	return licence->id.hres_id != NO_VAL16;
#else
	(void)licence;
	return false;
#endif
}

/* Keep in nodes those with enough free hierarchical resources for the job.
 * Locks: job read. */
static inline void astra_licensed_nodes(job_record_t *job, bitstr_t *nodes)
{
#ifdef ASTRA_SLURM_HRES
	if (job->license_list)
		(void)hres_filter(job, nodes);
#else
	(void)job;
	(void)nodes;
#endif
}

/* Set the count of restarts. Slurm's counter has 16 bits in some releases.
 * Locks: job write. */
static inline void astra_restarts_set(job_record_t *job, uint32_t count)
{
	job->restart_cnt = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
}

/* Whether slurmctld has everything that plugins may read: jobs, dependencies,
 * priorities. It then creates the thread whose id is tested. Locks: none. */
static inline bool astra_slurmctld_ready(void)
{
	return slurmctld_config.thread_id_purge_files != 0;
}

/* Whether `scontrol reconfigure` replaces the process of slurmctld. */
#ifdef ASTRA_SLURM_RECONFIGURE_REPLACES
#define ASTRA_RECONFIGURE_REPLACES true
#else
#define ASTRA_RECONFIGURE_REPLACES false
#endif

/* Split task array_task_id from the array's record, which becomes the task's
 * record. The last task needs no other record. Locks: job write. */
static inline void astra_array_split(job_record_t *job)
{
	bool last = job->array_recs->task_cnt <= 1;

#ifdef ASTRA_SLURM_SPLIT_LISTED
	(void)(last ? job_array_post_sched(job, true)
		    : job_array_split(job, true));
#else
	(void)(last ? job_array_post_sched(job) : job_array_split(job));
#endif
}

/* Find those nodes of a list of names that exist. The caller frees the bitmap.
 * Locks: node read. Returns a Slurm error number. */
static inline int astra_nodes_named(char *names, bitstr_t **nodes)
{
#ifdef ASTRA_SLURM_NODES_INVALID
	return node_name2bitmap(names, true, nodes, NULL);
#else
	return node_name2bitmap(names, true, nodes);
#endif
}

/* Read a configuration file that slurmctld does not know. Returns a Slurm error
 * number. */
static inline int astra_parse_file(s_p_hashtbl_t *table, char *path)
{
#if defined(ASTRA_SLURM_PARSE_FLAGS)
	return s_p_parse_file(table, NULL, path, 0, NULL);
#elif defined(ASTRA_SLURM_PARSE_IGNORE_6)
	return s_p_parse_file(table, NULL, path, false, NULL, false);
#else
	return s_p_parse_file(table, NULL, path, false, NULL);
#endif
}

/* Whether a job wants nodes of its own: --exclusive. Locks: job read. */
static inline bool astra_wants_whole_nodes(const job_details_t *details)
{
#ifdef ASTRA_SLURM_WHOLE_BITS
	return details->whole_node & WHOLE_NODE_REQUIRED;
#else
	return details->whole_node == WHOLE_NODE_REQUIRED;
#endif
}

/* Whether a job wants nodes that only its user may use: --exclusive=user.
 * Locks: job read. */
static inline bool astra_wants_users_nodes(const job_details_t *details)
{
#ifdef ASTRA_SLURM_WHOLE_BITS
	return details->whole_node & WHOLE_NODE_USER;
#else
	return details->whole_node == WHOLE_NODE_USER;
#endif
}

/* Return the most nodes that a job's user named, or 0. From 26.05 on, if the
 * user named none, Slurm sets it to the number of tasks. Locks: job read. */
static inline uint32_t astra_nodes_named_at_most(const job_record_t *job)
{
#ifdef JOB_IMPLICIT_MAX_NODES
	if (job->bit_flags & JOB_IMPLICIT_MAX_NODES)
		return 0;
#endif
	return job->details->max_nodes;
}

/* Whether the user listed several numbers of nodes, as -N 2,4,8. Locks: job
 * read. */
static inline bool astra_names_sizes(const job_details_t *details)
{
#ifdef ASTRA_SLURM_NODES_LISTED
	return details->job_size_bitmap != NULL;
#else
	(void)details;
	return false;
#endif
}

/* Clear --requeue=expedite. It holds a job that ends with an error, and a job
 * that was told to write a checkpoint may end so. Locks: job write. */
static inline void astra_clear_expedite(job_record_t *job)
{
#ifdef EXPEDITED_REQUEUE
	job->bit_flags &= ~(uint64_t)EXPEDITED_REQUEUE;
#else
	(void)job;
#endif
}

/* As astra_clear_expedite(), for a request. Returns whether the flag was
 * set. */
static inline bool astra_desc_clear_expedite(job_desc_msg_t *desc)
{
#ifdef EXPEDITED_REQUEUE
	bool was = desc->bitflags & EXPEDITED_REQUEUE;

	desc->bitflags &= ~(uint64_t)EXPEDITED_REQUEUE;
	return was;
#else
	(void)desc;
	return false;
#endif
}

/* Return a job's priorities in each partition and QOS that it asks for.
 * Borrowed, NULL if there are none. Locks: job read. */
static inline uint32_t *astra_each_priority(const job_record_t *job)
{
#if defined(ASTRA_SLURM_PRIO_MULT)
	return job->prio_mult ? job->prio_mult->priority_array : NULL;
#elif defined(ASTRA_SLURM_PART_PRIO)
	return job->part_prio ? job->part_prio->priority_array : NULL;
#else
	return job->priority_array;
#endif
}

/* Whether any single licence of the list to which this one belongs is
 * enough. */
static inline bool astra_licence_is_or(const licenses_t *licence)
{
#ifdef ASTRA_SLURM_LICENCES_OR
	return licence->op_or;
#else
	(void)licence;
	return false;
#endif
}

/* Return the list of QOS that a job names, or NULL if it names only one.
 * Borrowed. Locks: job read. */
static inline list_t *astra_qos_named(const job_record_t *job)
{
#ifdef ASTRA_SLURM_QOS_LIST
	return job->qos_list;
#else
	(void)job;
	return NULL;
#endif
}

/* Return the locks for a start. They are used for all changes of jobs. */
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

/* Entry points whose arguments differ between releases. priority: before 24.05
 * the plugin filters sprio's lines. job_submit: since 23.02 it may return a
 * text with a refused change. */
#ifdef ASTRA_SLURM_FACTORS_UID
#define ASTRA_FACTORS_PARAMS uid_t uid
#define ASTRA_FACTORS_ARGS uid
#else
#define ASTRA_FACTORS_PARAMS priority_factors_request_msg_t *request, uid_t uid
#define ASTRA_FACTORS_ARGS request, uid
#endif
#ifdef ASTRA_SLURM_MODIFY_EXPLAINED
#define ASTRA_MODIFY_PARAMS \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid, char **err_msg
#define ASTRA_MODIFY_ERR err_msg
#else
#define ASTRA_MODIFY_PARAMS \
	job_desc_msg_t *desc, job_record_t *job, uint32_t uid
#define ASTRA_MODIFY_ERR NULL
#endif
#ifdef ASTRA_SLURM_FACTORS_APART
typedef priority_factors_t astra_factors_t;
#else
typedef priority_factors_object_t astra_factors_t;
#endif
/* burst_buffer: arguments that our gate does not use. */
#define ASTRA_UNUSED __attribute__((unused))
#ifdef ASTRA_SLURM_BB_TOLD
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
#ifdef ASTRA_SLURM_GRES_SLASH
#define ASTRA_GPU_TRES "gres/gpu:"
#else
#define ASTRA_GPU_TRES "gres:gpu:"
#endif

/* Set the job that a change is about. */
static inline void astra_desc_name_job(job_desc_msg_t *desc, uint32_t job)
{
#ifdef ASTRA_SLURM_DESC_STEP
	desc->step_id.job_id = job;
#else
	desc->job_id = job;
#endif
}

/* Return the job of a line of sprio. */
static inline uint32_t astra_factors_job(const priority_factors_object_t *line)
{
#ifdef ASTRA_SLURM_FACTORS_STEP
	return line->step_id.job_id;
#else
	return line->job_id;
#endif
}

/* Return the factors of a line of sprio, or NULL. */
static inline astra_factors_t *astra_factors(priority_factors_object_t *line)
{
#ifdef ASTRA_SLURM_FACTORS_APART
	return line->prio_factors;
#else
	return line;
#endif
}

/* sshare loads priority/ltgf, and with it libastraea, outside of slurmctld.
 * Functions are looked up when they are called, but data when the library is
 * loaded. So all data of slurmctld that is used must be weak. A test compares
 * this list with what the library needs. */
#pragma weak acct_db_conn
#pragma weak avail_node_bitmap
#pragma weak backup_inx
#pragma weak cg_node_bitmap
#pragma weak cloud_dns
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
