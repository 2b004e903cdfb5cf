/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual cluster: src/world with the jobs of a trace, and how far each is.
 * A job's number is its line's in the trace. Times are seconds from the trace's
 * begin, of the snapshot world.begin_sec more, as there 0 means that something
 * has not been: ASTRA_VIRTUAL_BEGIN, or when the snapshot is of with which it
 * begins. */
#ifndef ASTRA_VIRTUAL_H
#define ASTRA_VIRTUAL_H

#include "src/sim/watch.h"
#include "src/world/world.h"

#define ASTRA_VIRTUAL_BEGIN 1e6

/* What the cluster knows of a job beside what a scheduler sees. */
struct astra_virtual_job {
	uint32_t user;		  /* index into the users, or ASTRA_NONE */
	double signal_sec;	  /* since then, if it is leaving */
	double start_sec;	  /* of this run */
	double done_sec;	  /* before this run */
	double progress_from_sec; /* after the cold start */
	double slowdown;	  /* by its place */
	double stretch;		  /* seconds that one of its work takes */
	uint32_t held_gpus;
};

struct astra_virtual {
	struct astra_world world;
	const struct astra_trace *trace;
	const struct astra_cluster *cluster;
	const struct astra_sim_options *options;
	double lease_sec;
	bool keeps_unprepared; /* Unprepared=keep */
	double gpu_charge; /* of one, on average over the nodes */
	struct astra_tenant *tenants;
	struct astra_user *users; /* within the tenants */
	size_t user_count;
	struct astra_virtual_job *jobs; /* of each of the trace */
	size_t done_count;
	struct astra_watch watch;
	struct astra_sim_result *result;
	size_t run_room;
	uint32_t next_id;  /* id of the trace's first job that comes, less its
			    * number */
	uint32_t last_app; /* before those of the trace */
	uint32_t released; /* jobs that left their GPUs since it was set to 0 */
};

/* v: zeroed, with trace, cluster, options and result set; stays where it is.
 * Returns 0, or -1 when out of memory. */
int astra_virtual_init(struct astra_virtual *v, bool quota_entitlement);
void astra_virtual_clear(struct astra_virtual *v);

/* The trace's next job is there. */
int astra_virtual_submit(struct astra_virtual *v, uint32_t job);

/* Bring up to date what is known of the work of those that run. */
void astra_virtual_look(struct astra_virtual *v);

/* Return how many seconds of its work a job of the trace has done by now. */
double astra_virtual_done_sec(const struct astra_virtual *v, uint32_t job);

/* What a scheduler sees of a job of the trace that comes. */
struct astra_job astra_virtual_job(const struct astra_virtual *v, uint32_t job);

/* At the end: which of the jobs that never started have no place, not even when
 * nobody else is there. Returns 0, or -1 when out of memory. */
int astra_virtual_find_misfits(struct astra_virtual *v);

/* The simulation stops: count what still runs.
 * Returns 0, or -1 when out of memory. */
int astra_virtual_stop(struct astra_virtual *v, double now_sec);

#endif
