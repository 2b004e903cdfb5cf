/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the engine, shared by its own files only:
 *   account.c       accounts for what happened since the last round
 *   adopt.c         lets the accounts begin with past usage
 *   allot.c         runs a round of a policy that allocates
 *   allot_place.c   places the awards of such a policy
 *   allot_promise.c keeps the bounds of first starts under such a policy
 *   aside.h         keeps the states of the pool's former policies
 *   await.c         finds jobs that wait for GPUs which come free anyway
 *   ballot.c        prepares the contest as the policy sees it
 *   caps.c          enforces hard caps of GPU hours
 *   contenders.c    finds the jobs that compete in a round
 *   contest.h       runs a round's contest by itself
 *   elastic.c       sizes jobs that can run on more or fewer GPUs
 *   engine.c        creates the engine, runs the steps of a round, gives views
 *   engine_state.c  saves and restores the engine
 *   first_start.c   computes the bound of each job's first start
 *   fits.c          finds which jobs could run if all running jobs ended
 *   grant.c         keeps promised GPUs together until all of them are free
 *   grow.c          places GPUs beyond an elastic job's fewest
 *   hold.h          keeps the bound of every job's first start, and the share
 *                   of every tenant: hold.c, calendar.c, turn.c, share.c,
 *                   recall.c, due.c, backlog.c, reserve.c
 *   idle.c          counts what is free when a round begins
 *   keep.c          lets jobs that declare no checkpoint keep their GPUs
 *   lack.c          finds what jobs without a place lack
 *   lease.c         begins and ends leases
 *   lend.c          lends GPUs that are idle after all awards
 *   level.c         computes how many GPUs an elastic job has by right
 *   losers.c        sorts jobs whose lease is over and not renewed
 *   offer.h         finds where jobs could run on the GPUs that are offered
 *   reclaim.c       chooses the jobs from which GPUs are taken back
 *   refusal.c       remembers starts that the host refused
 *   renumber.c      maps remembered node indices to a new snapshot's
 *   repay.c         repays what jobs that end early leave to jobs behind them
 *   rights.c        decides whose leases may end for a job: preemption, limits
 *   roster.h        lists the jobs that wait, run and leave; ends of leases
 *   round.c         decides which job gets what: policy, then placement
 *   settle.c        turns the outcome into leases, grants and reasons
 *   tenants.c       keeps the tenants, their weights and the capacity
 *   users.c         keeps the users within the tenants
 *   yield.c         chooses jobs that yield to a job without a place */
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

/* Whose cap of GPU hours blocks a job. */
enum astra_capped {
	ASTRA_CAPPED_NOT,
	ASTRA_CAPPED_TENANT,
	ASTRA_CAPPED_USER,
};

/* A cap in a round, in GPU seconds. Infinite: no cap. */
struct cap_room {
	double cap_sec;
	double used_sec;  /* used in the period */
	double left_sec;  /* left of the cap, after what leases may still use */
	double asked_sec; /* by waiting jobs */
	double most_sec;  /* the most that a round can grant */
	bool lone;	  /* a user's cap, for a tenant that counts as one
			   * user */
};

/* A job's place in the queue of its tenant's jobs that never ran. For each job
 * before it, a job waits one lease term of that job's GPUs longer. */
struct place {
	uint64_t nth;	/* index among all places ever given; 0: none */
	uint64_t last;	/* the last place given when the job began to run; 0: it
			 * has not run */
	uint32_t tasks; /* how many of its tasks later jobs wait for; 1 for a
			 * single job */
	double term_gpu_sec; /* GPU seconds of one task in a term */
	/* The job's bounds by the tenant's and by the user's quota, and these
	 * quotas when the bound was promised. 0: no such bound. */
	double tenant_sec, user_sec;
	double tenant_quota, user_quota;
};

/* GPU seconds for which the jobs behind a place no longer have to wait. These
 * jobs are a tenant's or a user's. */
struct repayment {
	uint32_t tenant, user; /* user NONE: all jobs of the tenant */
	uint64_t behind;
	double gpu_sec;
};

/* How often in a row the host has refused a job's starts: refusal.c. */
struct balk {
	uint32_t rounds;    /* refused rounds, at least a round interval
			     * apart */
	uint32_t terms;	    /* until_sec was set to this many lease terms after
			     * a refusal */
	double refused_sec; /* time of the last refused round */
	double until_sec;   /* until then no lease ends for the job */
	uint64_t shape;	    /* what the job asked for; 0: unknown */
};

/* A job as the engine remembers it between rounds. The order is for memory
 * locality: first the members that rounds read of all waiting jobs, then those
 * that rounds read of running jobs. */
