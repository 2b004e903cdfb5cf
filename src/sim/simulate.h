/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A virtual cluster that runs a trace under a scheduler. Nothing is computed
 * between events. The same trace, cluster, options and seed give the same
 * result.
 *
 * A job's work is duration_sec, on all its GPUs side by side. A start costs
 * cold_start_sec without progress, a checkpoint checkpoint_sec. Work that is
 * spread over slots, machines or racks is slower by the factor of its level. An
 * elastic job on k of its n GPUs has k/n of its speed. */
#ifndef ASTRA_SIMULATE_H
#define ASTRA_SIMULATE_H

#include "src/sim/scheduler.h"

struct astra_cluster {
	struct astra_node *nodes; /* all free */
	char (*names)[32];
	size_t node_count;
	uint64_t gpus;
};

/* Makes `nodes` nodes of `gpus` GPUs each, with rack_nodes nodes in a rack (0:
 * one rack for all). Returns 0, or -1 if out of memory. (cluster.c) */
int astra_cluster_make(struct astra_cluster *cluster, uint32_t nodes,
		       uint32_t gpus, uint32_t rack_nodes);
/* Reads a CSV file with the columns node,gpus[,rack]. Returns 0, or -1 with err
 * naming file, line and value. */
int astra_cluster_read(struct astra_cluster *cluster, const char *path,
		       struct astra_error *err);
/* Sets how many GPUs of a node are next to each other, in one slot; 0: all. */
void astra_cluster_set_slots(struct astra_cluster *cluster, uint32_t gpus);
void astra_cluster_clear(struct astra_cluster *cluster);

/* Returns the weight of a user within a tenant, by name; not negative. */
typedef double astra_user_weight(const void *arg, const char *tenant,
				 const char *user);

/* Where a simulation begins, if not with an empty cluster: a pool as in a
 * recorded round of a live cluster. Second 0 of the trace is the snapshot's
 * time. The trace's first jobs are the snapshot's running and waiting jobs; an
 * array is there once for each of its tasks. They are submitted at second 0,
 * and their duration is the work that is left. The trace's first tenants are
 * the snapshot's. All of it is borrowed. */
struct astra_sim_begin {
	const struct astra_snapshot *snapshot;
	const struct astra_engine *engine; /* goes on as a copy */
	const uint32_t *jobs; /* for each of the trace's first jobs, its index
			       * in the snapshot, ascending; all running jobs
			       * are among them */
	uint32_t job_count;
	astra_user_weight *user_weight;
	const void *user_weight_arg;
};

struct astra_sim_options {
	double round_sec; /* rounds are at multiples of this; 0: at events */
	double checkpoint_sec;
	double cold_start_sec;
	double slowdown[ASTRA_LEVEL_COUNT];
	bool elastic; /* jobs without a lower limit run on any number of GPUs up
		       * to their request */
	double until_sec; /* end of the simulation; 0: when all jobs are done */
	double interval_sec;	/* length of an interval of the tenants' rows;
				 * 0: no rows */
	struct astra_lies lies; /* how one app of the trace lies in its bids */
	double error; /* largest relative error in the work and slowdowns that
		       * policies see */
	bool runs;    /* keep the schedule */
	bool warm;    /* a job's duration includes its first start, which then
		       * costs no time */
	uint64_t seed;
	const struct astra_sim_begin *begin; /* NULL: an empty cluster */
	astra_user_weight *user_weight;	     /* if there is no begin; NULL: all
					      * weights are 1 */
	const void *user_weight_arg;
	/* Called before each round; if it returns false, the simulation ends
	 * with an error. May be NULL. */
	bool (*go_on)(void *arg);
	void *go_on_arg;
	/* Called about every 100 ms of real time. May be NULL. */
	void (*progress)(void *arg, double done, double now_sec);
	void *progress_arg;
};

/* A job's result; indices as in the trace. */
struct astra_sim_job {
	double start_sec;			 /* first start; < 0: never */
	double end_sec;				 /* < 0: not done */
	double alloc_gpu_sec, fair_gpu_sec;	 /* A and F, Eqs. 13 to 15 */
	double cold_gpu_sec, checkpoint_gpu_sec; /* lost to cold starts and
						  * checkpoints; the latter
						  * includes lost work of runs
						  * that start over */
	double slow_gpu_sec;			 /* lost to its place */
	double contenders; /* average count of jobs active during its life,
			    * including itself: Themis' N_avg; filled by
			    * astra_contention() */
	double bound_sec;  /* longest wait for its first start; 0: no bound;
			    * filled by astra_bounds_fill() */
	bool misfit;	   /* the job does not fit into the empty cluster */
	uint32_t starts, preemptions;
	uint32_t leases; /* terms, renewals included */
};

