/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy interface. A policy either ranks the jobs that want GPUs (decide):
 * then placement decides where a job goes, and the engine when a lease ends. Or
 * the policy itself decides which job gets which GPUs until when (allocate). To
 * add a policy: a folder with one const struct astra_policy, a row of the array
 * in registry.c, a unit test. doc/adding-a-policy.md shows the steps. */
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

/* A job that wants GPUs in this round: it waits for them, or its lease is over
 * and it competes for those it holds. */
struct astra_candidate {
	uint32_t job;	 /* its index in the engine */
	uint32_t tenant; /* index into the contest's tenants */
	uint32_t user;	 /* index into the contest's users; any other value: it
			  * has no user */
	uint32_t gpus;	 /* >= 1 */
	double charge;	 /* charge of a grant per second: its GPUs' weights */
	uint32_t gpus_max; /* elastic: the most GPUs that it can use, reached in
			    * steps */
	uint32_t gpus_turn; /* of gpus_max, the most that it gets at its turn */
	uint32_t gpus_step; /* GPUs in a step, each charged like those in
			     * `gpus`; 0: rigid */
	bool runs;	    /* elastic: it keeps its GPUs, which are not
			     * contested, and competes for more; it is granted
			     * without being counted */
	double submit_sec;
	double precedence; /* of two candidates that are otherwise equal, the
			    * larger goes first */
	double rho;	   /* of the job, Eq. 15 (Ye et al.) */
	double attained;   /* GPU seconds that it has had, as charged */
	bool fresh;	   /* never ran */
	double latest_start_sec; /* by its deadline; infinite: none */
	bool excluded; /* cannot be placed in this round: only rank it */
};

struct astra_contestant {
	const char *name;	  /* a tenant's, as the host calls it */
	struct astra_usage usage; /* up to now */
	double quota;		  /* Quota_j in GPUs, Eq. 6 (Ye et al.) */
	bool entitled;		  /* has a positive weight */
};

/* One round's question. All arrays are borrowed and const. */
struct astra_contest {
	double now_sec;
	double lease_sec; /* the term a grant is charged with */
	uint64_t gpus;	  /* m: free, or held by leases that are over */
	size_t enough;	  /* once no GPU is left, the answer may end after this
			   * many choices; 0: it may not */
	const struct astra_candidate *candidates;
	size_t candidate_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
	const struct astra_contestant *users; /* within the tenants */
	size_t user_count;
};

/* One line of the answer: a candidate whose turn came. */
struct astra_choice {
	uint32_t candidate;
	bool granted;  /* may start or go on; else it does not fit */
	uint32_t gpus; /* granted: how many GPUs; for an elastic candidate at
			* most its gpus_max */
};

/* The answer: every candidate at most once, in the order of their turns, the
 * neediest first. The caller provides room for all candidates. */
struct astra_ranking {
	struct astra_choice *choices;
	size_t count;
};

/* A job as a policy that allocates sees it. */
struct astra_demand {
	const struct astra_job *job; /* its facts */
	uint32_t tenant;	     /* index into the offer's tenants */
	const char *tenant_name;     /* as the host calls it */
	double submit_sec; /* the first submission, kept over requeues */
	double ran_sec;	   /* GPU time that it has had, in seconds on all its
			    * GPUs */
	uint32_t copies; /* most awards: the tasks that are still in the array's
			  * record, else 1 */
	bool open; /* it waits; or its lease is over; or it runs, the policy
		    * preempts and its GPUs are among those offered. Otherwise
		    * it runs on or is leaving, and gets no award */
	double until_sec; /* if it runs on: the end of its lease; infinite:
			   * until it ends */
	/* What it runs on, or was promised and waits for; nothing if it is
	 * leaving. A node may occur twice. */
	const struct astra_share *held;
	size_t held_count;
	/* Nodes that refused the job a moment ago, as a bitmap; NULL: none. */
	const uint64_t *banned;
	/* One copy of the job as a policy that ranks would see it. */
	struct astra_candidate candidate;
};

struct astra_space;