struct ejob {
	uint32_t id;	  /* 0: a vacant row */
	uint32_t tenant;  /* index into tenants */
	uint32_t user;	  /* index into users, or NONE */
	uint32_t account; /* index in the fairness account */
	enum astra_job_state state;
	enum astra_phase phase;
	uint32_t held_gpus;
	bool booting;
	bool uncharged; /* its present or last run is not charged: it has not
			 * begun */
	bool revocable;
	bool ran;    /* has been started at least once */
	bool unfit;  /* waits, but could not start even if all running jobs
		      * ended */
	bool lacks;  /* waits for room in a limit */
	bool balked; /* waits, but the host keeps refusing its starts */
	struct balk balk;
	uint32_t gpus;	     /* what it asks for */
	uint32_t gpus_least; /* the fewest that it can run on */
	uint32_t copies;
	uint32_t grants;   /* number of outstanding grants */
	uint32_t refusals; /* number of remembered refusals */
	uint32_t leases;
	double charge; /* its demand: the charge of the GPUs that it holds, or
			* else asks for */
	double weight;
	double submit_sec;    /* its first submission */
	double bound_sec;     /* a later first start is late; 0: no bound */
	uint64_t shape;	      /* of its request, without refusals; 0: unknown */
	uint64_t vain_shape;  /* its shape at the last search for a hold that
			       * failed */
	double vain_sec;      /* when a search for a hold last failed */
	enum astra_wait vain; /* why that search failed; NONE: it did not */
	uint32_t blocker;     /* id of the job without a lease whose end the job
			       * waits for; 0: none */
	double blocked_sec;   /* when jobs without leases last prevented its
			       * start; 0: never */
	/* The bound that its first start would have if it had come when jobs
	 * ceased to keep GPUs. 0: it did not wait then. */
	double kept_bound_sec;
	uint32_t index; /* in the present snapshot's jobs */
	double held_charge;
	double start_sec;
	double min_run_sec; /* MinRunTime; with "auto", the job's own */
	double lease_sec;   /* the term of its leases */
	double lease_start_sec, lease_end_sec;
	double noted_end_sec;  /* the end of its lease in the roster's heap; 0:
				* not there */
	double keep_until_sec; /* a job that keeps its GPUs: from then on it has
				* leases; 0: it keeps them for now */
	uint32_t array_id;
	uint32_t seen; /* epoch of the last snapshot with this job */
	uint32_t restart_cnt;
	uint32_t revoked;
	uint32_t early_for;   /* id of the job for which its lease is to end
			       * early */
	uint32_t doomed_for;  /* id of the job that got its GPUs */
	double early_gpu_sec; /* what the budget counts for that early end; 0:
			       * nothing */
	bool awaits;	/* leases must end for it; only set while grants are
			 * revised */
	bool lent;	/* its GPUs are lent until a hold begins */
	bool served;	/* its grants come from a hold that has been served */
	bool collected; /* leases of other jobs ended for its grant or its
			 * lease */
	bool awaited;	/* it waited for GPUs that come free by themselves when
			 * its hold was due */
	bool late;	/* its first start was counted as late */
	bool over;	/* it is listed in roster.over */
	bool elastic, bound_to_leave; /* whether the roster counts it as such */
	struct advance_part advance;  /* its part in the sums of advance_tenant
				       * and advance_user */
	uint32_t advance_tenant, advance_user;
	enum astra_capped capped;
	uint32_t cap_copies; /* with a cap: the number of copies that may get
			      * leases */
	struct place place;
	double away_sec; /* end of its last run; 0: none */
	double grace_end_sec;
	double told_sec;	/* when it was told to leave; 0: it was not */
	double planned_end_sec; /* end of the lease of its next start; 0: after
				 * a full term */
	double lost_sec;
	struct astra_share *held; /* kept only if the host says what changed */
	size_t held_count;
	uint64_t fits_key; /* the key for which `unfit` was found; 0: not found
			    * yet */
};

struct etenant {
	char *name;
	uint32_t account;
	bool listed;
	double weight;
	/* For keep.c, in this round, while jobs keep their GPUs. keep_room:
	 * GPUs of the tenant's share that it does not hold; negative if it
	 * borrows. keep_lacks: it lacks GPUs. */
	double keep_room;
	bool keep_lacks;
	double lacks_sec; /* since when it has lacked GPUs of its share while
			   * borrowing jobs had leases (keep.c); 0: it does
			   * not */
	struct advance advance;
	struct cap_room cap;
};

struct euser {
	char *name;
	uint32_t tenant;  /* index into tenants */
	uint32_t account; /* index in the fairness account */
	uint32_t jobs;	  /* number of known jobs */
	double weight;
	struct advance advance;
	struct cap_room cap;
};

/* A promise: the job gets these GPUs as soon as they are all free. */
struct grant {
	uint32_t job;	  /* id */
	double until_sec; /* end of the lease that it becomes; 0: after a full
			   * term */
	double told_sec;  /* when the last of the jobs that have to leave for it
			   * was told to */
	struct astra_share *shares;
	size_t count;
};

/* GPUs that are kept for a job from start_sec on. Until then they are lent. */
struct hold {
	uint32_t job; /* id */
	double start_sec;
	bool anybody; /* it may use leases of any tenant, not only of richer
		       * ones */
	struct astra_share *shares;
	size_t count;
};

/* A start that the host refused. For now the job is not tried on these nodes,
 * or not at all. */
struct refusal {
	uint32_t job; /* id */
	double until_sec;
	uint64_t *nodes; /* bitmap of banned nodes; NULL: the job is not tried
			  * on any node */
};

/* What the snapshot's jobs leave free on a node. Negative if they hold more
 * than the node has. */
struct idle_node {
	int64_t gpus, cpus;
	int32_t users; /* how many jobs hold shares there */
	bool settling;
};

/* What is free, by node; idle.c. */
struct idle {
	bool known; /* the counts are those of the last snapshot */
	struct astra_space *space;
	struct astra_ranks ranks;
	struct idle_node *left;
	uint32_t *coming; /* GPUs that come free on each node; all 0 between
			   * rounds */
	uint32_t *moved;  /* nodes on which jobs hold something else now */
	size_t moved_count, moved_room;
	uint32_t gpus_max;
	uint64_t usable_gpus;
	bool emptying;	 /* some node is to be emptied */
	size_t settling; /* number of settling nodes */
};

/* Which requests fit, by their shape; fits.c. */
struct fits_answer;
struct fits {
	struct astra_space *space; /* space of empty nodes; NULL: unknown */
	struct astra_share *shares;
	size_t node_count;
	uint32_t gpus_max;
	struct fits_answer *answers; /* a hash table, by shape */
	size_t count, room;
	uint64_t generation; /* generation of the nodes for which the answers
			      * hold */
	size_t looks;	     /* how many searches this round may still make */
	bool more;	     /* the searches did not suffice: the next round
			      * goes on */
};

/* What leases that ended early cost in the last hour; budget.c. */
#define ASTRA_BUDGET_MINUTES 60
struct budget {
	uint64_t minute; /* the last minute that is included, since the epoch */
	double gpu_sec[ASTRA_BUDGET_MINUTES]; /* by minute % 60 */
	uint32_t jobs;			      /* jobs told to leave in the last
					       * minute */
};