struct astra_sim_tenant {
	double alloc_gpu_sec, fair_gpu_sec; /* Eqs. 8, 12, 16, in the variant of
					     * the options */
};

/* A user within a tenant. There are rows only if users are watched. */
struct astra_sim_user {
	uint32_t tenant, user;
	double alloc_gpu_sec, fair_gpu_sec;
};

/* A tenant's GPU time in one interval. */
struct astra_sim_cell {
	double alloc_gpu_sec, fair_gpu_sec;
};

/* A run of a job in the schedule. There are rows only if options.runs. */
struct astra_sim_run {
	uint32_t job;
	double start_sec, end_sec;
	uint32_t gpus, nodes;
};

/* A choice of LeaseTerm=auto. */
struct astra_sim_term {
	double at_sec;
	double before_sec, term_sec;
	size_t jobs; /* count of jobs simulated for this choice; 0: too few */
};

struct astra_sim_result {
	const struct astra_trace *trace;
	const struct astra_scheduler *scheduler;
	struct astra_sim_job *jobs;
	struct astra_sim_tenant *tenants;
	struct astra_sim_user *users; /* of all tenants, in order of
				       * appearance */
	size_t user_count;
	struct astra_sim_cell *cells; /* [interval][tenant] */
	size_t interval_count;
	double interval_sec;
	double *used_gpu_sec; /* per interval, all tenants */
	uint64_t gpus;	      /* GPUs of the cluster */
	double term_sec;      /* lease term; with LeaseTerm=auto the longest; 0:
			       * unknown */
	struct astra_sim_term *terms; /* LeaseTerm=auto: its choices */
	size_t term_count, term_room;
	bool term_auto;	   /* LeaseTerm=auto */
	double grace_sec;  /* time of a checkpoint and a start, for the
			    * bounds */
	bool within_users; /* shares go by user within tenants */
	double end_sec;	   /* when the last job was done: the makespan */
	double stop_sec;   /* end of the simulation, not before end_sec */
	uint64_t rounds, events, preemptions;
	double revenue, reward; /* from the scheduler; NaN: none */
	double late;	/* count of first starts over their bound, from the
			 * scheduler */
	double *income; /* part of revenue, by tenant */
	double *gain;	/* by tenant: utility of its jobs, minus payments, plus
			 * income; NULL: none */
	uint64_t seed;	/* of the options */
	struct astra_sim_run *runs;
	size_t run_count, run_room;
};

/* Simulates a trace. policy: with LeaseTerm=auto, a term is chosen at each
 * midnight of the simulation, by simulating the jobs submitted so far (term.h).
 * result: clear with astra_sim_result_clear(). Returns 0, or -1 with err
 * set. */
int astra_simulate(const struct astra_trace *trace,
		   const struct astra_cluster *cluster,
		   const struct astra_scheduler *scheduler,
		   const struct astra_options *policy,
		   const struct astra_sim_options *options,
		   struct astra_sim_result *result, struct astra_error *err);

/* Fills jobs[].bound_sec, how long a job may wait for its first start:
 *
 * (2 + (own GPUs + GPUs before it) / Quota) term_sec + grace_sec.
 *
 * Before it are its tenant's jobs that were submitted earlier and had not
 * started when it was submitted. Quota = gpus W / sum of W over all tenants of
 * the trace, also those without jobs (ASTRAEA, Eq. 6). So the first job of a
 * tenant, if within its quota, is promised its start within three terms.
 *
 * If shares go by user, there is a second bound. It counts only the jobs of the
 * job's user, and divides Quota equally among the users of the tenant who have
 * jobs at that time. The later of the two bounds counts.
 *
 * Bounds exist under any policy, with leases or without. A job that does not
 * fit into the cluster has no bound, and is not before others. A job of a
 * tenant of weight 0 has an infinite bound.
 *
 * The bound is what a job is promised when it is submitted; it serves to
 * compare policies. The engine's own bounds may become earlier; result.late
 * counts by those. astra_simulate() has already filled the bounds. Returns 0,
 * or -1 if out of memory. (bound.c) */
int astra_bounds_fill(struct astra_sim_result *result);

void astra_sim_result_clear(struct astra_sim_result *result);

#endif
