/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a pool: one table that the parser, the documentation and
 * every host share. Times are given as seconds or as Slurm writes them
 * (minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM[:SS]).
 */
#ifndef ASTRA_OPTIONS_H
#define ASTRA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/common/member.h"
#include "src/model/weights.h"

#define ASTRA_POLICY_NAME_MAX 32
#define ASTRA_EXIT_CODES_MAX 16

/* BatchMax is at most this. */
#define ASTRA_BATCH_SLOTS_MAX 256

/* PriorityWeightLTGF=only */
#define ASTRA_WEIGHT_ONLY UINT32_MAX

/* Unprepared: what happens to jobs that declare no checkpoint. */
enum astra_unprepared {
	ASTRA_UNPREPARED_SHARE,	  /* they keep GPUs within their share */
	ASTRA_UNPREPARED_REQUEUE, /* as of all others */
	ASTRA_UNPREPARED_KEEP,	  /* they have no leases */
};

/* A number of GPUs that is a tenant's share, or without a bound. */
#define ASTRA_GPUS_QUOTA (UINT32_MAX - 1)
#define ASTRA_GPUS_NONE UINT32_MAX

struct astra_options {
	char policy[ASTRA_POLICY_NAME_MAX];
	bool leases;		     /* Leases=yes; else order only */
	bool watch;		     /* Leases=watch: they are tried on paper */
	uint32_t priority_weight;    /* PriorityWeightLTGF */
	double lease_sec;	     /* LeaseTerm */
	bool lease_said;	     /* it was set, or tuned */
	bool lease_auto;	     /* LeaseTerm=auto: lease_sec is tuned */
	double lease_min_sec;	     /* LeaseMin, bounds of --lease */
	double lease_max_sec;	     /* LeaseMax */
	bool lease_none_allowed;     /* AllowNoLease */
	uint32_t unleased_gpus;	     /* NoLeaseGPUs, or ASTRA_GPUS_… */
	bool unleased_said;	     /* it was set */
	uint32_t unleased_user_gpus; /* NoLeaseUserGPUs, the same */
	double unleased_sec;	     /* NoLeaseTime, 0: no limit */
	size_t unprepared;	     /* Unprepared: enum astra_unprepared */
	double unprepared_sec;	     /* UnpreparedMin; negative: auto */
	double round_sec;	     /* RoundInterval */
	double grace_sec;	     /* CheckpointGrace */
	int checkpoint_signal;	     /* CheckpointSignal, 0: none */
	int checkpoint_exit[ASTRA_EXIT_CODES_MAX]; /* CheckpointExit */
	size_t checkpoint_exit_count;
	bool fail_at_limit;	/* TimeLimitExit=fail */
	double min_run_sec;	/* MinRunTime; negative: by the term */
	uint32_t reclaim_max;	/* MaxReclaim, GPUs a round; 0: no limit */
	bool quota_entitlement; /* TenantVariant=eq16 */
	double half_life_sec;	/* FairnessHalfLife, 0: since the beginning */
	double lead_max_sec;	/* LeadMax, 0: no limit */
	bool new_first;		/* NewJobsFirst */
	double lease_bonus;	/* LeaseBonus */
	bool promise;		/* Promise */
	double recall_sec;	/* RecallAfter, 0: no recall */
	double overhead_max;	/* MaxOverhead, per cent */
	uint32_t reserve_gpus;	/* Reserve, at most */
	bool attained_first;	/* SatisfiedOrder=attained */
	bool within_users;	/* FairWithin=user */
	double urgency_sec;	/* DeadlineUrgency */
	bool on_unfit_tenant;	/* OnUnfit=tenant */
	bool strict_placement;	/* Placement=strict */
	bool shards;		/* Gres=shard */
	bool charge_blocked;	/* ChargeBlocked */
	double slot_sec;	/* SlotLength */
	uint32_t batch_max;	/* BatchMax, slots */
	double epoch_sec;	/* BatchEpoch */
	double price_base;	/* PriceBase, theta of incentive */
	double budget;		/* Budget, credits; negative: none */
	double budget_refill;	/* BudgetRefill, credits a day */
	bool own_share;		/* OwnPrice=share */
	double horizon_sec;	/* PlanHorizon; negative: auto */
	bool refuse_unworthy;	/* Admission=refuse */
	bool lend_idle;		/* LendIdle */
	bool trust_bids;	/* TrustBids */
	double fairness_knob;	/* FairnessKnob, f of themis */
	size_t learning_rate;	/* LearningRate: enum astra_ogas_rate */
	uint32_t lent_steps;	/* LentSteps */
	size_t learned_utility; /* LearnedUtility: enum astra_ogas_utility */
	bool admin_comment;	/* AdminComment */
	bool reason_detail;	/* ReasonDetail */
	double forecast_sec;	/* ForecastInterval, 0: none */
	double cap_hours;	/* MaxGPUHours; negative: none */
	double cap_user_hours;	/* MaxGPUHoursPerUser, the same */
	size_t cap_period;	/* CapPeriod: enum astra_period */
	struct astra_weights cap_tenants; /* TenantGPUHours */
	struct astra_weights gpu_weights; /* GPUWeight */
	struct astra_weights qos_weights; /* QOSWeight */
};

