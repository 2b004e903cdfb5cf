/* SPDX-License-Identifier: GPL-2.0-or-later */
/* src/world, one second a step: the engine's plans are carried out as slurmctld
 * would; starts take effect at once, requeued jobs are cleaned up for a while
 * before they are pending again. A plan that overcommits fails the test, and so
 * does a lease that was over and then was so earlier. */
#ifndef ASTRA_TEST_VCLUSTER_H
#define ASTRA_TEST_VCLUSTER_H

#include "src/engine/engine.h"
#include "src/policies/options.h"
#include "src/world/world.h"

#define VC_JOBS 4096
#define VC_NODES 512
#define VC_TRIES 3 /* decisions in a round */

struct vjob {
	struct astra_job job; /* what the engine is told */
	double work_sec;      /* to be run in all; infinite: endless */
	double done_sec;
	double checkpoint_sec; /* GRACE: leaves by itself after that long; 0:
				* only when requeued */
	uint32_t starts;
	double lease_end_sec; /* of the run restart_cnt; 0: none */
	uint32_t lease_run;
	double waited_from_sec;	     /* pending since */
	struct astra_reason refused; /* why it was, the last time */
};

struct vcluster {
	struct astra_engine *engine;
	struct astra_options options;
	const struct astra_policy *policy; /* NULL: the one in the options */
	struct astra_world world;	   /* by number as `jobs` */
	struct astra_node nodes[VC_NODES];
	size_t node_count;
	struct astra_tenant tenants[32];
	size_t tenant_count;
	struct astra_user users[8];
	size_t user_count;
	struct vjob *jobs[VC_JOBS];
	size_t job_count;
	struct astra_job snapshot_jobs[VC_JOBS];
	const uint64_t *preempts;     /* by class; the test's */
	const struct astra_bid *bids; /* of agents; the test's */
	size_t bid_count;
	struct astra_plan plan;
	double now_sec;
	double cleanup_sec; /* after a requeue */
	double kill_wait_sec; /* what the engine is told; 0: nothing */
	double due_sec;	    /* next round */
	double period_sec;  /* GPU hours begin anew so often; 0: never */
	uint32_t reclaimed; /* GPUs of jobs signalled or requeued last step */
	uint32_t most_reclaimed;
	bool refused; /* a start of this round */
	bool trace;   /* print what is carried out */
	/* Holds a round in place of astra_engine_round(); NULL: that. */
	void (*round)(struct vcluster *vc,
		      const struct astra_snapshot *snapshot);
	/* Whether the host refuses a start for its nodes; NULL: none. */
	bool (*refuses)(struct vcluster *vc, const struct astra_decision *d);
	/* After each round's decisions have been carried out; NULL: nothing. */
	void (*looked)(struct vcluster *vc);
	void *test; /* the test's own */
};

/* A cluster of nodes with so many GPUs and 8 CPUs a GPU; the engine is created
 * with vc->options, which the caller may have changed since vc_init(). */
void vc_init(struct vcluster *vc, size_t nodes, uint32_t gpus);
void vc_begin(struct vcluster *vc);
void vc_fini(struct vcluster *vc);
uint32_t vc_tenant(struct vcluster *vc, const char *name, double weight);
/* A user within a tenant, for vjob.job.user. */
uint32_t vc_user(struct vcluster *vc, uint32_t tenant, const char *name);
/* Submit now; returns the job. */
struct vjob *vc_submit(struct vcluster *vc, uint32_t tenant, uint32_t gpus,
		       double work_sec);
/* One second: jobs end, a round if one is due. */
void vc_step(struct vcluster *vc);
void vc_run(struct vcluster *vc, double until_sec);
/* The clock is set; the times that were recorded stay. */
void vc_set_clock(struct vcluster *vc, double by_sec);
/* The engine is saved, destroyed and restored. */
void vc_restart(struct vcluster *vc);
struct astra_job_view vc_view(struct vcluster *vc, const struct vjob *job);
struct astra_tenant_view vc_tenant_view(struct vcluster *vc, uint32_t tenant);
uint32_t vc_running_gpus(const struct vcluster *vc);

#endif
