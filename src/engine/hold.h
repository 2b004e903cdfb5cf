/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first start of every job within a bound: holds, recall and reserve; see
 * "The promise" in doc/design.md. Shared by the engine's own files.
 *   hold.c     the holds: how they are served, lost, and limit leases
 *   calendar.c when and where a new hold can be
 *   turn.c     whose turn it is
 *   share.c    what tenants and users lack, and to whom a turn is owed
 *   recall.c   GPUs for those whose turn it is
 *   due.c      jobs that are owed a turn or are due, the first of them first
 *   backlog.c  how long those take that are due
 *   reserve.c  a few GPUs for small jobs that come
 *
 * A hold's rules. Leases that would stay beyond T are cut to end at T where
 * the job needs their GPUs, CPUs or memory. No lease begins on lent GPUs that
 * would be shorter than MinRunTime or a round. At T the lent leases end
 * together, and the job is served before the contest. Leases of tenants that
 * are no richer go on if the job, not yet due, has a place without them. The
 * job keeps what it is granted for a term. A hold whose place is late takes no
 * node that another first start's hold needs. T is planned anew while it is
 * more than a term away.
 *
 * A promise or a share? The share goes first while the promise is kept. A
 * first start that is due gives way to the holds of owed turns until its own T
 * would be later than its bound less a 16th of a term. Then owed turns give
 * way to it. If that is not enough, any lease ends for it that has run
 * RecallAfter.
 *
 * Why the bound holds: first starts are given no more GPU time than the quotas
 * pay for, and no lease is longer than a term. So two terms are enough: one
 * until leases end, and one for the jobs that are due at the same time.
 */
#ifndef ASTRA_HOLD_H
#define ASTRA_HOLD_H

#include "src/engine/engine_priv.h"

#define ASTRA_HOLDS_MAX 128 /* at one time */

/* A job that ran is given a hold if it has less than this part of its share,
 * has waited this many terms and is larger than a node. After ANYBODY_TERMS it
 * gets one whatever its size, on leases of any owner. */
#define ASTRA_OWED_RHO 0.8
#define ASTRA_OWED_TERMS 2
#define ASTRA_OWED_ANYBODY_TERMS 8

/* The reserve is at most one GPU of so many. */
#define ASTRA_RESERVE_PART 256

/* What the holds on a node leave to leases. A lease that ends by cut_sec may
 * have everything there; one that ends later only what is left. */
struct astra_node_hold {
	double cut_sec; /* the first hold's start; infinite: there is none */
	int64_t gpus, cpus, mem_mib;
	uint64_t classes; /* of the holds' jobs, for preemption */
	uint32_t owner;	  /* of all of these jobs; ASTRA_NONE: of several */
	bool alone;	  /* one of them needs the node for its owner's jobs
			   * alone */
};

/* hold.c */
/* Return the first hold of a job. Each task of an array may have one. */
const struct hold *astra_hold_of(const struct astra_engine *e, uint32_t job);
size_t astra_holds_of(const struct astra_engine *e, uint32_t job);
/* Takes the shares; when memory is out they are freed. Returns 0, or -1. */
int astra_hold_add(struct astra_engine *e, const struct hold *hold);
void astra_hold_drop(struct astra_engine *e, size_t at);
void astra_holds_clear(struct astra_engine *e);
/* Return how long a job keeps what was held for it: its term; if leases end
 * with slots, the whole slots in it, at least one. */
double astra_hold_term(const struct astra_engine *e, const struct ejob *j);
/* Drop the holds that are lost, and serve those whose time has come before any
 * other job. Returns 0, or -1 when memory is out. */
int astra_holds_serve(struct round *r);
/* Fill r->node_holds for leases that begin in this round, from what there is
 * when the round begins. Returns 0, or -1 when memory is out. */
int astra_holds_table(struct round *r);
/* Add a hold that is new in this round. */
int astra_holds_table_add(struct round *r, const struct hold *hold);
/* Return the end of the job's lease on these shares that is to end at end_sec:
 * end_sec, or the start of the first hold that needs the GPUs or room in a
 * limit, if its job cannot be preempted by this one. Takes what the lease
 * uses. */