struct astra_option;

/* Parse text into out. Returns 0, or -1 with err saying what is allowed (the
 * caller names key and value). */
typedef int astra_option_parser(const struct astra_option *row,
				struct astra_options *out, const char *text,
				struct astra_error *err);

#define ASTRA_OPTION_WORDS 4

/* One row of the table. */
struct astra_option {
	const char *key;
	const char *values;  /* as the man page shows them, e.g. "TIME" */
	const char *initial; /* the default, as an admin would write it */
	const char *help;
	astra_option_parser *parse;
	/* The members that it sets, as a recorded round has them, ended by a
	 * NULL key; none of what that writes by itself. */
	struct astra_member sets[4];
	double least, most;			   /* of a number */
	const char *words[ASTRA_OPTION_WORDS + 1]; /* of a word, else NULL */
};

/* The table, ended by a row whose key is NULL. */
extern const struct astra_option astra_option_table[];

/* All options at their defaults. */
void astra_options_init(struct astra_options *options);

/* Set one option by its name (case-insensitive).
 * Returns 0, or -1 with err naming key, value and what is allowed; options
 * untouched then. */
int astra_options_set(struct astra_options *options, const char *key,
		      const char *value, struct astra_error *err);

/* Whether the options make sense together: term, grace, bounds.
 * Returns 0, or -1 with err naming the keys that contradict each other. */
int astra_options_check(const struct astra_options *options,
			struct astra_error *err);

/* The most GPU hours that a tenant, and a user of it, may have in a CapPeriod;
 * infinite: there is no cap. */
double astra_cap_tenant(const struct astra_options *options,
			const char *tenant);
double astra_cap_user(const struct astra_options *options);
bool astra_capped(const struct astra_options *options);

/* What Leases is, as it is written. */
const char *astra_leases_word(const struct astra_options *options);

struct astra_policy;

/* How long a job of this term keeps its GPUs at least: MinRunTime, else what
 * was learned of it (0: nothing), a term at most, else a tenth of the term, and
 * a minute at most; nothing where a policy that allocates has slots or
 * auctions, with which leases are to end. policy: the one that the options
 * name, or NULL. */
double astra_min_run_sec(const struct astra_options *options,
			 const struct astra_policy *policy, double term_sec,
			 double learned_sec);

/* The bounds of the term that LeaseTerm=auto picks.
 * least: LeaseMin; if that is 0, five minutes, five times CheckpointGrace or
 * MinRunTime, whichever is longest.
 * most: LeaseMax; if that is 0, two hours, or four times the least if that is
 * longer. */
double astra_auto_least_sec(const struct astra_options *options);
double astra_auto_most_sec(const struct astra_options *options);

/* Move a term into the bounds of LeaseTerm=auto. */
double astra_auto_bound(const struct astra_options *options, double term_sec);

/* So many slots oasis plans ahead. */
uint32_t astra_horizon_slots(const struct astra_options *options);

#define ASTRA_TIME_MAX_SEC (10.0 * 365 * 86400)

/* Parse a time as above; "UNLIMITED", "NONE" and 0 give 0.
 * bare_sec: what a bare number counts in seconds (1, or 60 as sbatch's).
 * Returns 0, or -1 when text is no time; out untouched then. */
int astra_parse_time(const char *text, double bare_sec, double *out);

/* A time as a user would write it, e.g. 15:00 or 1-00:00:00, without fractions.
 */
void astra_print_time(double sec, char *text, size_t size);

/* The number of a signal given by name (with or without SIG) or number, or -1.
 */
int astra_parse_signal(const char *text);

#endif
