/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: what the engine wants its host to do now, and why every other job
 * waits. Owned by the caller of astra_plan_init(). Its strings and arrays live
 * until it is cleared. */
#ifndef ASTRA_PLAN_H
#define ASTRA_PLAN_H

#include "src/model/model.h"

enum astra_action {
	ASTRA_START,   /* start the job on exactly these shares */
	ASTRA_SIGNAL,  /* the lease is over: send the checkpoint signal, once */
	ASTRA_REQUEUE, /* take the GPUs back: requeue the job */
	ASTRA_REFUSE,  /* refuse a waiting job: set it to held */
};

struct astra_decision {
	enum astra_action action;
	uint32_t job;	      /* id of the job; an array's id stands for one of
			       * its tasks */
	uint32_t restart_cnt; /* run of the job that is meant; skip the decision
			       * if it differs */
	double until_sec;     /* START: end of the lease; SIGNAL: end of the
			       * grace */
	size_t first_share;   /* START: index into the plan's shares */
	size_t share_count;
};

/* Why a pending job waits. */
enum astra_wait {
	ASTRA_WAIT_NONE,
	ASTRA_WAIT_BLOCKED, /* the host prevents its start: held, dependency,
			     * begin time, limit */
	ASTRA_WAIT_RANK,    /* other jobs are needier, and they use up the
			     * GPUs */
	ASTRA_WAIT_HOLD,    /* its GPUs are being collected (hold) */
	ASTRA_WAIT_GRANTED, /* granted; the jobs on its GPUs are leaving */
	ASTRA_WAIT_PLACE,   /* there are enough GPUs, but not on the right
			     * nodes */
	ASTRA_WAIT_RECLAIM, /* delayed to the next round by MaxReclaim */
	ASTRA_WAIT_REFUSED, /* the host refused its last planned start */
	ASTRA_WAIT_CLEANUP, /* its last run is being cleaned up */
	ASTRA_WAIT_TOO_BIG, /* it would not fit even if all jobs ended */
	ASTRA_WAIT_PINNED,  /* needs GPUs that the end of no lease will free */
	ASTRA_WAIT_AUCTION, /* other apps won the GPUs, or were offered them */
	ASTRA_WAIT_BATCH,   /* is to be part of the next batch */
	ASTRA_WAIT_PLANNED, /* has GPUs in the policy's plan from start_sec
			     * on */
	ASTRA_WAIT_PRICE,   /* is worth less than its GPUs cost now */
	ASTRA_WAIT_LEARNED, /* other jobs of its class use up the class's
			     * share */
	ASTRA_WAIT_CPUS,    /* jobs without leases hold the CPUs that it
			     * needs */
	ASTRA_WAIT_DENIED,  /* as PRICE, and the job gets no further offer */
	ASTRA_WAIT_CAP,	    /* the capped GPU hours of its tenant or user are
			     * used up */
};

/* What a job lacks although enough GPUs are free. */
enum astra_lack {
	ASTRA_LACK_NONE,
	ASTRA_LACK_CPUS,
	ASTRA_LACK_MEMORY,
	ASTRA_LACK_BOTH,
	ASTRA_LACK_COUNT,
};

/* Return "CPUs", "memory" or "CPUs and memory", or "" if nothing is lacking. */
const char *astra_lack_text(enum astra_lack lack);

