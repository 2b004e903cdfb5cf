/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy interface. There are two kinds of policies. One ranks the jobs
 * that want GPUs (decide): placement then decides on which nodes a job goes,
 * and the engine when a lease ends. The other decides itself which job gets
 * which GPUs until when (allocate). To add a policy: a folder with one const
 * struct astra_policy, a row of the array in registry.c, a unit test.
 * doc/adding-a-policy.md shows the steps. */
#ifndef ASTRA_POLICY_H
#define ASTRA_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/model/auction.h"
#include "src/model/fairness.h"
#include "src/model/model.h"
#include "src/model/node_names.h"
#include "src/model/plan.h"

struct astra_options;

/* A job that wants GPUs in this round. It waits for GPUs, or its lease is over
 * and it competes for the GPUs that it holds. */
struct astra_candidate {
	uint32_t job;	    /* index of the job in the engine */
	uint32_t tenant;    /* index in the contest's tenants */
	uint32_t user;	    /* index in the contest's users; any other value: no
			     * user */
	uint32_t gpus;	    /* >= 1 */
	double charge;	    /* charge of a grant per second: the weights of its
			     * GPUs */
	uint32_t gpus_max;  /* elastic: the most GPUs that it can use, in steps
			     * from gpus on */
	uint32_t gpus_turn; /* the most of gpus_max that it gets in its turn */
	uint32_t gpus_step; /* GPUs in a step, each charged like one of `gpus`;
			     * 0: rigid */
	bool runs;	    /* elastic: it runs, keeps its GPUs and competes for
			     * more. Its GPUs are not contested, and it is
			     * granted without being counted */
	double submit_sec;
	double precedence; /* of two otherwise equal candidates, the one with
			    * the larger value goes first */
	double rho;	   /* rho of the job, Eq. 15 (Ye et al.) */
	double attained;   /* GPU seconds, as charged, that the job has had */
	bool fresh;	   /* the job never ran */
	double latest_start_sec; /* the latest start that meets its deadline;
				  * infinite: none */
	bool excluded; /* it cannot be placed in this round: rank it, but do not
			* grant it GPUs */
};

struct astra_contestant {
	const char *name;	  /* a tenant's name, as the host spells it */
	struct astra_usage usage; /* up to now */
	double quota;		  /* Quota_j in GPUs, Eq. 6 (Ye et al.) */
	bool entitled;		  /* has a positive weight */
};

/* The question to a policy that ranks. All arrays are borrowed and const. */
struct astra_contest {
	double now_sec;
	double lease_sec; /* the term with which a grant is charged */
	uint64_t gpus;	  /* m: GPUs that are free, or held by expired leases */
	size_t enough;	  /* once no GPU is left, the answer may end after this
			   * many choices; 0: it must have all */
	const struct astra_candidate *candidates;
	size_t candidate_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
	const struct astra_contestant *users; /* within the tenants */
	size_t user_count;
};

/* An element of the answer: a candidate in its turn. */
struct astra_choice {
	uint32_t candidate;
	bool granted;  /* it may start or continue; false: it does not fit */
	uint32_t gpus; /* if granted: how many GPUs; elastic candidates get at
			* most gpus_max */
};

/* The answer: candidates in the order of their turns, the neediest first, each
 * at most once. The caller provides room for all candidates. */
struct astra_ranking {
	struct astra_choice *choices;
	size_t count;
};

/* A job as a policy that allocates sees it. */
struct astra_demand {
	const struct astra_job *job; /* what the host says of the job */
	uint32_t tenant;	     /* index in the offer's tenants */
	const char *tenant_name;     /* as the host spells it */
	double submit_sec; /* the first submission, kept over requeues */
	double ran_sec;	   /* its GPU time, in seconds on all the GPUs that it
			    * asks for */
	uint32_t copies;   /* the most awards: the number of tasks still in the
			    * array's record, or 1 */
	bool open; /* whether it may get an award: it waits, or its lease is
		    * over, or the policy preempts and it runs on offered GPUs.
		    * If not open, it goes on running or is leaving */
	double until_sec; /* if it goes on running: end of its lease; infinite:
			   * until the job ends */
	/* The GPUs that it runs on, or that it was promised and waits for.
	 * Nothing if it is leaving. A node may occur twice. */
	const struct astra_share *held;
	size_t held_count;
	/* Bitmap of nodes that refused the job a moment ago; NULL: none. */
	const uint64_t *banned;
	/* One copy of the job as a policy that ranks would see it. */
	struct astra_candidate candidate;
};

struct astra_space;