/* One round's question to a policy that allocates. Borrowed and const. */
struct astra_offer {
	double now_sec;
	double lease_sec; /* the pool's term */
	const struct astra_node *nodes;
	const uint32_t *free; /* by node: GPUs that may be awarded */
	/* `free` with CPUs and memory (offer.h); NULL: these are plentiful. */
	const struct astra_space *space;
	size_t node_count;
	uint64_t gpus; /* of all usable nodes, held or not */
	const struct astra_demand *demands; /* every active job */
	size_t demand_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
	const struct astra_contestant *users; /* within the tenants */
	size_t user_count;
	const struct astra_bid *bids; /* by app, at most one each */
	size_t bid_count;
	bool terse; /* no reasons and no auction will be asked for */
	/* Only a part of the pool is offered: `gpus` GPUs, on other nodes each
	 * round; `free` has those of this round. Slots begin at multiples of
	 * their length, in the other parts too. */
	bool part;
};

/* An award of GPUs to a job until a time. */
struct astra_award {
	uint32_t demand;
	double until_sec;		 /* end of its lease; 0: after a term */
	size_t first_share, share_count; /* nodes and GPUs; the job's request
					  * gives CPUs and memory */
};

/* The answer. Owned by the engine; append with astra_allocation_add(). */
struct astra_allocation {
	struct astra_award *awards;
	size_t award_count, award_room;
	struct astra_share *shares;
	size_t share_count, share_room;
	double wake_sec; /* call allocate again at this time at the latest;
			  * infinite: only at events */
	bool changed;	 /* the policy's saved state has changed, even if no
			  * lease has */
	bool moves; /* a job leaves for an award of at most as many GPUs as it
		     * has, even if no job needs its own */
	double lend_until_sec;	/* with LendIdle, GPUs without an award that no
				 * job holds are lent to waiting jobs until
				 * then, first come, first served; 0: they stay
				 * idle */
	double spare_until_sec; /* jobs whose lease is over, that have no award
				 * and whose GPUs were not awarded keep them
				 * until then; 0: for another term */
	/* The exceptions to spare_until_sec: demands that leave even if no job
	 * needs their GPUs. */
	uint32_t *leavers;
	size_t leaver_count, leaver_room;
	/* Waiting jobs that must not run: they are neither lent GPUs nor
	 * offered again. */
	uint32_t *refused;
	size_t refused_count, refused_room;
};

/* Adds an award. shares: at most one per node. Returns 0, or -1 when memory is
 * out. (allot.c) */
int astra_allocation_add(struct astra_allocation *allocation, uint32_t demand,
			 double until_sec, const struct astra_share *shares,
			 size_t share_count);

/* Lets a demand without an award leave when its lease is over. Returns 0, or -1
 * when memory is out. (allot.c) */
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
	uint64_t used; /* GPUs that are sold or planned, of `gpus` */
	uint64_t gpus; /* of the pool */
	/* What a job pays besides for an hour of a CPU, and of a GiB; NaN:
	 * nothing. */
	double cpu, gib;
};

/* Sums since the policy began, for reports; NaN: the policy has no such
 * value. */
struct astra_policy_report {
	double paid;	/* by the tenant, for GPUs of others' shares */
	double income;	/* paid to the tenant, for GPUs of its share */
	double utility; /* of its jobs, as the policy counts it */
	double reward;	/* of all tenants, the reward that the policy learns by
			 */
	double credits; /* what the tenant has left to pay with */
	double slots;	/* slots that `reward` is the sum of */
};

/* A class of jobs that a policy learns the share of, on nodes of one type. */
struct astra_class {
	const char *tenant;
	const char *type; /* the type of GPU that its jobs name; "": any */
	uint32_t gpus; /* GPUs of a job: at most so many, and more than half as
			* many */
	uint32_t cpus, mem_gib; /* per GPU, at most; 0: as go with a GPU */
	uint32_t jobs;		/* jobs that wait or run */
	const char *node_type;	/* type of GPU of the nodes that the rest is
				 * about; "": not known */
	/* Learned for the jobs that the class had when the slot began; if it
	 * had none, for as many jobs as the policy counts at most. */
	double share_gpus, share_cpus, share_mem_gib;
	uint32_t granted;  /* whole GPUs that the class may use in this slot */
	double saved;	   /* GPUs saved for its next job, on all nodes */
	const char *nodes; /* what was granted: "n1:4,n2:1" */
};

