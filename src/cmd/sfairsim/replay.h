/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the files of sfairsim replay. A replay runs a trace on
 * a live cluster, and also simulates it. */
#ifndef ASTRA_SFAIRSIM_REPLAY_H
#define ASTRA_SFAIRSIM_REPLAY_H

#include <limits.h>
#include <signal.h>

#include "src/cmd/sfairsim/setup.h"
#include "src/common/idmap.h"

/* A job of the trace on the live cluster. */
struct replay_job {
	uint32_t id;	   /* Slurm's id; 0: not submitted */
	double submit_sec; /* since the replay began */
	double end_sec;	   /* when its work was done, by its log; < 0: not
			    * done */
	double work_sec;   /* done in all runs */
	double last_sec;   /* done in the last run */
	uint32_t runs;	   /* runs that began their work */
	/* From sacct: */
	uint32_t records;
	double elapsed_sec, last_elapsed_sec, last_start_unix;
};

/* A time in which a job held GPUs, by sacct; since the replay began. */
struct replay_run {
	uint32_t job;
	double start_sec, end_sec;
};

struct replay_tenant {
	uint32_t jobs;
	double before_gpu_sec; /* from sfair, before the replay */
	double sfair_gpu_sec;  /* from sfair, during the replay */
	double live_gpu_sec;   /* from sacct, else from sfair */
	double live_jct_sec;   /* mean completion time of the tenant's jobs */
};

struct replay {
	const struct sfairsim_args *args;
	struct sfairsim_setup *setup; /* the times of its trace are scaled to
				       * the replay's speed */
	char folder[PATH_MAX];	      /* folder of the jobs; "" before it
				       * exists */
	char name[64];		      /* of all jobs */
	double begin_unix;
	struct replay_job *jobs;
	struct astra_idmap by_id;
	struct replay_tenant *tenants;
	struct replay_run *runs;
	size_t run_count, run_room;
	size_t submitted;
	bool accounted; /* sacct works */
	/* Measured times of a run besides its work, and of a checkpoint. Slurm
	 * counts whole seconds, so start_sec may be below 0. */
	double start_sec, checkpoint_sec;
};

/* Set by SIGINT and similar signals. */
extern volatile sig_atomic_t replay_stop;

/* Sleeps until the time is over or a signal arrives. */
void replay_sleep(double sec);

/* Run Slurm's programs. (replay_slurm.c) All return 0, or -1 with err set. */
/* Finds the astraea.conf beside slurm.conf. */
int replay_find_conf(char *path, size_t size, struct astra_error *err);
/* Writes the cluster's nodes to a file for --cluster. */
int replay_write_cluster(const char *partition, const char *path,
			 struct astra_error *err);
int replay_submit(struct replay *r, uint32_t job, struct astra_error *err);
/* Counts the jobs that Slurm has not finished. */
int replay_count_active(const struct replay *r, size_t *active,
			struct astra_error *err);
int replay_cancel(const struct replay *r, struct astra_error *err);

/* The results. (replay_live.c) These return 0, or -1 with err set. */
/* Copies the cluster's weights to the trace, and its usage so far to the
 * tenants. Tenants of the cluster that submit nothing join the trace. first:
 * this is before the replay. */
int replay_ask_tenants(struct replay *r, bool first, struct astra_error *err);
/* Reads the runs of all jobs from sacct. r->accounted: set to whether there is
 * accounting. */
int replay_ask_sacct(struct replay *r, struct astra_error *err);
/* Computes the tenants' GPU times and completion times, and the measured
 * times. */
void replay_measure(struct replay *r);

/* Prints the results beside those of the simulation. (replay_report.c) Returns
 * 0, or -1 with err set. */
int replay_report(struct replay *r, const struct astra_sim_result *result,
		  struct astra_error *err);

#endif
