/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model: what a host (slurmctld, the simulator, a JSON file) tells the
 * engine about its cluster at one moment. The engine borrows everything here
 * for one call and never writes it.
 *
 * Times are in seconds since the epoch, by the host's clock. GPUs are whole
 * devices, or shards of them if the host allocates shards. A "charge" is the
 * weight of a GPU's type, or the sum of the weights of several GPUs. A charge
 * of 0 stands for 1 per GPU. */
#ifndef ASTRA_MODEL_H
#define ASTRA_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/utility.h"

#define ASTRA_NONE UINT32_MAX

struct astra_bid;

/* How far apart a job's GPUs are. (Themis, section 5) */
enum astra_level {
	ASTRA_LEVEL_SLOT,
	ASTRA_LEVEL_MACHINE,
	ASTRA_LEVEL_RACK,
	ASTRA_LEVEL_CROSS,
	ASTRA_LEVEL_COUNT,
};

static inline const char *astra_level_name(enum astra_level level)
{
	static const char *const names[] = {
		[ASTRA_LEVEL_SLOT] = "slot",
		[ASTRA_LEVEL_MACHINE] = "machine",
		[ASTRA_LEVEL_RACK] = "rack",
		[ASTRA_LEVEL_CROSS] = "cross",
	};

	return names[level];
}

/* A part of one node that a job holds or is to get. */
struct astra_share {
	uint32_t node; /* index into the snapshot's nodes */
	uint32_t gpus;
	uint32_t cpus;
	uint64_t mem_mib;
	uint32_t owner; /* as in the job's request. alone: the job shares the
			 * node only with its owner's jobs */
	bool alone;
};

static inline uint32_t astra_shares_gpus(const struct astra_share *shares,
					 size_t count)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < count; i++)
		gpus += shares[i].gpus;
	return gpus;
}

/* The free memory of a node if its memory is not counted. JSON can represent
 * this value, and the engine can add to it and subtract from it. */
#define ASTRA_UNCOUNTED_MIB ((uint64_t)INT64_MAX / 2)

struct astra_node {
	const char *name; /* only used in texts; may be NULL */
	bool usable;	  /* up and not drained: jobs may start here */
	bool emptying;	  /* drained: leases there are not renewed */
	bool settling;	  /* a job is being cleaned up: nothing starts now */
	uint32_t gpus;	  /* all GPUs of the node, held or not */
	uint32_t gpus_free;
	uint32_t gpus_scattered; /* of gpus_free: shards of other devices, which
				  * one job cannot have together with the
				  * rest */
	double charge;		 /* of all its GPUs */
	uint32_t rack;		 /* nodes of one rack have the same number */
	uint32_t weight;	 /* among equally good nodes, lighter ones are
				  * used first */
	uint32_t slot_gpus;	 /* how many GPUs are next to each other; 0:
				  * all */
	uint32_t cpus;
	uint32_t cpus_free;
	uint64_t mem_free_mib;
	uint64_t mem_mib; /* memory of the node; 0: not counted */
	uint32_t owner;	  /* owner of all jobs there; 0: several, or unknown */
	bool alone;	  /* a job there shares it only with its owner's jobs */
	/* Type of its GPUs, several joined by '+'; NULL: unknown. */
	const char *gpu_type;
};