struct astra_reason {
	uint32_t job; /* its id */
	enum astra_wait wait;
	enum astra_lack lack; /* what is lacking on nodes with free GPUs */
	uint32_t rank; /* among the candidates of this round, from 1; 0: none */
	uint32_t ranks;		/* number of candidates in this round */
	double start_sec;	/* expected start; 0: unknown */
	double bound_sec;	/* by when its first start is promised; 0: no
				 * promise */
	double first_bound_sec; /* by when it was promised at first; 0: no
				 * promise */
	double after_sec; /* PINNED, CPUS: time from the end of the jobs in its
			   * way to its promised start; 0: none */
	uint32_t blocker; /* id of the job without a lease whose end it waits
			   * for; 0: none, or unknown */
	double value;	  /* PRICE: its worth minus its cost */
	/* PRICE and DENIED. worth: what the job is worth if it ends by the best
	 * possible schedule. price: the cost of all that it takes in that
	 * schedule (0: unknown; infinite: there is no schedule). retry_sec:
	 * when it gets the next offer, or 0. */
	double worth, price, retry_sec;
	/* priced_sec: when that schedule begins, or 0; PLANNED: the schedule
	 * that was bought. poor (PRICE): the job is worth its cost, but its
	 * tenant has only `credits` and cannot pay. */
	double priced_sec, credits;
	bool poor;
	/* LEARNED. class_gpus: the most GPUs that a job of its class asks for
	 * (0: unknown). class_granted: GPUs that the jobs of the class may use
	 * together in the slot that ends at retry_sec. class_saved: GPUs saved
	 * for a job that needs more. */
	uint32_t class_gpus, class_granted;
	double class_saved;
	/* CAP, in GPU hours. cap_hours: what is allowed until retry_sec.
	 * cap_used: what is used of that, including what leases may still use.
	 * cap_asked: what the job's own lease needs (infinite: it has no
	 * end). */
	double cap_hours, cap_used, cap_asked;
	bool cap_user; /* the cap is the user's; false: the tenant's */
	/* For a job that ran and may be owed a turn. turn_gpu_sec: its turn, in
	 * GPU seconds (0: none). lack_gpu_sec, user_lack_gpu_sec: what its
	 * tenant and its user will lack of their shares in a term (negative:
	 * they have more; user: NaN if there are no users). */
	double turn_gpu_sec, lack_gpu_sec, user_lack_gpu_sec;
	bool owed;	  /* the job is owed a turn */
	bool fresh_first; /* a job of its user (or tenant) waits for its first
			   * start, and so goes first */
};

struct astra_plan {
	bool terse; /* set by the host: it wants no reasons */
	struct astra_decision *decisions;
	size_t decision_count, decision_room;
	struct astra_share *shares;
	size_t share_count, share_room;
	struct astra_reason *reasons;
	size_t reason_count, reason_room;
	double wake_sec; /* when to run the next round, unless an event comes
			  * first */
	double due_sec;	 /* the same for a host that knows every event and
			  * refuses nothing; infinite: only at an event */
	bool changed;	 /* the engine's state has changed and must be saved */
};

void astra_plan_init(struct astra_plan *plan);
void astra_plan_clear(struct astra_plan *plan); /* ready for the next round */
void astra_plan_destroy(struct astra_plan *plan);

/* Append a decision or a reason. Returns 0, or -1 when memory is out. */
int astra_plan_add(struct astra_plan *plan,
		   const struct astra_decision *decision,
		   const struct astra_share *shares, size_t share_count);
int astra_plan_reason(struct astra_plan *plan,
		      const struct astra_reason *reason);

/* For a refused job: the text after "Lease: ". */
#define ASTRA_REFUSED_TEXT "refused"
#define ASTRA_REFUSED_BEGIN "Lease: " ASTRA_REFUSED_TEXT ", "

/* Return a reason in one word, for programs: "rank", "hold_gpus". */
const char *astra_wait_name(enum astra_wait wait);

/* Whether the end of no lease makes room for the job. */
static inline bool astra_wait_is_vain(enum astra_wait wait)
{
	return wait == ASTRA_WAIT_TOO_BIG || wait == ASTRA_WAIT_CPUS;
}

#define ASTRA_REASON_BYTES 64 /* enough for a reason's text */

/* Write a reason with numbers and times, e.g. "Lease: rank 3 of 17". text: at
 * least ASTRA_REASON_BYTES. */
void astra_reason_text(const struct astra_reason *reason, double now_sec,
		       char *text, size_t size);

#endif
