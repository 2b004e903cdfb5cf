/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model: what a host (slurmctld, the simulator, a JSON file) tells the
 * engine about its cluster at one moment. The engine borrows everything here
 * for one call and never writes it.
 *
 * Times are seconds since the epoch of the host. GPUs are whole devices, or
 * shards of them if the host allocates shards. A "charge" is the weight of a
 * GPU's type, or of several GPUs the sum of their weights; 0 stands for 1
 * each. */
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

/* A part of one node: what a job holds or is to get there. */
struct astra_share {
	uint32_t node; /* index into the snapshot's nodes */
	uint32_t gpus;
	uint32_t cpus;
	uint64_t mem_mib;
	uint32_t owner; /* as in the job's request; alone: it shares the node
			 * only with its owner's jobs */
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

/* Free memory of a node whose memory is not counted. JSON can represent it, and
 * the engine can add to it and subtract from it. */
#define ASTRA_UNCOUNTED_MIB ((uint64_t)INT64_MAX / 2)

struct astra_node {
	const char *name; /* for texts only; may be NULL */
	bool usable;	  /* up, not drained: jobs may start here */
	bool emptying;	  /* drained: leases there are not renewed */
	bool settling;	  /* a job is being cleaned up: nothing starts now */
	uint32_t gpus;	  /* GPUs of the node, held or not */
	uint32_t gpus_free;
	uint32_t gpus_scattered; /* of these, shards of other devices, which one
				  * job cannot have together with the rest */
	double charge;		 /* of all its GPUs */
	uint32_t rack;		 /* nodes of one rack have the same number */
	uint32_t weight;	 /* of equally good nodes the lightest is used
				  * first */
	uint32_t slot_gpus;	 /* GPUs that are next to each other; 0: all */
	uint32_t cpus;
	uint32_t cpus_free;
	uint64_t mem_free_mib;
	uint64_t mem_mib; /* of the node; 0: not counted */
	uint32_t owner;	  /* of all jobs there; 0: several, or unknown */
	bool alone;	  /* a job there shares it only with its owner's jobs */
	/* Type of its GPUs, several joined by '+'; NULL: unknown. */
	const char *gpu_type;
};

/* What a job asks for. 0 means "no such wish" unless stated otherwise. */
struct astra_request {
	uint32_t gpus;		/* total; a managed job has at least one */
	uint32_t gpus_min;	/* fewest that it can run on; 0: only on gpus */
	double charge;		/* of all of them, perhaps estimated */
	uint32_t gpus_per_node; /* exactly so many on each node */
	uint32_t gpus_quantum;	/* a node's GPUs are a multiple of this */
	uint32_t nodes_min;
	uint32_t nodes_max;
	uint32_t nodes_wish;	 /* with gpus_per_node: wants so many nodes if
				  * they are idle */
	uint32_t cpus;		 /* total, spread in proportion to GPUs */
	uint32_t cpus_per_node;	 /* at least so many per node */
	uint64_t mem_node_mib;	 /* on each node, whatever its GPUs */
	uint64_t mem_gpu_mib;	 /* for each GPU */
	uint64_t mem_cpu_mib;	 /* for each CPU */
	bool whole_node;	 /* shares no node with other jobs */
	bool alone;		 /* shares nodes only with its owner's jobs */
	uint32_t owner;		 /* a user or a group of users; 0: unknown */
	const char *gpu_type;	 /* that it names; NULL: none */
	const uint64_t *allowed; /* bitmap of nodes; NULL: all of them */
	/* A superset of allowed, if the host chose nodes that fit together and
	 * may choose others next time; NULL: only allowed. */
	const uint64_t *possible;
	const uint64_t *required; /* must be among its nodes; NULL: none */
	/* Nodes that it prefers; NULL: none. apart: only these nodes or none of
	 * them. */
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

/* What a job uses of a limit while it runs; of an array's record, each task. */
struct astra_use {
	uint32_t limit; /* index into the snapshot's limits */
	uint64_t amount;
};

/* Number of classes of jobs that the host preempts in different ways. */
#define ASTRA_PREEMPT_CLASSES 64

/* What is known of a job's work besides its request: declared by its user or
 * measured by its agent. 0: unknown. */
struct astra_forecast {
	uint32_t app;	 /* id shared by the jobs of an app; 0: it is an app of
			  * its own */
	uint32_t turn;	 /* its place among its app's jobs, from 1, as the app's
			  * agent wants; 0: none */
	double work_sec; /* of all work, on request.gpus side by side */
	double done_sec; /* of that, done */
	bool measured;	 /* done_sec is known; otherwise the time it ran
			  * counts */
	double slowdown[ASTRA_LEVEL_COUNT]; /* by how far apart its GPUs are */
	uint32_t levels_seen;	      /* bit l: slowdown[l] was measured */
	struct astra_utility utility; /* of hours from submission to end */
};

enum astra_job_state {
	/* Held, dependent, before its begin time or over a limit: it could not
	 * run if there were room. Not active. */
	ASTRA_JOB_BLOCKED,
	/* Could run if there were room. Active. */
	ASTRA_JOB_PENDING,
	/* Active, but cannot start yet: its last run is being cleaned up, or
	 * ended within this second. Holds `held`. */
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
	uint32_t array_id; /* the array it was split from, or 0 */
	uint32_t tenant;   /* index into the snapshot's tenants */
	uint32_t user;	   /* index into the snapshot's users; any other value:
			    * unknown user */
	uint32_t copies;   /* tasks that this record stands for; >= 1 */
	uint32_t preempt_class; /* less than ASTRA_PREEMPT_CLASSES */
	double weight;		/* within its tenant; W_ij of LTGF */
	double precedence; /* among equally served jobs of its tenant: larger
			    * goes first; 0: no wish */
	struct astra_request request;
	uint32_t extras; /* hash of what else the host checks at a start, such
			  * as the time limit; 0: unknown */
	enum astra_job_state state;
	double submit_sec;     /* from then on active, unless blocked */
	double start_sec;      /* of the present or last run; 0: never ran */
	double end_sec;	       /* when it left RUNNING; 0: unknown */
	double time_limit_sec; /* of one run; 0: none */
	double leave_sec;    /* when its nodes are for others, so that no lease
			      * goes on; 0: never */
	bool leave_cuts;     /* leaves then even if its lease would end later */
	double deadline_sec; /* must have ended by then; 0: none */
	double lease_sec;    /* a lease term of its own; 0: the pool's */
	double min_run_sec;  /* learned start-up plus a checkpoint; 0:
			      * unknown */
	uint32_t restart_cnt; /* changes with each requeue */
	bool booting;	      /* running, but its nodes are not up yet */
	bool uncharged;	  /* its nodes are powered up: run and charge begin when
			   * they are up */
	bool revocable;	  /* may be requeued at a lease's end */
	bool unprepared;  /* revocable, but nothing says that it saves its work:
			   * Unprepared applies */
	bool unheard;	  /* may have ended without the host knowing: not taken
			   * back now */
	bool suspended;	  /* does not run now and keeps what it holds: not taken
			   * back until it goes on */
	bool checkpoints; /* wants a signal and a grace before it leaves */
	bool keeps_size;  /* elastic, but does not leave just to grow */
	uint32_t use_count;
	const struct astra_use *uses;
	struct astra_forecast forecast;
	const struct astra_share *held;
	size_t held_count;
	double held_charge; /* of all GPUs that it holds */
	double run_charge;  /* of all GPUs of its last run, which is over; 0:
			     * unknown */
};

static inline uint32_t astra_held_gpus(const struct astra_job *job)
{
	return astra_shares_gpus(job->held, job->held_count);
}

struct astra_tenant {
	const char *name; /* unique in the snapshot; remembered by name */
	double weight;	  /* W_j of LTGF, >= 0 */
};

/* A user within a tenant. A user of several tenants has one entry in each. */
struct astra_user {
	const char *name; /* unique in the tenant; remembered by name */
	uint32_t tenant;  /* index into the snapshot's tenants */
	double weight;	  /* within the tenant, >= 0 */
};

/* What may differ from the snapshot that the engine saw before. Nothing else
 * does, except the time, bids and forecasts. Indices, each once, ascending. A
 * job that now has another job's index is listed with that; indices out of use
 * may be left out. Nodes: their free resources and settling. */
struct astra_changes {
	const uint32_t *jobs;
	size_t job_count;
	const uint32_t *nodes;
	size_t node_count;
};

struct astra_snapshot {
	double now_sec;
	double kill_wait_sec; /* time in which a job that is told to end has
			       * ended, if nothing delays it; 0: unknown */
	/* The present CapPeriod, in the host's time zone; 0: not known. */
	double period_begin_sec, period_end_sec;
	const struct astra_node *nodes;
	size_t node_count;
	const struct astra_tenant *tenants; /* all of them, including idle
					     * ones */
	size_t tenant_count;
	const struct astra_user *users; /* those with jobs */
	size_t user_count;
	const struct astra_job *jobs;
	size_t job_count;
	/* By class: bit c is set if for a job of this class the host may end
	 * jobs of class c, directly or through classes in between. NULL: it
	 * ends none. */
	const uint64_t *preempts;
	const struct astra_limit *limits; /* jobs may wait for room in them */
	size_t limit_count;
	const struct astra_bid *bids; /* by app, at most one each; see auction.h
				       */
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

/* Whether a hold for the job on the node can stand. */
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

/* Whether the job can run on so many GPUs. */
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

/* Return the largest size of a job of at most so many GPUs; 0: none. */
static inline uint32_t astra_request_size(const struct astra_request *request,
					  uint64_t gpus)
{
	if (gpus >= request->gpus)
		return request->gpus;
	gpus -= gpus % astra_request_quantum(request);
	return request->gpus_min && gpus >= request->gpus_min ? (uint32_t)gpus
							      : 0;
}

/* Return a charge, where 0 stands for 1 per GPU. */
static inline double astra_charge(double charge, uint32_t gpus)
{
	return charge > 0 ? charge : gpus;
}

/* Return the classes whose jobs the host may end for this one. */
static inline uint64_t astra_job_preempts(const struct astra_snapshot *snapshot,
					  const struct astra_job *job)
{
	return snapshot->preempts ? snapshot->preempts[job->preempt_class] : 0;
}

/* Whether the holder's lease may end for `next`: not if the host would then end
 * `next` for the holder. */
static inline bool astra_job_may_take(const struct astra_snapshot *snapshot,
				      const struct astra_job *next,
				      const struct astra_job *holder)
{
	return !(astra_job_preempts(snapshot, holder) >> next->preempt_class &
		 1);
}

/* Return what the job uses of a limit; 0: nothing. */
static inline uint64_t astra_job_use(const struct astra_job *job,
				     uint32_t limit)
{
	for (size_t i = 0; i < job->use_count; i++)
		if (job->uses[i].limit == limit)
			return job->uses[i].amount;
	return 0;
}

/* Return what the end of the holder's lease leaves another job in a limit:
 * nothing if both are of one user, whose jobs wait for each other. */
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
