/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The baselines of the papers' evaluations, as policies: for comparison. One
 * loop serves them all (round.c); a baseline is a const struct that says in
 * which order jobs go, who may have how much, what comes of those behind one
 * that does not fit, and whether running jobs are stopped for others.
 *
 * Jobs get their GPUs consolidated (placement.h), where a baseline does not say
 * otherwise. One that goes on running keeps its GPUs. Running jobs are stopped
 * by the number of GPUs that are needed, not by where they are. Some baselines
 * divide the GPUs between elastic jobs (divide.c), each of which gets as many
 * as it can run on or none; under the others jobs run on all their GPUs or not
 * at all.
 */
#ifndef ASTRA_BASELINES_BASELINE_H
#define ASTRA_BASELINES_BASELINE_H

#include "src/common/idmap.h"
#include "src/policies/baselines/lines.h"
#include "src/policies/policy.h"

struct baseline_run;
struct rrh_outlook;

/* Of two times since the epoch: their difference, for ties count by their size
 * (astra_tied()). */
#define BASELINE_EPSILON_SEC 1e-6

/* When running jobs compete for their GPUs again. */
enum baseline_stops {
	BASELINE_NEVER,	  /* leases have no end */
	BASELINE_ANYTIME, /* the same, but the policy preempts */
	BASELINE_QUANTUM, /* leases end with the quantum, at multiples of it */
};

/* What comes of the others when the next job does not fit. One that would not
 * fit if nobody else were there is passed over in any case. */
enum baseline_unfit {
	BASELINE_SKIP,	   /* those that fit start */
	BASELINE_BLOCK,	   /* those behind it in its line wait */
	BASELINE_BACKFILL, /* those start that do not delay it (easy.c) */
};

/* On which nodes a job gets its GPUs. */
enum baseline_place {
	BASELINE_FEWEST,   /* consolidated */
	BASELINE_FULLEST,  /* node by node, the most used one first */
	BASELINE_EMPTIEST, /* the least used one first */
};

struct baseline {
	enum baseline_stops stops;
	enum baseline_unfit unfit;
	double quantum_sec; /* 0: the pool's LeaseTerm */
	/* Who of a line is first; NULL: first come, first served. Of equals,
	 * those that run (with BASELINE_ANYTIME), then those that came first.
	 */
	struct astra_rank (*rank)(const struct baseline_run *run,
				  const struct astra_demand *d);
	/* Which tenant's line is next, the smallest; ties: the first.
	 * NULL: there is one line for all. */
	double (*tenant_key)(const struct baseline_run *run, uint32_t tenant);
	/* The quota rule; NULL: none. */
	bool (*allowed)(const struct baseline_run *run,
			const struct astra_demand *d);
	/* Keep the books, each round. Returns 0, or -1 when memory is out.
	 * NULL: there are none. */
	int (*account)(struct baseline_run *run);
	/* Before a decision: fill run->scores. Returns 0, or -1 when memory is
	 * out. NULL: nothing to do. */
	int (*prepare)(struct baseline_run *run);
	/* After it, with somebody left who waits: when the order changes by
	 * itself; NULL: never. */
	double (*wake)(const struct baseline_run *run);
	/* How many GPUs each of run->portions gets, by which none has any yet:
	 * they are sorted by submission. gpus: that there are, those held by
	 * them included; by node in run->node_gpus, which may be written. Not
	 * NULL: instead of an order, and of unfit, allowed, prepare. */
	void (*divide)(struct baseline_run *run, uint64_t gpus);
	enum baseline_place place; /* with divide */
};

/* A job, or a task of an array, that GPUs are divided between. */
struct baseline_portion {
	uint32_t demand;
	uint32_t least, most; /* GPUs that it runs on; alike: it is rigid */
	uint32_t held;	      /* that it runs on now; 0: it waits */
	uint32_t gpus;	      /* that it gets: none, or from least to most */
	uint32_t goal;	      /* what its baseline holds for its due */
	double score;	      /* as its baseline needs it */
	bool settled;	      /* where they are is decided */
};

struct baseline_tenant {
	double planned; /* GPUs of its jobs as decided so far, as charged */
	double key;	/* as its baseline needs it, in prepare() */
	bool waits, first, there;
};

struct baseline_list {
	uint32_t *items; /* demands */
	size_t count, room;
};

/* GPU time is as charged, in GPU seconds. */
struct baseline_job_book {
	uint32_t job;	/* its id */
	uint32_t round; /* that it was there in last */
	double value;	/* as its baseline needs it; NaN: the job is new */
	double cost;	/* rrh: what it would cost others */
	double served;	/* GPU time it has had */
	double gained;	/* of it, since the last round */
};

struct baseline_tenant_book {
	char *name;
	double value;  /* the same; a new one's is 0 */
	double served; /* GPU time its jobs have had */
	double gained;
	bool active; /* it had jobs in the last round */
};

struct baseline_books {
	double last_sec, passed_sec; /* the round; since the one before */
	double contended;	     /* ftf: jobs, integrated over time */
	uint32_t active; /* ftf: jobs, since last_sec; dorm: GPUs that
			  * were divided */
	uint32_t round;
	struct baseline_job_book *jobs;
	size_t job_count, job_room;
	struct astra_idmap places;	      /* of jobs among them */
	struct baseline_tenant_book *tenants; /* by number in the offer */
	size_t tenant_count, tenant_room;
};

/* When a job frees its GPUs. */
struct baseline_end {
	double at_sec;
	uint32_t gpus;
};

