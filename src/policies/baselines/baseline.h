/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines of the papers' evaluations, as policies, for comparison. One
 * loop serves them all (round.c). A baseline is a const struct of rules: the
 * order of the jobs, how much each job may have, what happens to jobs behind
 * one that does not fit, and whether running jobs are stopped for others.
 *
 * Jobs get their GPUs consolidated (placement.h), unless a baseline says
 * otherwise. A job that continues keeps its GPUs. If GPUs are needed, running
 * jobs are stopped until the number is reached, wherever their GPUs are. Some
 * baselines divide the GPUs between elastic jobs (divide.c); each job gets as
 * many as it can run on, or none. Under the others a job runs on all its GPUs
 * or not at all. */
#ifndef ASTRA_BASELINES_BASELINE_H
#define ASTRA_BASELINES_BASELINE_H

#include "src/common/idmap.h"
#include "src/policies/baselines/lines.h"
#include "src/policies/policy.h"

struct baseline_run;
struct rrh_outlook;

/* Times since the epoch that differ by at most this much are equal
 * (astra_tied()). */
#define BASELINE_EPSILON_SEC 1e-6

/* When running jobs compete for their GPUs again. */
enum baseline_stops {
	BASELINE_NEVER,	  /* leases have no end */
	BASELINE_ANYTIME, /* leases have no end, but the policy preempts */
	BASELINE_QUANTUM, /* leases end with the quantum, at multiples of it */
};

/* What happens to other jobs when the next one does not fit. A job that would
 * not fit even if it were alone is skipped in any case. */
enum baseline_unfit {
	BASELINE_SKIP,	   /* jobs behind it start if they fit */
	BASELINE_BLOCK,	   /* jobs behind it in its line wait */
	BASELINE_BACKFILL, /* jobs behind it start if they do not delay it
			    * (easy.c) */
};

/* On which nodes a job gets its GPUs. */
enum baseline_place {
	BASELINE_FEWEST,   /* on the fewest nodes, consolidated */
	BASELINE_FULLEST,  /* node by node, the fullest first */
	BASELINE_EMPTIEST, /* node by node, the emptiest first */
};

struct baseline {
	enum baseline_stops stops;
	enum baseline_unfit unfit;
	double quantum_sec; /* 0: the pool's LeaseTerm */
	/* The order within a line; NULL: first come, first served. Ties:
	 * running jobs first (with BASELINE_ANYTIME), then earlier jobs. */
	struct astra_rank (*rank)(const struct baseline_run *run,
				  const struct astra_demand *d);
	/* Return the key of a tenant. The line of the tenant with the smallest
	 * key is next; ties go to the first tenant. NULL: there is one line for
	 * all jobs. */
	double (*tenant_key)(const struct baseline_run *run, uint32_t tenant);
	/* Whether the quota rule allows the job to run. NULL: no such rule. */
	bool (*allowed)(const struct baseline_run *run,
			const struct astra_demand *d);
	/* Update the books in each round. Returns 0, or -1 when memory is out.
	 * NULL: the baseline keeps no books. */
	int (*account)(struct baseline_run *run);
	/* Fill in run->scores before a decision. Returns 0, or -1 when memory
	 * is out. NULL: nothing to do. */
	int (*prepare)(struct baseline_run *run);
	/* Return when the order next changes by itself. Called after a decision
	 * that leaves a job waiting. NULL: never. */
	double (*wake)(const struct baseline_run *run);
	/* Set how many GPUs each of run->portions gets; before the call it is
	 * none. Portions are sorted by submission. gpus: GPUs in all, including
	 * those that jobs hold. run->node_gpus has them by node, and may be
	 * written. If divide is not NULL, it replaces order, unfit, allowed and
	 * prepare. */
	void (*divide)(struct baseline_run *run, uint64_t gpus);
	enum baseline_place place; /* only with divide */
};

/* A job, or a task of an array, that takes part when GPUs are divided. */
struct baseline_portion {
	uint32_t demand;
	uint32_t least, most; /* GPUs that it can run on; equal: it is rigid */
	uint32_t held;	      /* GPUs that it runs on now; 0: it waits */
	uint32_t gpus;	      /* GPUs that it gets: none, or from least to
			       * most */
	uint32_t goal;	      /* GPUs that are due to it, by its baseline */
	double score;	      /* scratch of its baseline */
	bool settled;	      /* its place is decided */
};

