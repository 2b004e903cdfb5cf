/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the engine, shared by its own files only:
 *   engine.c  life, options, the round as a table of contents, views
 *   account.c what happened since the last round -> accounts
 *   roster.h  who waits, runs and leaves, and when leases end
 *   tenants.c the tenants, their weights, the capacity
 *   users.c   the users within them
 *   caps.c    hard caps of GPU hours
 *   adopt.c   accounts that begin with the past
 *   lease.c   how leases begin and end
 *   keep.c    jobs that declare no checkpoint keep their GPUs
 *   grant.c   GPUs promised to jobs, and who has to leave for them
 *   refusal.c starts that the host refused
 *   rights.c  whose leases may end for a job: preemption and limits
 *   renumber.c  what is remembered of nodes follows them to other numbers
 *   round.c   who gets what: policy, then placement, until both agree
 *   contest.h a round's contest by itself
 *   contenders.c who competes in a round
 *   await.c   who waits for GPUs that come free by themselves
 *   ballot.c  the contest as the policy sees it
 *   elastic.c who can run on more or fewer GPUs: how many, which ones
 *   level.c   how many GPUs an elastic job has by right
 *   grow.c    the places of what they get beyond their fewest
 *   allot.c   the round of a policy that says itself who gets what
 *   allot_place.c  the places of what it awards
 *   allot_promise.c  first starts within their bound under it
 *   offer.h   where jobs could run on what it is offered
 *   lend.c    what is idle after that, to those who wait
 *   yield.c   who yields to a job that finds no place
 *   settle.c  what the outcome means for each job
 *   idle.c    what is free when a round begins
 *   fits.c    who could run if all that run ended
 *   first_start.c  by when a job is to start for the first time
 *   repay.c   what jobs that end early leave to those behind them
 *   lack.c    of what there is too little for jobs that find no place
 *   reclaim.c whose GPUs are taken back to start a job
 *   losers.c  whose lease is over without another
 *   hold.h    the first start of every job within a bound, and the share of
 *             every tenant: hold.c, calendar.c, turn.c, share.c, recall.c,
 *             due.c, backlog.c, reserve.c
 *   engine_state.c save and restore
 *   aside.h   what policies know that it had before
 */
#ifndef ASTRA_ENGINE_PRIV_H
#define ASTRA_ENGINE_PRIV_H

#include "src/common/idmap.h"
#include "src/common/member.h"
#include "src/engine/aside.h"
#include "src/engine/engine.h"
#include "src/engine/roster.h"
#include "src/model/node_names.h"
#include "src/placement/placement.h"
#include "src/policies/options.h"
#include "src/policies/policy.h"

/* Whose cap of GPU hours keeps a job waiting. */
enum astra_capped {
	ASTRA_CAPPED_NOT,
	ASTRA_CAPPED_TENANT,
	ASTRA_CAPPED_USER,
};

/* A cap in a round, in GPU seconds; infinite: there is none. */
struct cap_room {
	double cap_sec;
	double used_sec;  /* in the period */
	double left_sec;  /* of the cap, beside what leases may still use */
	double asked_sec; /* by those that wait */
	double most_sec;  /* what a round can grant of it */
	bool lone;	  /* a tenant's that is its one user's */
};

/* A job's place in the queue of its tenant's jobs that never ran. Each job
 * behind it counts one lease term of its GPUs. */
struct place {
	uint64_t nth;	/* of all places that were ever given; 0: it has none */
	uint64_t last;	/* the last place given when it ran; 0: it did not */
	uint32_t tasks; /* that the jobs behind count; of a single job, 1 */
	double term_gpu_sec; /* what they count of a task */
	/* Its bound, as the tenant's and as the user's quota make it, and these
	 * quotas when it was promised; 0: there is no such bound. */
	double tenant_sec, user_sec;
	double tenant_quota, user_quota;
};

/* GPU seconds that the jobs of a tenant, or of a user, behind a place need not
 * wait for. */
struct repayment {
	uint32_t tenant, user; /* user NONE: all jobs of the tenant */
	uint64_t behind;
	double gpu_sec;
};

/* How often the host has refused the starts of a job in a row: refusal.c. */
struct balk {
	uint32_t rounds;    /* a round interval apart, or more */
	uint32_t terms;	    /* lease terms for which no lease ended, the last
			     * time */
	double refused_sec; /* the last of the rounds */
	double until_sec;   /* no lease ends for it */
	uint64_t shape;	    /* what it asked for; 0: not known yet */
};

/* A job as the engine remembers it between rounds. What rounds read of all jobs
 * that wait comes first, then what they read of those that run, so that it lies
 * together in memory. */
