/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: what the engine wants its host to do now, and why every other job
 * waits. Owned by the caller of astra_plan_init(). Its strings and arrays live
 * until it is cleared. */
#ifndef ASTRA_PLAN_H
#define ASTRA_PLAN_H

#include "src/model/model.h"

enum astra_action {
	ASTRA_START,   /* start the job on exactly these shares */
	ASTRA_SIGNAL,  /* lease over: send the checkpoint signal, once */
	ASTRA_REQUEUE, /* take the GPUs back: requeue the job */
	ASTRA_REFUSE,  /* refuse a waiting job: hold it */
};

struct astra_decision {
	enum astra_action action;
	uint32_t job;	      /* its id; an array's id: one of its tasks */
	uint32_t restart_cnt; /* the run that is meant: skip if it differs */
	double until_sec;     /* START: the lease's end; SIGNAL: the grace's */
	size_t first_share;   /* START: index into the plan's shares */
	size_t share_count;
};

/* Why a pending job waits. */
enum astra_wait {
	ASTRA_WAIT_NONE,
	ASTRA_WAIT_BLOCKED, /* the host keeps it: held, dependency, begin,
			     * limit */
	ASTRA_WAIT_RANK,    /* others are needier and the GPUs are used up */
	ASTRA_WAIT_HOLD,    /* first to get GPUs: they are being collected */
	ASTRA_WAIT_GRANTED, /* granted; the present holders are leaving */
	ASTRA_WAIT_PLACE,   /* there are enough GPUs, but not in the right
			     * places */
	ASTRA_WAIT_RECLAIM, /* MaxReclaim: next round */
	ASTRA_WAIT_REFUSED, /* the host refused its last plan */
	ASTRA_WAIT_CLEANUP, /* its last run is being cleaned up */
	ASTRA_WAIT_TOO_BIG, /* even the end of all jobs would not be enough */
	ASTRA_WAIT_PINNED,  /* needs GPUs that no lease end will free */
	ASTRA_WAIT_AUCTION, /* others won the GPUs, or were offered them */
	ASTRA_WAIT_BATCH,   /* is collected for a batch */
	ASTRA_WAIT_PLANNED, /* has GPUs in a plan from start_sec on */
	ASTRA_WAIT_PRICE,   /* is worth less than its GPUs cost now */
	ASTRA_WAIT_LEARNED, /* other jobs of its class get the class's share */
	ASTRA_WAIT_CPUS,    /* jobs without leases have its CPUs */
	ASTRA_WAIT_DENIED,  /* as PRICE, and it is not offered a schedule
			     * again */
	ASTRA_WAIT_CAP,	    /* its tenant's, or user's, GPU hours are used up */
};

/* What a job lacks where enough GPUs are free. */
enum astra_lack {
	ASTRA_LACK_NONE,
	ASTRA_LACK_CPUS,
	ASTRA_LACK_MEMORY,
	ASTRA_LACK_BOTH,
	ASTRA_LACK_COUNT,
};

/* Return "CPUs", "memory" or "CPUs and memory"; "": none. */
const char *astra_lack_text(enum astra_lack lack);

struct astra_reason {
	uint32_t job; /* its id */
	enum astra_wait wait;
	enum astra_lack lack; /* what is missing where GPUs are free */
	uint32_t rank; /* among the candidates of this round, from 1; 0: none */
	uint32_t ranks;		/* how many candidates there were */
	double start_sec;	/* expected start; 0: unknown */
	double bound_sec;	/* promised time of its first start; 0: none */
	double first_bound_sec; /* the first promise; 0: none */
	double after_sec; /* PINNED, CPUS: promised start after the jobs in its
			   * way have ended; 0: none */
	uint32_t blocker; /* job without a lease whose end it waits for; 0: none
			   * or unknown */
	double value;	  /* PRICE: its worth minus its cost */
	/* PRICE and DENIED: its worth if it ends by the best possible schedule,
	 * the cost of all it takes in that schedule (0: unknown; infinite:
	 * there is none), and when it is offered one again, or 0. */
	double worth, price, retry_sec;
	/* priced_sec: when that schedule begins, or 0. poor: PRICE: it is worth
	 * its cost, but its tenant cannot pay and has only `credits`. PLANNED:
	 * the schedule that was bought. */
	double priced_sec, credits;
	bool poor;
	/* LEARNED: GPUs that jobs of its class ask for at most (0: unknown),
	 * GPUs that they may use together in the slot that ends at retry_sec,
	 * and GPUs saved for a job that needs more. */
	uint32_t class_gpus, class_granted;
	double class_saved;
	/* CAP, in GPU hours: what is allowed until retry_sec; what is used of
	 * it, including what leases may still use; and what the job's own lease
	 * needs (infinite: it has no end). */
	double cap_hours, cap_used, cap_asked;
	bool cap_user; /* the cap is the user's, not the tenant's */
	/* Of a job that ran and may be owed a turn: its turn in GPU seconds (0:
	 * none), and what its tenant and its user will lack of their shares in
	 * a term (negative: they have more; user: NaN without users). */
	double turn_gpu_sec, lack_gpu_sec, user_lack_gpu_sec;
	bool owed;	  /* a turn is owed to it */
	bool fresh_first; /* a job of its user (or tenant) waits for its first
			   * start and goes first */
};

struct astra_plan {
	bool terse; /* set by the host: no reasons are wanted */
	struct astra_decision *decisions;
	size_t decision_count, decision_room;
	struct astra_share *shares;
	size_t share_count, share_room;
	struct astra_reason *reasons;
	size_t reason_count, reason_room;
	double wake_sec; /* when to decide again, unless an event comes first */
	double due_sec;	 /* likewise for a host that knows every event and
			  * refuses nothing; infinite: only at an event */
	bool changed;	 /* the engine's state has changed and is to be saved */
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

/* Text after "Lease: " of a job that was refused. */
#define ASTRA_REFUSED_TEXT "refused"
#define ASTRA_REFUSED_BEGIN "Lease: " ASTRA_REFUSED_TEXT ", "

/* Return a reason in one word, for programs: "rank", "hold_gpus". */
const char *astra_wait_name(enum astra_wait wait);

/* Whether no end of a lease makes room for the job. */
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
