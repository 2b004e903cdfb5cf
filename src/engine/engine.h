/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine of one pool. It owns the leases, the fairness accounts and the
 * policy's state, and turns a snapshot into a plan. The same engine runs inside
 * slurmctld, in the simulator and behind `sfairsim decide`.
 *
 * It learns from the snapshots alone what happened: a job that runs now was
 * started, and a job that is pending again was requeued. So the next round
 * repairs a plan that could not be carried out, or an event that was missed.
 *
 * No clock, no I/O, no globals, no locks: one thread at a time. */
#ifndef ASTRA_ENGINE_H
#define ASTRA_ENGINE_H

#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/model/adopted.h"
#include "src/model/fairness.h"
#include "src/model/model.h"
#include "src/model/plan.h"
#include "src/policies/policy.h"

struct astra_options;

struct astra_engine;

/* Create an engine.
 * options: checked with astra_options_check(); copied.
 * begin_sec: t_begin, from which on GPU time is accounted.
 * Returns NULL with err set on failure. Free with astra_engine_destroy(). */
struct astra_engine *astra_engine_create(const struct astra_options *options,
					 double begin_sec,
					 struct astra_error *err);
void astra_engine_destroy(struct astra_engine *engine);

/* Take new options. They also apply to the time since the last round, which is
 * still to be accounted. Leases and accounts stay. A new lease term applies to
 * each lease from its next renewal on. Returns 0, or -1 with err set and the
 * old options kept. */
int astra_engine_configure(struct astra_engine *engine,
			   const struct astra_options *options,
			   struct astra_error *err);
const struct astra_options *
astra_engine_options(const struct astra_engine *engine);

/* Run one round: account what has happened since the last round, then decide.
 * plan: cleared first. On failure it has no decisions, the error says why, and
 * the accounts are right all the same.
 * Returns 0, or -1 with err set. */
int astra_engine_round(struct astra_engine *engine,
		       const struct astra_snapshot *snapshot,
		       struct astra_plan *plan, struct astra_error *err);

/* Note that the host's clock was set forward by by_sec (negative: back). The
 * ends of leases move along, and no GPU time is accounted for the jump. Times
 * that the host itself recorded stay as they are. */
void astra_engine_shift(struct astra_engine *engine, double by_sec);

/* Return the time of the last round; before the first round, begin_sec. */
double astra_engine_time(const struct astra_engine *engine);

/* Note that the host could not start a job as planned. For one round interval
 * the job is tried on other nodes, or not at all if the nodes were not the
 * cause (`nodes` is false). Call astra_engine_round() again with a fresh
 * snapshot. shares, count: the plan's shares of the decision. */
void astra_engine_refuse(struct astra_engine *engine, uint32_t job,
			 const struct astra_share *shares, size_t count,
			 bool nodes, double now_sec);

/* Return in how many rounds in a row the host has refused the job's starts.
 * From ASTRA_BALK_ROUNDS on no lease ends for the job. O(1). */
#define ASTRA_BALK_ROUNDS 3
uint32_t astra_engine_refused(const struct astra_engine *engine, uint32_t job);

/* Call `each` for the nodes with GPUs that are granted to or held for jobs
 * other than this one. Nodes are indices in the last snapshot; some are passed
 * more than once. */
void astra_engine_kept(const struct astra_engine *engine, uint32_t job,
		       void (*each)(uint32_t node, void *arg), void *arg);

/* Append to out all that must survive a restart. Returns 0, or -1 when memory
 * is out. */
int astra_engine_save(const struct astra_engine *engine,
		      struct astra_bytes *out);

/* Make an engine from saved data. It has the leases and integrals of the engine
 * that astra_engine_save() saved. What has happened since then is accounted
 * with the next snapshot. Returns NULL with err set when the data is damaged or
 * of another version. */
struct astra_engine *astra_engine_restore(const struct astra_options *options,
					  const void *data, size_t size,
					  struct astra_error *err);

/* What the engine knows of a tenant, a job or a hold, for queries. */
struct astra_tenant_view {
	const char *name; /* owned by the engine; valid until the next call */
	bool listed;	  /* was in the last snapshot */
	double weight, quota, demand_gpus, alloc_gpus;
	struct astra_usage usage;
	double rho;
	double used_gpu_sec; /* in the present CapPeriod */
	double cap_gpu_sec;  /* what it may have in the period; infinite: no
			      * cap */
};

struct astra_user_view {
	const char *name; /* owned by the engine; valid until the next call */
	uint32_t tenant;  /* index for astra_engine_tenant_view() */
	struct astra_usage usage;
	double used_gpu_sec, cap_gpu_sec; /* as in struct astra_tenant_view */
};

enum astra_phase {
	ASTRA_PHASE_WAITING, /* pending, or not active */
	ASTRA_PHASE_LEASED,  /* runs, and its lease continues */
	ASTRA_PHASE_DOOMED,  /* runs, but its GPUs are granted to others */
	ASTRA_PHASE_GRACE,   /* was signalled, and may checkpoint */
	ASTRA_PHASE_LEAVING, /* was told to be requeued */
};