double astra_holds_cut(struct round *r, const struct astra_job *job,
		       const struct astra_share *shares, size_t count,
		       double end_sec);
/* Whether a hold needs GPUs of this node. */
bool astra_holds_need(const struct round *r, uint32_t node);
/* Return the earliest start of all holds; infinite: there are none. */
double astra_holds_first(const struct astra_engine *e);

/* A running job and, from astra_lease_ends(), when its GPUs come free. */
struct running {
	uint32_t index; /* in the snapshot's jobs */
	uint32_t row, tenant;
	double submit_sec;
	double natural_sec; /* if they come free by themselves */
	double recall_sec;  /* if it is recalled; infinite: never */
};

/* When something comes free. */
struct moment {
	double at_sec;
	size_t order; /* order of finding, for equal times */
};

/* turn.c: tenants by what they have had, including the leases of this round. */
struct turns {
	struct round *r;
	struct ballot ballot;
	double *key;	  /* by tenant: A_p / F_p; the poorest has the least */
	double *user_key; /* by user: the same within its tenant */
	/* By tenant and by user: GPU seconds that each will lack of its share
	 * in a term from now. */
	double *lack, *user_lack;
	double *to_come;  /* by tenant: the part of lack that is still to
			   * come */
	double *before;	  /* by contender: turns of its tenant's waiting jobs
			   * that go before it; NULL: no job asks for that */
	double held;	  /* by all tenants: GPUs, as charged */
	bool *user_fresh; /* by user: a job of the user waits for its first
			   * start */
	double *backlog;  /* of first starts; backlog.c */
	bool *done; /* by tenant: nothing more is possible for its next job */
	struct running *running; /* by age; NULL: not listed */
	size_t running_count;
	struct moment *ends; /* of their leases, by time; lease_ends.c */
	size_t end_count;
	size_t *recent; /* indices in running: may be recalled, but only
			 * later */
	size_t recent_count;
	bool cut;		  /* a lease was cut since these were sorted */
	struct contender **next;  /* by tenant: its next job; NULL: none */
	struct contender **fresh; /* jobs that never ran, tenant by tenant */
	size_t *first;		  /* tenant -> the first of its fresh jobs */
};

int astra_turns_init(struct turns *t, struct round *r);
void astra_turns_fini(struct turns *t);
/* Fill t->running, unless that is done. Returns 0, or -1 when memory is out. */
int astra_turns_running(struct turns *t);
/* Return the next job of the poorest tenant, among the jobs that never ran and
 * have nothing yet; NULL: there is none. */
struct contender *astra_turns_next(const struct turns *t);
/* Whether no lease's end made room for a job a moment ago, or none ever
 * will. */
bool astra_turn_vain(const struct round *r, const struct ejob *j);
/* Whether a contender waits for its first start and could have it. */
static inline bool astra_turn_fresh(const struct contender *c)
{
	return !c->expired && !c->share_count && !c->ran && !c->vain;
}
/* Whether a lease of `owner` may be cut short for `next`: it is of the same
 * user, of a richer user of the same tenant, or of a richer tenant. */
bool astra_turns_pays(const struct turns *t, const struct ejob *owner,
		      const struct ejob *next);
/* due.c: return how many terms a job that ran waits before it is due. */
double astra_due_terms(const struct round *r, const struct ejob *j);
/* share.c: fill t->lack, t->user_lack and t->user_fresh. Returns 0, or -1 when
 * memory is out. */
int astra_share_init(struct turns *t);
void astra_share_fini(struct turns *t);
/* Promise a job a turn on so many GPUs. */
void astra_share_promise(struct turns *t, const struct ejob *j, uint32_t gpus);
/* Whether a job that ran is owed a turn: its tenant or its user lacks half a
 * turn, and no job of the same user (without users: of the same tenant) waits
 * for its first start. If the user has had its share, the job is owed its
 * tenant's turn once it has waited astra_due_terms(), or once as many turns are
 * lacking. In that case half a turn must be lacking by now, after the turns of
 * the tenant's waiting jobs that go first: those of poorer users, then those
 * with less rho. */
