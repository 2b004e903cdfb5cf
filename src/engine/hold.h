/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first start of every job within a bound: holds, recall and reserve. See
 * "The promise" in doc/design.md. Shared by the engine's own files.
 *   hold.c     serves and drops holds, and cuts leases for them
 *   calendar.c finds when and where a new hold can be
 *   turn.c     finds whose turn it is
 *   share.c    finds what tenants and users lack, and who is owed a turn
 *   recall.c   gets GPUs for the jobs whose turn it is
 *   due.c      sorts jobs that are owed a turn or are due
 *   backlog.c  computes how long the jobs take that are due
 *   reserve.c  keeps a few GPUs free for small new jobs
 *
 * A hold's rules. T is the hold's time. Leases that would stay beyond T are cut
 * to end at T if the job needs their GPUs, CPUs or memory. No lease begins on
 * lent GPUs that would be shorter than MinRunTime or a round. At T the lent
 * leases end together, and the job is served before the contest. Leases of
 * tenants that are no richer continue if the job is not due yet and has a place
 * without them. The job keeps what it is granted for a term. If a hold gets no
 * place in time, it takes no node that the hold of another first start needs. T
 * is planned anew while it is more than a term away.
 *
 * A promise or a share? The share goes first as long as the promise is kept. A
 * first start that is due gives way to the holds of owed turns until its own T
 * would be later than its bound less a 16th of a term. From then on owed turns
 * give way to it. If that is not enough, any lease that has run RecallAfter
 * ends for it.
 *
 * Why the bound holds: first starts are given no more GPU time than the quotas
 * pay for, and no lease is longer than a term. So two terms are enough: one
 * until leases end, and one for the jobs that are due at the same time. */
#ifndef ASTRA_HOLD_H
#define ASTRA_HOLD_H

#include "src/engine/engine_priv.h"

#define ASTRA_HOLDS_MAX 128 /* at one time */

/* A job that ran is given a hold if it has less than the part OWED_RHO of its
 * share, has waited OWED_TERMS and is larger than a node. After ANYBODY_TERMS
 * it gets a hold whatever its size, on leases of any owner. */
#define ASTRA_OWED_RHO 0.8
#define ASTRA_OWED_TERMS 2
#define ASTRA_OWED_ANYBODY_TERMS 8

/* The reserve is at most this part of the pool's GPUs: 1 / 256. */
#define ASTRA_RESERVE_PART 256

/* What the holds on a node leave to leases. A lease that ends by cut_sec may
 * use everything there. A lease that ends later may only use what the holds
 * leave. */
struct astra_node_hold {
	double cut_sec; /* the first hold's start; infinite: no hold */
	int64_t gpus, cpus, mem_mib;
	uint64_t classes; /* classes of the holds' jobs, for preemption */
	uint32_t owner;	  /* owner of all these jobs; ASTRA_NONE: several
			   * owners */
	bool alone;	  /* one of the jobs shares the node only with its
			   * owner's jobs */
};

/* hold.c */
/* Return the first hold of a job. Each task of an array may have one. */
const struct hold *astra_hold_of(const struct astra_engine *e, uint32_t job);
size_t astra_holds_of(const struct astra_engine *e, uint32_t job);
/* Add a hold. Takes its shares, and frees them when memory is out. Returns 0,
 * or -1. */
int astra_hold_add(struct astra_engine *e, const struct hold *hold);
void astra_hold_drop(struct astra_engine *e, size_t at);
void astra_holds_clear(struct astra_engine *e);
/* Return how long a job keeps the GPUs that were held for it: its lease term
 * or, if leases end with slots, as many whole slots as fit into that term, at
 * least one. */
double astra_hold_term(const struct astra_engine *e, const struct ejob *j);
/* Drop the holds that can no longer be kept. Serve the holds whose time has
 * come, before any other job. Returns 0, or -1 when memory is out. */
int astra_holds_serve(struct round *r);
/* Fill r->node_holds, from which leases that begin in this round are cut. It
 * counts what is there when the round begins. Returns 0, or -1 when memory is
 * out. */
int astra_holds_table(struct round *r);
/* Add a hold of this round to r->node_holds. */
int astra_holds_table_add(struct round *r, const struct hold *hold);
/* Return the end of a job's lease on these shares. It is end_sec, or the start
 * of the first hold that needs the GPUs or room in a limit. A hold does not
 * count if its job could be preempted by this one. What the lease uses is taken
 * from r->node_holds. */