/* What a job asks for. 0 means "not asked for" unless stated otherwise. */
struct astra_request {
	uint32_t gpus;		/* in all; a managed job asks for at least
				 * one */
	uint32_t gpus_min;	/* fewest that it can run on; 0: it needs all of
				 * gpus */
	double charge;		/* of all its GPUs; may be an estimate */
	uint32_t gpus_per_node; /* exactly this many on each of its nodes */
	uint32_t gpus_quantum;	/* its GPUs on each node are a multiple of
				 * this */
	uint32_t nodes_min;
	uint32_t nodes_max;
	uint32_t nodes_wish;	 /* with gpus_per_node: it takes up to this many
				  * nodes if they are idle */
	uint32_t cpus;		 /* in all, spread in proportion to GPUs */
	uint32_t cpus_per_node;	 /* at least this many on each node */
	uint64_t mem_node_mib;	 /* on each node, however many GPUs it has
				  * there */
	uint64_t mem_gpu_mib;	 /* for each GPU */
	uint64_t mem_cpu_mib;	 /* for each CPU */
	bool whole_node;	 /* shares no node with other jobs */
	bool alone;		 /* shares nodes only with its owner's jobs */
	uint32_t owner;		 /* a user or a group of users; 0: unknown */
	const char *gpu_type;	 /* the type that it asks for; NULL: any */
	const uint64_t *allowed; /* bitmap of nodes; NULL: all of them */
	/* A superset of allowed, if the host chose nodes that fit together and
	 * may choose other nodes next time. NULL: only allowed. */
	const uint64_t *possible;
	const uint64_t *required; /* nodes that it must have; NULL: none */
	/* Nodes that it prefers; NULL: none. apart: it may have only these
	 * nodes or none of them. */
	const uint64_t *preferred;
	bool apart;
};

/* Something that some jobs use and whose total is limited: a limit of an
 * account, a QOS or a user, or a licence. */
#define ASTRA_LIMIT_MOST                                    \
	((uint64_t)INT64_MAX >> 24) /* bound of all amounts \
				     */

struct astra_limit {
	const char *name; /* unique in the snapshot */
	uint64_t most;
	uint64_t used; /* by running jobs; more than most if the limit was
			* lowered */
};

/* What a job uses of a limit while it runs. For an array's record: what each
 * task uses. */
struct astra_use {
	uint32_t limit; /* index into the snapshot's limits */
	uint64_t amount;
};

/* Number of classes into which jobs fall by how the host preempts them. */
#define ASTRA_PREEMPT_CLASSES 64

/* What is known of a job's work besides its request: declared by its user or
 * measured by its agent. 0: unknown. */
struct astra_forecast {
	uint32_t app;	 /* id that the jobs of an app share; 0: the job is an
			  * app of its own */
	uint32_t turn;	 /* the job's place in the order that its app's agent
			  * wants, from 1; 0: none */
	double work_sec; /* time of all its work on request.gpus, side by
			  * side */
	double done_sec; /* the part of work_sec that is done */
	bool measured;	 /* done_sec is known; if not, the time that the job ran
			  * counts */
	double slowdown[ASTRA_LEVEL_COUNT]; /* by how far apart its GPUs are */
	uint32_t levels_seen;	      /* bit l: slowdown[l] was measured */
	struct astra_utility utility; /* of hours from submission to end */
};

enum astra_job_state {
	/* Held, dependent, before its begin time or over a limit: it could not
	 * run even if there were room. Not active. */
	ASTRA_JOB_BLOCKED,
	/* Could run if there were room. Active. */
	ASTRA_JOB_PENDING,
	/* Active, but cannot start yet: its last run is being cleaned up, or
	 * ended in this second. Holds `held`. */
	ASTRA_JOB_REQUEUED,
	/* Active, and holds `held`. */
	ASTRA_JOB_RUNNING,
	/* Over; its nodes are being cleaned up. Holds `held`. */
	ASTRA_JOB_ENDING,
	/* Over. */
	ASTRA_JOB_ENDED,
};

