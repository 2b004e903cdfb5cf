/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a pool: one table for the parser, the documentation and every
 * host. Times are given in seconds or as Slurm writes them (minutes, MM:SS,
 * HH:MM:SS, D-HH, D-HH:MM[:SS]). */
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

/* The maximum of BatchMax. */
#define ASTRA_BATCH_SLOTS_MAX 256

/* PriorityWeightLTGF=only */
#define ASTRA_WEIGHT_ONLY UINT32_MAX

/* Unprepared: how jobs that declare no checkpoint are treated. */
enum astra_unprepared {
	ASTRA_UNPREPARED_SHARE,	  /* they keep GPUs within their share */
	ASTRA_UNPREPARED_REQUEUE, /* they have leases, like other jobs */
	ASTRA_UNPREPARED_KEEP,	  /* they have no leases */
};

/* Special values of a number of GPUs: a tenant's share, and no bound. */
#define ASTRA_GPUS_QUOTA (UINT32_MAX - 1)
#define ASTRA_GPUS_NONE UINT32_MAX

struct astra_options {
	char policy[ASTRA_POLICY_NAME_MAX];
	bool leases;		     /* Leases=yes; false: only the order of
				      * jobs is decided */
	bool watch;		     /* Leases=watch: leases are only
				      * simulated */
	uint32_t priority_weight;    /* PriorityWeightLTGF */
	double lease_sec;	     /* LeaseTerm */
	bool lease_said;	     /* LeaseTerm was set, or tuned */
	bool lease_auto;	     /* LeaseTerm=auto: lease_sec is tuned */
	double lease_min_sec;	     /* LeaseMin, and LeaseMax below: bounds of
				      * --lease */
	double lease_max_sec;	     /* LeaseMax */
	bool lease_none_allowed;     /* AllowNoLease */
	uint32_t unleased_gpus;	     /* NoLeaseGPUs, or ASTRA_GPUS_… */
	bool unleased_said;	     /* NoLeaseGPUs was set */
	uint32_t unleased_user_gpus; /* NoLeaseUserGPUs, or ASTRA_GPUS_… */
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
	double half_life_sec;	/* FairnessHalfLife; 0: no fading */
	double lead_max_sec;	/* LeadMax, 0: no limit */
	bool promise;		/* Promise */
	double recall_sec;	/* RecallAfter, 0: no recall */
	double overhead_max;	/* MaxOverhead, per cent */
	uint32_t reserve_gpus;	/* Reserve, at most */
	bool within_users;	/* FairWithin=user */
	double urgency_sec;	/* DeadlineUrgency */
	bool strict_placement;	/* Placement=strict */
	bool shards;		/* Gres=shard */
	bool charge_blocked;	/* ChargeBlocked */
	double slot_sec;	/* SlotLength */
	uint32_t batch_max;	/* BatchMax, slots */
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
	double cap_user_hours;	/* MaxGPUHoursPerUser; negative: none */
	size_t cap_period;	/* CapPeriod: enum astra_period */
	/* Variants that decide and tests set. astraea.conf has no key for
	 * them. */
	bool new_first;	      /* ltgf: jobs that never ran go first */
	bool on_unfit_tenant; /* ltgf: if a job does not fit, its whole tenant
			       * waits in this round, as in the paper */
	bool attained_first;  /* ltgf: among a tenant's jobs that have had their
			       * share, the job with the least GPU time goes
			       * first; false, as in the paper: the job with the
			       * least rho */
	double epoch_sec;     /* incentive: after this time, windows begin anew
			       * with a window of 2 slots */
	struct astra_weights cap_tenants; /* TenantGPUHours */
	struct astra_weights gpu_weights; /* GPUWeight */
	struct astra_weights qos_weights; /* QOSWeight */
};

struct astra_option;

/* Read text into out. Returns 0, or -1 with err naming what is valid. The
 * caller adds key and value to err. */
typedef int astra_option_parser(const struct astra_option *row,
				struct astra_options *out, const char *text,
				struct astra_error *err);

#define ASTRA_OPTION_WORDS 4

/* One row of the table. */
struct astra_option {
	const char *key;
	const char *values;  /* valid values as the man page shows them, e.g.
			      * "TIME" */
	const char *initial; /* the default, as an admin would write it */
	const char *help;
	astra_option_parser *parse;
	/* The members that the option sets, as a recorded round has them, ended
	 * by a NULL key. Members that an option sets implicitly are not
	 * listed. */
	struct astra_member sets[4];
	double least, most;			   /* of a number */
	const char *words[ASTRA_OPTION_WORDS + 1]; /* if the value is a word,
						    * else NULL */
};

/* The table; a row with key NULL ends it. */
extern const struct astra_option astra_option_table[];

/* Set all options to their defaults. */
void astra_options_init(struct astra_options *options);

/* Set one option by name (case-insensitive). Returns 0, or -1 with err naming
 * key, value and what is valid, and options untouched. */
int astra_options_set(struct astra_options *options, const char *key,
		      const char *value, struct astra_error *err);

/* Check that the options do not contradict each other: term, grace, bounds.
 * Returns 0, or -1 with err naming the keys. */
int astra_options_check(const struct astra_options *options,
			struct astra_error *err);

/* Return the most GPU hours that a tenant, or a user of a tenant, may have in a
 * CapPeriod. Infinite: no cap. astra_capped() returns whether there is any
 * cap. */
double astra_cap_tenant(const struct astra_options *options,
			const char *tenant);
double astra_cap_user(const struct astra_options *options);
bool astra_capped(const struct astra_options *options);

/* Return the value of Leases, as astraea.conf has it. */
const char *astra_leases_word(const struct astra_options *options);

struct astra_policy;

/* Return how long a job of this term keeps its GPUs at least: MinRunTime. If
 * that is not set, it is learned_sec (0: nothing was learned), at most a term.
 * Otherwise it is a tenth of the term, at most a minute. The result is 0 under
 * a policy that allocates with slots or auctions, since leases end with these.
 * policy: the one that the options name, or NULL. */
double astra_min_run_sec(const struct astra_options *options,
			 const struct astra_policy *policy, double term_sec,
			 double learned_sec);

/* Return the bounds of the term that LeaseTerm=auto chooses.
 * least: LeaseMin; if that is 0, five minutes, five times CheckpointGrace or
 * MinRunTime, whichever is longest.
 * most: LeaseMax; if that is 0, two hours, or four times the least if that is
 * longer. */
double astra_auto_least_sec(const struct astra_options *options);
double astra_auto_most_sec(const struct astra_options *options);

/* Return the nearest term within the bounds of LeaseTerm=auto. */
double astra_auto_bound(const struct astra_options *options, double term_sec);

/* Return how many slots oasis plans ahead. */
uint32_t astra_horizon_slots(const struct astra_options *options);

#define ASTRA_TIME_MAX_SEC (10.0 * 365 * 86400)

/* Read a time, in the forms above. "UNLIMITED", "NONE" and 0 give 0. bare_sec:
 * unit of a bare number, in seconds (1, or 60 as for sbatch). Returns 0, or -1
 * with out untouched if text is not a time. */
int astra_parse_time(const char *text, double bare_sec, double *out);

/* Write a time as a user would, e.g. 15:00 or 1-00:00:00, without fractions. */
void astra_print_time(double sec, char *text, size_t size);

/* Return the number of a signal. text: its name (with or without SIG) or
 * number. Returns -1 if it is invalid. */
int astra_parse_signal(const char *text);

#endif
