/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual cluster: who waits, who runs where, how far each job is. It does
 * what it is told and refuses what cannot be. Times are seconds from the
 * trace's begin, of the snapshot ASTRA_VIRTUAL_BEGIN more, as there 0 means
 * that something has not been. */
#ifndef ASTRA_VIRTUAL_H
#define ASTRA_VIRTUAL_H

#include "src/sim/watch.h"
#include "src/world/queue.h"

#define ASTRA_VIRTUAL_BEGIN 1e6

/* What the cluster knows of a job beside what a scheduler sees. */
struct astra_virtual_job {
	uint32_t user;	   /* index into the users, or ASTRA_NONE */
	uint32_t active;   /* its index among the active ones, or ASTRA_NONE */
	uint32_t run;	   /* changes when events of it become void */
	bool leaving;	   /* writes its checkpoint */
	double signal_sec; /* since then, if it is leaving */
	double start_sec;  /* of this run */
	double done_sec;   /* before this run */
	double progress_from_sec; /* after the cold start */
	double slowdown;	  /* by its place */
	double stretch;		  /* seconds that one of its work takes */
	struct astra_share *held;
	size_t held_count;
	uint32_t held_gpus;
};

struct astra_virtual {
	const struct astra_trace *trace;
	const struct astra_cluster *cluster;
	const struct astra_sim_options *options;
	double lease_sec;
	struct astra_node *nodes; /* as they are now */
	struct astra_tenant *tenants;
	struct astra_user *users; /* within the tenants */
	size_t user_count;
	struct astra_job *active; /* wait, run, or have just ended */
	struct astra_oracle *oracle;
	size_t active_count, active_room;
	uint32_t *ended; /* to be forgotten after the next round */
	size_t ended_count, ended_room;
	struct astra_virtual_job *jobs; /* of each of the trace */
	size_t done_count;
	struct astra_queue queue;
	struct astra_watch watch;
	struct astra_sim_result *result;
	size_t run_room;
	uint32_t *changed; /* numbers of active ones, since the last round */
	size_t changed_count, changed_room;
	uint32_t *changed_nodes;
	size_t changed_node_count, changed_node_room;
	uint32_t released; /* jobs that left their GPUs since it was set to 0 */
};

/* v: zeroed, with trace, cluster, options and result set.
 * Returns 0, or -1 when memory is out. */
int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement);
void astra_virtual_clear(struct astra_virtual *v);

/* The trace's next job is there. */
int astra_virtual_submit(struct astra_virtual *v, uint32_t job);

/* An event of the queue has come. */
int astra_virtual_event(struct astra_virtual *v,
			const struct astra_event *event);

/* Carry out a plan. Returns 0, or -1 with err saying what cannot be. */
int astra_virtual_apply(struct astra_virtual *v, const struct astra_plan *plan,
			double now_sec, struct astra_error *err);

/* What changed since it was asked for the last time. Valid until something
 * changes. */
struct astra_changes astra_virtual_changes(struct astra_virtual *v);

/* Bring up to date what is known of the work of those that run. */
void astra_virtual_look(struct astra_virtual *v, double now_sec);

/* What a scheduler sees of a job of the trace that comes. (virtual_job.c) */
struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job);

/* At the end: which of the jobs that never started have no place, not even when
 * nobody else is there. Returns 0, or -1 when memory is out. (virtual_job.c) */
int astra_virtual_find_misfits(struct astra_virtual *v);

/* How many times as long its work takes at this place. (virtual_job.c) */
double astra_virtual_slowdown(const struct astra_virtual *v, uint32_t job,
			      const struct astra_share *shares, size_t count);

/* Seconds of work done in its present run. (virtual_run.c) */
double astra_virtual_progress(const struct astra_virtual_job *job,
			      double now_sec);

/* A job's run ends: its line of the schedule, and its GPU time that did no
 * work. signal_sec: when its progress ended. Returns 0, or -1 when memory is
 * out. */
int astra_virtual_count_run(struct astra_virtual *v, uint32_t job,
			    double signal_sec, double now_sec);

/* The simulation stops: count what still runs.
 * Returns 0, or -1 when memory is out. */
int astra_virtual_stop(struct astra_virtual *v, double now_sec);

/* What had ended has been seen. Returns 0, or -1 when memory is out. */
int astra_virtual_forget(struct astra_virtual *v);

#endif
