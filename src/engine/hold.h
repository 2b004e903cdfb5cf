/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first start of every job within a bound, Sec. "The promise" of
 * doc/design.md: holds, recall, reserve. Shared by the engine's own files.
 *   hold.c     the holds there are: served, lost, and what leases leave them
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

#define ASTRA_HOLDS_MAX 128 /* at once */

/* A job that ran, has less than this part of its share and has waited so many
 * terms is given a hold if it is larger than a node; on anybody's leases, and
 * whatever its size, after so many. */
#define ASTRA_OWED_RHO 0.8
#define ASTRA_OWED_TERMS 2
#define ASTRA_OWED_ANYBODY_TERMS 8

#define ASTRA_RESERVE_PART                                \
	256 /* the reserve is at most one of so many GPUs \
	     */

/* What the holds on a node leave to leases: one that ends by cut_sec may have
 * everything there, one that ends later only what is still left. */
struct astra_node_hold {
	double cut_sec; /* the first hold's start; infinite: there is none */
	int64_t gpus, cpus, mem_mib;
	uint64_t classes; /* of the holds' jobs, for preemption */
	uint32_t owner;	  /* of all of these jobs; ASTRA_NONE: of several */
	bool alone;	  /* one of them is to be alone with its owner's */
};

/* hold.c */
/* The first hold of a job; an array's tasks have one each. */
const struct hold *astra_hold_of(const struct astra_engine *e, uint32_t job);
size_t astra_holds_of(const struct astra_engine *e, uint32_t job);
/* Takes the shares. Returns 0, or -1 when memory is out; then they are freed.
 */
int astra_hold_add(struct astra_engine *e, const struct hold *hold);
void astra_hold_drop(struct astra_engine *e, size_t at);
void astra_holds_clear(struct astra_engine *e);
/* How long a job keeps what was held for it: its term; where leases end with
 * slots, the whole slots of it, or one. */
double astra_hold_term(const struct astra_engine *e, const struct ejob *j);
/* Forget the holds that are lost, and serve those whose time has come before
 * anybody else. Returns 0, or -1 when memory is out. */
int astra_holds_serve(struct round *r);
/* Fill r->node_holds for the leases that begin in this round, from what there
 * is when it begins. Returns 0, or -1 when memory is out. */
int astra_holds_table(struct round *r);
/* The same for one that is new in it. */
int astra_holds_table_add(struct round *r, const struct hold *hold);
/* The end of the job's lease on these shares that would like to end at end_sec:
 * that, or the start of the first hold that needs the GPUs, or room in a limit,
 * and whose job it could not preempt. Uses up what is left. */
double astra_holds_cut(struct round *r, const struct astra_job *job,
		       const struct astra_share *shares, size_t count,
		       double end_sec);
/* Whether a hold needs GPUs of this node. */
bool astra_holds_need(const struct round *r, uint32_t node);
/* The earliest start of all holds; infinite: there are none. */
double astra_holds_first(const struct astra_engine *e);

/* A job that runs; and, of astra_lease_ends(), when its GPUs come. */
struct running {
	uint32_t index; /* in the snapshot's jobs */
	uint32_t row, tenant;
	double submit_sec;
	double natural_sec; /* by themselves */
	double recall_sec;  /* recalled; infinite: never */
};

/* When something comes free. */
struct moment {
	double at_sec;
	size_t order; /* of those of the same time, as found */
};

/* turn.c: tenants by what they have had, this round's leases included. */
struct turns {
	struct round *r;
	struct ballot ballot;
	double *key;	  /* by tenant: A_p / F_p; the poorest has the least */
	double *user_key; /* by user: the same within its tenant */
	/* By tenant and by user: the GPU seconds that each will lack of its
	 * share in a term. */
	double *lack, *user_lack;
	double *to_come;  /* by tenant: the part of lack that is yet to come */
	double *before;	  /* by contender: the turns of its tenant's jobs that
			   * wait and go before it; NULL: nobody asks */
	double held;	  /* by all tenants: GPUs, as charged */
	bool *user_fresh; /* by user: a job of it waits for its first start */
	double *backlog;  /* of first starts; backlog.c */
	bool *done; /* by tenant: nothing more can be had for its next job */
	struct running *running; /* by age; NULL: not listed */
	size_t running_count;
	struct moment *ends; /* of their leases, by time; lease_ends.c */
	size_t end_count;
	size_t *recent; /* of `running`: may be recalled, but later */
	size_t recent_count;
	bool cut;		  /* a lease was, since these were sorted */
	struct contender **next;  /* by tenant: its next job; NULL: none */
	struct contender **fresh; /* jobs that never ran, tenant by tenant */
	size_t *first;		  /* tenant -> its first one of these */
};

int astra_turns_init(struct turns *t, struct round *r);
void astra_turns_fini(struct turns *t);
/* List t->running, unless that was done. Returns 0, or -1 when memory is out.
 */
int astra_turns_running(struct turns *t);
/* The poorest tenant's next job among those that never ran and have nothing
 * yet; NULL: there is none. */
struct contender *astra_turns_next(const struct turns *t);
/* Whether no lease's end made room for a job a moment ago, or none ever will.
 */
