/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of sfairsim replay: a trace on a live cluster, and simulated. */
#ifndef ASTRA_SFAIRSIM_REPLAY_H
#define ASTRA_SFAIRSIM_REPLAY_H

#include <limits.h>
#include <signal.h>

#include "src/cmd/sfairsim/setup.h"
#include "src/common/idmap.h"

/* What became of a job of the trace on the live cluster. */
struct replay_job {
	uint32_t id;	   /* Slurm's; 0: not submitted */
	double submit_sec; /* since the replay's begin */
	double end_sec;	   /* of its work, by itself; < 0: it is not done */
	double work_sec;   /* done in all runs */
	double last_sec;   /* ... in the last one */
	uint32_t runs;	   /* that began their work */
	/* By sacct: */
	uint32_t records;
	double elapsed_sec, last_elapsed_sec, last_start_unix;
};

/* GPUs held, by sacct; since the replay's begin. */
struct replay_run {
	uint32_t job;
	double start_sec, end_sec;
};

struct replay_tenant {
	uint32_t jobs;
	double before_gpu_sec; /* by sfair, when the replay began */
	double sfair_gpu_sec;  /* had since */
	double live_gpu_sec;   /* by sacct, or else by sfair */
	double live_jct_sec;   /* of its jobs, mean */
};

struct replay {
	const struct sfairsim_args *args;
	struct sfairsim_setup *setup; /* its trace has the cluster's times */
	char folder[PATH_MAX];	      /* of the jobs; "" before it is there */
	char name[64];		      /* of all jobs */
	double begin_unix;
	struct replay_job *jobs;
	struct astra_idmap by_id;
	struct replay_tenant *tenants;
	struct replay_run *runs;
	size_t run_count, run_room;
	size_t submitted;
	bool accounted; /* there is sacct */
	/* Measured: what a run takes beside its work, and a checkpoint. Slurm
	 * counts whole seconds, so the first may be below 0. */
	double start_sec, checkpoint_sec;
};

/* Set by SIGINT and the like. */
extern volatile sig_atomic_t replay_stop;

/* Wait; a signal ends it. */
void replay_sleep(double sec);

/* Slurm's programs. (replay_slurm.c) All return 0, or -1 with err set. */
/* path: of the astraea.conf beside slurm.conf. */
int replay_find_conf(char *path, size_t size, struct astra_error *err);
/* Write the nodes into a file as --cluster wants it. */
int replay_write_cluster(const char *partition, const char *path,
			 struct astra_error *err);
int replay_submit(struct replay *r, uint32_t job, struct astra_error *err);
/* active: how many of the jobs Slurm still has. */
int replay_count_active(const struct replay *r, size_t *active,
			struct astra_error *err);
int replay_cancel(const struct replay *r, struct astra_error *err);

/* What happened. (replay_live.c) Return as above. */
/* Weights into the trace, use so far into the tenants; tenants of the cluster
 * that submit nothing join the trace. first: before the replay. */
int replay_ask_tenants(struct replay *r, bool first, struct astra_error *err);
/* Runs of all jobs; r->accounted: whether there is accounting. */
int replay_ask_sacct(struct replay *r, struct astra_error *err);
/* GPU time and completion times of the tenants, and what was measured. */
void replay_measure(struct replay *r);

/* Print it beside the simulation's result. (replay_report.c) */
int replay_report(struct replay *r, const struct astra_sim_result *result,
		  struct astra_error *err);

#endif