bool astra_share_owed(const struct turns *t, const struct contender *c);
/* Whether the GPUs of `owner` may pass to an owed turn of `next` when the lease
 * ends: the tenant or the user of `next` also lacks half a turn of `owner`.
 * Otherwise a job of many GPUs would be broken up at each end of its lease, for
 * a small job. */
bool astra_share_passes(const struct turns *t, const struct ejob *owner,
			const struct ejob *next);
/* Whether the lease of `owner` may end early for `next`, which waits for its
 * first start. It may not if another tenant or user than that of `next` would
 * then lack half of this turn. If GPUs were collected for the lease, it ends
 * early only for a job of the same user, for one as large, or for one whose
 * tenant or user is half a turn of `owner` behind its share. Otherwise a job of
 * many GPUs would lose each turn after RecallAfter to small jobs. */
bool astra_share_recalls(const struct turns *t, const struct ejob *owner,
			 const struct ejob *next);
/* Write into the reasons of jobs that ran and wait what is lacking until they
 * are owed a turn. Returns 0, or -1 when memory is out. */
int astra_share_explain(struct round *r);

/* Charge the tenant for a lease of this contender, which now has its place.
 * gpus: of an elastic contender. */
void astra_turns_charge(struct turns *t, const struct contender *c,
			uint32_t gpus);
/* Return the first time at which a running job may be recalled; infinite:
 * never. */
double astra_recall_from(const struct round *r, const struct ejob *j);

/* On which leases a hold may be planned. */
enum astra_hold_claim {
	ASTRA_CLAIM_NEXT,  /* those of its own tenant and of richer ones; they
			    * end early for it */
	ASTRA_CLAIM_SHARE, /* those of richer others, when they end by
			    * themselves */
	ASTRA_CLAIM_DUE,   /* those of its own tenant and of richer ones, or any
			    * if these do not leave GPUs in time */
};

/* calendar.c: hold GPUs for a contender, from the earliest time at which leases
 * leave them. work: free after this round's grants. Returns 1 if there is such
 * a time, 0 if not, with the reason in the job's vain, or -1 when memory is
 * out. */
int astra_calendar_plan(struct turns *t, const struct astra_space *work,
			const struct contender *c, enum astra_hold_claim claim);

/* recall.c: call after the contest. work: what is free then; replaced. */
int astra_recall(struct round *r, struct astra_space **work);
/* As astra_recall(), under a policy that allocates: plans only holds, for first
 * starts that are due. */
int astra_recall_due(struct round *r, struct astra_space **work);

/* budget.c: return how many seconds of its GPUs an interruption costs a job: as
 * learned, else CheckpointGrace. */
double astra_interruption_sec(const struct round *r, const struct ejob *j);
/* Whether leases may end early now, for any job or for the job `next`. */
bool astra_budget_allows(struct round *r);
bool astra_budget_allows_for(const struct turns *t, const struct ejob *next);
/* Count that a job's lease ends early, at end_sec, for the job `next`. */
void astra_budget_spend(struct round *r, struct ejob *j, uint32_t next,
			double end_sec);
/* Count that a job leaves for `next`. An early end that was counted before is
 * counted with its present cost. A loan that was shorter than a term is counted
 * now. */
void astra_budget_leave(struct round *r, struct ejob *j, uint32_t next);
/* Take back what was counted: the job does not leave after all. */
void astra_budget_return(struct astra_engine *e, struct ejob *j);
/* Call when a hold is lost. Leases that were to end early for it have their
 * terms again, except those on the nodes of other holds. */
void astra_budget_return_for(struct round *r, const struct hold *lost);

/* reserve.c: move the reserve from the free GPUs to r->reserve, if waiting jobs
 * ask for more than is free. */
void astra_reserve_withhold(struct round *r);
/* Whether the reserve is missing and a job waits. */
bool astra_reserve_short(const struct round *r, const struct astra_space *work);
/* Refill the reserve with leases among `losers` that the richest tenant can
 * spare. */
void astra_reserve_refill(struct round *r, const struct turns *t,
			  const struct round *losers,
			  const struct astra_space *work);

#endif