struct baseline_tenant {
	double planned; /* GPUs, as charged, of its jobs that are decided so
			 * far */
	double key;	/* set by its baseline in prepare() */
	bool waits, first, there;
};

struct baseline_list {
	uint32_t *items; /* indices of demands */
	size_t count, room;
};

/* The book of a job. GPU times are as charged, in GPU seconds. */
struct baseline_job_book {
	uint32_t job;	/* its id */
	uint32_t round; /* the last round that had the job */
	double value;	/* used by its baseline; NaN: the job is new */
	double cost;	/* rrh: what it costs other jobs */
	double served;	/* GPU time it has had */
	double gained;	/* the part of served since the last round */
};

struct baseline_tenant_book {
	char *name;
	double value;  /* used by its baseline; 0: the tenant is new */
	double served; /* GPU time that its jobs have had */
	double gained;
	bool active; /* it had jobs in the last round */
};

struct baseline_books {
	double last_sec, passed_sec; /* time of the last round; time between the
				      * last two rounds */
	double contended;	     /* ftf: integral of the number of jobs over
				      * time */
	uint32_t active; /* ftf: number of jobs since last_sec; dorm: number of
			  * GPUs that were divided */
	uint32_t round;
	struct baseline_job_book *jobs;
	size_t job_count, job_room;
	struct astra_idmap places;	      /* job -> index in jobs */
	struct baseline_tenant_book *tenants; /* by tenant index in the offer */
	size_t tenant_count, tenant_room;
};

/* The GPUs that a job frees, and when. */
struct baseline_end {
	double at_sec;
	uint32_t gpus;
};

/* An instance of a baseline. */
struct baseline_run {
	const struct baseline *rule;
	struct baseline_tenant *tenants; /* by tenant index in the offer */
	size_t tenant_room;
	double *scores; /* by demand: scratch of the baseline */
	size_t score_room;
	struct astra_baseline_lines lines; /* the jobs that compete */
	struct astra_baseline_lines cells; /* hived: the cells */
	struct baseline_books books;
	double decay; /* rrh: value that all waiting jobs together lose in an
		       * hour */
	struct rrh_outlook *outlooks; /* rrh: by demand */
	size_t outlook_room;
	double half_life_sec;		  /* of the account; 0: no fading */
	struct baseline_list lists[2][2]; /* [running][chosen by number] */
	struct astra_share *shares;	  /* scratch for the shares of one
					   * job */
	size_t share_room;
	struct baseline_end *ends;
	size_t end_room;
	/* Only with divide: */
	struct baseline_portion *portions;
	size_t portion_count, portion_room;
	uint32_t *order; /* scratch of the baseline: indices of portions */
	size_t order_room;
	uint32_t *node_gpus;
	size_t node_room;
	bool happened; /* dorm: a job came, ended or left its GPUs */
	/* Of the present round: */
	const struct astra_offer *offer;
	struct astra_allocation *out;
	double until_sec;	   /* when leases end */
	struct astra_space *space; /* what is free now */
	struct astra_space *later; /* what is free when all leaving jobs have
				    * left */
	struct astra_space *whole; /* what would be free if no job ran; NULL:
				    * not computed yet */
	size_t waiting;		   /* number of jobs without an award */
	size_t passed;		   /* index in lists[0][0] of the next job that
				    * is tried again */
	uint32_t least;		   /* GPUs of the smallest waiting job */
	/* EASY: reserved: a job that does not fit has a reservation.
	 * shadow_sec: when that job will start. spare: GPUs that are left at
	 * that time. */
	bool reserved;
	double shadow_sec;
	uint64_t spare;
};

/* Functions for the policies. rule: must live as long as the instance. */
void *baseline_create(const struct baseline *rule,
		      const struct astra_options *options,
		      struct astra_error *err);
void baseline_destroy(void *self);
int baseline_allocate(void *self, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err);
#define BASELINE_CALLS                              \
	.slots = true, .destroy = baseline_destroy, \
	.allocate = baseline_allocate

/* Define NAME_create() of the baseline with that rule. */
#define BASELINE_CREATE(name, rule)                                     \
	static void *name##_create(const struct astra_options *options, \
				   struct astra_error *err)             \
	{                                                               \
		return baseline_create(&(rule), options, err);          \
	}