double astra_holds_cut(struct round *r, const struct astra_job *job,
		       const struct astra_share *shares, size_t count,
		       double end_sec);
/* Whether a hold needs GPUs of this node. */
bool astra_holds_need(const struct round *r, uint32_t node);
/* Return the earliest start of all holds; infinite: there are none. */
double astra_holds_first(const struct astra_engine *e);

/* A running job. astra_lease_ends() fills in when its GPUs come free. */
struct running {
	uint32_t index; /* in the snapshot's jobs */
	uint32_t row, tenant;
	double submit_sec;
	double natural_sec; /* when the GPUs come free by themselves */
	double recall_sec;  /* when they come free if the job is recalled;
			     * infinite: never */
};

/* The time at which something comes free. */
struct moment {
	double at_sec;
	size_t order; /* order of finding, for equal times */
};

/* turn.c: the tenants and users by what they have had, including this round's
 * leases. */
struct turns {
	struct round *r;
	struct ballot ballot;
	double *key;	  /* by tenant: A_p / F_p; the poorest has the
			   * smallest */
	double *user_key; /* by user: A / F of the user within the tenant */
	/* By tenant and by user: the GPU seconds of its share that it will lack
	 * in a term from now. */
	double *lack, *user_lack;
	double *to_come;  /* by tenant: the part of `lack` that arises only in
			   * the coming term */
	double *before;	  /* by contender: turns of its tenant's waiting jobs
			   * that go before it; NULL: not needed by any job */
	double held;	  /* GPUs that all tenants hold, as charged */
	bool *user_fresh; /* by user: a job of the user waits for its first
			   * start */
	double *backlog;  /* time that first starts need; backlog.c */
	bool *done; /* by tenant: its next job cannot be served in this round */
	struct running *running; /* by age; NULL: not listed */
	size_t running_count;
	struct moment *ends; /* ends of their leases, by time; lease_ends.c */
	size_t end_count;
	size_t *recent; /* indices in running: jobs that may be recalled, but
			 * not yet */
	size_t recent_count;
	bool cut;		  /* a lease was cut since the lists were
				   * sorted */
	struct contender **next;  /* by tenant: its next job; NULL: none */
	struct contender **fresh; /* jobs that never ran, grouped by tenant */
	size_t *first;		  /* tenant -> the first of its fresh jobs */
};

int astra_turns_init(struct turns *t, struct round *r);
void astra_turns_fini(struct turns *t);
/* Fill t->running, unless it is filled already. Returns 0, or -1 when memory is
 * out. */
int astra_turns_running(struct turns *t);
/* Return the next job of the poorest tenant, among jobs that never ran and got
 * no GPUs yet. NULL: there is none. */
struct contender *astra_turns_next(const struct turns *t);
/* Whether it is in vain to search for a job's place: the search failed a moment
 * ago, or can never succeed. */
bool astra_turn_vain(const struct round *r, const struct ejob *j);
/* Whether a contender waits for its first start and could have it. */
static inline bool astra_turn_fresh(const struct contender *c)
{
	return !c->expired && !c->share_count && !c->ran && !c->vain;
}
/* Whether a lease of the job `owner` may be cut short for the job `next`. It
 * may if it belongs to the same user, to a richer user of the same tenant, or
 * to a richer tenant. */
bool astra_turns_pays(const struct turns *t, const struct ejob *owner,
		      const struct ejob *next);
/* due.c: return after how many terms of waiting a job that ran is due. */
double astra_due_terms(const struct round *r, const struct ejob *j);
/* share.c: fill t->lack, t->user_lack and t->user_fresh. Returns 0, or -1 when
 * memory is out. */
int astra_share_init(struct turns *t);
void astra_share_fini(struct turns *t);
/* Promise a job a turn on `gpus` GPUs. */
void astra_share_promise(struct turns *t, const struct ejob *j, uint32_t gpus);
/* Whether a job that ran is owed a turn. It is if its tenant or its user lacks
 * half a turn, and no job of the same user (without users: of the same tenant)
 * waits for its first start. If the user has had its share, the job is owed its
 * tenant's turn later: once it has waited astra_due_terms(), or once the tenant
 * lacks as many turns. In that case half a turn must be lacking already now,
 * after the turns of the tenant's waiting jobs that go first are taken off.
 * These are jobs of poorer users, then jobs with less rho. */
