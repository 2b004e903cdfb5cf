/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The policy interface. A policy either ranks the jobs that want GPUs (decide):
 * then where a job goes is the placement's business, and when a lease ends the
 * engine's. Or it says itself who gets which GPUs until when (allocate).
 *
 * To add a policy: a folder with one const struct astra_policy, a row of the
 * array in registry.c, a unit test. doc/adding-a-policy.md walks through it.
 */
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

/* A job that wants GPUs in this round: it waits for them, or its lease is
 * over and it competes for those it holds. */
struct astra_candidate {
	uint32_t job;	   /* the engine's number of it */
	uint32_t tenant;   /* index into the contest's tenants */
	uint32_t user;	   /* index into its users; none has it: it is its
			    * tenant's alone */
	uint32_t gpus;	   /* >= 1 */
	double charge;	   /* that a grant costs a second; its GPUs' weights */
	uint32_t gpus_max; /* elastic: it can use more, up to these, in steps */
	uint32_t gpus_turn; /* the first of them, up to these, at its turn */
	uint32_t gpus_step; /* of so many, each charged like `gpus`; 0: rigid */
	bool runs;	    /* elastic: has its GPUs, which are not among those
			     * contested, and competes for more: it is granted
			     * and not counted */
	double submit_sec;
	double precedence;	 /* of two that are alike, larger goes first */
	double rho;		 /* of the job, Eq. 15 (Ye et al.) */
	double attained;	 /* GPU seconds it has had, as charged */
	uint32_t leases;	 /* leases it has had so far */
	bool fresh;		 /* never ran */
	double latest_start_sec; /* its deadline's; infinite: none */
	bool excluded; /* can't be placed in this round: rank it only */
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
	size_t enough;	  /* once no GPU is left, the answer may end after so
			   * many choices; 0: it may not */
	const struct astra_candidate *candidates;
	size_t candidate_count;
	const struct astra_contestant *tenants;
	size_t tenant_count;
	const struct astra_contestant *users; /* within the tenants */
	size_t user_count;
};

/* One line of the answer: a candidate as the policy came to it. */
struct astra_choice {
	uint32_t candidate;
	bool granted;  /* may start, or go on; else it does not fit */
	uint32_t gpus; /* granted: on so many; an elastic one has up to its
			* gpus_max */
};

/* The answer: every candidate at most once, in the order the policy came to
 * them, the neediest first. The caller provides room for all of them. */
struct astra_ranking {
	struct astra_choice *choices;
	size_t count;
};

/* A job as a policy that allocates sees it. */
struct astra_demand {
	const struct astra_job *job; /* its facts */
	uint32_t tenant;	     /* index into the offer's tenants */
	const char *tenant_name;     /* as the host calls it */
	double submit_sec;	     /* the first one, kept over requeues */
	double ran_sec;	  /* GPU time it has had, as seconds on all its GPUs */
	uint32_t copies;  /* at most so many awards: tasks of an array that are
			   * still to be split from it, else 1 */
	bool open;	  /* waits, or its lease is over, or it runs where the
			   * policy preempts, and its GPUs are among those
			   * offered; else it runs on, or is leaving: no award */
	double until_sec; /* it runs on: to its lease's end; infinite: to its
			   * own */
	/* What it runs on, or was promised and waits for; nothing if it is
	 * leaving. A node may come twice. */
	const struct astra_share *held;
	size_t held_count;
	/* Nodes that refused it a moment ago; NULL: none. A bitmap. */
	const uint64_t *banned;
	/* As a policy that ranks would see it: one of its copies. */
	struct astra_candidate candidate;
};

struct astra_space;

/* One round's question to a policy that allocates. Borrowed and const. */
struct astra_offer {
	double now_sec;
	double lease_sec; /* the pool's term */
	const struct astra_node *nodes;
	const uint32_t *free; /* of each node: GPUs that may be awarded */
	/* The same with CPUs and memory (offer.h); NULL: there is plenty. */
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
	bool terse; /* nobody will ask for reasons or the auction */
	/* Only a part of the pool is offered, as many GPUs as `gpus`, now here,
	 * now there: what is free now are those of this round. Slots begin at
	 * multiples of their length, for whoever has the other parts, too. */
	bool part;
};