/* Return the charge of the GPUs that a job has or was promised. */
double baseline_charge(const struct astra_demand *d);

/* Return how many seconds of work, on all its GPUs, a job has done: the
 * measured time, or else the time that it ran. */
double baseline_done_sec(const struct astra_demand *d);

/* Return how many seconds the job still has to run on all its GPUs. The total
 * is the work that it declared, else its time limit, else an hour. A job that
 * has run for longer is not assumed to be nearly done. */
double baseline_left_sec(const struct astra_demand *d);

/* Update the books of the round's tenants or jobs, and drop all other books.
 * Return 0, or -1 when memory is out. */
int baseline_meet_tenants(struct baseline_run *run);
int baseline_meet_jobs(struct baseline_run *run);
void baseline_books_clear(struct baseline_books *books);
/* Return the book of a demand's job. Call after baseline_meet_jobs(). */
struct baseline_job_book *baseline_job_book(const struct baseline_run *run,
					    const struct astra_demand *d);
int baseline_save(const void *self, struct astra_bytes *out);
int baseline_restore(void *self, struct astra_reader *in);
void baseline_shift(void *self, double by_sec);
#define BASELINE_KEEPS_BOOKS                                \
	.save = baseline_save, .restore = baseline_restore, \
	.shift = baseline_shift

/* List in run->ends when jobs with GPUs, and jobs that start in this round,
 * free their GPUs. The list is sorted. Returns its length, or SIZE_MAX when
 * memory is out. */
size_t baseline_ends(struct baseline_run *run);
/* Set the reservation for the first job that does not fit.
 * Returns 0, or -1 when memory is out. */
int baseline_reserve(struct baseline_run *run, const struct astra_demand *d);
/* Whether a job would delay the job that has the reservation. */
bool baseline_delays(const struct baseline_run *run,
		     const struct astra_demand *d);
/* Note that a job starts although another job has the reservation. */
void baseline_backfill(struct baseline_run *run, const struct astra_demand *d);

/* The following functions are the steps of a decision in which running jobs
 * compete (round.c). Those that return int return 0, or -1 when memory is out.
 * First step: set run->later to what is free plus what competing jobs hold. If
 * jobs are stopped at any time, add what other jobs are leaving. */
int baseline_set_later(struct baseline_run *run);
/* Award a job run->shares, or the given shares. */
int baseline_award(struct baseline_run *run, uint32_t demand,
		   const struct astra_share *shares, size_t count);
/* Let a job keep its GPUs and continue. */
int baseline_keep(struct baseline_run *run, uint32_t demand);
/* Take shares found in run->later, so that no other job gets them. */
void baseline_hold(struct baseline_run *run, const struct astra_share *shares,
		   size_t count);
/* Decide about a running job that was not granted its GPUs: it keeps them if no
 * other job needs them. */
int baseline_drop(struct baseline_run *run, uint32_t demand);

/* Decide by dividing. Returns 0, or -1 when memory is out. (divide.c) */
int baseline_divide(struct baseline_run *run);

/* Return, of the nodes that have GPUs left, the fullest or the emptiest, as the
 * baseline places. Ties go to the lower index. left: GPUs by node. Returns
 * ASTRA_NONE if there is none. */
uint32_t baseline_spot(const struct baseline_run *run, const uint32_t *left);

static inline size_t baseline_number(const struct baseline_run *run,
				     const struct astra_demand *d)
{
	return (size_t)(d - run->offer->demands);
}

/* Whether a job is leaving its GPUs and will soon wait again. This is only so
 * if each round decides anew. */
static inline bool baseline_returns(const struct baseline_run *run,
				    const struct astra_demand *d)
{
	return run->rule->stops == BASELINE_ANYTIME && !d->open &&
	       !d->held_count && d->job->state != ASTRA_JOB_PENDING;
}

extern const struct astra_policy astra_fifo, astra_drf, astra_yarn_cs,
	astra_hived, astra_allox, astra_tiresias, astra_gandiva,
	astra_gandiva_fair, astra_optimus, astra_srtf, astra_srsf, astra_slurm,
	astra_ftf, astra_batchsche, astra_rrh, astra_dorm, astra_slaq,
	astra_oga_drf, astra_oga_fairness, astra_oga_binpacking,
	astra_oga_spreading;

#endif