struct astra_engine {
	const struct astra_policy *policy;
	void *policy_self;
	bool policy_lost; /* its saved state was damaged */
	struct astra_fairness *account;
	double begin_sec;
	double now_sec;		    /* of the last round */
	double period_begin_sec;    /* begin of the present CapPeriod; 0:
				     * unknown */
	struct astra_job *cap_jobs; /* with caps: a copy of the snapshot's jobs
				     * that caps.c changes */
	size_t cap_job_room;
	uint32_t epoch;
	struct etenant *tenants;
	size_t tenant_count, tenant_room;
	uint32_t *tenant_of; /* index of a tenant in the snapshot -> index in
			      * tenants */
	size_t tenant_of_room;
	struct euser *users;
	size_t user_count, user_room;
	uint32_t *user_of; /* index of a user in the snapshot -> index in
			    * users */
	size_t user_of_room;
	uint32_t *row_of; /* index of a job in the present snapshot -> its
			   * row */
	size_t row_of_room;
	struct ejob *jobs; /* rows, of which some are vacant */
	size_t job_count, job_room;
	/* By row: the reason that the last round with reasons gave. A reason
	 * counts only for the job that it names. Empty if no round gives
	 * reasons. */
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
	/* Nodes of the last snapshot, to which the node indices in grants,
	 * refusals and the policy's state refer. */
	struct astra_node_names nodes;
	size_t node_words;	    /* words of a bitmap of nodes */
	struct astra_asides asides; /* states of the pool's former policies */
	/* back: the policy has come back, and its node indices refer to
	 * back_nodes. */
	struct astra_node_names back_nodes;
	bool back;
	struct hold *holds;
	size_t hold_count, hold_room;
	/* Memory of a round's contest, reused in the next round. */
	struct contender *contenders;
	size_t contender_room;
	struct astra_candidate *candidates;
	size_t candidate_room;
	struct astra_choice *choices;
	size_t choice_room;
	/* unbound: some jobs that wait for their first start may have no bound
	 * yet. first_bound_sec: the earliest bound of the other jobs that has
	 * not passed. */
	bool unbound;
	double first_bound_sec;
	/* Some job keeps its GPUs by Unprepared=share. This may delay any first
	 * start. */
	bool keeps;
	uint64_t places;	      /* number of places ever given */
	struct repayment *repayments; /* empty between rounds */
	size_t repayment_count, repayment_room;
	struct budget budget;
	uint32_t last_reclaim; /* GPUs that the last round took back */
	bool unwanted;	       /* no job waited after the last round */
	bool limited;	       /* the last snapshot had limits */
	struct astra_counters counters;
	struct astra_options options;
};

/* engine.c: create an engine with a policy that need not be in the registry;
 * otherwise as astra_engine_create(). policy may be NULL if the options name no
 * known policy: then this fails. */
struct astra_engine *
astra_engine_create_with(const struct astra_options *options,
			 const struct astra_policy *policy, double begin_sec,
			 struct astra_error *err);

/* engine_image.c: the members of each struct that an image contains. */
extern const struct astra_member astra_image_engine_members[];
extern const struct astra_member astra_image_tenant_members[];
extern const struct astra_member astra_image_user_members[];
extern const struct astra_member astra_image_job_members[];
extern const struct astra_member astra_image_grant_members[];
extern const struct astra_member astra_image_hold_members[];
extern const struct astra_member astra_image_refusal_members[];

/* engine_state.c: the members of a job that are saved, besides its flags,
 * weight, charges, user and first start. */
extern const struct astra_member astra_state_job_counts[];
extern const struct astra_member astra_state_job_times[];
extern const struct astra_member astra_state_job_places[];

/* budget.c: return the GPU seconds that early ends of leases cost in the last
 * hour. */
double astra_budget_spent(const struct astra_engine *e);
/* Follow the clock, which was set forward by by_sec. */
void astra_budget_shift(struct astra_engine *e, double by_sec);

/* engine_state.c: make another instance of the policy, with the state of
 * `self`. Returns NULL with err set on failure. */
void *astra_policy_again(const struct astra_policy *policy, const void *self,
			 const struct astra_options *options,
			 struct astra_error *err);

/* tenants.c: return the index of a tenant, or NONE. */
uint32_t astra_engine_find_tenant(const struct astra_engine *e,
				  const char *name);

/* tenants.c: map the snapshot's tenants to ours, then take over their weights
 * and the capacity. */
int astra_tenants_map(struct astra_engine *e,
		      const struct astra_snapshot *snap);
void astra_tenants_set_shares(struct astra_engine *e,
			      const struct astra_snapshot *snap, bool *changed);

/* users.c: map the snapshot's users to ours. Call after astra_tenants_map().
 * Returns 0, or -1 when memory is out. */
int astra_engine_users_map(struct astra_engine *e,
			   const struct astra_snapshot *snap);
/* Add a new user. Takes the name. Returns the user's index, or NONE when memory
 * is out. */
uint32_t astra_engine_user_add(struct astra_engine *e, uint32_t tenant,
			       char *name, double weight);
/* Return the index in the account of a tenant's user. An unknown user is added.
 * Returns NONE when memory is out. */
uint32_t astra_engine_user_number(struct astra_engine *e, uint32_t tenant,
				  const char *name);
/* Return the user to whose jobs a job counts. Returns NONE if the job counts
 * directly for its tenant. */
uint32_t astra_engine_user_of(const struct astra_engine *e,
			      const struct astra_snapshot *snap,
			      const struct astra_job *job);

/* caps.c */
/* Call before the accounts follow. If there are caps, give snap a copy of its
 * jobs, which astra_caps_deal() may change. Returns 0, or -1 when memory is
 * out. */
int astra_caps_begin(struct astra_engine *e, struct astra_snapshot *snap);
/* Decide which jobs may have a lease. Call once the accounts have followed.
 * Returns 0, or -1 when memory is out. */
struct round;
int astra_caps_deal(struct round *r);
/* Return the end of a lease that begins now. With caps it is cut to the end of
 * a term, or slot, for which there is room. */
double astra_caps_end(const struct astra_engine *e, const struct ejob *j,
		      double end_sec);
/* Forget all caps. */
void astra_caps_forget(struct astra_engine *e);
/* If a cap makes the job wait, say so in reason. */
void astra_caps_explain(const struct round *r, const struct ejob *j,
			const struct astra_job *job,
			struct astra_reason *reason);
/* Save and restore what was used in the period. The data is at the end of a
 * state or an image. If there is none, astra_caps_get() changes nothing.
 * Returns 0, or -1. */