/* One instance. */
struct baseline_run {
	const struct baseline *rule;
	struct baseline_tenant *tenants; /* by number in the offer */
	size_t tenant_room;
	double *scores; /* of demands, as the baseline needs them */
	size_t score_room;
	struct astra_baseline_lines lines; /* who competes */
	struct astra_baseline_lines cells; /* hived */
	struct baseline_books books;
	double decay; /* rrh: what waiting jobs lose in an hour, together */
	struct rrh_outlook *outlooks; /* rrh: of demands */
	size_t outlook_room;
	double half_life_sec;		  /* of the account; 0: none */
	struct baseline_list lists[2][2]; /* running, chosen by number */
	struct astra_share *shares;	  /* of one job */
	size_t share_room;
	struct baseline_end *ends;
	size_t end_room;
	/* With divide. */
	struct baseline_portion *portions;
	size_t portion_count, portion_room;
	uint32_t *order; /* of portions, as its baseline needs them */
	size_t order_room;
	uint32_t *node_gpus;
	size_t node_room;
	bool happened; /* dorm: a job came, ended or left */
	/* The round. */
	const struct astra_offer *offer;
	struct astra_allocation *out;
	double until_sec;	   /* where leases end */
	struct astra_space *space; /* what is free */
	struct astra_space *later; /* when all who leave have left */
	struct astra_space *whole; /* if nobody ran; NULL: not made yet */
	size_t waiting;		   /* who have no award */
	size_t passed;		   /* of lists[0][0], tried again */
	uint32_t least;		   /* GPUs of the smallest that waits */
	/* EASY: the first one that does not fit starts then, and leaves so
	 * many GPUs. */
	bool reserved;
	double shadow_sec;
	uint64_t spare;
};

/* The policies' calls. rule: lives as long as the instance. */
void *baseline_create(const struct baseline *rule,
		      const struct astra_options *options,
		      struct astra_error *err);
void baseline_destroy(void *self);
int baseline_allocate(void *self, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err);
#define BASELINE_CALLS                              \
	.slots = true, .destroy = baseline_destroy, \
	.allocate = baseline_allocate

/* Defines NAME_create() of the baseline with that rule. */
#define BASELINE_CREATE(name, rule)                                     \
	static void *name##_create(const struct astra_options *options, \
				   struct astra_error *err)             \
	{                                                               \
		return baseline_create(&(rule), options, err);          \
	}

/* GPUs that a job has or was promised, as charged. */
double baseline_charge(const struct astra_demand *d);

/* Seconds on all its GPUs that a job has done: measured, else that it ran. */
double baseline_done_sec(const struct astra_demand *d);

/* Seconds that it has to run on all its GPUs: of the work that it declared,
 * else of its time limit, else of an hour. Of nothing more than that: it is not
 * taken to be nearly through. */
double baseline_left_sec(const struct astra_demand *d);

/* Keep the books of the round's tenants, or jobs, and of nobody else.
 * Return 0, or -1 when memory is out. */
int baseline_meet_tenants(struct baseline_run *run);
int baseline_meet_jobs(struct baseline_run *run);
void baseline_books_clear(struct baseline_books *books);
/* A demand's, once they are kept. */
struct baseline_job_book *baseline_job_book(const struct baseline_run *run,
					    const struct astra_demand *d);
int baseline_save(const void *self, struct astra_bytes *out);
int baseline_restore(void *self, struct astra_reader *in);
void baseline_shift(void *self, double by_sec);
#define BASELINE_KEEPS_BOOKS                                \
	.save = baseline_save, .restore = baseline_restore, \
	.shift = baseline_shift

/* When those who have GPUs, and those who start in this round, free them:
 * sorted, into run->ends. Returns their number, or SIZE_MAX when memory is out.
 */
size_t baseline_ends(struct baseline_run *run);
/* Set the reservation for the first job that does not fit.
 * Returns 0, or -1 when memory is out. */
int baseline_reserve(struct baseline_run *run, const struct astra_demand *d);
/* Whether a job would delay it. */
bool baseline_delays(const struct baseline_run *run,
		     const struct astra_demand *d);
/* It starts. */
void baseline_backfill(struct baseline_run *run, const struct astra_demand *d);

/* The steps of a decision where running jobs compete. Those that return int
 * return 0, or -1 when memory is out. (round.c)
 *
 * Into run->later: what is free, what those hold that compete, and, where they
 * are stopped at any time, what others are leaving. */
int baseline_set_later(struct baseline_run *run);
/* An award of run->shares, or others. */
int baseline_award(struct baseline_run *run, uint32_t demand,
		   const struct astra_share *shares, size_t count);
/* It goes on. */
int baseline_keep(struct baseline_run *run, uint32_t demand);
/* Nobody else gets what was found in run->later. */
void baseline_hold(struct baseline_run *run, const struct astra_share *shares,
		   size_t count);
/* One that was not granted its GPUs keeps them if nobody needs them. */
int baseline_drop(struct baseline_run *run, uint32_t demand);

/* Decide, with divide. Returns 0, or -1 when memory is out. (divide.c) */
int baseline_divide(struct baseline_run *run);

/* Of the nodes with GPUs left, the most, or the least, used one; ties go to the
 * lower index. left: GPUs by node. Returns ASTRA_NONE when there is none. */
uint32_t baseline_spot(const struct baseline_run *run, const uint32_t *left);

static inline size_t baseline_number(const struct baseline_run *run,
				     const struct astra_demand *d)
{
	return (size_t)(d - run->offer->demands);
}

/* Where each round decides anew: whether a job is leaving its GPUs, and about
 * to wait again. */
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