/* These GPUs for that job until then. */
struct astra_award {
	uint32_t demand;
	double until_sec;		 /* its lease's end; 0: after a term */
	size_t first_share, share_count; /* nodes and GPUs; the rest is filled
					  * in from its request */
};

/* The answer. Owned by the engine; append with astra_allocation_add(). */
struct astra_allocation {
	struct astra_award *awards;
	size_t award_count, award_room;
	struct astra_share *shares;
	size_t share_count, share_room;
	double wake_sec; /* ask again then at the latest; infinite: at events */
	bool changed;	 /* what the policy saves has, if maybe no lease */
	bool moves; /* a job leaves for as many GPUs as it has, or fewer, even
		     * if nobody needs those that it has */
	double lend_until_sec;	/* with LendIdle, GPUs that nobody was awarded,
				 * nor has now, go to those who wait, first
				 * come, first served, until then; 0: they stay
				 * idle */
	double spare_until_sec; /* jobs whose lease is over, without an award,
				 * whose GPUs nobody else was awarded, keep them
				 * until then; 0: for another term */
	/* But for these, which leave though nobody needs their GPUs. */
	uint32_t *leavers;
	size_t leaver_count, leaver_room;
	/* Those that wait and are not to be run: neither lent GPUs nor asked
	 * for again. */
	uint32_t *refused;
	size_t refused_count, refused_room;
};

/* Returns 0, or -1 when memory is out. shares: their nodes differ. (allot.c) */
int astra_allocation_add(struct astra_allocation *allocation, uint32_t demand,
			 double until_sec, const struct astra_share *shares,
			 size_t share_count);

/* A demand without an award leaves when its lease is over.
 * Returns 0, or -1 when memory is out. (allot.c) */
int astra_allocation_leave(struct astra_allocation *allocation,
			   uint32_t demand);

/* A demand that waits is not to be run: the host is told to hold it.
 * Returns 0, or -1 when memory is out. (allot.c) */
int astra_allocation_refuse(struct astra_allocation *allocation,
			    uint32_t demand);

/* What GPUs cost in a slot. */
struct astra_policy_price {
	double start_sec, end_sec; /* of the slot */
	double price;		   /* of a GPU for an hour */
	uint64_t used;		   /* GPUs that are sold or planned */
	uint64_t gpus;		   /* of how many */
	/* What a job pays beside for an hour of a CPU, and of a GiB; NaN: it
	 * does not. */
	double cpu, gib;
};

/* Sums since the policy's begin, for reports; NaN: it has no such thing. */
struct astra_policy_report {
	double paid;	/* by the tenant, for GPUs of others' shares */
	double income;	/* of the tenant, for GPUs of its share */
	double utility; /* of its jobs, as the policy counts it */
	double reward;	/* of all, as the policy learns by it */
	double credits; /* what the tenant has left to pay with */
	double slots;	/* that reward is the sum of */
};

/* A class of jobs that a policy learns the share of, on nodes of one type. */
struct astra_class {
	const char *tenant;
	const char *type;	/* of GPUs, that its jobs name; "": any */
	uint32_t gpus;		/* of a job: so many, or more than half */
	uint32_t cpus, mem_gib; /* a GPU, up to so many; 0: no more than goes
				 * with a GPU */
	uint32_t jobs;		/* that wait or run */
	const char *node_type;	/* what follows is on nodes of these GPUs; "":
				 * not known */
	/* Learned, of the jobs that it had when the slot began, or, where it
	 * had none, of as many as count. */
	double share_gpus, share_cpus, share_mem_gib;
	uint32_t granted;  /* whole GPUs that it may use in this slot */
	double saved;	   /* GPUs for its next job, on all nodes */
	const char *nodes; /* what was granted: "n1:4,n2:1" */
};