void astra_caps_put(const struct astra_engine *e, struct astra_bytes *out);
int astra_caps_get(struct astra_engine *e, struct astra_reader *in);

/* account.c: look at a job in the next round even if it has not changed. This
 * is not saved, since after a restart every job is looked at. */
void astra_account_again(struct astra_engine *e, uint32_t row);

/* account.c: the tenant and user to whom a job's GPU time is charged, its
 * weight, and its charge. A change keeps the job's integrals. Returns 0, or -1
 * when memory is out. */
struct astra_title {
	uint32_t tenant, user;
	double weight, charge;
};
int astra_job_retitle(struct astra_engine *e, struct ejob *j,
		      const struct astra_title *title);

/* Whether a job has a right to GPU time now: it runs, or could run if there
 * were room. Only active jobs count for demand. */
static inline bool astra_ejob_active(const struct ejob *j)
{
	return astra_job_active(j->state) && !j->unfit && !j->balked;
}

/* Whether the snapshot has the job at j->index. */
static inline bool astra_ejob_listed(const struct ejob *j,
				     const struct astra_snapshot *snap)
{
	return j->seen && j->index < snap->job_count &&
	       snap->jobs[j->index].id == j->id;
}

/* fits.c */
void astra_fits_clear(struct fits *fits);
/* Call before astra_fits(): take over the snapshot's nodes. Returns 0, or -1
 * when memory is out. */
int astra_fits_begin(struct astra_engine *e, const struct astra_snapshot *snap);
/* Whether a job would have a place if all running jobs had ended. If the round
 * has made too many searches, returns the last round's answer. q, shape: the
 * job's, without refusals. */
bool astra_fits(struct astra_engine *e, struct ejob *j,
		const struct astra_request *q, uint64_t shape);

/* contenders.c: return the shape of a job's request, without refusals. The
 * shape is computed once after each change of the job. */
uint64_t astra_contender_shape(struct ejob *j,
			       const struct astra_snapshot *snap,
			       const struct astra_job *job);

/* contenders.c: return a hash of a job's request. It does not depend on which
 * of the possible nodes the host has chosen this time. O(nodes / 64). */
uint64_t astra_contender_asked(const struct astra_snapshot *snap,
			       const struct astra_job *job);

/* roster.c: change a job's phase or its lease's end. Call after
 * astra_account_sync(). */
void astra_job_set_phase(struct astra_engine *e, struct ejob *j,
			 enum astra_phase phase);
void astra_lease_set_end(struct astra_engine *e, struct ejob *j,
			 double end_sec);

/* lease.c */
/* Update a job's lease from the job's record. revocable: whether the job may
 * now be requeued at a lease's end. */
void astra_lease_follow(struct astra_engine *e, struct ejob *j,
			const struct astra_job *job, bool revocable,
			double now_sec, bool *changed);

/* keep.c: jobs that declare no checkpoint. */
/* Whether the job's next run begins without a lease because it declares no
 * checkpoint. */
bool astra_will_keep(const struct astra_engine *e, const struct astra_job *job);
/* Whether the job's present run has no lease because the job declares no
 * checkpoint: the run is new, or had no lease in the last round. */
bool astra_kept(const struct astra_engine *e, const struct ejob *j,
		const struct astra_job *job);
/* Return when a run that begins now gives its GPUs back for the first time. */
double astra_first_end(const struct round *r, const struct ejob *j,
		       const struct astra_job *job);
/* Whether a lease until end_sec, cut to cut_sec, is worth starting. As
 * astra_lease_is_worth(), but the lease of a job that keeps its GPUs must not
 * be cut, since the job would not give lent GPUs back. */
bool astra_first_is_worth(const struct round *r, const struct ejob *j,
			  const struct astra_job *job, double cut_sec,
			  double end_sec);
/* Return UnpreparedMin in seconds. */
double astra_unprepared_sec(const struct astra_options *options);
/* Call once grants are revised, before the round decides. Decide which jobs
 * that declare no checkpoint keep their GPUs and which have leases. free_gpus:
 * all that are not granted. Returns 0, or -1 when memory is out. */
int astra_keep_follow(struct round *r, uint64_t free_gpus);

/* lease.c: renew the leases that ended while no job waited, as if at their
 * ends. last_sec: time of the last round. No job waited from then on. */
void astra_leases_catch_up(struct astra_engine *e,
			   const struct astra_snapshot *snap, double last_sec,
			   bool *changed);
/* Whether the job keeps its GPUs at its lease's end, for now. */
bool astra_lease_stays(const struct ejob *j, const struct astra_job *job);
/* Return how long the GPUs of a job that was told to leave are waited for.
 * Infinite: unknown. */
double astra_leave_sec(const struct astra_engine *e,
		       const struct astra_snapshot *snap);
/* Whether a job should have left its GPUs by now. */
bool astra_lease_overdue(const struct astra_engine *e,
			 const struct astra_snapshot *snap,
			 const struct ejob *j, const struct astra_job *job);
/* Return the end of a lease that continues: end_sec, or earlier if its nodes
 * are reserved for others before. */
double astra_lease_cut(const struct astra_job *job, double end_sec);
/* Cut each endless lease to a term from the last round on, unless the policy
 * has endless leases. */
void astra_leases_bound(struct astra_engine *e);
/* Whether a running job must leave its nodes at its lease's end. */
bool astra_lease_must_end(const struct astra_snapshot *snap,
			  const struct astra_job *job);

struct ejob *astra_engine_find(struct astra_engine *e, uint32_t id);

/* Whether a job counts for its user's share. Most policies that allocate know
 * tenants and jobs only. */
static inline bool astra_shared_by_user(const struct astra_engine *e,
					const struct ejob *j)
{
	return j->user != ASTRA_NONE &&
	       (!e->policy->allocate || e->policy->users);
}

/* Whether jobs of several GPUs are owed turns, so that their tenants get their
 * shares. */
static inline bool astra_engine_owes(const struct astra_engine *e)
{
	return !e->policy->allocate || e->policy->shares;
}

/* Whether first starts have a bound. Baselines from papers follow their own
 * rule. */
static inline bool astra_engine_promises(const struct astra_engine *e)
{
	return e->options.promise && !e->policy->source;
}