struct ejob {
	uint32_t id;	  /* 0: a vacant row */
	uint32_t tenant;  /* index into tenants */
	uint32_t user;	  /* index into users, or NONE */
	uint32_t account; /* its number in the fairness account */
	enum astra_job_state state;
	enum astra_phase phase;
	uint32_t held_gpus;
	bool booting;
	bool uncharged; /* its present or last run, which has not begun */
	bool revocable;
	bool ran;    /* has been started at least once */
	bool unfit;  /* waits, and would even if all that run ended */
	bool lacks;  /* waits, and a limit leaves it no room */
	bool balked; /* waits, and the host refuses its starts again and
		      * again */
	struct balk balk;
	uint32_t gpus;	     /* asked for */
	uint32_t gpus_least; /* runs on so many */
	uint32_t copies;
	uint32_t grants;   /* outstanding ones */
	uint32_t refusals; /* remembered ones */
	uint32_t leases;
	double charge; /* its demand: of what it holds, else of what it asks */
	double weight;
	double submit_sec;    /* the first one */
	double bound_sec;     /* its first start is late after that; 0: has none
			       */
	uint64_t shape;	      /* what it asks for, without refusals; 0: to be
			       * found out again */
	uint64_t vain_shape;  /* what it asked for when it was vain */
	double vain_sec;      /* the last time it was */
	enum astra_wait vain; /* why a hold was looked for in vain; NONE: no */
	uint32_t blocker;     /* without a lease, whose end it waits for; 0 */
	double blocked_sec;   /* when jobs without leases were in its way last;
			       * 0: never */
	/* The bound of its first start as if it had come when jobs ceased to
	 * keep GPUs; 0: it did not wait then. */
	double kept_bound_sec;
	uint32_t index; /* in the present snapshot's jobs */
	double held_charge;
	double start_sec;
	double min_run_sec; /* MinRunTime, its own where that is auto */
	double lease_sec;   /* the term of its leases */
	double lease_start_sec, lease_end_sec;
	double noted_end_sec;  /* in the roster's heap; 0: it is not */
	double keep_until_sec; /* it declares no checkpoint, and has leases from
				* then on; 0: not as things are */
	uint32_t array_id;
	uint32_t seen; /* the epoch of the last snapshot that had it */
	uint32_t restart_cnt;
	uint32_t revoked;
	uint32_t early_for;  /* id of the job that its lease is to end early for
			      */
	uint32_t doomed_for; /* id of the job that was granted its GPUs */
	double early_gpu_sec; /* what early_for was counted with in the budget;
			       * 0 */
	bool awaits; /* while grants are revised: leases are yet to end for it
		      */
	bool lent;   /* its GPUs are, until a hold begins */
	bool served; /* its grants are what was held for it: no hold has them */
	bool collected; /* leases of others ended for its grant, or its lease */
	bool awaited;	/* GPUs that come free by themselves, when its hold was
			 * due */
	bool late;	/* its first start is, and was counted as such */
	bool over;	/* it stands in roster.over */
	bool elastic, bound_to_leave; /* it counts there as such */
	struct advance_part advance;  /* in the sums of those two: */
	uint32_t advance_tenant, advance_user;
	enum astra_capped capped;
	uint32_t cap_copies; /* with a cap: so many may be granted leases */
	struct place place;
	double away_sec; /* the end of its last run; 0: it has none */
	double grace_end_sec;
	double told_sec;	/* when it was told to leave; 0: it was not */
	double planned_end_sec; /* of the lease that begins at its start; 0: a
				 * full term */
	double lost_sec;
	struct astra_share *held; /* where the host says what changed */
	size_t held_count;
	uint64_t fits_key; /* for what unfit was found out; 0: it was not */
};

struct etenant {
	char *name;
	uint32_t account;
	bool listed;
	double weight;
	/* keep.c, this round's, while jobs keep their GPUs: GPUs of its share
	 * that it does not hold, negative if it borrows; whether it lacks some.
	 */
	double keep_room;
	bool keep_lacks;
	double lacks_sec; /* since then it lacks GPUs of its share although
			   * borrowing jobs have leases (keep.c); 0: it does
			   * not */
	struct advance advance;
	struct cap_room cap;
};

struct euser {
	char *name;
	uint32_t tenant;  /* index into tenants */
	uint32_t account; /* its number in the fairness account */
	uint32_t jobs;	  /* that are known */
	double weight;
	struct advance advance;
	struct cap_room cap;
};

/* A promise: these GPUs are the job's as soon as they are all free. */
struct grant {
	uint32_t job;	  /* id */
	double until_sec; /* its lease ends then; 0: after a full term */
	double told_sec;  /* since then all who have to leave for it know */
	struct astra_share *shares;
	size_t count;
};

/* GPUs that a job has from a time on; until then they are lent. */
struct hold {
	uint32_t job; /* id */
	double start_sec;
	bool anybody; /* whoever has the GPUs pays, not only richer tenants */
	struct astra_share *shares;
	size_t count;
};

/* A start that the host refused: not these nodes, or not this job, for now. */
struct refusal {
	uint32_t job; /* id */
	double until_sec;
	uint64_t *nodes; /* bitmap of banned nodes; NULL: not this job */
};

/* A node as the snapshot's jobs leave it; less than nothing where they hold
 * more than there is. */
struct idle_node {
	int64_t gpus, cpus;
	int32_t users; /* shares of jobs there */
	bool settling;
};

/* What is free, by node; idle.c. */
struct idle {
	bool known; /* as of the snapshot before */
	struct astra_space *space;
	struct astra_ranks ranks;
	struct idle_node *left;
	uint32_t *coming; /* all 0 between rounds */
	uint32_t *moved;  /* nodes of which jobs hold something else now */
	size_t moved_count, moved_room;
	uint32_t gpus_max;
	uint64_t usable_gpus;
	bool emptying;	 /* a node is */
	size_t settling; /* nodes that are */
};

/* What could run, by the shape of its request; fits.c. */
struct fits_answer;
struct fits {
	struct astra_space *space; /* of empty nodes; NULL: not known */
	struct astra_share *shares;
	size_t node_count;
	uint32_t gpus_max;
	struct fits_answer *answers; /* a hash table, by shape */
	size_t count, room;
	uint64_t generation; /* of the answers: they are of these nodes */
	size_t looks;	     /* that this round has left */
	bool more;	     /* there were too few: the next round goes on */
};

/* What leases that ended early cost in the last hour; budget.c. */
#define ASTRA_BUDGET_MINUTES 60
struct budget {
	uint64_t minute; /* since the epoch; the last one that is in it */
	double gpu_sec[ASTRA_BUDGET_MINUTES]; /* by minute % 60 */
	uint32_t jobs;			      /* in that minute */
};