/* The question to a policy that allocates. Borrowed and const. */
struct astra_offer {
	double now_sec;
	double lease_sec; /* the pool's term */
	const struct astra_node *nodes;
	const uint32_t *free; /* by node: GPUs that may be awarded */
	/* `free` with CPUs and memory (offer.h); NULL: these are unlimited. */
	const struct astra_space *space;
	size_t node_count;
	uint64_t gpus; /* GPUs of all usable nodes, held or not */
	const struct astra_demand *demands; /* every active job */
	size_t demand_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
	const struct astra_contestant *users; /* within the tenants */
	size_t user_count;
	const struct astra_bid *bids; /* sorted by app, at most one for each
				       * app */
	size_t bid_count;
	bool terse; /* the host wants neither reasons nor an auction */
	/* part: only a part of the pool is offered, `gpus` GPUs. They are on
	 * other nodes each round; `free` has those of this round. Slots begin
	 * at multiples of their length, as in all other parts. */
	bool part;
};

/* An award of GPUs to a job until a time. */
struct astra_award {
	uint32_t demand;
	double until_sec;		 /* end of its lease; 0: after a term */
	size_t first_share, share_count; /* nodes and GPUs; CPUs and memory
					  * follow from the job's request */
};

/* The answer of a policy that allocates. Owned by the engine; append with
 * astra_allocation_add(). */
struct astra_allocation {
	struct astra_award *awards;
	size_t award_count, award_room;
	struct astra_share *shares;
	size_t share_count, share_room;
	double wake_sec; /* when to call allocate again at the latest; infinite:
			  * only at events */
	bool changed;	 /* the state that the policy saves has changed, even if
			  * no lease has */
	bool moves; /* whether a running job moves to an award of no more GPUs
		     * than it has, even if no other job needs its GPUs */
	double lend_until_sec;	/* with LendIdle: GPUs that no job holds and no
				 * award uses are lent to waiting jobs until
				 * then, first come, first served; 0: they stay
				 * idle */
	double spare_until_sec; /* jobs with an expired lease and no award keep
				 * their GPUs until then, unless the GPUs were
				 * awarded to others; 0: for another term */
	/* Exceptions to spare_until_sec: demands that must leave even if no
	 * other job needs their GPUs. */
	uint32_t *leavers;
	size_t leaver_count, leaver_room;
	/* Waiting jobs that must not run: no GPUs are lent to them, and they
	 * are not offered again. */
	uint32_t *refused;
	size_t refused_count, refused_room;
};

/* Adds an award. shares: at most one per node. Returns 0, or -1 when memory is
 * out. (allot.c) */
int astra_allocation_add(struct astra_allocation *allocation, uint32_t demand,
			 double until_sec, const struct astra_share *shares,
			 size_t share_count);

/* Lets a demand without an award leave at the end of its lease. Returns 0, or
 * -1 when memory is out. (allot.c) */
int astra_allocation_leave(struct astra_allocation *allocation,
			   uint32_t demand);

/* Refuses a waiting demand: the host holds its job. Returns 0, or -1 when
 * memory is out. (allot.c) */
int astra_allocation_refuse(struct astra_allocation *allocation,
			    uint32_t demand);

/* What GPUs cost in a slot. */
struct astra_policy_price {
	double start_sec, end_sec; /* of the slot */
	double price;		   /* of a GPU for an hour */
	uint64_t used;		   /* GPUs that are sold or planned */
	uint64_t gpus;		   /* all GPUs of the pool */
	/* What a job pays in addition for an hour of a CPU, and for an hour of
	 * a GiB; NaN: nothing. */
	double cpu, gib;
};

/* Sums since the policy began, for reports. NaN: the policy has no such sum. */
struct astra_policy_report {
	double paid;	/* what the tenant paid for GPUs of other tenants'
			 * shares */
	double income;	/* what the tenant was paid for GPUs of its share */
	double utility; /* utility of its jobs, as the policy counts it */
	double reward;	/* the reward from which the policy learns, of all
			 * tenants */
	double credits; /* what the tenant can still pay */
	double slots;	/* the number of slots that `reward` sums up */
};

/* A class of jobs whose share the policy learns, on nodes of one type. */
struct astra_class {
	const char *tenant;
	const char *type; /* GPU type that its jobs name; "": any */
	uint32_t gpus; /* GPUs of a job: at most this many, and more than half
			* of it */
	uint32_t cpus, mem_gib; /* the most per GPU; 0: no more than goes with a
				 * GPU */
	uint32_t jobs;		/* number of its waiting and running jobs */
	const char *node_type;	/* GPU type of the nodes to which the next
				 * members refer; "": unknown */
	/* The learned share of the jobs that the class had when the slot began.
	 * If it had none, the share of as many jobs as the policy counts at
	 * most. */
	double share_gpus, share_cpus, share_mem_gib;
	uint32_t granted;  /* whole GPUs that the class may use in this slot */
	double saved;	   /* GPUs saved for its next job, on all nodes */
	const char *nodes; /* where GPUs are granted: "n1:4,n2:1" */
};