/* The working data of one round. */
struct round {
	struct astra_engine *e;
	const struct astra_snapshot *snap;
	struct astra_plan *plan;
	struct astra_space *idle; /* free GPUs less the promised ones */
	uint32_t *coming;	  /* per node: GPUs of leaving jobs */
	uint32_t node_gpus_max;
	uint64_t usable_gpus;
	bool emptying;	/* some node is to be emptied */
	bool told;	/* the host says what changed */
	bool withdrawn; /* a grant was withdrawn; the next round can use its
			 * GPUs */
	struct contender *contenders;
	size_t contender_count, contender_room;
	size_t grants_before;		    /* grants made in earlier rounds */
	struct astra_node_hold *node_holds; /* per node; NULL: there are no
					     * holds */
	struct astra_share *missing;	    /* CPUs and memory that grants still
					     * lack */
	size_t missing_count;
	struct astra_share reserve; /* kept from the contest; gpus 0: no
				     * reserve */
	double wake_sec;	    /* when the policy wants the next round */
	bool elastic;		    /* some contender is elastic */
	double *levels;		    /* levels of tenants, then of users; NULL:
				     * not computed */
	/* Tenants, then users, before leases are charged. NULL: not
	 * computed. */
	struct astra_contestant *contestants;
	struct astra_job *least;  /* jobs of elastic contenders, asking for
				   * their fewest GPUs */
	struct astra_share *lost; /* shares to which the contenders' `lose`
				   * point */
	int yields;		  /* number of searches for jobs that yield */
	uint64_t yield_vain;	  /* shape of the last such search that
				   * failed */
	bool literal; /* follow the papers to the letter: losers have left, no
		       * job yields, jobs drop out one by one */
};

/* A candidate, with what the engine needs to place it. */
struct contender {
	uint32_t row;	       /* its job, an index into e->jobs */
	uint32_t tenant, user; /* tenant and user of the job */
	uint32_t winner;       /* if expired and taken: id of the job that gets
				* its GPUs */
	double precedence, submit_sec;
	const struct astra_job *job;
	uint64_t shape; /* equal requests have equal shapes */
	bool ran;	/* the job has been started at least once */
	bool expired;	/* holds GPUs, but its lease is over */
	bool granted;	/* was granted GPUs by the policy in this pass */
	bool failed;	/* no job of this shape found a place */
	bool vain;	/* astra_turn_vain() of the job */
	bool refused;	/* the policy does not want the job to run */
	bool awaits;	/* it waits for GPUs that come free by themselves */
	bool taken;	/* expired: its GPUs go to others */
	bool spared;	/* expired: keeps its GPUs while a hold is served */
	bool barred;	/* expired: its lease may not end for the job that
			 * searches */
	bool runs;	/* counts as expired only so that it may grow */
	bool resized;	/* expired: leaves to start at its own place of another
			 * size */
	uint32_t first_share, share_count; /* waiting and granted: its place, as
					    * indices in places */
	uint32_t yields_to; /* expired: 1 + index of the contender to which it
			     * yields its lease; 0: none */
	uint32_t gpus;	    /* granted in this pass */
	uint32_t most;	    /* more GPUs than this do not pay, or are
			     * impossible */
	uint32_t lose_count;
	/* For an expired contender that was granted fewer GPUs than it holds:
	 * lose_count shares of the difference. It loses them if another job can
	 * use them. */
	const struct astra_share *lose;
	/* For an elastic contender under a policy that ranks: the unchanged
	 * job; NULL: rigid. `job` then asks for the fewest GPUs only. So the
	 * contender waits, is promised GPUs and is placed as if it asked for no
	 * more. */
	const struct astra_job *elastic;
	double until_sec; /* if awarded: end of its lease; 0: after a term */
};

/* account.c: bring accounts and leases up to the snapshot's time. */
int astra_account_sync(struct round *r, struct astra_error *err);

/* level.c */
/* Fill r->levels, unless that is done. Returns 0, or -1 when memory is out. */
int astra_levels_find(struct round *r);
/* Return the level of a job's tenant or user in whole GPUs, as far as the job
 * can use them. */
uint32_t astra_level_gpus(const struct round *r, const struct ejob *j);

/* elastic.c */
/* Prepare the elastic contenders: each competes for its fewest GPUs first.
 * Returns 0, or -1 when memory is out. */
int astra_elastic_find(struct round *r);
/* Let elastic jobs whose leases continue compete for more GPUs, once other jobs
 * have been served from expired leases. Returns 0, or -1 when memory is out. */
int astra_elastic_find_running(struct round *r);
/* Fill in for how many GPUs, and how, a contender competes. */
void astra_elastic_candidate(const struct round *r, const struct contender *c,
			     struct astra_candidate *candidate);
/* Call after a ranking. Returns whether some running job was granted too few
 * additional GPUs to be worth a checkpoint and a start. Such a job keeps what
 * it has, and the policy must be asked again for the other jobs. */
bool astra_elastic_cap(struct round *r, struct astra_candidate *candidates);
/* Whether the contender's granted size is worth a checkpoint and a start,
 * compared with what it holds. */
bool astra_elastic_pays(const struct round *r, const struct contender *c);
/* Let contenders that were granted fewer GPUs than they hold offer the
 * difference. */
void astra_elastic_offer(struct round *r);
/* Offer the GPUs of a running elastic job beyond its level (to_level), or
 * beyond its fewest. lost: filled in; has room for as many shares as the job
 * holds. */
void astra_elastic_offer_spare(const struct round *r, struct contender *c,
			       bool to_level, struct astra_share *lost);
/* Return the contender as if its job asked for `gpus` GPUs. job: filled in. */
struct contender astra_elastic_sized(const struct contender *c, uint32_t gpus,
				     struct astra_job *job);
/* Return what an elastic contender keeps after other jobs took additional GPUs
 * of it: the rest, and the lost GPUs that are still free. It is taken from
 * work. shares: has room for as many as the contender holds. Returns the number
 * of shares. */
size_t astra_elastic_keep(const struct contender *c, struct astra_space *work,
			  struct astra_share *shares);
/* Return the charge of `gpus` GPUs of the job. */
double astra_elastic_charge(const struct ejob *j, uint32_t gpus);