struct astra_engine {
	const struct astra_policy *policy;
	void *policy_self;
	bool policy_lost; /* what it knew was damaged when it was restored */
	struct astra_fairness *account;
	double begin_sec;
	double now_sec;		    /* of the last round */
	double period_begin_sec;    /* of GPU hours; 0: never known */
	struct astra_job *cap_jobs; /* with caps: the snapshot's, changed */
	size_t cap_job_room;
	uint32_t epoch;
	struct etenant *tenants;
	size_t tenant_count, tenant_room;
	uint32_t *tenant_of; /* snapshot's tenant -> ours */
	size_t tenant_of_room;
	struct euser *users;
	size_t user_count, user_room;
	uint32_t *user_of; /* snapshot's user -> ours */
	size_t user_of_room;
	uint32_t *row_of; /* the present snapshot's job -> its row */
	size_t row_of_room;
	struct ejob *jobs; /* rows; some vacant */
	size_t job_count, job_room;
	/* By row, as the last round that gave reasons did: of the job that it
	 * names. Where none does there are none. */
	struct astra_reason *reasons;
	size_t reason_room;
	uint32_t *vacant;
	size_t vacant_count, vacant_room;
	struct astra_idmap by_id;
	struct roster roster;
	struct idle idle;
	struct fits fits;
	struct grant *grants;
	size_t grant_count, grant_room;
	struct refusal *refusals;
	size_t refusal_count, refusal_room;
	/* Those of the last snapshot: what numbers stand for in grants,
	 * refusals and what the policy keeps. */
	struct astra_node_names nodes;
	size_t node_words;	    /* of a bitmap over them */
	struct astra_asides asides; /* of policies that it had before */
	/* Its policy has come back, and has numbers of these nodes. */
	struct astra_node_names back_nodes;
	bool back;
	struct hold *holds;
	size_t hold_count, hold_room;
	/* Memory of a round's contest, kept for the next one. */
	struct contender *contenders;
	size_t contender_room;
	struct astra_candidate *candidates;
	size_t candidate_room;
	struct astra_choice *choices;
	size_t choice_room;
	/* Some that wait for their first start may have no bound yet; the first
	 * bound of the others that has not passed. */
	bool unbound;
	double first_bound_sec;
	/* A job keeps its GPUs by Unprepared=share, which may be in the way of
	 * any first start. */
	bool keeps;
	uint64_t places;	      /* that were ever given */
	struct repayment *repayments; /* empty between rounds */
	size_t repayment_count, repayment_room;
	struct budget budget;
	uint32_t last_reclaim; /* GPUs taken back in the last round */
	bool unwanted;	       /* nobody waited after the last round */
	bool limited;	       /* the last snapshot had limits */
	struct astra_counters counters;
	struct astra_options options;
};

/* engine.c: as astra_engine_create(), with a policy that need not be in the
 * registry; NULL: there is none of the name in the options. */
struct astra_engine *
astra_engine_create_with(const struct astra_options *options,
			 const struct astra_policy *policy, double begin_sec,
			 struct astra_error *err);

/* engine_image.c: what it has of each struct. */
extern const struct astra_member astra_image_engine_members[];
extern const struct astra_member astra_image_tenant_members[];
extern const struct astra_member astra_image_user_members[];
extern const struct astra_member astra_image_job_members[];
extern const struct astra_member astra_image_grant_members[];
extern const struct astra_member astra_image_hold_members[];
extern const struct astra_member astra_image_refusal_members[];

/* engine_state.c: what it saves of a job beside its flags, weight, charges,
 * user and first start. */
extern const struct astra_member astra_state_job_counts[];
extern const struct astra_member astra_state_job_times[];
extern const struct astra_member astra_state_job_places[];

/* budget.c: GPU seconds that leases which ended early cost in the last hour. */
double astra_budget_spent(const struct astra_engine *e);
/* The clock was set forward. */
void astra_budget_shift(struct astra_engine *e, double by_sec);

/* engine_state.c: a new instance of a policy that goes on where another one of
 * the same policy is. NULL with err set on failure. */
void *astra_policy_again(const struct astra_policy *policy, const void *self,
			 const struct astra_options *options,
			 struct astra_error *err);

/* tenants.c: where a tenant of that name is, or NONE. */
uint32_t astra_engine_find_tenant(const struct astra_engine *e,
				  const char *name);

/* tenants.c: know the snapshot's tenants; take their weights and the capacity
 * from now on. */
int astra_tenants_map(struct astra_engine *e,
		      const struct astra_snapshot *snap);
void astra_tenants_set_shares(struct astra_engine *e,
			      const struct astra_snapshot *snap, bool *changed);

/* users.c: know the snapshot's users, whose tenants are known. Returns 0, or -1
 * when memory is out. */
int astra_engine_users_map(struct astra_engine *e,
			   const struct astra_snapshot *snap);
/* Add a user that is not known. Takes the name. Returns its number, or NONE
 * when memory is out. */
uint32_t astra_engine_user_add(struct astra_engine *e, uint32_t tenant,
			       char *name, double weight);
/* The number in the account of a tenant's user, who joins it if need be; NONE
 * when memory is out. */
uint32_t astra_engine_user_number(struct astra_engine *e, uint32_t tenant,
				  const char *name);
/* Among whose jobs a job counts: its user's, or NONE: its tenant's. */
uint32_t astra_engine_user_of(const struct astra_engine *e,
			      const struct astra_snapshot *snap,
			      const struct astra_job *job);

/* caps.c */
/* Before the accounts follow: where there are caps, let snap have a copy of its
 * jobs, which astra_caps_deal() may change. Returns 0, or -1 when memory is
 * out.
 */
int astra_caps_begin(struct astra_engine *e, struct astra_snapshot *snap);
/* After it: who may have a lease. Returns 0, or -1 when memory is out. */
struct round;
int astra_caps_deal(struct round *r);
/* The end of a lease that begins now: with caps no later than after a term, or
 * a slot, for which there is room. */
double astra_caps_end(const struct astra_engine *e, const struct ejob *j,
		      double end_sec);
/* There are no caps any more. */
void astra_caps_forget(struct astra_engine *e);
/* Why a job waits, where a cap is it. */
void astra_caps_explain(const struct round *r, const struct ejob *j,
			const struct astra_job *job,
			struct astra_reason *reason);
