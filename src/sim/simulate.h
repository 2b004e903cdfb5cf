/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A virtual cluster that runs a trace under a scheduler: what would have
 * happened. Between events nothing is computed; the same trace, cluster,
 * options and seed give the same result.
 *
 * A job's work is its duration_sec on its GPUs side by side. A start costs
 * cold_start_sec without progress, a checkpoint checkpoint_sec, and work spread
 * over slots, machines or racks goes slower by the factor of its level. An
 * elastic job on k of its n GPUs has k/n of its speed.
 */
#ifndef ASTRA_SIMULATE_H
#define ASTRA_SIMULATE_H

#include "src/sim/scheduler.h"

struct astra_cluster {
	struct astra_node *nodes; /* all free */
	char (*names)[32];
	size_t node_count;
	uint64_t gpus;
};

/* nodes of gpus each, rack_nodes of them in a rack (0: one rack).
 * Returns 0, or -1 when out of memory. (cluster.c) */
int astra_cluster_make(struct astra_cluster *cluster, uint32_t nodes,
		       uint32_t gpus, uint32_t rack_nodes);
/* From a CSV file with the columns node,gpus[,rack].
 * Returns 0, or -1 with err naming file, line and value. */
int astra_cluster_read(struct astra_cluster *cluster, const char *path,
		       struct astra_error *err);
/* So many GPUs of a node are next to each other; 0: all. */
void astra_cluster_set_slots(struct astra_cluster *cluster, uint32_t gpus);
void astra_cluster_clear(struct astra_cluster *cluster);

/* What a user weighs within a tenant, by their names; not negative. */
typedef double astra_user_weight(const void *arg, const char *tenant,
				 const char *user);

/* Where a simulation begins, if not with an empty cluster: a pool as a round of
 * production was shown it. The trace's second 0 is the snapshot's time, and its
 * first jobs are the snapshot's that run or wait, of an array as many as it
 * stands for; they are submitted then, and their duration is what is left of
 * them. The trace's first tenants are the snapshot's. All of it is borrowed. */
struct astra_sim_begin {
	const struct astra_snapshot *snapshot;
	const struct astra_engine *engine; /* a copy of it goes on */
	const uint32_t *jobs; /* of the trace's first: the snapshot's, by
			       * index, in its order; all that run */
	uint32_t job_count;
	astra_user_weight *user_weight;
	const void *user_weight_arg;
};

struct astra_sim_options {
	double round_sec; /* rounds are at its multiples; 0: at each event */
	double checkpoint_sec;
	double cold_start_sec;
	double slowdown[ASTRA_LEVEL_COUNT];
	bool elastic; /* jobs of which nothing else is said run on any number of
		       * GPUs up to theirs */
	double until_sec;	/* stop then; 0: when all jobs are done */
	double interval_sec;	/* of the tenants' rows; 0: no rows */
	struct astra_lies lies; /* of an app of the trace, in its bids */
	double error; /* policies are told the jobs' work and slowdowns with an
		       * error of at most this part */
	bool runs;    /* keep the schedule */
	bool warm;    /* a job's duration has its first start in it,
		       * which costs nothing more then */
	uint64_t seed;
	const struct astra_sim_begin *begin; /* NULL: an empty cluster */
	astra_user_weight *user_weight; /* without begin; NULL: all weigh 1 */
	const void *user_weight_arg;
	/* Asked before each round: false ends the simulation with an error;
	 * NULL: it goes on. */
	bool (*go_on)(void *arg);
	void *go_on_arg;
	/* Called about every 100 ms of real time; NULL: not wanted. */
	void (*progress)(void *arg, double done, double now_sec);
	void *progress_arg;
};

/* What became of a job. Indices as in the trace. */
struct astra_sim_job {
	double start_sec;			 /* the first one; < 0: never */
	double end_sec;				 /* < 0: not done */
	double alloc_gpu_sec, fair_gpu_sec;	 /* A and F, Eqs. 13 to 15 */
	double cold_gpu_sec, checkpoint_gpu_sec; /* lost to them, and with the
						  * latter by runs that begin
						  * anew */
	double slow_gpu_sec;			 /* lost to its place */
	double contenders; /* jobs active at the same time, itself included, on
			    * average over its life: Themis' N_avg. Not of the
			    * loop: astra_contention() fills it afterwards. */
	double bound_sec;  /* what its first start was to wait at most, 0: none;
			    * astra_bounds_fill() */
	bool misfit;	   /* there is no place for it on the whole cluster */
	uint32_t starts, preemptions;
	uint32_t leases; /* terms, renewals included */
};