bool astra_share_owed(const struct turns *t, const struct contender *c);
/* Whether the GPUs of the job `owner` may pass to an owed turn of the job
 * `next` when the lease ends. For that the tenant or the user of `next` must
 * also lack half a turn of `owner`. Otherwise a job of many GPUs would be
 * broken up for a small job at each end of its lease. */
bool astra_share_passes(const struct turns *t, const struct ejob *owner,
			const struct ejob *next);
/* Whether the lease of the job `owner` may end early for the job `next`, which
 * waits for its first start. It may not if this makes a tenant or user other
 * than that of `next` lack half of this turn. If GPUs were collected for the
 * lease, it ends early only for three kinds of jobs: one of the same user, one
 * as large, or one whose tenant or user is half a turn of `owner` behind its
 * share. Otherwise a job of many GPUs would lose each turn after RecallAfter to
 * small jobs. */
bool astra_share_recalls(const struct turns *t, const struct ejob *owner,
			 const struct ejob *next);
/* Write into the reasons of waiting jobs that ran what their tenants and users
 * lack for an owed turn. Returns 0, or -1 when memory is out. */
int astra_share_explain(struct round *r);

/* Charge the tenant for a contender's lease, once it has its place. gpus: of an
 * elastic contender. */
void astra_turns_charge(struct turns *t, const struct contender *c,
			uint32_t gpus);
/* Return the earliest time at which a running job may be recalled; infinite:
 * never. */
double astra_recall_from(const struct round *r, const struct ejob *j);

/* The leases on which a hold may be planned. */
enum astra_hold_claim {
	ASTRA_CLAIM_NEXT,  /* leases of its own tenant and of richer tenants;
			    * they end early for it */
	ASTRA_CLAIM_SHARE, /* leases of richer tenants and users, when they end
			    * by themselves */
	ASTRA_CLAIM_DUE,   /* leases of its own tenant and of richer tenants, or
			    * any leases if these do not leave GPUs in time */
};

/* calendar.c: plan a hold for a contender, from the earliest time at which
 * leases leave it GPUs. work: what is free after this round's grants. Returns 1
 * if there is such a time. Returns 0 if there is none, with the reason in the
 * job's vain. Returns -1 when memory is out. */
int astra_calendar_plan(struct turns *t, const struct astra_space *work,
			const struct contender *c, enum astra_hold_claim claim);

/* recall.c: call after the contest. work: what is free after it; replaced. */
int astra_recall(struct round *r, struct astra_space **work);
/* As astra_recall(), under a policy that allocates. Only plans holds, for first
 * starts that are due. */
int astra_recall_due(struct round *r, struct astra_space **work);

/* budget.c: return how many seconds of its GPUs an interruption costs a job:
 * the learned time, or else CheckpointGrace. */
double astra_interruption_sec(const struct round *r, const struct ejob *j);
/* Whether the budget lets leases end early now, for any job or for the job
 * `next`. */
bool astra_budget_allows(struct round *r);
bool astra_budget_allows_for(const struct turns *t, const struct ejob *next);
/* Count the cost of ending a job's lease early, at end_sec, for the job
 * `next`. */
void astra_budget_spend(struct round *r, struct ejob *j, uint32_t next,
			double end_sec);
/* Call when a job leaves for `next`. If its early end was counted before, count
 * it at its present cost. If it was a loan shorter than a term, count it
 * now. */
void astra_budget_leave(struct round *r, struct ejob *j, uint32_t next);
/* Uncount a job's early end, since the job does not leave after all. */
void astra_budget_return(struct astra_engine *e, struct ejob *j);
/* Call when a hold is lost. Leases that were to end early for it get their
 * terms back, except those on the nodes of other holds. */
void astra_budget_return_for(struct round *r, const struct hold *lost);

/* reserve.c: move the reserve from the free GPUs to r->reserve, if waiting jobs
 * ask for more GPUs than are free. */
void astra_reserve_withhold(struct round *r);
/* Whether the reserve is incomplete and a job waits. */
bool astra_reserve_short(const struct round *r, const struct astra_space *work);
/* Refill the reserve by ending leases among `losers` that the richest tenant
 * can spare. */
void astra_reserve_refill(struct round *r, const struct turns *t,
			  const struct round *losers,
			  const struct astra_space *work);

#endif