struct astra_job_view {
	uint32_t id;
	uint32_t tenant; /* index for astra_engine_tenant_view() */
	uint32_t gpus;
	uint32_t copies;
	enum astra_job_state state;
	enum astra_phase phase;
	bool revocable;
	double weight;
	double submit_sec; /* the first submission, kept over requeues */
	double bound_sec;  /* a later first start is late; 0: no bound */
	double start_sec;  /* of the present run, or 0 */
	bool uncharged;	   /* its present or last run is not charged, as its
			    * nodes did not come up yet */
	double lease_start_sec, lease_end_sec; /* 0: no lease */
	double grace_end_sec;
	bool lent;	  /* its GPUs are lent until a hold begins */
	uint32_t leases;  /* granted so far, whole renewals included */
	uint32_t revoked; /* how often its GPUs were taken back */
	uint32_t refused; /* as astra_engine_refused() */
	double lost_sec;  /* time between ends of its leases and its GPUs being
			   * free */
	struct astra_usage usage;
	double rho;
	double user_rho; /* rho of its user within the tenant; NaN: no shares by
			  * user */
	struct astra_reason reason; /* of the last round */
};

struct astra_hold_view {
	uint32_t job;	  /* id of the job; 0: there is no hold */
	double start_sec; /* when the job gets its GPUs */
};

struct astra_counters {
	uint64_t rounds;
	uint64_t granted, renewed, revoked; /* leases */
	uint64_t refused;		    /* starts that the host refused */
	uint32_t refused_jobs;		    /* jobs at which the host balks
					     * now */
	uint64_t reclaim_capped;    /* rounds in which MaxReclaim delayed ends
				     * of leases */
	uint64_t lent;		    /* leases that were cut to end with a
				     * hold */
	uint64_t first_starts;	    /* jobs that had a bound for their first
				     * start */
	uint64_t over_bound;	    /* those that missed their bound, started or
				     * not */
	uint64_t recalled;	    /* leases that ended early for another
				     * job */
	double recall_gpu_sec;	    /* GPU seconds that early ends cost;
				     * budget.c */
	double recall_hour_gpu_sec; /* the part of recall_gpu_sec in the last
				     * hour */
};

size_t astra_engine_tenant_count(const struct astra_engine *engine);
size_t astra_engine_job_count(const struct astra_engine *engine);
void astra_engine_tenant_view(const struct astra_engine *engine, size_t index,
			      double now_sec, struct astra_tenant_view *out);
size_t astra_engine_user_count(const struct astra_engine *engine);
void astra_engine_user_view(const struct astra_engine *engine, size_t index,
			    double now_sec, struct astra_user_view *out);
/* Return M, the capacity of the pool in the last round. */
double astra_engine_capacity(const struct astra_engine *engine);
void astra_engine_job_view(const struct astra_engine *engine, size_t index,
			   double now_sec, struct astra_job_view *out);
/* Return when this run of a job began, by the clock as it is set now. (The
 * host's record has the time by the clock as it was then.) Returns 0 if the
 * last round did not see the run. */
double astra_engine_run_start(const struct astra_engine *engine, uint32_t job,
			      uint32_t run);
struct astra_hold_view astra_engine_hold(const struct astra_engine *engine);
struct astra_counters astra_engine_counters(const struct astra_engine *engine);

/* Rename a user in every tenant, or rename a tenant. What the user or tenant
 * has stays. Call between two rounds. Returns whether a name was changed. It is
 * not changed if it is unknown or the new name is taken. */
bool astra_engine_rename_user(struct astra_engine *engine, const char *from,
			      const char *to);
bool astra_engine_rename_tenant(struct astra_engine *engine, const char *from,
				const char *to);

/* Let the accounts begin with past usage. The listed tenants and users get
 * these integrals up to the last round, and all others get 0. Jobs keep theirs.
 * An unknown user is added to the tenant. If an entry occurs twice, the last
 * one counts. replace: also if a tenant's account has begun. Call between two
 * rounds. Returns 0, or -1 with err set and all accounts unchanged.
 * (adopt.c) */
int astra_engine_adopt(struct astra_engine *engine,
		       const struct astra_adopted *list, size_t count,
		       bool replace, struct astra_error *err);

/* Get the policy's own sums. tenant: name of a tenant, or NULL for the sums of
 * all tenants. Returns false if the policy keeps no such sums or does not know
 * the tenant. */
bool astra_engine_policy_report(const struct astra_engine *engine,
				const char *tenant,
				struct astra_policy_report *out);

/* Whether the policy's saved state was damaged when the engine was restored. If
 * so, the policy began anew, while leases and accounts were restored. */
bool astra_engine_policy_lost(const struct astra_engine *engine);

/* Restore a policy whose state was lost from an older saved state of this
 * engine. Returns whether that worked: the older state must be undamaged and of
 * the same policy and tenants. (engine_older.c) */
bool astra_engine_policy_from(struct astra_engine *engine, const void *data,
			      size_t size);

/* Get the price of GPUs in the nth slot, counted from the present one (0).
 * Returns false if there is no such slot, or the policy has no prices. */
bool astra_engine_price(const struct astra_engine *engine, size_t nth,
			struct astra_policy_price *out);

/* Call `each` for each class of jobs whose share the policy learns (policy.h).
 * Returns whether the policy learns shares. */
bool astra_engine_classes(const struct astra_engine *engine,
			  void (*each)(const struct astra_class *class,
				       void *arg),
			  void *arg);

/* Return the policy's last auction and the apps of the last round. Returns NULL
 * if the policy holds no auctions. Borrowed until the next call. */
const struct astra_auction *
astra_engine_auction(const struct astra_engine *engine);

/* Return how many bytes of engine state a job takes, with its part of the hash
 * table and of the account. */
size_t astra_engine_bytes_per_job(void);

#endif
