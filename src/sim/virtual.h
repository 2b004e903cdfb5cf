/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual cluster: src/world with the jobs of a trace, and each job's
 * progress. A job's index is that in the trace. Times are seconds from the
 * trace's start. In snapshots world.begin_sec is added, since 0 means "never"
 * there. It is ASTRA_VIRTUAL_BEGIN, or the time of the snapshot that the
 * simulation begins with. */
#ifndef ASTRA_VIRTUAL_H
#define ASTRA_VIRTUAL_H

#include "src/sim/watch.h"
#include "src/world/world.h"

#define ASTRA_VIRTUAL_BEGIN 1e6

/* What the cluster knows of a job in addition to what a scheduler sees. */
struct astra_virtual_job {
	uint32_t user;		  /* index into the users, or ASTRA_NONE */
	double signal_sec;	  /* when its progress ended, if it is
				   * leaving */
	double start_sec;	  /* of the present run */
	double done_sec;	  /* before this run */
	double progress_from_sec; /* end of the cold start */
	double slowdown;	  /* by the run's place */
	double stretch;		  /* seconds that one second of work takes */
	uint32_t held_gpus;
};

struct astra_virtual {
	struct astra_world world;
	const struct astra_trace *trace;
	const struct astra_cluster *cluster;
	const struct astra_sim_options *options;
	double lease_sec;
	bool keeps_unprepared; /* Unprepared=keep */
	double gpu_charge;     /* charge for a GPU, the mean over its nodes */
	struct astra_tenant *tenants;
	struct astra_user *users; /* users within tenants */
	size_t user_count;
	struct astra_virtual_job *jobs; /* by the trace's jobs */
	size_t done_count;
	struct astra_watch watch;
	struct astra_sim_result *result;
	size_t run_room;
	uint32_t next_id;  /* the id of a job is its index plus this */
	uint32_t last_app; /* the snapshot's largest app id */
	uint32_t released; /* count of jobs that left their GPUs since this was
			    * last 0 */
};

/* Initializes v. The caller has zeroed it, and set trace, cluster, options and
 * result. v must not move afterwards. Returns 0, or -1 if out of memory. */
int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement);
void astra_virtual_clear(struct astra_virtual *v);

/* Submits the trace's next job. Returns 0, or -1 if out of memory. */
int astra_virtual_submit(struct astra_virtual *v, uint32_t job);

/* Updates the scheduler's view of the work of running jobs. */
void astra_virtual_look(struct astra_virtual *v);

/* Returns how many seconds of its work a job has done by now. */
double astra_virtual_done_sec(const struct astra_virtual *v, uint32_t job);

/* Returns a job of the trace as a scheduler sees it at its submission. */
struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job);

/* Marks the jobs that never started because they do not fit even into the empty
 * cluster; called at the end. Returns 0, or -1 if out of memory. */
int astra_virtual_find_misfits(struct astra_virtual *v);

/* Accounts for the jobs that still run when the simulation stops. Returns 0, or
 * -1 if out of memory. */
int astra_virtual_stop(struct astra_virtual *v, double now_sec);

#endif