/* What was used in the period, behind all else of a state or an image.
 * get: nothing where there is none. Returns 0, or -1. */
void astra_caps_put(const struct astra_engine *e, struct astra_bytes *out);
int astra_caps_get(struct astra_engine *e, struct astra_reader *in);

/* account.c: look at a job in the next round, whether it has changed or not. It
 * is when it is seen for the first time, after a restart as well. */
void astra_account_again(struct astra_engine *e, uint32_t row);

/* account.c: whose job it is from now on, and what it counts. Its integrals go
 * on. Returns 0, or -1 when memory is out. */
struct astra_title {
	uint32_t tenant, user;
	double weight, charge;
};
int astra_job_retitle(struct astra_engine *e, struct ejob *j,
		      const struct astra_title *title);

/* Whether a job has a right to GPU time now: it runs, or could if there were
 * room. What counts as demand counts by this alone. */
static inline bool astra_ejob_active(const struct ejob *j)
{
	return astra_job_active(j->state) && !j->unfit && !j->balked;
}

/* Whether the snapshot has the job, where its index says. */
static inline bool astra_ejob_listed(const struct ejob *j,
				     const struct astra_snapshot *snap)
{
	return j->seen && j->index < snap->job_count &&
	       snap->jobs[j->index].id == j->id;
}

/* fits.c */
void astra_fits_clear(struct fits *fits);
/* Before astra_fits(): know the snapshot's nodes. Returns 0, or -1 when memory
 * is out. */
int astra_fits_begin(struct astra_engine *e, const struct astra_snapshot *snap);
/* Whether a job has a place once all that run have ended; as before, where the
 * round has looked for too many. q, shape: of the job, without refusals. */
bool astra_fits(struct astra_engine *e, struct ejob *j,
		const struct astra_request *q, uint64_t shape);

/* contenders.c: the shape of what a job asks for, without refusals. Found once
 * after each look at the job. */
uint64_t astra_contender_shape(struct ejob *j,
			       const struct astra_snapshot *snap,
			       const struct astra_job *job);

/* contenders.c: a hash of what a job asks for, whichever of its possible nodes
 * the host has chosen for it this time. O(nodes / 64). */
uint64_t astra_contender_asked(const struct astra_snapshot *snap,
			       const struct astra_job *job);

/* roster.c: change a job's phase, or its lease's end, after
 * astra_account_sync(). */
void astra_job_set_phase(struct astra_engine *e, struct ejob *j,
			 enum astra_phase phase);
void astra_lease_set_end(struct astra_engine *e, struct ejob *j,
			 double end_sec);

/* lease.c: a job's lease follows the job. */
/* revocable: that the job may be requeued at a lease's end now. */
void astra_lease_follow(struct astra_engine *e, struct ejob *j,
			const struct astra_job *job, bool revocable,
			double now_sec, bool *changed);

/* keep.c: jobs that declare no checkpoint. */
/* Whether a run of the job begins without a lease for that reason. */
bool astra_will_keep(const struct astra_engine *e, const struct astra_job *job);
/* Whether a job's run has no lease for that reason: a new run, or one that had
 * none in the round before. */
bool astra_kept(const struct astra_engine *e, const struct ejob *j,
		const struct astra_job *job);
/* When a run that begins now gives its GPUs back at first. */
double astra_first_end(const struct round *r, const struct ejob *j,
		       const struct astra_job *job);
/* As astra_lease_is_worth(), of that end: what is lent to a job that keeps it
 * does not come back. */
bool astra_first_is_worth(const struct round *r, const struct ejob *j,
			  const struct astra_job *job, double cut_sec,
			  double end_sec);
/* UnpreparedMin. */
double astra_unprepared_sec(const struct astra_options *options);
/* Before the round decides, once grants are revised: which of them keep their
 * GPUs, and which have leases. free_gpus: with those that are free of grants.
 * Returns 0, or -1 when memory is out. */
int astra_keep_follow(struct round *r, uint64_t free_gpus);

/* lease.c: renew the leases that ended while nobody waited, when they did.
 * last_sec: of the last round, after which nobody did. */
void astra_leases_catch_up(struct astra_engine *e,
			   const struct astra_snapshot *snap, double last_sec,
			   bool *changed);
/* Whether no lease's end takes a job's GPUs back for now. */
bool astra_lease_stays(const struct ejob *j, const struct astra_job *job);
/* How long those who were told to leave may take, before nobody waits for their
 * GPUs any more; infinite: nobody knows. */
double astra_leave_sec(const struct astra_engine *e,
		       const struct astra_snapshot *snap);
/* Whether a job should have left its GPUs by now. */
bool astra_lease_overdue(const struct astra_engine *e,
			 const struct astra_snapshot *snap,
			 const struct ejob *j, const struct astra_job *job);
/* The end of a lease that goes on: when its nodes are for others, if that is
 * before. */
double astra_lease_cut(const struct astra_job *job, double end_sec);
/* Leases without an end get a term from the last round on, unless the policy
 * has such. */
void astra_leases_bound(struct astra_engine *e);
/* Whether a job that runs there must leave at its lease's end. */
bool astra_lease_must_end(const struct astra_snapshot *snap,
			  const struct astra_job *job);

struct ejob *astra_engine_find(struct astra_engine *e, uint32_t id);

/* Whether a job has a part of its user's share: most policies that allocate
 * know tenants and jobs only. */
static inline bool astra_shared_by_user(const struct astra_engine *e,
					const struct ejob *j)
{
	return j->user != ASTRA_NONE &&
	       (!e->policy->allocate || e->policy->users);
}

/* Whether gangs are owed turns, so that their tenants have their shares. */
static inline bool astra_engine_owes(const struct astra_engine *e)
{
	return !e->policy->allocate || e->policy->shares;
}

/* Whether first starts have a bound: baselines of papers keep to their rule. */
static inline bool astra_engine_promises(const struct astra_engine *e)
{
	return e->options.promise && !e->policy->source;
}