bool astra_turn_vain(const struct round *r, const struct ejob *j);
/* Whether a contender waits for its first start, and could have it. */
static inline bool astra_turn_fresh(const struct contender *c)
{
	return !c->expired && !c->share_count && !c->ran && !c->vain;
}
/* Whether a lease of `owner` may be cut short for `next`: those of its own
 * user, of richer ones of its tenant, and of richer tenants. */
bool astra_turns_pays(const struct turns *t, const struct ejob *owner,
		      const struct ejob *next);
/* due.c: how many terms a job that ran waits before it is due. */
double astra_due_terms(const struct round *r, const struct ejob *j);
/* share.c: t->lack, t->user_lack and t->user_fresh. Returns 0, or -1 when
 * memory is out. */
int astra_share_init(struct turns *t);
void astra_share_fini(struct turns *t);
/* A job is promised a turn on so many GPUs. */
void astra_share_promise(struct turns *t, const struct ejob *j, uint32_t gpus);
/* Whether a job that ran is owed a turn: its tenant or its user lacks half of
 * it, and no job of the same user (without users: of the same tenant) waits for
 * its first start. If the user has had its share, the job is owed its tenant's
 * turn once it has waited astra_due_terms(), or once as many turns are lacking.
 * Then half a turn must be lacking by now, beyond the turns of those jobs of
 * the tenant that wait and go first: poorer users', then those with less rho.
 */
bool astra_share_owed(const struct turns *t, const struct contender *c);
/* Whether the GPUs of `owner` may pass to an owed turn of `next` when the lease
 * ends: the tenant or the user of `next` lacks half a turn of `owner`, too.
 * Else a gang would break up at each end of its lease, for a small job. */
bool astra_share_passes(const struct turns *t, const struct ejob *owner,
			const struct ejob *next);
/* Whether the lease of `owner` may end early for `next`, which waits for its
 * first start: not if another tenant or user than that of `next` would then
 * lack half of this turn. If GPUs were collected for that lease, only for a job
 * of the same user, for one as large, or for one whose tenant or user is half a
 * turn of `owner` behind its share: else a gang would lose each turn after
 * RecallAfter to small jobs. */
bool astra_share_recalls(const struct turns *t, const struct ejob *owner,
			 const struct ejob *next);
/* What is lacking until the jobs that ran and wait are owed a turn, into their
 * reasons. Returns 0, or -1 when memory is out. */
int astra_share_explain(struct round *r);

/* Charge a tenant for a lease of this contender, which has its place now; of an
 * elastic one for so many GPUs. */
void astra_turns_charge(struct turns *t, const struct contender *c,
			uint32_t gpus);
/* The first time at which a running job may be recalled; infinite: never. */
double astra_recall_from(const struct round *r, const struct ejob *j);

/* Whose leases a hold may be planned on. */
enum astra_hold_claim {
	ASTRA_CLAIM_NEXT,  /* of its own tenant and of richer ones; they end
			    * early for it */
	ASTRA_CLAIM_SHARE, /* of others that are richer, when they end by
			    * themselves */
	ASTRA_CLAIM_DUE,   /* of its own tenant and of richer ones, or of
			    * anybody if these do not leave GPUs in time */
};

/* calendar.c: hold GPUs for a contender at the earliest time at which leases
 * leave them. work: free after this round's grants.
 * Says in the job's vain why there is no such time. Returns 1 if there is, 0 if
 * not, or -1 when memory is out. */
int astra_calendar_plan(struct turns *t, const struct astra_space *work,
			const struct contender *c, enum astra_hold_claim claim);

/* recall.c: after the contest. work: what is free then; replaced. */
int astra_recall(struct round *r, struct astra_space **work);
/* The same under a policy that allocates: only holds, of first starts that are
 * due. */
int astra_recall_due(struct round *r, struct astra_space **work);

/* budget.c: seconds of its GPUs that an interruption costs a job: as learned,
 * else CheckpointGrace. */
double astra_interruption_sec(const struct round *r, const struct ejob *j);
/* Whether leases may end early now: for somebody; for the job `next`. */
bool astra_budget_allows(struct round *r);
bool astra_budget_allows_for(const struct turns *t, const struct ejob *next);
/* The lease of a job ends at end_sec, early, for the job `next`. */
void astra_budget_spend(struct round *r, struct ejob *j, uint32_t next,
			double end_sec);
/* A job leaves for `next`: what its lease was counted with is what it comes to
 * now. A loan that was shorter than a term is counted now. */
void astra_budget_leave(struct round *r, struct ejob *j, uint32_t next);
/* It does not, after all. */
void astra_budget_return(struct astra_engine *e, struct ejob *j);
/* A hold is lost: leases that were to end early for it have their terms again,
 * but for those on the nodes of other holds. */
void astra_budget_return_for(struct round *r, const struct hold *lost);

/* reserve.c: take the reserve from what is free, if others wait for more than
 * there is. Into r->reserve. */
void astra_reserve_withhold(struct round *r);
/* Whether it is not there, and somebody waits. */
bool astra_reserve_short(const struct round *r, const struct astra_space *work);
/* Top it up with leases of those among `losers` that the richest tenant can
 * spare. */
void astra_reserve_refill(struct round *r, const struct turns *t,
			  const struct round *losers,
			  const struct astra_space *work);

#endif