/* idle.c */
void astra_idle_clear(struct idle *idle);
/* Note what the job holds according to the snapshot, or that a forgotten job
 * holds nothing. Returns 0, or -1 when memory is out. */
int astra_idle_move(struct astra_engine *e, struct ejob *j,
		    const struct astra_job *job);
void astra_idle_leave(struct astra_engine *e, struct ejob *j);
/* Find what is free on the nodes, and what leaving jobs hold. Returns 0, or -1
 * when memory is out. */
int astra_idle_build(struct round *r);
/* Replace the round's idle space. Takes space. */
void astra_idle_replace(struct round *r, struct astra_space *space);
/* Undo all that the round took from the idle space. */
void astra_idle_end(struct round *r);

/* first_start.c */
/* Call after astra_idle_build(). Give a bound to jobs that are seen waiting for
 * their first start, take it from those that cannot start, and count late jobs.
 * Returns 0, or -1 when memory is out. */
int astra_first_starts_follow(struct round *r);
/* Note why a search for a hold failed. A job that is too big has no bound. */
void astra_first_start_vain(struct astra_engine *e, struct ejob *j,
			    enum astra_wait vain);
/* Return when the tenant's quota has paid for the job's first start and for
 * those before it; infinite: no bound. before: how many tasks of the array
 * start earlier. */
double astra_first_start_due(const struct astra_engine *e,
			     const struct astra_snapshot *snap,
			     const struct ejob *j, size_t before);
/* Call when jobs have ceased to keep GPUs. Promise all waiting jobs their first
 * starts as if they had come now, one after the other. Returns 0, or -1 when
 * memory is out. */
int astra_first_starts_renew(struct round *r);
/* Take the place and the bound from a job that never ran. The jobs behind it
 * are repaid. */
void astra_first_start_quit(struct astra_engine *e, struct ejob *j);
/* Update e->first_bound_sec for a job's new bound: no job becomes late before
 * that time. */
void astra_first_start_next(struct astra_engine *e, const struct ejob *j);
/* Return how long running jobs may take to leave for a first start. */
double astra_first_start_grace_sec(const struct astra_engine *e,
				   const struct astra_snapshot *snap);
/* Return the place that the job would get if it came now and no other job
 * waited. */
struct place astra_first_start_earliest(const struct round *r,
					const struct ejob *j);
/* Adapt the bound of a waiting job. Call before the job gets a new request and
 * title. */
void astra_first_start_change(struct astra_engine *e, struct ejob *j,
			      const struct astra_request *request,
			      const struct astra_title *title);
/* Give a task its array's bound. The array then gets the bound of its next
 * task. */
void astra_first_start_split(const struct astra_engine *e, struct ejob *array,
			     struct ejob *task);
/* Note the job's first start. Call before j->ran is set. */
void astra_first_start_begin(struct astra_engine *e, struct ejob *j,
			     double start_sec);

/* repay.c */
/* Give the job the last place, behind all jobs that have one. A place says by
 * when the quotas have paid for the job. */
void astra_place_take(struct astra_engine *e, struct ejob *j);
/* Give a task the first of its array's places. gpu_sec: GPU seconds of the task
 * in a term. */
void astra_place_split(struct place *array, struct place *task, double gpu_sec);
/* Change by gpu_sec the GPU seconds that the job itself may use in its first
 * term. The jobs behind it are still repaid no more than each of them counts
 * for it. */
void astra_place_change(struct place *place, double gpu_sec);
/* Take the job's place away. In the next round, the jobs behind it are repaid
 * what they count for the job, less used_gpu_sec. */
void astra_place_leave(struct astra_engine *e, struct ejob *j,
		       double used_gpu_sec);
/* As astra_place_leave(), for a job that ran and ended at at_sec. The time that
 * other jobs may have needed to leave for its start also counts as used, since
 * its GPUs did nothing else then. */
void astra_place_end(struct astra_engine *e, const struct astra_snapshot *snap,
		     struct ejob *j, double at_sec);
/* Move the bounds of waiting jobs forward by what jobs before them left;
 * repay.c has the rules. queue: waiting jobs with places; gets sorted. Returns
 * 0, or -1 when memory is out: then all bounds stay. */
int astra_places_repay(struct round *r, struct ejob **queue, size_t count);

/* grant.c */
/* Drop the grants that can no longer be kept, and set aside what is free of the
 * others. Returns 0, or -1 when memory is out. */
int astra_grants_revise(struct round *r);
/* Set in the shares which owner the nodes belong to while the job is there. The
 * job must exist. */
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
/* Whether the host balks at a job from now on, so that no lease ends for it.
 * waits: the job could start but has not. shape: of its request. */
bool astra_refusals_balk(const struct astra_engine *e, struct ejob *j,
			 bool waits, uint64_t shape, double now_sec);

/* renumber.c: call before anything else looks at a snapshot's nodes. */
void astra_engine_follow_nodes(struct astra_engine *e,
			       const struct astra_snapshot *snap);

/* contenders.c: fill r->contenders. */
int astra_contenders_find(struct round *r);
/* Whether the job's lease is over and one of its nodes is to be emptied. */
bool astra_contender_leaves(const struct round *r, const struct ejob *j,
			    const struct astra_job *job);
/* Whether a job's lease is over, the job may lose its GPUs, and others could
 * use them. */
bool astra_contender_expired(const struct round *r, const struct ejob *j,
			     const struct astra_job *job);

/* Remove the contenders that holds have served. Expired ones among them have to
 * leave. */
void astra_contenders_withdraw(struct round *r);

/* ballot.c */
/* The contest as the policy sees it. The engine owns the memory of candidates
 * and choices, so only one ballot exists at a time. */
struct ballot {
	struct astra_contest contest;
	struct astra_candidate *candidates;
	struct astra_contestant *tenants, *users; /* one array: tenants, then
						   * users */
	struct astra_ranking ranking;
};

int astra_ballot_init(struct ballot *b, struct round *r, size_t room);
void astra_ballot_fini(struct ballot *b);
struct astra_candidate astra_ballot_candidate(const struct round *r,
					      uint32_t row,
					      const struct astra_job *job);