/* The scratch of one round. */
struct round {
	struct astra_engine *e;
	const struct astra_snapshot *snap;
	struct astra_plan *plan;
	struct astra_space *idle; /* free, less what is promised */
	uint32_t *coming;	  /* per node: GPUs of jobs that are leaving */
	uint32_t node_gpus_max;
	uint64_t usable_gpus;
	bool emptying;	/* a node is */
	bool told;	/* the host says what changed */
	bool withdrawn; /* a grant was: what it had is free in the next round */
	struct contender *contenders;
	size_t contender_count, contender_room;
	size_t grants_before;		    /* of earlier rounds */
	struct astra_node_hold *node_holds; /* per node; NULL: no holds */
	struct astra_share *missing; /* CPUs and memory that grants lack yet */
	size_t missing_count;
	struct astra_share reserve; /* kept from the contest; no GPUs: none */
	double wake_sec;	    /* the policy wants the next round then */
	bool elastic;		    /* a contender is */
	double *levels;		    /* of tenants, then users; NULL: unknown */
	/* Tenants', then users', before they are charged; NULL: unknown. */
	struct astra_contestant *contestants;
	struct astra_job *least;  /* elastic contenders' jobs, see below */
	struct astra_share *lost; /* what contenders would lose, see below */
	int yields;		  /* searches for who yields */
	uint64_t yield_vain;	  /* the shape of the last one in vain */
	bool literal; /* as the papers have it: who was granted no other lease
		       * has left, nobody yields, and those without a place
		       * drop out one by one */
};

/* A candidate, with what the engine needs to place it. */
struct contender {
	uint32_t row;	       /* index into e->jobs */
	uint32_t tenant, user; /* of this job */
	uint32_t winner; /* expired and taken: the id of the job they go to */
	double precedence, submit_sec;
	const struct astra_job *job;
	uint64_t shape; /* equal requests have equal shapes */
	bool ran;	/* has been started at least once */
	bool expired;	/* holds GPUs, its lease is over */
	bool granted;	/* by the policy, in the present pass */
	bool failed;	/* of a shape that found no place */
	bool vain;	/* as astra_turn_vain() says of its job */
	bool refused;	/* by the policy: it is not to be run */
	bool awaits;	/* GPUs that come free by themselves */
	bool taken;	/* expired: its GPUs go to others */
	bool spared;	/* expired: not for the hold that is served */
	bool barred;	/* expired: may not end for the job that looks */
	bool runs;	/* expired only in that it may leave to grow */
	bool resized;	/* expired: leaves for its place, of another size */
	uint32_t first_share, share_count; /* waiting and granted: its place */
	uint32_t yields_to; /* expired: 1 + the contender that it was granted no
			     * lease for; 0: none */
	uint32_t gpus;	    /* granted in the present pass */
	uint32_t most;	    /* more than that does not pay, or cannot be */
	uint32_t lose_count;
	/* Expired, and granted fewer GPUs than it holds: lose_count of them.
	 * They are lost if somebody has a use for them. */
	const struct astra_share *lose;
	/* Elastic, under a policy that ranks: `job` asks for its fewest GPUs
	 * only, so it waits, is promised GPUs and finds its place as if that
	 * were all. This is the job as it is; NULL: rigid. */
	const struct astra_job *elastic;
	double until_sec; /* awarded: its lease's end; 0: after a term */
};

/* account.c: bring accounts and leases up to the snapshot's time. */
int astra_account_sync(struct round *r, struct astra_error *err);

/* level.c */
/* Fill r->levels, unless they are known. Returns 0, or -1 when memory is out.
 */
int astra_levels_find(struct round *r);
/* The whole GPUs of its level that a job can use. */
uint32_t astra_level_gpus(const struct round *r, const struct ejob *j);

/* elastic.c */
/* Know the elastic contenders: each competes for its fewest GPUs first. Returns
 * 0, or -1 when memory is out. */
int astra_elastic_find(struct round *r);
/* Let those compete for more GPUs whose lease goes on. Once others have been
 * served from leases that are over. Returns 0, or -1 when memory is out. */
int astra_elastic_find_running(struct round *r);
/* A contender's candidacy. */
void astra_elastic_candidate(const struct round *r, const struct contender *c,
			     struct astra_candidate *candidate);
/* After a ranking: whether somebody was granted more GPUs than it holds, but
 * too few more to be worth a checkpoint and a start. It keeps what it has, and
 * the policy is to be asked again for the others. */
bool astra_elastic_cap(struct round *r, struct astra_candidate *candidates);
/* Whether it is worth to go on with what it was granted instead of what it
 * holds. */
bool astra_elastic_pays(const struct round *r, const struct contender *c);
/* Let those who were granted less than they hold offer the difference. */
void astra_elastic_offer(struct round *r);
/* What an elastic job that runs has beyond its level, or its fewest GPUs, is
 * offered. lost: it
 * is put there, as many shares as the job holds. */
void astra_elastic_offer_spare(const struct round *r, struct contender *c,
			       bool to_level, struct astra_share *lost);
/* The contender as if its job asked for so many GPUs. job: filled in. */
struct contender astra_elastic_sized(const struct contender *c, uint32_t gpus,
				     struct astra_job *job);
/* What an elastic contender keeps whose further GPUs others took, and what is
 * still free of them. Taken from work. shares: room for as many as it holds.
 * Returns their number. */
size_t astra_elastic_keep(const struct contender *c, struct astra_space *work,
			  struct astra_share *shares);
/* GPUs of a charge. */
double astra_elastic_charge(const struct ejob *j, uint32_t gpus);

/* idle.c */
void astra_idle_clear(struct idle *idle);
/* A job that is there holds what the snapshot says, one that is forgotten holds
 * nothing. Returns 0, or -1 when memory is out. */
int astra_idle_move(struct astra_engine *e, struct ejob *j,
		    const struct astra_job *job);
