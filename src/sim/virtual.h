/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual cluster: src/world with the jobs of a trace, and how far each job
 * is. A job's index is that in the trace. Times are seconds from the trace's
 * start. In snapshots world.begin_sec is added, since 0 there means "never":
 * ASTRA_VIRTUAL_BEGIN, or the time of the snapshot that the simulation begins
 * with. */
#ifndef ASTRA_VIRTUAL_H
#define ASTRA_VIRTUAL_H

#include "src/sim/watch.h"
#include "src/world/world.h"

#define ASTRA_VIRTUAL_BEGIN 1e6

/* What the cluster knows of a job besides what a scheduler sees. */
struct astra_virtual_job {
	uint32_t user;		  /* index into the users, or ASTRA_NONE */
	double signal_sec;	  /* if leaving: when its progress ended */
	double start_sec;	  /* of the present run */
	double done_sec;	  /* before this run */
	double progress_from_sec; /* end of the cold start */
	double slowdown;	  /* by the run's place */
	double stretch;		  /* seconds that a second of work takes */
	uint32_t held_gpus;
};

struct astra_virtual {
	struct astra_world world;
	const struct astra_trace *trace;
	const struct astra_cluster *cluster;
	const struct astra_sim_options *options;
	double lease_sec;
	bool keeps_unprepared; /* Unprepared=keep */
	double gpu_charge;     /* charge of a GPU, mean over the nodes */
	struct astra_tenant *tenants;
	struct astra_user *users; /* users within tenants */
	size_t user_count;
	struct astra_virtual_job *jobs; /* by the trace's jobs */
	size_t done_count;
	struct astra_watch watch;
	struct astra_sim_result *result;
	size_t run_room;
	uint32_t next_id;  /* added to a job's index gives its id */
	uint32_t last_app; /* the snapshot's largest app id */
	uint32_t released; /* jobs that left their GPUs since it was set to 0 */
};

/* Initializes v, which must be zeroed, with trace, cluster, options and result
 * set, and must not move. Returns 0, or -1 if out of memory. */
int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement);
void astra_virtual_clear(struct astra_virtual *v);

/* Submits the trace's next job. Returns 0, or -1 if out of memory. */
int astra_virtual_submit(struct astra_virtual *v, uint32_t job);

/* Updates what is known of the work of running jobs. */
void astra_virtual_look(struct astra_virtual *v);

/* Returns how many seconds of its work a job has done by now. */
double astra_virtual_done_sec(const struct astra_virtual *v, uint32_t job);

/* Returns what a scheduler sees of a job of the trace when it is submitted. */
struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job);

/* Marks, at the end, the jobs that never started and do not fit even into the
 * empty cluster. Returns 0, or -1 if out of memory. */
int astra_virtual_find_misfits(struct astra_virtual *v);

/* Counts the jobs that still run when the simulation stops. Returns 0, or -1 if
 * out of memory. */
int astra_virtual_stop(struct astra_virtual *v, double now_sec);

#endif
