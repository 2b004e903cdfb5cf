/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report: everything that a query may ask about, as of the end of one
 * round.
 *
 * The host builds a report after each round, outside of all locks of slurmctld,
 * and publishes it; from then on it does not change. Readers take a reference,
 * answer from the report, and give the reference back. So a query costs the
 * host nothing and never waits for a round.
 *
 * Plain data: no Slurm, no JSON, no I/O. Times are seconds since the epoch by
 * the host's clock; 0 means none. The names of durations end in their unit.
 *
 *	struct astra_report *report = astra_report_create();
 *	report->time_sec = now;
 *	astra_report_set_cluster(report, name);
 *	astra_report_add_pool(report, &pool);
 *	astra_report_add_tenant(report, &tenant);
 *	astra_report_add_job(report, &job);
 *	astra_server_publish(report);	(takes the reference) */
#ifndef ASTRA_REPORT_H
#define ASTRA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/engine/engine.h"
#include "src/model/auction.h"

/* The waiting tasks of an array: slurmctld keeps a bitmap in hex, users read
 * "1-6,9%2". Pure. */

/* Writes "6_[0x7E%2]" as squeue does, "6_[1-6%2]"; any other text is copied
 * unchanged. If not all tasks fit, the list ends in "...".
 * out: has at least 32 bytes. */
void astra_tasks_text(const char *id_text, char *out, size_t size);

#define ASTRA_REPORT_NO_UID UINT32_MAX

struct astra_report_pool; /* report_pool.h */

/* A class of jobs, on nodes of one type. */
struct astra_report_class {
	const char *pool;
	struct astra_class of;
};

struct astra_report_tenant {
	const char *pool;
	struct astra_tenant_view of;
	uint32_t uid; /* uid of a tenant that is a user; NO_UID: it is an
		       * account */
	uint32_t jobs_waiting;
	uint32_t jobs_running;
	struct astra_policy_report sums; /* its money, if the policy has any */
};

/* The progress that a job has reported. */
struct astra_report_progress {
	double time_sec; /* of the report; 0: there is none */
	uint32_t run;	 /* the run that reported it */
	uint64_t done;	 /* iterations */
	uint64_t total;	 /* 0: not given */
	double iter_sec; /* 0: not given */
	double loss;	 /* NAN: not given */
};

/* A job's newest complete checkpoint. */
struct astra_report_checkpoint {
	double time_sec; /* of the report; 0: there is none */
	uint64_t step;	 /* the iteration */
};

enum astra_bind_kind {
	ASTRA_BIND_HOLD,
	ASTRA_BIND_DEPENDENCY,
	ASTRA_BIND_LIMIT,
	ASTRA_BIND_BEGIN,
	ASTRA_BIND_LICENCE,
	ASTRA_BIND_RESERVATION,
	ASTRA_BIND_MAINTENANCE,
	ASTRA_BIND_RESERVED,
	ASTRA_BIND_NODES,
	ASTRA_BIND_ARRAY,
	ASTRA_BIND_UNLEASED,
	ASTRA_BIND_PARTITION,
	ASTRA_BIND_OTHER,
	ASTRA_BIND_KINDS,
};

/* By kind; ends with NULL. */
extern const char *const astra_bind_kinds[ASTRA_BIND_KINDS + 1];

/* What keeps a job from waiting in line, as slurmctld knows it. A number is NAN
 * if there is none. */
struct astra_report_bind {
	enum astra_bind_kind kind;
	const char *name; /* Slurm's: "JobHeldUser", "AssocGrpGRES", "afterok"
			   */
	const char *of;	 /* whose limit it is: "account lab", "QOS normal"; or a
			  * reservation, a licence, a partition, nodes */
	const char *who; /* whom the limit counts: "user alice"; "": all. For
			  * nodes: their state */
	const char *option; /* as sacctmgr writes it: "GrpTRES=gres/gpu" */
	const char *unit;   /* of the three numbers: "GPUs" */
	double limit, used, asked;
	bool shared;	    /* `used` includes the use of other users */
	uint32_t job, task; /* job 0: none; task UINT32_MAX: not a task */
	uint32_t uid;	    /* owner of that job; NO_UID: it is gone */
	const char *state;  /* Slurm's word for that job's state */
	double time_sec; /* when the cause is over, or the reservation begins;
			  * 0: not known */
};

#define ASTRA_REPORT_BINDS 8 /* of one job; more are dropped */

/* A pending record of an array that limits how many of its tasks run at once
 * (%N). */
