/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report: everything a query may ask about, as it was after one round.
 *
 * The host builds one after each round, outside of all locks of slurmctld, and
 * publishes it; from then on nobody changes it. Readers take a reference,
 * answer from it, and give the reference back, so a query costs the host
 * nothing and never waits for a round.
 *
 * Plain data: no Slurm, no JSON, no I/O. Times are seconds since the epoch of
 * the host, 0 where there is none; durations are named by their unit.
 *
 *	struct astra_report *report = astra_report_create();
 *	report->time_sec = now;
 *	astra_report_set_cluster(report, name);
 *	astra_report_add_pool(report, &pool);
 *	astra_report_add_tenant(report, &tenant);
 *	astra_report_add_job(report, &job);
 *	astra_server_publish(report);	(steals it)
 */
#ifndef ASTRA_REPORT_H
#define ASTRA_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/engine/engine.h"
#include "src/model/auction.h"

/* An array's waiting tasks: slurmctld keeps them as a bitmap in hex, users
 * read "1-6,9%2". Pure. */

/* Write "6_[0x7E%2]" as squeue does, "6_[1-6%2]"; any other text as it is.
 * What does not fit ends in "...", which stands for any more tasks.
 * out: size at least 32. */
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
	uint32_t uid; /* where a tenant is one user: that user; else NO_UID */
	uint32_t jobs_waiting;
	uint32_t jobs_running;
	struct astra_policy_report sums; /* its money, where it has any */
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

/* Its newest complete checkpoint. */
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

/* By kind; NULL is behind them. */
extern const char *const astra_bind_kinds[ASTRA_BIND_KINDS + 1];

/* What keeps a job from waiting in line, as slurmctld knows it. Numbers are NAN
 * where there are none. */
struct astra_report_bind {
	enum astra_bind_kind kind;
	const char *name;   /* Slurm's: "JobHeldUser", "AssocGrpGRES", "afterok"
			     */
	const char *of;	    /* whose limit it is: "account lab", "QOS normal";
			       a reservation, a licence, a partition, nodes */
	const char *who;    /* for whom that counts: "user alice"; "": all;
			       what state nodes are in */
	const char *option; /* as sacctmgr writes it: "GrpTRES=gres/gpu" */
	const char *unit;   /* of the numbers: "GPUs" */
	double limit, used, asked;
	bool shared;	    /* used: by other users too */
	uint32_t job, task; /* that it waits for; 0: none; task: UINT32_MAX */
	uint32_t uid;	    /* of that job's owner; NO_UID: it is gone */
	const char *state;  /* of that job, as Slurm's word */
	double time_sec;    /* when it is over, or its reservation begins; 0:
			     * not known */
};

#define ASTRA_REPORT_BINDS 8 /* of one job; further ones are left out */

/* A pending record of an array whose tasks may not all run at once (%N). */
struct astra_report_array {
	uint32_t waiting; /* tasks that the record stands for */
	uint32_t most;	  /* of the array's tasks at once; 0: no such limit */
	uint32_t running; /* of its tasks */
};

/* As `pinned` of a job: Slurm started its run before the plugins came, while
 * its pool had Leases=no, or while its partition was in no pool. */
#define ASTRA_PINNED_BY_BEGIN "its run began without leases"

/* The same: it declares no checkpoint. With Unprepared=share that is so within
 * its tenant's share, and beyond that while nobody lacks its GPUs. */
#define ASTRA_PINNED_KEEP "declares no checkpoint, Unprepared=keep"
#define ASTRA_PINNED_SHARE "declares no checkpoint, Unprepared=share"

/* As a job's `reason` begins where Slurm refused its start; Slurm's own
 * follows.
 */
#define ASTRA_REPORT_REFUSES "Slurm refuses the start: "

/* As astra_phase; RUNNING: it holds GPUs in a pool without leases. */
enum astra_report_phase {
	ASTRA_REPORT_WAITING,
	ASTRA_REPORT_LEASED,
	ASTRA_REPORT_DOOMED,
	ASTRA_REPORT_GRACE,
	ASTRA_REPORT_LEAVING,
	ASTRA_REPORT_RUNNING,
	ASTRA_REPORT_PHASES,
};

/* By phase; NULL is behind them. */
extern const char *const astra_report_phases[ASTRA_REPORT_PHASES + 1];

/* One job record of slurmctld: a job, an array task, or all tasks of an array
 * that have not started. */