struct astra_sim_tenant {
	double alloc_gpu_sec, fair_gpu_sec; /* Eqs. 8, 12, 16; variant as set */
};

/* A user within a tenant. Only where they are watched. */
struct astra_sim_user {
	uint32_t tenant, user;
	double alloc_gpu_sec, fair_gpu_sec;
};

/* A tenant's share of one interval. */
struct astra_sim_cell {
	double alloc_gpu_sec, fair_gpu_sec;
};

/* One line of the schedule: who held what. Only where they are asked for. */
struct astra_sim_run {
	uint32_t job;
	double start_sec, end_sec;
	uint32_t gpus, nodes;
};

/* A choice of LeaseTerm=auto. */
struct astra_sim_term {
	double at_sec;
	double before_sec, term_sec;
	size_t jobs; /* of the last days that it was chosen by; 0: too few */
};

struct astra_sim_result {
	const struct astra_trace *trace;
	const struct astra_scheduler *scheduler;
	struct astra_sim_job *jobs;
	struct astra_sim_tenant *tenants;
	struct astra_sim_user *users; /* of each tenant, as they come */
	size_t user_count;
	struct astra_sim_cell *cells; /* [interval][tenant] */
	size_t interval_count;
	double interval_sec;
	double *used_gpu_sec; /* per interval, all tenants */
	uint64_t gpus;	      /* of the cluster */
	double term_sec;      /* of a lease, as configured, of LeaseTerm=auto
			       * the longest one; 0: not known */
	struct astra_sim_term *terms; /* LeaseTerm=auto: its choices */
	size_t term_count, term_room;
	bool term_auto;	   /* LeaseTerm=auto */
	double grace_sec;  /* a checkpoint and a start, of the bounds */
	bool within_users; /* it shares by user within tenants */
	double end_sec;	   /* when the last job was done: the makespan */
	double stop_sec;   /* when the simulation stopped, not before that */
	uint64_t rounds, events, preemptions;
	double revenue, reward; /* as its scheduler says; NaN: nothing */
	double late;		/* first starts, as its scheduler says */
	double *income;		/* of each tenant, of revenue */
	double *gain;		/* of each tenant: its jobs' utility, less what
				 * it paid, and its income; NULL: nothing */
	uint64_t seed;		/* of the options */
	struct astra_sim_run *runs;
	size_t run_count, run_room;
};

/* Run it. policy: with LeaseTerm=auto the term is chosen anew at each midnight
 * of the simulation, by simulations of the jobs that came so far (term.h).
 * Returns 0, or -1 with err set. result: astra_sim_result_clear(). */
int astra_simulate(const struct astra_trace *trace,
		   const struct astra_cluster *cluster,
		   const struct astra_scheduler *scheduler,
		   const struct astra_options *policy,
		   const struct astra_sim_options *options,
		   struct astra_sim_result *result, struct astra_error *err);

/* Fill jobs[].bound_sec: for how long a job may wait for its first start,
 *   (2 + (own GPUs + GPUs before it) / Quota) term_sec + grace_sec,
 * where before it are its tenant's jobs that were submitted earlier and had not
 * started when it was submitted, and Quota = gpus W / sum of W over all tenants
 * of the trace, those without jobs included (ASTRAEA, Eq. 6). A promise to
 * demand: of three terms for a job within its tenant's quota that is the first
 * one. Where shares go by user, the same with its user's jobs, and an equal
 * part of Quota for each of the tenant's users that have jobs then, if that is
 * later. Under any policy, with leases or without. None has what does not fit
 * the cluster; it is not before others either. A tenant of weight 0 has an
 * infinite bound. This is what a job is promised when it comes, by which all
 * policies are compared: the engine's own bounds may come forward later, and
 * result.late counts by those. Of what was simulated it is done already.
 * Returns 0, or -1 when out of memory. (bound.c) */
int astra_bounds_fill(struct astra_sim_result *result);

void astra_sim_result_clear(struct astra_sim_result *result);

#endif