struct astra_report_array {
	uint32_t waiting; /* tasks that the record stands for */
	uint32_t most;	  /* tasks at once, of the whole array; 0: no limit */
	uint32_t running; /* tasks of the array that run */
};

/* `pinned` of a job whose run Slurm started without leases: before the plugin
 * was there, while the pool had Leases=no, or while the partition was in no
 * pool. */
#define ASTRA_PINNED_BY_BEGIN "its run began without leases"

/* `pinned` of a job that declares no checkpoint. With Unprepared=share the job
 * keeps its GPUs within its tenant's share, and beyond that while nobody lacks
 * them. */
#define ASTRA_PINNED_KEEP "declares no checkpoint, Unprepared=keep"
#define ASTRA_PINNED_SHARE "declares no checkpoint, Unprepared=share"

/* How a job's `reason` begins if Slurm refused its start; Slurm's own reason
 * follows. */
#define ASTRA_REPORT_REFUSES "Slurm refuses the start: "

/* Phases as in astra_phase. RUNNING: the job holds GPUs in a pool without
 * leases. */
enum astra_report_phase {
	ASTRA_REPORT_WAITING,
	ASTRA_REPORT_LEASED,
	ASTRA_REPORT_DOOMED,
	ASTRA_REPORT_GRACE,
	ASTRA_REPORT_LEAVING,
	ASTRA_REPORT_RUNNING,
	ASTRA_REPORT_PHASES,
};

/* By phase; ends with NULL. */
extern const char *const astra_report_phases[ASTRA_REPORT_PHASES + 1];

/* One job record of slurmctld: a job, an array task, or all tasks of an array
 * that have not started. */
struct astra_report_job {
	const char *pool;
	const char *tenant;
	/* As the engine knows the job; its id is slurmctld's. Exceptions: gpus
	 * are the GPUs held, if it holds any; members about leases are 0 in a
	 * pool without leases; the reason's start is the forecast. */
	struct astra_job_view of;
	uint32_t array_id;   /* the array's id, or 0 */
	uint32_t array_task; /* its task in the array; UINT32_MAX: not a task */
	/* As squeue writes it: "12", "12_3", "12_[4-9]". slurmctld's own
	 * "12_[0x3F0]" is rewritten when the job is added. */
	const char *id_text;
	struct astra_report_array array;
	uint32_t uid;
	const char *user;
	const char *account;
	const char *partition;
	const char *name;
	uint32_t gpus_min; /* fewest GPUs of an elastic job; 0: the job is not
			    * elastic */
	const char *nodes; /* the nodes it holds, as a hostlist; "": none */
	const char *state; /* Slurm's word: PENDING, RUNNING, COMPLETING … */
	enum astra_report_phase phase;
	const char *pinned; /* why it is not revocable, "--no-requeue"; "": it
			     * is */
	bool unprepared;    /* it declares no checkpoint */
	const char *signal; /* checkpoint signal as text, "USR1"; "": none */
	double lease_sec;   /* its lease term; 0: unlimited */
	double grace_sec;   /* time that it gets for a checkpoint */
	uint32_t run;	    /* how often it was requeued, for any reason */
	struct astra_report_progress progress;
	struct astra_report_checkpoint checkpoint;
	const char *level;    /* distance of its GPUs: "rack"; "": it holds
			       * none */
	const char *slowdown; /* as --slowdown takes it; "": not known */
	uint32_t levels_seen; /* bit l: it was measured at level l */
	const char *speedup;  /* by GPUs: "1:1,2:1.9"; "": not measured */
	const char *advice;   /* about its leases, without a full stop; "":
			       * none */
	/* Its forecast: when made, how far it reached, and the earliest and
	 * latest start. 0: not known. */
	double forecast_sec, forecast_until_sec;
	double expected_early_sec, expected_late_sec;
	const char *reason;	 /* a few words: "Lease: rank 3 of 17"; "": it
				  * does not wait */
	const char *reason_long; /* one or two sentences for `sfair why`; "":
				  * none */
	const char *wait;	 /* the policy's reason: "rank", "place"; "": no
				  * leases */
	const char *lack;	 /* what free GPUs lack for the job: "CPUs"; "":
				  * nothing */
	const struct astra_report_bind *binds; /* copied when the job is
						* added */
	uint32_t bind_count;
	/* For the history, not for queries: the run in slurmctld's records. */
	uint32_t held_gpus;   /* devices held; 0: none */
	uint32_t run_gpus;    /* GPUs of its last run, which is over; 0:
			       * unknown */
	double run_start_sec; /* start of the present or last run; 0: not known,
			       * or its nodes are not up yet */
	double run_end_sec;   /* end of the last run; 0: not known */
	double limit_sec;     /* its time limit; 0: none */
	double limit_end_sec; /* when the time limit ends the present run; 0: no
			       * limit, or it does not run */
	uint32_t nodes_asked; /* the most nodes that it may have; 0: any */
	bool leasable; /* whether its user's options allow leases in a pool that
			* has them */
	uint64_t app;  /* id of its app, if its pool holds auctions; else 0 */
	uint32_t app_next; /* index of the app's next job; set when the job is
			    * added */
};