void astra_idle_leave(struct astra_engine *e, struct ejob *j);
/* What is free on the nodes, and what those who are leaving hold. Returns 0, or
 * -1 when memory is out. */
int astra_idle_build(struct round *r);
/* Go on with another space. Takes it. */
void astra_idle_replace(struct round *r, struct astra_space *space);
/* All that the round took is given back. */
void astra_idle_end(struct round *r);

/* first_start.c */
/* Give those that are seen waiting for their first start a bound, take it from
 * those that cannot start, and count who is late. After astra_idle_build().
 * Returns 0, or -1 when memory is out. */
int astra_first_starts_follow(struct round *r);
/* Why a hold was looked for in vain; one that is too big has no bound. */
void astra_first_start_vain(struct astra_engine *e, struct ejob *j,
			    enum astra_wait vain);
/* When its tenant's quota has paid for its first start and for those before it;
 * infinite: it has no bound. before: of an array, so many of its tasks go
 * first.
 */
double astra_first_start_due(const struct astra_engine *e,
			     const struct astra_snapshot *snap,
			     const struct ejob *j, size_t before);
/* Jobs have ceased to keep GPUs: all that wait are promised their first starts
 * as if they had come now, one behind the other. Returns 0, or -1 when out of
 * memory. */
int astra_first_starts_renew(struct round *r);
/* Take its place and its bound from a job that never ran. The jobs behind it
 * are repaid. */
void astra_first_start_quit(struct astra_engine *e, struct ejob *j);
/* Its bound has changed: nobody becomes late before e->first_bound_sec. */
void astra_first_start_next(struct astra_engine *e, const struct ejob *j);
/* What jobs may take to leave for a first start. */
double astra_first_start_grace_sec(const struct astra_engine *e,
				   const struct astra_snapshot *snap);
/* What the job would be promised if it came now and nobody waited. */
struct place astra_first_start_earliest(const struct round *r,
					const struct ejob *j);
/* A job that waits is to ask for that and have that title; before it does. */
void astra_first_start_change(struct astra_engine *e, struct ejob *j,
			      const struct astra_request *request,
			      const struct astra_title *title);
/* A task has its array's bound; the array's is that of its next task then. */
void astra_first_start_split(const struct astra_engine *e, struct ejob *array,
			     struct ejob *task);
/* It starts; before j->ran is set. */
void astra_first_start_begin(struct astra_engine *e, struct ejob *j,
			     double start_sec);

/* repay.c */
/* The job, whose place says by when the quotas pay for it, is behind all that
 * have one. */
void astra_place_take(struct astra_engine *e, struct ejob *j);
/* A task takes the first of its array's places. gpu_sec: of a term of it. */
void astra_place_split(struct place *array, struct place *task, double gpu_sec);
/* The job itself is to have so many GPU seconds more in its first term, or
 * less. The jobs behind it are repaid no more than each of them counts. */
void astra_place_change(struct place *place, double gpu_sec);
/* The job gives its place up. The next round repays the jobs behind it what
 * they count of the job, less used_gpu_sec. */
void astra_place_leave(struct astra_engine *e, struct ejob *j,
		       double used_gpu_sec);
/* The same of a job that ran and is over since at_sec. It has used, too, what
 * jobs may have taken to leave for its start: its GPUs did nothing else then.
 */
void astra_place_end(struct astra_engine *e, const struct astra_snapshot *snap,
		     struct ejob *j, double at_sec);
/* Let the bounds of the jobs that wait come forward by what jobs before them
 * left: repay.c has the rules. queue: the jobs that wait and have places; it is
 * sorted. Returns 0, or -1 when memory is out: then all stay as they are. */
int astra_places_repay(struct round *r, struct ejob **queue, size_t count);

/* grant.c */
/* Drop the grants that are lost, and set aside what is free of the others.
 * Returns 0, or -1 when memory is out. */
int astra_grants_revise(struct round *r);
/* Fill in whose nodes these are while the job, which exists, is there. */
void astra_shares_own(const struct round *r, uint32_t job,
		      struct astra_share *shares, size_t count);
int astra_grants_add(struct astra_engine *e, uint32_t job, double until_sec,
		     const struct astra_share *shares, size_t count);
void astra_grants_drop(struct astra_engine *e, uint32_t job);
void astra_grants_drop_at(struct astra_engine *e, size_t at);
size_t astra_grants_of(const struct astra_engine *e, uint32_t job);
int astra_grants_start(struct round *r);
int astra_revoke_doomed(struct round *r);

/* refusal.c */
const uint64_t *astra_refused_nodes(const struct astra_engine *e, uint32_t job);
bool astra_refused_job(const struct astra_engine *e, uint32_t job);
void astra_refusals_forget(struct astra_engine *e, double now_sec);
void astra_refusals_drop(struct astra_engine *e, uint32_t job);
/* Whether no lease is to end for a job from now on. waits: it could start, and
 * has not. shape: of what it asks for. */
bool astra_refusals_balk(const struct astra_engine *e, struct ejob *j,
			 bool waits, uint64_t shape, double now_sec);

/* renumber.c: before anything else looks at a snapshot's nodes. */
void astra_engine_follow_nodes(struct astra_engine *e,
			       const struct astra_snapshot *snap);

/* contenders.c: fill r->contenders. */
int astra_contenders_find(struct round *r);
/* Whether a job's lease is over and one of its nodes is to become empty. */
bool astra_contender_leaves(const struct round *r, const struct ejob *j,
			    const struct astra_job *job);
/* Whether a job's lease is over, it may lose its GPUs, and others could use
 * them. */
bool astra_contender_expired(const struct round *r, const struct ejob *j,
			     const struct astra_job *job);

/* Take those out who were served already; expired ones have to leave. */
void astra_contenders_withdraw(struct round *r);

/* ballot.c */
/* The contest as the policy sees it. Candidates and choices are the engine's:
 * one ballot at a time has any. */