void astra_ballot_charge(const struct round *r, struct ballot *b);
/* Charge one job, as astra_ballot_charge() does for all. */
void astra_ballot_charge_job(struct ballot *b, const struct ejob *j,
			     double gpu_sec);
int astra_ballot_run(const struct round *r, struct ballot *b,
		     struct astra_error *err);

/* round.c */
int astra_round_decide(struct round *r, struct astra_error *err);
/* Without leases: decide in which order the host should start jobs. */
int astra_round_order(struct round *r, struct astra_error *err);

struct reclaim;

/* yield.c: let the jobs yield that are in the way of a contender which was
 * granted GPUs but found no place in rc. They lose their leases in the next
 * pass. Returns 1 if any yields, 0 if none does, or -1 when memory is out. */
int astra_round_yield(struct round *r, const struct reclaim *rc,
		      const struct ballot *b, size_t rank);

/* allot.c: the round of a policy that allocates. */
int astra_round_allot(struct round *r, struct astra_error *err);

/* reclaim.c: find a place for a waiting contender on free GPUs and on losers'
 * GPUs, taking back as few GPUs as possible. */
#define ASTRA_KNAPSACK_GPUS 64 /* of a node, from which losers are chosen */
#define ASTRA_KNAPSACK_JOBS 64

struct reclaim {
	struct round *r;
	struct astra_space *work; /* what is free in this pass */
	struct astra_space *all;  /* work plus what losers hold */
	uint32_t *losers;	  /* contender indices, in their order */
	size_t loser_count;
	uint32_t *by_node;  /* indices of losers on each node, sorted by node */
	size_t *first;	    /* node -> its first entry in by_node */
	uint32_t *by_cost;  /* losers, sorted by the number of GPUs they hold */
	size_t *cost_first; /* cost -> its first entry in by_cost */
	size_t *cost_head;  /* cost -> its first entry that is not taken */
	size_t *cost_next;  /* cost -> its first entry that this search has not
			     * chosen */
	size_t cost_max;
	struct astra_share *shares; /* of the last place found */
	uint32_t *victims;	    /* of the last place found */
	size_t victim_count;
	uint8_t *chosen;	/* per contender: chosen in this search */
	uint32_t gpus_idle_max; /* most free GPUs on a node when the pass
				 * began */
	uint32_t hints[ASTRA_KNAPSACK_GPUS + 1]; /* first node worth a look, by
						  * number of GPUs needed */
	uint64_t preempts;  /* classes that jobs of losers may preempt */
	int64_t *room;	    /* room left in each limit; NULL: no limits */
	uint32_t *released; /* victims of the last place found that were chosen
			     * for room in limits */
	size_t released_count;
};

/* rights.c */
/* Call once the accounts have followed. Find the jobs that wait for room in a
 * limit. Their first start has no bound, as nobody knows when there will be
 * room. If their own tenant uses the limit, they do not count for its demand.
 * Returns 0, or -1 when memory is out. */
int astra_rights_sync(struct round *r);
/* Whether there is a waiting job that the contender could preempt. */
bool astra_rights_spare(const struct round *r, const struct contender *c);
/* Return the room that running jobs leave in each limit: an array of
 * limit_count values, for free(). Returns NULL when memory is out. */
int64_t *astra_rights_now(const struct round *r);
/* As astra_rights_now(), but leaving jobs count as gone. */
int64_t *astra_rights_coming(const struct round *r);
/* As astra_rights_coming(), but granted jobs count as running. */
int64_t *astra_rights_room(const struct round *r);
/* Add what the job uses to the room (sign 1), or take it off (sign -1). */
void astra_rights_count(int64_t *room, const struct astra_job *job, int sign);
/* Whether a limit leaves the job no room. room may be NULL if there are no
 * limits. */
bool astra_rights_lack(const int64_t *room, const struct astra_job *job);
/* Prepare the losers' rights. Returns 0, or -1 when memory is out. */
int astra_rights_init(struct reclaim *rc);
void astra_rights_fini(struct reclaim *rc);
/* Call before a search for a place. Bar the losers whose leases may not end for
 * the job, and choose losers whose end leaves the job room in limits. The GPUs
 * of the chosen losers are then free in rc->work. Returns false if no choice of
 * losers leaves room in the limits. */
bool astra_rights_begin(struct reclaim *rc, const struct contender *c);
/* Call after the search. found: count the losers chosen for limits as victims
 * too. */
void astra_rights_end(struct reclaim *rc, bool found);
/* Note that the job has its place and the victims leave. */
void astra_rights_take(struct reclaim *rc, const struct contender *c);
/* Take over the room in limits for another pass. */
void astra_rights_follow(struct reclaim *to, const struct reclaim *from);
/* Call before a policy that allocates is asked. End expired leases if that
 * leaves a poorer user's job room in a limit. The policy knows no limits and
 * would award the same GPUs again. Returns 0, or -1 when memory is out. */
int astra_rights_serve(struct round *r);
/* Return the end of a lease that continues, of a job that uses a limit:
 * end_sec, or the start of a hold that needs room in the limit. */
double astra_rights_cut(const struct round *r, const struct astra_job *job,
			double end_sec);

/* losers.c */
/* space: what is free without the losers' GPUs; copied. */
int astra_reclaim_init(struct reclaim *rc, struct round *r,
		       const struct astra_space *space);
void astra_reclaim_fini(struct reclaim *rc);
bool astra_loser(const struct contender *c);
/* Return the shares that a loser loses: all that it holds, or a part. */
const struct astra_share *astra_loser_shares(const struct contender *c,
					     size_t *count);
uint32_t astra_loser_cost(const struct contender *c);
void astra_loser_give(const struct round *r, struct astra_space *space,
		      const struct contender *c);
void astra_loser_take(const struct round *r, struct astra_space *space,
		      const struct contender *c);
/* Whether the space has as many free GPUs as the loser holds, on the same
 * nodes. */
bool astra_loser_fits(const struct round *r, const struct astra_space *space,
		      const struct contender *c);
uint32_t astra_losers_cheapest(const struct reclaim *rc, uint32_t node,
			       uint32_t need, uint32_t *picked, size_t *count);