/* The last auction of a pool whose policy holds auctions. */
struct astra_report_auction {
	const char *pool;
	uint64_t number; /* 0: there was none */
	double time_sec;
	uint64_t gpus;		     /* GPUs on offer */
	uint32_t bidders;	     /* apps that got the offer */
	bool exact;		     /* whether the allocation is optimal */
	size_t first_app, app_count; /* set when its apps are added */
};

#define ASTRA_REPORT_LEFT_APPS 2000 /* apps that have left_sec */
#define ASTRA_REPORT_LEFT_GPUS 256  /* entries of each left_sec */

/* An app, in a pool with auctions. */
struct astra_report_app {
	struct astra_auction_app of; /* times and GPUs, as the policy knows
				      * them */
	const char *app;	     /* --app; "": the app is an array or a
				      * single job */
	const char *pool;
	const char *tenant;
	const char *account;
	uint32_t uid;
	const char *user;
	const char *bid;    /* "estimate", "agent" or "file" */
	uint32_t paid;	    /* GPUs won but not kept */
	uint32_t first_job; /* index of its first job; set when its jobs are
			     * added */
};

/* The price of GPUs in one slot, in a pool whose policy sells slots. */
struct astra_report_price {
	const char *pool;
	struct astra_policy_price of;
};

#define ASTRA_REPORT_PRICES 1000 /* slots of a pool */

#define ASTRA_REPORT_NO_JOB UINT32_MAX

/* A job that holds GPUs on a node. */
struct astra_report_holder {
	uint32_t job;
	uint32_t gpus;
};

struct astra_report_node {
	const char *pool;
	const char *name;
	const char *state; /* up, cleaning (after a job), drained, down */
	uint32_t gpus;
	uint32_t gpus_free; /* GPUs that a job could have now */
	uint32_t holder_count;
	const struct astra_report_holder *holders;
};

/* A duration in microseconds: its last value, mean and maximum, how often it
 * was measured, and the sum. */
struct astra_report_timing {
	uint64_t last_usec, mean_usec, max_usec;
	uint64_t count, sum_usec;
};

/* State of the history's writer. */
struct astra_report_history {
	const char *state; /* "starting", "writing", "paused" or "off" */
	const char *file;
	const char *error;		  /* why the writer is paused; "" if it
					   * is not */
	uint64_t transactions;		  /* transactions written */
	uint64_t rows;			  /* rows in them */
	uint64_t rows_dropped;		  /* rows dropped, as too many came at
					   * once */
	double written_sec;		  /* when it last wrote; 0: never */
	uint64_t file_bytes;		  /* including SQLite's journal */
	uint64_t reports;		  /* reports written */
	uint64_t dropped;		  /* reports dropped, as a newer one
					   * covers their time */
	uint64_t lost;			  /* reports not written while paused */
	struct astra_report_timing note;  /* the time to hand over a report */
	struct astra_report_timing write; /* the time that a transaction
					   * takes */
};

struct astra_report_diag {
	double started_sec; /* when the engine started */
	double reset_sec;   /* when the counts below were last reset */
	double round_sec;   /* when the last round ended */
	uint64_t rounds;
	double rounds_per_min;
	struct astra_report_timing round;      /* a whole round */
	struct astra_report_timing decide;     /* the policy's decisions,
						* without locks */
	struct astra_report_timing snapshot;   /* snapshots, under read locks */
	struct astra_report_timing write_lock; /* how long write locks are held
						* to apply a plan */
	uint32_t depth;	  /* jobs examined in the last round */
	uint32_t queue;	  /* managed jobs that wait */
	uint64_t started; /* jobs started */
	uint64_t granted, renewed, revoked, refused;
	uint64_t skipped; /* decisions that did not hold any more when
			   * applied */
	/* Runs of MailProg and LeaseProgram: started, failed, and never run. */
	uint64_t notices, notices_failed, notices_lost;
	uint64_t state_saves;
	double state_saved_sec;	    /* when it was last saved */
	const char *state_error;    /* why the last save failed; "": it did
				     * not */
	double config_sec;	    /* when astraea.conf was last read */
	const char *config_error;   /* why the last reading was refused; "": it
				     * was not */
	const char *config_warning; /* faults that were worked around; "":
				     * none */
	const char *policy_error;   /* why the last round decided nothing; "":
				     * it did decide */
	const char *aside;	    /* why the plugin leaves all jobs to Slurm;
				     * "": it does not */
	struct astra_report_history history;
};