struct ballot {
	struct astra_contest contest;
	struct astra_candidate *candidates;
	struct astra_contestant *tenants, *users; /* one after the other */
	struct astra_ranking ranking;
};

int astra_ballot_init(struct ballot *b, struct round *r, size_t room);
void astra_ballot_fini(struct ballot *b);
struct astra_candidate astra_ballot_candidate(const struct round *r,
					      uint32_t row,
					      const struct astra_job *job);
void astra_ballot_charge(const struct round *r, struct ballot *b);
/* The same for one job. */
void astra_ballot_charge_job(struct ballot *b, const struct ejob *j,
			     double gpu_sec);
int astra_ballot_run(const struct round *r, struct ballot *b,
		     struct astra_error *err);

/* round.c */
int astra_round_decide(struct round *r, struct astra_error *err);
/* Without leases: the order in which the host should start jobs. */
int astra_round_order(struct round *r, struct astra_error *err);

struct reclaim;

/* yield.c: let those yield who stand in the way of a contender that the policy
 * granted and that found no place in rc; they lose their leases in the next
 * pass. Returns 1 if anybody does, 0, or -1 when memory is out. */
int astra_round_yield(struct round *r, const struct reclaim *rc,
		      const struct ballot *b, size_t rank);

/* allot.c: the round of a policy that allocates. */
int astra_round_allot(struct round *r, struct astra_error *err);

/* reclaim.c: find a place for a waiting contender on what is free plus what
 * the losers hold, taking back as few GPUs as possible. */
#define ASTRA_KNAPSACK_GPUS 64 /* on a node, that a choice looks at */
#define ASTRA_KNAPSACK_JOBS 64

struct reclaim {
	struct round *r;
	struct astra_space *work; /* free in this pass */
	struct astra_space *all;  /* work plus what the losers hold */
	uint32_t *losers;	  /* contender indices, in their order */
	size_t loser_count;
	uint32_t *by_node;  /* the same, node by node */
	size_t *first;	    /* node -> its first entry in by_node */
	uint32_t *by_cost;  /* losers by the GPUs they hold */
	size_t *cost_first; /* cost -> its first entry in by_cost */
	size_t *cost_head;  /* cost -> its first entry not yet taken */
	size_t *cost_next;  /* nor chosen in the present search */
	size_t cost_max;
	struct astra_share *shares; /* of the last place found */
	uint32_t *victims;	    /* of the last place found */
	size_t victim_count;
	uint8_t *chosen;	/* per contender: scratch */
	uint32_t gpus_idle_max; /* on any node, when the pass began */
	uint32_t hints[ASTRA_KNAPSACK_GPUS + 1]; /* first node worth a look */
	uint64_t preempts;  /* classes that losers may preempt */
	int64_t *room;	    /* what is left of each limit; NULL: no limits */
	uint32_t *released; /* losers that leave room in limits, of the last
			     * place found */
	size_t released_count;
};

/* rights.c */
/* After the accounts follow: find the jobs that wait for room in a limit. They
 * have no bound of their first start, as nobody knows when that comes. Where
 * their own tenant uses the limit they are beside its demand. Returns 0, or -1
 * when memory is out. */
int astra_rights_sync(struct round *r);
/* Whether a job waits that the contender could preempt. */
bool astra_rights_spare(const struct round *r, const struct contender *c);
/* What each limit leaves beside the jobs that run; limit_count of them, for
 * free(). NULL when memory is out. */
int64_t *astra_rights_now(const struct round *r);
/* The same beside those that run and stay. */
int64_t *astra_rights_coming(const struct round *r);
/* The same beside those and grants. */
int64_t *astra_rights_room(const struct round *r);
/* Add what the job uses, or take it away. */
void astra_rights_count(int64_t *room, const struct astra_job *job, int sign);
/* Whether a limit leaves the job no room. room: NULL: there are no limits. */
bool astra_rights_lack(const int64_t *room, const struct astra_job *job);
/* Know the losers' rights. Returns 0, or -1 when memory is out. */
int astra_rights_init(struct reclaim *rc);
void astra_rights_fini(struct reclaim *rc);
/* Before a search for a place: bar the losers that may not end for the job, and
 * choose those that have to, so that limits leave it room. Their GPUs are free
 * in rc->work then. Returns false if limits leave no room whoever ends. */
bool astra_rights_begin(struct reclaim *rc, const struct contender *c);
/* After it. found: the chosen ones are victims, too. */
void astra_rights_end(struct reclaim *rc, bool found);
/* The job has its place, and the victims leave. */
void astra_rights_take(struct reclaim *rc, const struct contender *c);
/* Go on with what is left of limits in another pass. */
void astra_rights_follow(struct reclaim *to, const struct reclaim *from);
/* Under a policy that allocates, before it is asked: of leases that are over,
 * let those end that leave a poorer user's job room in a limit. The policy
 * knows no limits: it would award the same GPUs again. Returns 0, or -1 when
 * memory is out. */
int astra_rights_serve(struct round *r);
/* The end of a lease that goes on, of a job that uses a limit: a hold that
 * needs room in that begins then, or end_sec. */
double astra_rights_cut(const struct round *r, const struct astra_job *job,
			double end_sec);

/* losers.c */
/* space: what is free, but for the losers' GPUs; copied. */
int astra_reclaim_init(struct reclaim *rc, struct round *r,
		       const struct astra_space *space);
void astra_reclaim_fini(struct reclaim *rc);
bool astra_loser(const struct contender *c);
/* What a loser loses: all that it holds, or a part. */
const struct astra_share *astra_loser_shares(const struct contender *c,
					     size_t *count);
uint32_t astra_loser_cost(const struct contender *c);
void astra_loser_give(const struct round *r, struct astra_space *space,
		      const struct contender *c);
void astra_loser_take(const struct round *r, struct astra_space *space,
		      const struct contender *c);
/* Whether so many GPUs as it holds are free where it holds them. */
bool astra_loser_fits(const struct round *r, const struct astra_space *space,
		      const struct contender *c);