/* Add what a loser loses on a node to the room there. */
void astra_room_add(struct astra_room *room, const struct contender *c,
		    uint32_t node);
uint32_t astra_losers_for(const struct reclaim *rc,
			  const struct astra_share *share, uint32_t *picked,
			  size_t *count);
uint32_t astra_losers_all(const struct reclaim *rc, uint32_t node,
			  uint32_t *picked, size_t *count);
/* Call before a search that chooses losers one after the other and takes no
 * choice back. */
void astra_losers_begin(struct reclaim *rc);
uint32_t astra_losers_by_need(struct reclaim *rc, uint64_t need);

/* reclaim.c */
/* Find a place. Returns the number of shares (in rc->shares), or 0 if there is
 * none. rc->victims: the contenders from which GPUs would be taken. Nothing is
 * taken yet. */
size_t astra_reclaim_place(struct reclaim *rc, const struct contender *c);
/* As astra_reclaim_place(), for a given place: nodes and GPUs on them. */
size_t astra_reclaim_place_at(struct reclaim *rc, const struct contender *c,
			      const struct astra_share *shares, size_t count);
/* Count these GPUs as free again in this pass. */
void astra_reclaim_give(struct reclaim *rc, const struct astra_share *shares,
			size_t count);
/* Let a loser keep its GPUs for now. astra_reclaim_spare_none() undoes this for
 * all losers, and returns whether any was spared. */
void astra_reclaim_spare(struct reclaim *rc, struct contender *loser);
bool astra_reclaim_spare_none(struct reclaim *rc);
/* Carry a place out: the victims' GPUs become free in work, and the place is
 * taken. */
void astra_reclaim_take(struct reclaim *rc, const struct contender *c,
			size_t count);

/* The result of a contest's passes. */
struct outcome {
	struct reclaim rc; /* that of the last pass; rc.work: what stays free */
	struct ballot ballot;
	struct astra_share *places;
	size_t place_count, place_room;
};

/* await.c: if every waiting job soon has a place without the end of a lease,
 * mark the jobs that wait for GPUs which come free by themselves. The marked
 * jobs are not in this round's contest. Returns 0, or -1 when memory is out. */
int astra_await(struct round *r);

/* round.c: let the policy rank the contenders, and place them, until every
 * granted contender has a place. Returns 0, or -1 with err set; call
 * astra_outcome_fini() in both cases. */
int astra_round_contest(struct round *r, struct outcome *o,
			struct astra_error *err);
void astra_outcome_fini(struct outcome *o);

/* grow.c: call once every contender that was granted GPUs has a place.
 * Contenders that were granted more than their fewest GPUs take as many as fit.
 * Then contenders that lost some GPUs are placed on what is left. Returns 0, or
 * -1 when memory is out. */
int astra_round_grow(struct round *r, struct outcome *o);
/* Find the largest size for which an elastic contender has a place: above
 * `less`, up to c->gpus, in whole steps. Returns the number of shares, in
 * rc->shares; 0 if there is no such place. */
size_t astra_grow_search(struct reclaim *rc, const struct contender *c,
			 uint32_t step, uint32_t less);

/* widen.c: give a job with nodes_wish more idle nodes, up to `most`, with its
 * gpus_per_node on each. Nodes that a hold needs are left out. left: what is
 * free after this round's grants; the nodes are taken from it. shares: count of
 * them so far, with room for `most`. Returns how many there are now. */
size_t astra_widen(const struct round *r, const struct contender *c,
		   struct astra_space *left, struct astra_share *shares,
		   size_t count, size_t most);

/* settle.c */
/* Cut the leases of the first `count` grants at the holds that need their GPUs,
 * or drop the grants. See settle.c. */
void astra_settle_older(struct round *r, size_t count);
/* Prolong an expired lease until a hold begins: its GPUs are lent. This does
 * not count as a lease of its own. */
void astra_lease_lend(struct round *r, struct ejob *j, double end_sec);
/* Whether a lease up to end_sec is still worth starting when a hold cuts it to
 * cut_sec: MinRunTime must not reach past the hold. */
bool astra_lease_is_worth(const struct round *r, const struct ejob *j,
			  double cut_sec, double end_sec);
/* Return by when a job was promised its first start, whatever has delayed it
 * since. Returns 0 if the job had no promise, or has started. */
double astra_first_promised_sec(const struct round *r, const struct ejob *j);
/* Return by when a job is promised its first start; 0: no promise. */
double astra_promised_sec(const struct round *r, const struct ejob *j);
/* Return the time within which a job is promised its first start, counted from
 * the end of the jobs without leases that are in its way. Returns 0 if there is
 * no promise, or no job in its way. */
double astra_promised_after_sec(const struct round *r, const struct ejob *j);
/* Return the job without a lease whose end a waiting job waits for; 0: none. */
uint32_t astra_blocker_of(const struct astra_engine *e, const struct ejob *j);
/* Whether the job can only start when jobs without leases end. Until then no
 * promise holds. */
static inline bool astra_vain_unleased(enum astra_wait vain)
{
	return vain == ASTRA_WAIT_PINNED || vain == ASTRA_WAIT_CPUS;
}
int astra_settle(struct round *r, const struct outcome *o);
/* Make room for a reason of each row. Returns 0, or -1 when memory is out. */
int astra_reasons_reserve(struct astra_engine *e);
/* Give each job its reason. free_space: what is free after the round; NULL if
 * the reasons do not depend on it. */
int astra_explain(struct round *r, const struct astra_ranking *ranking,
		  const struct astra_space *free_space);
/* lack.c: say in the reasons of contenders without a place what they lack.
 * free_space: what is free after the round. Returns 0, or -1 when memory is
 * out. */
int astra_lacks_find(const struct round *r, const struct astra_ranking *ranking,
		     const struct astra_space *free_space);
/* Renew a job's expired lease. */
void astra_lease_renew(struct round *r, struct ejob *j, double end_sec);
/* Whether the job has no GPUs and needs a reason why. */
bool astra_job_waits(const struct astra_job *job);
/* Return why the job waits, or RANK if only the policy knows. */
enum astra_wait astra_wait_of(const struct round *r, const struct ejob *j,
			      const struct astra_job *job);

#endif