/* What PrivateData hides from users who are not operators. */
struct astra_report_privacy {
	bool jobs;  /* other users' jobs */
	bool usage; /* other tenants' accounts */
	bool nodes; /* nodes, except those of visible jobs */
};

struct astra_report {
	double time_sec;
	double heard_sec; /* before this time no running job loses its GPUs; 0:
			   * any may */
	const char *cluster;
	const char *slurm_version;
	struct astra_report_privacy privacy;
	struct astra_report_diag diag;
	struct astra_report_pool *pools;
	size_t pool_count, pool_room;
	struct astra_report_tenant *tenants;
	size_t tenant_count, tenant_room;
	struct astra_report_job *jobs;
	size_t job_count, job_room;
	/* Jobs that have ended or left their GPUs lately, some of them also in
	 * `jobs`. For the history, not for queries. */
	struct astra_report_job *ended;
	size_t ended_count, ended_room;
	struct astra_report_auction *auctions;
	size_t auction_count, auction_room;
	struct astra_report_app *apps; /* by pool, then by id */
	size_t app_count, app_room;
	struct astra_report_price *prices; /* by pool, then by slot */
	size_t price_count, price_room;
	struct astra_report_class *classes; /* by pool */
	size_t class_count, class_room;
	struct astra_report_node *nodes; /* by pool */
	size_t node_count, node_room;
	struct astra_report_private *own; /* references and strings */
};

/* Returns an empty report with one reference, or NULL if out of memory. */
struct astra_report *astra_report_create(void);

/* Takes another reference. Locks: none; may be called from any thread. Returns
 * the report. */
struct astra_report *astra_report_get(struct astra_report *report);

/* Gives a reference back; the last one frees the report. report may be NULL.
 * Locks: none; may be called from any thread. */
void astra_report_put(struct astra_report *report);

/* Each appends a copy, strings included; NULL strings become "". Call only
 * while the report is being built. Returns 0, or -1 if out of memory. */
int astra_report_add_pool(struct astra_report *report,
			  const struct astra_report_pool *pool);
int astra_report_add_tenant(struct astra_report *report,
			    const struct astra_report_tenant *tenant);
int astra_report_add_job(struct astra_report *report,
			 const struct astra_report_job *job);
int astra_report_add_ended(struct astra_report *report,
			   const struct astra_report_job *job);

/* Returns the job's record, or NULL. */
const struct astra_report_job *
astra_report_find(const struct astra_report *report, uint32_t id);

/* Each appends a copy. Order: a pool's auction, then its apps by id, then its
 * jobs. Returns 0, or -1 if out of memory. */
int astra_report_add_auction(struct astra_report *report,
			     const struct astra_report_auction *auction);
int astra_report_add_app(struct astra_report *report,
			 const struct astra_report_app *app);

/* Appends a copy. Returns 0, or -1 if out of memory. */
int astra_report_add_price(struct astra_report *report,
			   const struct astra_report_price *price);

/* Appends a copy. Returns 0, or -1 if out of memory. */
int astra_report_add_class(struct astra_report *report,
			   const struct astra_report_class *class);

/* Appends a copy, with its holders. Returns 0, or -1 if out of memory. */
int astra_report_add_node(struct astra_report *report,
			  const struct astra_report_node *node);

/* Returns the app of this id in a pool, or NULL. */
struct astra_report_app *astra_report_app(const struct astra_report *report,
					  const char *pool, uint64_t number);

/* Returns the last auction of a pool, or NULL if the pool holds none. */
const struct astra_report_auction *
astra_report_auction_of(const struct astra_report *report, const char *pool);

/* Copy the names of cluster and release, and the diag block, strings included.
 * Return 0, or -1 if out of memory. */
int astra_report_set_cluster(struct astra_report *report, const char *cluster,
			     const char *slurm_version);
int astra_report_set_diag(struct astra_report *report,
			  const struct astra_report_diag *diag);

#endif