struct astra_policy {
	/* Required: the name in astraea.conf and on command lines. */
	const char *name;
	/* Required: one line for lists of policies. */
	const char *summary;
	/* Where it comes from, if it is a baseline of papers' evaluations: its
	 * rule may leave GPUs idle beside jobs that could run there. NULL: it
	 * is none. */
	const char *source;
	/* Optional: the LeaseTerm where none is set. */
	double lease_sec;
	/* Leases end with its slots, whatever a job's term is. */
	bool slots;
	/* Its leases may have no end. */
	bool endless;
	/* Running jobs may lose their GPUs whenever somebody else is awarded
	 * them, wherever their leases end. */
	bool preempts;
	/* It knows the users within tenants. */
	bool users;
	/* With allocate: tenants have shares of GPU time, as under LTGF. */
	bool shares;
	/* Idle GPUs that nobody waits for go to whoever comes, between rounds,
	 * too. */
	bool arrivals;
	/* Ranks, and grants GPUs to everybody while there are enough for all.
	 */
	bool conserving;
	/* Required. An instance with its own state, of which there may be
	 * many. options: borrowed for the call. NULL with err set on failure.
	 */
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
	 * gpus_min to its gpus. One whose lease is over and who is awarded
	 * what it holds goes on; what differs is a new start, after a
	 * checkpoint, unless it is no more than it holds and nobody needs that
	 * (but see out->moves). One without an award leaves if others were
	 * awarded its GPUs. The same rules as for decide; the same question is
	 * asked again while GPUs are being freed or a start was refused. */
	int (*allocate)(void *self, const struct astra_offer *offer,
			struct astra_allocation *out, struct astra_error *err);
	/* Optional, with allocate: why a job that waits has no GPUs. Fills in
	 * reason->wait, ->start_sec and what PRICE and LEARNED have. */
	void (*explain)(const void *self, const struct astra_demand *demand,
			struct astra_reason *reason);
	/* Optional, with allocate: a job whose lease was over goes on until
	 * then, on so many GPUs more than it was awarded, which nobody else
	 * was. Or a job that waited has a promised first start on so many
	 * GPUs. Returns whether what the policy saves has changed. */
	bool (*spared)(void *self, const struct astra_demand *demand,
		       uint32_t gpus, double until_sec);
	/* Optional: append what must survive a restart. Returns 0, or -1 when
	 * memory is out. */
	int (*save)(const void *self, struct astra_bytes *out);
	/* With save: take it over into a new instance; the options may be
	 * others. Returns 0, or -1 when it is damaged: then the instance is
	 * destroyed and made anew. */
	int (*restore)(void *self, struct astra_reader *in);
	/* Optional, with save: what that leaves out, as a restart may, and an
	 * exact copy may not (engine_image.h). */
	void (*save_rest)(const void *self, struct astra_bytes *out);
	int (*restore_rest)(void *self, struct astra_reader *in);
	/* Optional. tenant: its index in offers, or ASTRA_NONE for all. out:
	 * all NaN. */
	void (*report)(const void *self, uint32_t tenant,
		       struct astra_policy_report *out);
	/* Optional: what GPUs cost in the nth slot from the present one on, 0.
	 * Returns false where there is no such slot yet. */
	bool (*price)(const void *self, size_t nth,
		      struct astra_policy_price *out);
	/* Optional: the last auction, and the apps of the last round. Borrowed
	 * until the next call. */
	const struct astra_auction *(*auction)(const void *self);
	/* Optional: each class of jobs that it learns shares of, one type of
	 * nodes after the other. class: for the time of the call. */
	void (*classes)(const void *self,
			void (*each)(const struct astra_class *class,
				     void *arg),
			void *arg);
	/* Required of one that keeps numbers of nodes, in what it saves too:
	 * from the next offer on they are these. */
	void (*renumber)(void *self, const struct astra_renumbering *by);
	/* Optional: the host's clock was set forward by so much. */
	void (*shift)(void *self, double by_sec);
};

/* The policy of that name, or NULL. */
const struct astra_policy *astra_policy_find(const char *name);

/* All policies, in the order of the registry; NULL-terminated. */
const struct astra_policy *const *astra_policy_all(void);

#endif