struct astra_job {
	uint32_t id;	   /* never 0 */
	uint32_t array_id; /* the array that the job was split from, or 0 */
	uint32_t tenant;   /* index into the snapshot's tenants */
	uint32_t user;	   /* index into the snapshot's users; any other value:
			    * unknown user */
	uint32_t copies;   /* tasks that this record stands for; >= 1 */
	uint32_t preempt_class; /* less than ASTRA_PREEMPT_CLASSES */
	double weight;		/* within its tenant; W_ij of LTGF */
	double precedence; /* among equally served jobs of its tenant, the job
			    * with the larger value goes first; 0: no wish */
	struct astra_request request;
	uint32_t extras; /* hash of what else the host checks at a start, such
			  * as the time limit; 0: unknown */
	enum astra_job_state state;
	double submit_sec;     /* the job is active from then on, unless
				* blocked */
	double start_sec;      /* of the present or last run; 0: never ran */
	double end_sec;	       /* when it left RUNNING; 0: unknown */
	double time_limit_sec; /* of one run; 0: none */
	double leave_sec;      /* its nodes are for others from then on, so no
				* lease goes beyond; 0: never */
	bool leave_cuts;       /* it leaves at leave_sec even if its lease would
				* end later */
	double deadline_sec;   /* the job must have ended by then; 0: none */
	double lease_sec;      /* a lease term of its own; 0: the pool's */
	double min_run_sec;    /* learned start-up plus a checkpoint; 0:
				* unknown */
	uint32_t restart_cnt;  /* changes with each requeue */
	bool booting;	       /* running, but its nodes are not up yet */
	bool uncharged;	  /* its nodes are being powered up: its run and its
			   * charge begin when they are up */
	bool revocable;	  /* may be requeued at a lease's end */
	bool unprepared;  /* revocable, but without a sign that it saves its
			   * work: Unprepared applies */
	bool unheard;	  /* may have ended without the host knowing: its GPUs
			   * are not taken back now */
	bool suspended;	  /* does not run, but keeps what it holds: its GPUs are
			   * not taken back until it is resumed */
	bool checkpoints; /* wants a signal and a grace before it leaves */
	bool keeps_size;  /* elastic, but does not leave just to grow */
	uint32_t use_count;
	const struct astra_use *uses;
	struct astra_forecast forecast;
	const struct astra_share *held;
	size_t held_count;
	double held_charge; /* of all GPUs that the job holds */
	double run_charge;  /* of all GPUs of its last run, if that is over; 0:
			     * unknown */
};

static inline uint32_t astra_held_gpus(const struct astra_job *job)
{
	return astra_shares_gpus(job->held, job->held_count);
}

struct astra_tenant {
	const char *name; /* unique in the snapshot; identifies the tenant
			   * between snapshots */
	double weight;	  /* W_j of LTGF, >= 0 */
};

/* A user within a tenant. A user of several tenants has one entry in each. */
struct astra_user {
	const char *name; /* unique in the tenant; identifies the user between
			   * snapshots */
	uint32_t tenant;  /* index into the snapshot's tenants */
	double weight;	  /* within the tenant, >= 0 */
};

/* What may differ from the snapshot that the engine saw before. All else is the
 * same, except the time, bids and forecasts. jobs and nodes are indices, each
 * listed once, ascending. An index is also listed if another job has it now.
 * Indices that are out of use may be left out. Of nodes only free resources and
 * settling may differ. */
struct astra_changes {
	const uint32_t *jobs;
	size_t job_count;
	const uint32_t *nodes;
	size_t node_count;
};

struct astra_snapshot {
	double now_sec;
	double kill_wait_sec; /* time after which a job that was told to end has
			       * ended, if nothing delays it; 0: unknown */
	/* The present CapPeriod, in the host's time zone; 0: not known. */
	double period_begin_sec, period_end_sec;
	const struct astra_node *nodes;
	size_t node_count;
	const struct astra_tenant *tenants; /* all tenants, including idle
					     * ones */
	size_t tenant_count;
	const struct astra_user *users; /* the users that have jobs */
	size_t user_count;
	const struct astra_job *jobs;
	size_t job_count;
	/* By class: bit c is set if the host may end jobs of class c for a job
	 * of this class, directly or through classes in between. NULL: the host
	 * ends no jobs for others. */
	const uint64_t *preempts;
	const struct astra_limit *limits; /* jobs may wait for room in them */
	size_t limit_count;
	const struct astra_bid *bids; /* sorted by app, at most one for each
				       * app; see auction.h */
	size_t bid_count;
	const struct astra_changes *changes; /* NULL: everything may have
					      * changed */
};