uint32_t astra_losers_cheapest(const struct reclaim *rc, uint32_t node,
			       uint32_t need, uint32_t *picked, size_t *count);
/* What a loser loses on a node becomes free there. */
void astra_room_add(struct astra_room *room, const struct contender *c,
		    uint32_t node);
uint32_t astra_losers_for(const struct reclaim *rc,
			  const struct astra_share *share, uint32_t *picked,
			  size_t *count);
uint32_t astra_losers_all(const struct reclaim *rc, uint32_t node,
			  uint32_t *picked, size_t *count);
/* Before a search, in which losers are chosen and none is let go. */
void astra_losers_begin(struct reclaim *rc);
uint32_t astra_losers_by_need(struct reclaim *rc, uint64_t need);

/* reclaim.c */
/* Returns the number of shares (in rc->shares), 0 when there is no place.
 * rc->victims: the contenders to take back. Takes nothing. */
size_t astra_reclaim_place(struct reclaim *rc, const struct contender *c);
/* The same for a place that is given: nodes and GPUs on them. */
size_t astra_reclaim_place_at(struct reclaim *rc, const struct contender *c,
			      const struct astra_share *shares, size_t count);
/* GPUs are free again, in this pass. */
void astra_reclaim_give(struct reclaim *rc, const struct astra_share *shares,
			size_t count);
/* A loser that keeps its GPUs, until none is spared any more. The latter
 * returns whether any was. */
void astra_reclaim_spare(struct reclaim *rc, struct contender *loser);
bool astra_reclaim_spare_none(struct reclaim *rc);
/* Carry it out: the victims' GPUs become free in work, the place is taken. */
void astra_reclaim_take(struct reclaim *rc, const struct contender *c,
			size_t count);

/* The result of the passes. */
struct outcome {
	struct reclaim rc; /* of the last pass; rc.work: what stays free */
	struct ballot ballot;
	struct astra_share *places;
	size_t place_count, place_room;
};

/* await.c: where all who wait have a place soon without anybody's lease, mark
 * those that have it on GPUs which come free by themselves; they are not in
 * this round's contest. Returns 0, or -1 when memory is out. */
int astra_await(struct round *r);

/* round.c: the policy ranks the contenders and placement places them, until
 * both agree. Returns 0, or -1 with err set; astra_outcome_fini() in both
 * cases. */
int astra_round_contest(struct round *r, struct outcome *o,
			struct astra_error *err);
void astra_outcome_fini(struct outcome *o);

/* grow.c: once all who were granted GPUs have a place, those who were granted
 * more than their fewest take as many as find one; then those who lost some of
 * theirs are placed on what is left. Returns 0, or -1 when memory is out. */
int astra_round_grow(struct round *r, struct outcome *o);
/* The largest size above `less`, up to c->gpus, at which an elastic contender
 * finds a place, in whole steps. Returns the shares, in rc->shares, 0: none. */
size_t astra_grow_search(struct reclaim *rc, const struct contender *c,
			 uint32_t step, uint32_t less);

/* widen.c: add the idle nodes that a job with nodes_wish may have besides, its
 * gpus_per_node on each: none that a hold needs. left: free after this round's
 * grants; they are taken from it. shares: count of them, and room for `most`.
 * Returns how many there are now. */
size_t astra_widen(const struct round *r, const struct contender *c,
		   struct astra_space *left, struct astra_share *shares,
		   size_t count, size_t most);

/* settle.c */
/* Of the first `count` grants. */
void astra_settle_older(struct round *r, size_t count);
/* A lease that is over goes on until a hold begins: its GPUs are lent. That is
 * no lease of its own. */
void astra_lease_lend(struct round *r, struct ejob *j, double end_sec);
/* Whether a lease that would end at end_sec, cut to end with a hold, is still
 * worth starting: MinRunTime must not reach past the hold. */
bool astra_lease_is_worth(const struct round *r, const struct ejob *j,
			  double cut_sec, double end_sec);
/* By when a job was promised its first start, whoever is in its way since; 0:
 * it was not, or has had it. */
double astra_first_promised_sec(const struct round *r, const struct ejob *j);
/* By when a job has its first start, if that is promised; else 0. */
double astra_promised_sec(const struct round *r, const struct ejob *j);
/* Within how long of the end of the jobs without leases in its way its first
 * start is promised; 0: not, or none are. */
double astra_promised_after_sec(const struct round *r, const struct ejob *j);
/* The job without a lease whose end a waiting job waits for; 0: none. */
uint32_t astra_blocker_of(const struct astra_engine *e, const struct ejob *j);
/* Whether only the ends of jobs without leases make room: no promise holds
 * until then. */
static inline bool astra_vain_unleased(enum astra_wait vain)
{
	return vain == ASTRA_WAIT_PINNED || vain == ASTRA_WAIT_CPUS;
}
int astra_settle(struct round *r, const struct outcome *o);
/* Room for a reason of each row. Returns 0, or -1 when memory is out. */
int astra_reasons_reserve(struct astra_engine *e);
/* free_space: what is free after the round; NULL where it does not matter. */
int astra_explain(struct round *r, const struct astra_ranking *ranking,
		  const struct astra_space *free_space);
/* lack.c: what contenders without a place lack, into their jobs' reasons.
 * free_space: what is free after the round. Returns 0, or -1 when memory is
 * out. */
int astra_lacks_find(const struct round *r, const struct astra_ranking *ranking,
		     const struct astra_space *free_space);
/* Another lease for a job whose lease is over. */
void astra_lease_renew(struct round *r, struct ejob *j, double end_sec);
/* Whether the job has no GPUs and is to be told why. */
bool astra_job_waits(const struct astra_job *job);
/* Why; RANK where only the policy knows. */
enum astra_wait astra_wait_of(const struct round *r, const struct ejob *j,
			      const struct astra_job *job);

#endif