struct astra_policy {
	/* Required: the name in astraea.conf and on command lines. */
	const char *name;
	/* Required: one line for lists of policies. */
	const char *summary;
	/* If the policy is a baseline of papers' evaluations, its paper. The
	 * rule of a baseline may leave GPUs idle although a job could run on
	 * them. NULL: not a baseline. */
	const char *source;
	/* Optional: the default LeaseTerm. */
	double lease_sec;
	/* Leases end with the policy's slots, whatever the job's term. */
	bool slots;
	/* Its leases may have no end. */
	bool endless;
	/* Running jobs may lose their GPUs whenever other jobs are awarded
	 * them, even before their leases end. */
	bool preempts;
	/* The policy knows the users within tenants. */
	bool users;
	/* With allocate: tenants have shares of GPU time, as under LTGF. */
	bool shares;
	/* Idle GPUs that no job waits for go to the next job that arrives,
	 * between rounds too. */
	bool arrivals;
	/* The policy ranks, and grants GPUs to all jobs as long as there are
	 * enough for all. */
	bool conserving;
	/* Required. Returns an instance with its own state, or NULL with err
	 * set. There may be many instances. options: borrowed for the call. */
	void *(*create)(const struct astra_options *options,
			struct astra_error *err);
	/* Required. Accepts NULL. */
	void (*destroy)(void *self);
	/* Either this or allocate is required. Order the candidates and grant
	 * at most contest->gpus. No clock, no I/O, no globals; the same contest
	 * and state always give the same ranking. Candidates marked excluded
	 * are ranked but not granted. Returns 0, or -1 with err set; then the
	 * round starts nothing. */
	int (*decide)(void *self, const struct astra_contest *contest,
		      struct astra_ranking *out, struct astra_error *err);
	/* Either this or decide is required. Award offered GPUs to open
	 * demands, to each from its gpus_min to its gpus. A job whose lease is
	 * over continues if it is awarded what it holds. Any other award is a
	 * new start, after a checkpoint. But if the award has no more GPUs than
	 * the job holds, and no other job needs these, the job continues on its
	 * GPUs (see out->moves). A job without an award leaves if its GPUs were
	 * awarded to others. The rules of decide apply here too. The same
	 * question is asked again while GPUs are being freed, or after a start
	 * was refused. */
	int (*allocate)(void *self, const struct astra_offer *offer,
			struct astra_allocation *out, struct astra_error *err);
	/* Optional, with allocate: explain why a waiting job has no GPUs. Fills
	 * in reason->wait, reason->start_sec, and the members for the reasons
	 * PRICE and LEARNED. */
	void (*explain)(const void *self, const struct astra_demand *demand,
			struct astra_reason *reason);
	/* Optional, with allocate: note that a job keeps `gpus` GPUs beyond its
	 * award after its lease, until until_sec, as no other job was awarded
	 * them. Also called when a waiting job was promised its first start on
	 * `gpus` GPUs. Returns whether the state that the policy saves has
	 * changed. */
	bool (*spared)(void *self, const struct astra_demand *demand,
		       uint32_t gpus, double until_sec);
	/* Optional: append what must survive a restart. Returns 0, or -1 when
	 * memory is out. */
	int (*save)(const void *self, struct astra_bytes *out);
	/* With save: load the saved state into a new instance, whose options
	 * may differ. Returns 0, or -1 if the state is damaged: then the
	 * instance is destroyed and a new one created. */
	int (*restore)(void *self, struct astra_reader *in);
	/* Optional, with save: save and restore the state that save leaves out.
	 * A restart may lose this state; an exact copy of the engine must have
	 * it (engine_image.h). */
	void (*save_rest)(const void *self, struct astra_bytes *out);
	int (*restore_rest)(void *self, struct astra_reader *in);
	/* Optional: fill in the tenant's report. tenant: its index in offers,
	 * or ASTRA_NONE for all. out: all NaN before the call. */
	void (*report)(const void *self, uint32_t tenant,
		       struct astra_policy_report *out);
	/* Optional: get the price of GPUs in the nth slot; the present slot is
	 * 0. Returns false if there is no such slot yet. */
	bool (*price)(const void *self, size_t nth,
		      struct astra_policy_price *out);
	/* Optional: return the last auction, with the apps of the last round.
	 * Borrowed until the next call. */
	const struct astra_auction *(*auction)(const void *self);
	/* Optional: call `each` for each class of jobs whose share the policy
	 * learns, once for each type of nodes. class: borrowed for the call. */
	void (*classes)(const void *self,
			void (*each)(const struct astra_class *class,
				     void *arg),
			void *arg);
	/* Required if the policy keeps indices of nodes, in its saved state
	 * too: map them to the indices that the next offer uses. */
	void (*renumber)(void *self, const struct astra_renumbering *by);
	/* Optional: the host's clock was set forward by by_sec; shift saved
	 * times. */
	void (*shift)(void *self, double by_sec);
};

/* Returns the policy of that name, or NULL. Names are not case-sensitive. */
const struct astra_policy *astra_policy_find(const char *name);

/* Returns all policies, in the order of the registry; NULL-terminated. */
const struct astra_policy *const *astra_policy_all(void);

#endif