struct astra_report_job {
	const char *pool;
	const char *tenant;
	/* As the engine has it: its id is slurmctld's own, unique. But its GPUs
	 * are those that it holds, if it does; what there is none of without
	 * leases is 0; and its reason's start is what was foreseen. */
	struct astra_job_view of;
	uint32_t array_id;   /* the array's id, or 0 */
	uint32_t array_task; /* its task, where it is one; else UINT32_MAX */
	/* As squeue writes it: "12", "12_3", "12_[4-9]"; slurmctld's own
	 * "12_[0x3F0]" is rewritten when the job is added. */
	const char *id_text;
	struct astra_report_array array;
	uint32_t uid;
	const char *user;
	const char *account;
	const char *partition;
	const char *name;
	uint32_t gpus_min; /* elastic: it runs on so many, too; 0: it is not */
	const char *nodes; /* that it holds, as a hostlist; "" */
	const char *state; /* Slurm's word: PENDING, RUNNING, COMPLETING … */
	enum astra_report_phase phase;
	const char *pinned; /* not revocable: why, e.g. "--no-requeue"; "" */
	bool unprepared;    /* it declares no checkpoint */
	const char *signal; /* checkpoint signal as text, "USR1"; "": none */
	double lease_sec;   /* the term that holds for it; 0: unlimited */
	double grace_sec;   /* how long it may checkpoint */
	uint32_t run;	    /* how often it was requeued, for any reason */
	struct astra_report_progress progress;
	struct astra_report_checkpoint checkpoint;
	const char *level;    /* how far apart its GPUs are: "rack"; "" */
	const char *slowdown; /* as --slowdown takes it; "": not known */
	uint32_t levels_seen; /* bit l: it was measured at level l */
	const char *speedup;  /* by GPUs: "1:1,2:1.9"; "": not measured */
	const char *advice;   /* of its lease, without a stop; "" */
	/* As was foreseen when; 0: not known. */
	double forecast_sec, forecast_until_sec;
	double expected_early_sec, expected_late_sec;
	const char *reason;	 /* a few words: "Lease: rank 3 of 17"; "" */
	const char *reason_long; /* a sentence or two for `sfair why`; "" */
	const char *wait; /* what the policy waits for: "rank", "place"; "" */
	const char *lack; /* "CPUs": GPUs are free without enough of them; "" */
	const struct astra_report_bind *binds; /* copied with the job */
	uint32_t bind_count;
	/* For the history, not for queries: the run as slurmctld recorded it.
	 */
	uint32_t held_gpus;   /* devices; 0: it holds none */
	uint32_t run_gpus;    /* of its last run, which is over; 0: not known */
	double run_start_sec; /* of the present or last run; 0: not known, or
			       * its nodes are not up yet */
	double run_end_sec;   /* of the last run; 0: not known */
	double limit_sec;     /* its time limit; 0: none */
	double limit_end_sec; /* when its time limit ends the present run; 0: it
			       * has none, or does not run */
	uint32_t nodes_asked; /* the most nodes that it may have; 0: any */
	bool leasable; /* in a pool with leases it would have some, as far as
			* its user says */
	uint64_t app;  /* its number, where its pool holds auctions; else 0 */
	uint32_t app_next; /* the next job of that app; set when it is added */
};

/* The last auction of a pool whose policy holds them. */
struct astra_report_auction {
	const char *pool;
	uint64_t number; /* 0: there was none */
	double time_sec;
	uint64_t gpus;		     /* that were on offer */
	uint32_t bidders;	     /* apps that were offered them */
	bool exact;		     /* its allocation is an optimum */
	size_t first_app, app_count; /* set as they are added */
};

#define ASTRA_REPORT_LEFT_APPS 2000 /* apps that have left_sec */
#define ASTRA_REPORT_LEFT_GPUS 256  /* entries each */

/* An app of such a pool. */
struct astra_report_app {
	struct astra_auction_app of; /* its times and GPUs, as the policy has
				      * them */
	const char *app;	     /* --app; "": an array, or a job */
	const char *pool;
	const char *tenant;
	const char *account;
	uint32_t uid;
	const char *user;
	const char *bid;    /* "estimate", "agent" or "file" */
	uint32_t paid;	    /* won and not kept */
	uint32_t first_job; /* index; set as its jobs are added */
};

/* What GPUs cost in a slot of a pool whose policy sells them. */
struct astra_report_price {
	const char *pool;
	struct astra_policy_price of;
};

#define ASTRA_REPORT_PRICES 1000 /* slots of a pool */

#define ASTRA_REPORT_NO_JOB UINT32_MAX

/* A job that holds GPUs of a node. */
struct astra_report_holder {
	uint32_t job;
	uint32_t gpus;
};

struct astra_report_node {
	const char *pool;
	const char *name;
	const char *state; /* up, cleaning (up after a job), drained, down */
	uint32_t gpus;
	uint32_t gpus_free; /* a job could have them now */
	uint32_t holder_count;
	const struct astra_report_holder *holders;
};

/* Last, mean and maximum of something timed, in microseconds; and how often it
 * was, and for how long in all. */
struct astra_report_timing {
	uint64_t last_usec, mean_usec, max_usec;
	uint64_t count, sum_usec;
};

/* The history's writer. */
struct astra_report_history {
	const char *state; /* "writing", "paused" or "off" */
	const char *file;
	const char *error;     /* why it is paused; "" */
	uint64_t transactions; /* written */
	uint64_t rows;	       /* in them */
	uint64_t rows_dropped; /* left out, too many at once */
	double written_sec;    /* when last; 0: never */
	uint64_t file_bytes;   /* with what is still in its log */
	uint64_t reports;      /* read */
	uint64_t dropped;      /* for a newer one; the next covers them */
	uint64_t lost;	       /* while paused */
	struct astra_report_timing note;  /* a round's wait for it */
	struct astra_report_timing write; /* of a transaction */
};