static inline bool astra_node_allowed(const struct astra_request *request,
				      uint32_t node)
{
	return !request->allowed ||
	       (request->allowed[node / 64] >> (node % 64) & 1);
}

/* Whether a hold for the job may be on the node. */
static inline bool astra_node_possible(const struct astra_request *request,
				       uint32_t node)
{
	return astra_node_allowed(request, node) ||
	       (request->possible &&
		(request->possible[node / 64] >> (node % 64) & 1));
}

static inline bool astra_node_required(const struct astra_request *request,
				       uint32_t node)
{
	return request->required &&
	       (request->required[node / 64] >> (node % 64) & 1);
}

/* Return the fewest GPUs that a job runs on. */
static inline uint32_t astra_request_least(const struct astra_request *request)
{
	return request->gpus_min ? request->gpus_min : request->gpus;
}

static inline bool astra_request_elastic(const struct astra_request *request)
{
	return request->gpus_min && request->gpus_min < request->gpus;
}

/* Whether the job can run on `gpus` GPUs. */
static inline bool astra_request_suits(const struct astra_request *request,
				       uint32_t gpus)
{
	uint32_t most = request->nodes_wish * request->gpus_per_node;

	if (most < request->gpus)
		most = request->gpus;
	return gpus && gpus >= astra_request_least(request) && gpus <= most;
}

/* Return the unit in which a node's GPUs are counted. */
static inline uint32_t
astra_request_quantum(const struct astra_request *request)
{
	if (request->gpus_per_node)
		return request->gpus_per_node;
	return request->gpus_quantum ? request->gpus_quantum : 1;
}

/* Return the largest size at which the job can run on at most `gpus` GPUs; 0:
 * none. */
static inline uint32_t astra_request_size(const struct astra_request *request,
					  uint64_t gpus)
{
	if (gpus >= request->gpus)
		return request->gpus;
	gpus -= gpus % astra_request_quantum(request);
	return request->gpus_min && gpus >= request->gpus_min ? (uint32_t)gpus
							      : 0;
}

/* Return the charge of `gpus` GPUs. A charge of 0 stands for 1 per GPU. */
static inline double astra_charge(double charge, uint32_t gpus)
{
	return charge > 0 ? charge : gpus;
}

/* Return the classes of jobs that the host may end for this job. */
static inline uint64_t astra_job_preempts(const struct astra_snapshot *snapshot,
					  const struct astra_job *job)
{
	return snapshot->preempts ? snapshot->preempts[job->preempt_class] : 0;
}

/* Whether the holder's lease may end for `next`. It may not if the host would
 * then preempt `next` for the holder. */
static inline bool astra_job_may_take(const struct astra_snapshot *snapshot,
				      const struct astra_job *next,
				      const struct astra_job *holder)
{
	return !(astra_job_preempts(snapshot, holder) >> next->preempt_class &
		 1);
}

/* Return how much of a limit the job uses. */
static inline uint64_t astra_job_use(const struct astra_job *job,
				     uint32_t limit)
{
	for (size_t i = 0; i < job->use_count; i++)
		if (job->uses[i].limit == limit)
			return job->uses[i].amount;
	return 0;
}

/* Return how much of a limit the end of the holder's lease leaves to another
 * job. It is nothing if both jobs belong to one user, whose jobs wait for each
 * other. */
static inline uint64_t astra_job_leaves(const struct astra_job *holder,
					const struct astra_job *next,
					uint32_t limit)
{
	return holder->tenant == next->tenant && holder->user == next->user
		       ? 0
		       : astra_job_use(holder, limit);
}

static inline bool astra_job_active(enum astra_job_state state)
{
	return state == ASTRA_JOB_PENDING || state == ASTRA_JOB_REQUEUED ||
	       state == ASTRA_JOB_RUNNING;
}

#endif