struct astra_policy {
	/* Required: the name in astraea.conf and on command lines. */
	const char *name;
	/* Required: one line for lists of policies. */
	const char *summary;
	/* The paper of a baseline from papers' evaluations. Its rule may leave
	 * GPUs idle although a job could run on them. NULL: the policy is not a
	 * baseline. */
	const char *source;
	/* Optional: the LeaseTerm if none is set. */
	double lease_sec;
	/* Leases end with the policy's slots, whatever a job's term is. */
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
	/* The policy ranks, and grants GPUs to all jobs while there are enough
	 * for all. */
	bool conserving;
	/* Required. Returns an instance with its own state; there may be many
	 * instances. options: borrowed for the call. Returns NULL with err set
	 * on failure. */
	void *(*create)(const struct astra_options *options,
			struct astra_error *err);
	/* Required. Accepts NULL. */
	void (*destroy)(void *self);
	/* This or allocate. Order the candidates and grant at most
	 * contest->gpus. No clock, no I/O, no globals; the same contest and
	 * state always give the same ranking. Candidates marked excluded are
	 * ranked and not granted. Returns 0, or -1 with err set; then the round
	 * starts nothing. */
	int (*decide)(void *self, const struct astra_contest *contest,
		      struct astra_ranking *out, struct astra_error *err);
	/* This or decide. Award offered GPUs to open demands, to each from its
	 * gpus_min to its gpus. A job whose lease is over goes on if it is
	 * awarded what it holds. Any other award is a new start, after a
	 * checkpoint. But if the award has no more GPUs than the job holds and
	 * no job needs those, it goes on (see out->moves). A job without an
	 * award leaves if others were awarded its GPUs. The rules of decide
	 * hold here too. The same question is asked again while GPUs are being
	 * freed or after a start was refused. */
	int (*allocate)(void *self, const struct astra_offer *offer,
			struct astra_allocation *out, struct astra_error *err);
	/* Optional, with allocate: explain why a waiting job has no GPUs. Fills
	 * in reason->wait, ->start_sec and what the reasons PRICE and LEARNED
	 * need. */
	void (*explain)(const void *self, const struct astra_demand *demand,
			struct astra_reason *reason);
	/* Optional, with allocate: note that a job goes on after its lease
	 * until until_sec, on `gpus` GPUs beyond its award that no other job
	 * was awarded. Or that a waiting job was promised its first start on
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
	 * A restart may lose it, an exact copy may not (engine_image.h). */
	void (*save_rest)(const void *self, struct astra_bytes *out);
	int (*restore_rest)(void *self, struct astra_reader *in);
	/* Optional: fill in the tenant's report. tenant: its index in offers,
	 * or ASTRA_NONE for all. out: all NaN before the call. */
	void (*report)(const void *self, uint32_t tenant,
		       struct astra_policy_report *out);
	/* Optional: get what GPUs cost in the nth slot; the present slot is 0.
	 * Returns false if there is no such slot yet. */
	bool (*price)(const void *self, size_t nth,
		      struct astra_policy_price *out);
	/* Optional: return the last auction, with the apps of the last round.
	 * Borrowed until the next call. */
	const struct astra_auction *(*auction)(const void *self);
	/* Optional: call `each` for each class of jobs that the policy learns
	 * shares of, one type of nodes after the other. class: borrowed for the
	 * call. */
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

/* Returns the policy of that name, or NULL. Case does not matter. */
const struct astra_policy *astra_policy_find(const char *name);

/* Returns all policies, in the order of the registry; NULL-terminated. */
const struct astra_policy *const *astra_policy_all(void);

#endif