struct astra_report_diag {
	double started_sec; /* when the engine started */
	double reset_sec;   /* since when the numbers below count */
	double round_sec;   /* when the last round ended */
	uint64_t rounds;
	double rounds_per_min;
	struct astra_report_timing round;      /* all of a round */
	struct astra_report_timing decide;     /* the policy, unlocked */
	struct astra_report_timing snapshot;   /* under read locks */
	struct astra_report_timing write_lock; /* held to apply a plan */
	uint32_t depth;	  /* jobs examined in the last round */
	uint32_t queue;	  /* managed jobs that wait */
	uint64_t started; /* jobs started */
	uint64_t granted, renewed, revoked, refused;
	uint64_t skipped; /* decisions that no longer held when applied */
	/* MailProg and LeaseProgram: run, failed, and never run. */
	uint64_t notices, notices_failed, notices_lost;
	uint64_t state_saves;
	double state_saved_sec;	    /* when last */
	const char *state_error;    /* of the last save; "": none */
	double config_sec;	    /* when astraea.conf was last read */
	const char *config_error;   /* why the last reading was refused; "" */
	const char *config_warning; /* what is wrong and lived with; "" */
	const char *policy_error;   /* why the last round decided nothing; "" */
	const char *aside;	    /* why all is left to Slurm; "": it works */
	struct astra_report_history history;
};

/* What PrivateData hides from users that are no operators. */
struct astra_report_privacy {
	bool jobs;  /* other users' jobs */
	bool usage; /* other tenants' accounts */
	bool nodes; /* nodes, but for where the jobs are that are seen */
};

struct astra_report {
	double time_sec;
	double heard_sec; /* no running job loses its GPUs before; 0: any may */
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
	/* Jobs that have ended or left their GPUs lately, some of them in
	 * `jobs` too; for the history, not for queries. */
	struct astra_report_job *ended;
	size_t ended_count, ended_room;
	struct astra_report_auction *auctions;
	size_t auction_count, auction_room;
	struct astra_report_app *apps; /* pool by pool, there by number */
	size_t app_count, app_room;
	struct astra_report_price *prices; /* pool by pool, there by slot */
	size_t price_count, price_room;
	struct astra_report_class *classes; /* pool by pool */
	size_t class_count, class_room;
	struct astra_report_node *nodes; /* pool by pool */
	size_t node_count, node_room;
	struct astra_report_private *own; /* references and strings */
};

/* An empty report with one reference, or NULL when out of memory. */
struct astra_report *astra_report_create(void);

/* Another reference to it. Locks: none; any thread. Returns the report. */
struct astra_report *astra_report_get(struct astra_report *report);

/* Give a reference back; with the last one the report is freed.
 * Accepts NULL. Locks: none; any thread. */
void astra_report_put(struct astra_report *report);

/* Append a copy, strings included; NULL strings become "". Only while the
 * report is being built. Returns 0, or -1 when out of memory. */
int astra_report_add_pool(struct astra_report *report,
			  const struct astra_report_pool *pool);
int astra_report_add_tenant(struct astra_report *report,
			    const struct astra_report_tenant *tenant);
int astra_report_add_job(struct astra_report *report,
			 const struct astra_report_job *job);
int astra_report_add_ended(struct astra_report *report,
			   const struct astra_report_job *job);

/* The record of that id, or NULL. */
const struct astra_report_job *
astra_report_find(const struct astra_report *report, uint32_t id);

/* The same for auctions and apps. After a pool's auction come
 * its apps, by number, and then its jobs. */
int astra_report_add_auction(struct astra_report *report,
			     const struct astra_report_auction *auction);
int astra_report_add_app(struct astra_report *report,
			 const struct astra_report_app *app);

/* The same for prices. */
int astra_report_add_price(struct astra_report *report,
			   const struct astra_report_price *price);

/* The same for classes of jobs. */
int astra_report_add_class(struct astra_report *report,
			   const struct astra_report_class *class);

/* The same for nodes, with their holders. */
int astra_report_add_node(struct astra_report *report,
			  const struct astra_report_node *node);

/* The app of that number in a pool, or NULL. */
struct astra_report_app *astra_report_app(const struct astra_report *report,
					  const char *pool, uint64_t number);

/* The last auction of a pool, or NULL where none are held. */
const struct astra_report_auction *
astra_report_auction_of(const struct astra_report *report, const char *pool);

/* The names in the head, and the diag block, copied with their strings.
 * Returns 0, or -1 when out of memory. */
int astra_report_set_cluster(struct astra_report *report, const char *cluster,
			     const char *slurm_version);
int astra_report_set_diag(struct astra_report *report,
			  const struct astra_report_diag *diag);

#endif
