/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/policies/option_values.h"
#include "src/policies/policy.h"

/* The most that oasis plans at once. */
#define HORIZON_SLOTS_MAX 1000
#define HORIZON_SEC 86400

#define CREDITS_MAX 1e9
#define EPOCH_SEC (7 * 86400.0)
#define CAP_HOURS_MAX 1e9
#define LEASE_TERM_SEC 900
#define MIN_RUN_SEC 60

/* Bounds of LeaseTerm=auto without LeaseMin and LeaseMax. */
#define AUTO_LEAST_SEC 300
#define AUTO_LEAST_GRACES 5
#define AUTO_MOST_SEC 7200
#define AUTO_MOST_TIMES 4

/* Return the default term of a policy. policy may be NULL. */
static double options_term_sec(const struct astra_policy *policy)
{
	return policy && policy->lease_sec > 0 ? policy->lease_sec
					       : LEASE_TERM_SEC;
}

static int set_policy(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	const struct astra_policy *policy = astra_policy_find(text);

	(void)row;
	if (!policy && !strcasecmp(text, "ltgf+ltgf"))
		return astra_error_set(err,
				       "within tenants ltgf shares already: "
				       "Policy=ltgf, by FairWithin");
	if (!policy && strchr(text, '+') && strncasecmp(text, "ltgf+", 5) != 0)
		return astra_error_set(err,
				       "only ltgf shares a pool out between "
				       "tenants: allowed is ltgf+NAME");
	if (!policy) {
		char names[512] = "";

		for (size_t i = 0; astra_policy_all()[i]; i++)
			snprintf(names + strlen(names),
				 sizeof(names) - strlen(names), "%s%s",
				 i ? ", " : "", astra_policy_all()[i]->name);
		return astra_error_set(err, "allowed: %s", names);
	}
	snprintf(o->policy, sizeof(o->policy), "%s", policy->name);
	if (!o->lease_said)
		o->lease_sec = options_term_sec(policy);
	return 0;
}

static int options_set_leases(const struct astra_option *row,
			      struct astra_options *o, const char *text,
			      struct astra_error *err)
{
	bool watch = !strcasecmp(text, "watch");

	if (watch)
		o->leases = false;
	else if (astra_option_bool(row, o, text, NULL) < 0)
		return astra_error_set(err, "yes, no or watch");
	o->watch = watch;
	return 0;
}

uint32_t astra_horizon_slots(const struct astra_options *options)
{
	double sec =
		options->horizon_sec >= 0 ? options->horizon_sec : HORIZON_SEC;
	double slots = ceil(sec / options->slot_sec);

	return (uint32_t)fmax(1, fmin(slots, HORIZON_SLOTS_MAX));
}

double astra_min_run_sec(const struct astra_options *options,
			 const struct astra_policy *policy, double term_sec,
			 double learned_sec)
{
	if (options->min_run_sec >= 0)
		return options->min_run_sec;
	if (policy && policy->allocate)
		return 0;
	if (learned_sec > 0)
		return fmin(learned_sec, term_sec);
	return fmin(term_sec / 10, MIN_RUN_SEC);
}

static int options_set_lease(const struct astra_option *row,
			     struct astra_options *o, const char *text,
			     struct astra_error *err)
{
	if (!strcasecmp(text, "auto")) {
		o->lease_auto = true;
		o->lease_said = false;
		o->lease_sec = options_term_sec(astra_policy_find(o->policy));
		return 0;
	}
	if (astra_option_seconds(row, o, text, NULL) < 0)
		return astra_error_set(err,
				       "a time is seconds, MM:SS, HH:MM:SS or "
				       "D-HH:MM:SS, at most 10 years; or auto");
	o->lease_auto = false;
	o->lease_said = true;
	return 0;
}

double astra_auto_least_sec(const struct astra_options *o)
{
	if (o->lease_min_sec > 0)
		return o->lease_min_sec;
	return fmax(fmax(AUTO_LEAST_SEC, AUTO_LEAST_GRACES * o->grace_sec),
		    o->min_run_sec);
}

double astra_auto_most_sec(const struct astra_options *o)
{
	if (o->lease_max_sec > 0)
		return o->lease_max_sec;
	return fmax(AUTO_MOST_SEC, AUTO_MOST_TIMES * astra_auto_least_sec(o));
}

double astra_auto_bound(const struct astra_options *o, double term_sec)
{
	return fmin(fmax(term_sec, astra_auto_least_sec(o)),
		    astra_auto_most_sec(o));
}

static int set_unleased(const struct astra_option *row, struct astra_options *o,
			const char *text, struct astra_error *err)
{
	if (astra_option_gpus(row, o, text, err) < 0)
		return -1;
	o->unleased_said = true;
	return 0;
}

static int set_signal(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	int number = 0;

	(void)row;
	if (strcasecmp(text, "none"))
		number = astra_parse_signal(text);
	if (number < 0)
		return astra_error_set(err, "a signal's name or number that a "
					    "program can catch, or none");
	o->checkpoint_signal = number;
	return 0;
}

static int set_exit(const struct astra_option *row, struct astra_options *o,
		    const char *text, struct astra_error *err)
{
	struct astra_options parsed = *o;

	(void)row;
	parsed.checkpoint_exit_count = 0;
	if (!strcasecmp(text, "none"))
		goto done;
	for (const char *at = text;; at++) {
		char *end;
		long code = strtol(at, &end, 10);

		if (!isdigit((unsigned char)*at) || code < 1 || code > 255 ||
		    parsed.checkpoint_exit_count == ASTRA_EXIT_CODES_MAX)
			return astra_error_set(err,
					       "up to %d exit codes from "
					       "1 to 255 with commas, or "
					       "none",
					       ASTRA_EXIT_CODES_MAX);
		parsed.checkpoint_exit[parsed.checkpoint_exit_count++] =
			(int)code;
		at = end;
		if (!*at)
			break;
		if (*at != ',')
			return astra_error_set(err, "exit codes are separated "
						    "by commas");
	}
done:
	*o = parsed;
	return 0;
}

static int set_weight(const struct astra_option *row, struct astra_options *o,
		      const char *text, struct astra_error *err)
{
	if (!strcasecmp(text, "only"))
		o->priority_weight = ASTRA_WEIGHT_ONLY;
	else if (astra_option_count(row, o, text, NULL) < 0)
		return astra_error_set(err, "a whole number from 0 to "
					    "100000000, or only");
	return 0;
}

/* Read a budget; "none" becomes negative. */
static int options_set_budget(const struct astra_option *row,
			      struct astra_options *o, const char *text,
			      struct astra_error *err)
{
	if (strcasecmp(text, "none"))
		return astra_option_number(row, o, text, err);
	o->budget = -1;
	return 0;
}

/* Read a tenant's or user's cap in GPU hours; "none" becomes negative. */
static int options_set_cap(const struct astra_option *row,
			   struct astra_options *o, const char *text,
			   struct astra_error *err)
{
	double *out = (double *)((char *)o + row->sets[0].offset);

	if (!strcasecmp(text, "none") || !strcasecmp(text, "unlimited"))
		*out = -1;
	else if (astra_parse_number(out, 0, CAP_HOURS_MAX, text, NULL) < 0)
		return astra_error_set(err,
				       "a number of GPU hours from 0 (no "
				       "GPUs at all) to %g, or none",
				       CAP_HOURS_MAX);
	return 0;
}

static int options_set_tenant_caps(const struct astra_option *row,
				   struct astra_options *o, const char *text,
				   struct astra_error *err)
{
	struct astra_error why = {""};

	(void)row;
	if (astra_weights_parse(&o->cap_tenants, text, true, &why) < 0)
		return astra_error_set(err,
				       "TENANT:HOURS with commas between, from "
				       "0 (no GPUs at all) to 1e+06: %s",
				       why.text);
	return 0;
}

double astra_cap_tenant(const struct astra_options *o, const char *tenant)
{
	const struct astra_weight *row =
		astra_weights_find(&o->cap_tenants, tenant);
	double hours = row ? row->weight : o->cap_hours;

	return hours < 0 ? HUGE_VAL : hours;
}

double astra_cap_user(const struct astra_options *o)
{
	return o->cap_user_hours < 0 ? HUGE_VAL : o->cap_user_hours;
}

bool astra_capped(const struct astra_options *o)
{
	return o->cap_hours >= 0 || o->cap_user_hours >= 0 ||
	       o->cap_tenants.count;
}

static int set_gpu_weights(const struct astra_option *row,
			   struct astra_options *o, const char *text,
			   struct astra_error *err)
{
	(void)row;
	return astra_weights_parse(&o->gpu_weights, text, false, err);
}

static int set_qos_weights(const struct astra_option *row,
			   struct astra_options *o, const char *text,
			   struct astra_error *err)
{
	(void)row;
	return astra_weights_parse(&o->qos_weights, text, true, err);
}

#define OPTION(kind, member) ASTRA_MEMBER(astra_options, kind, member)

const struct astra_option astra_option_table[] = {
	{"Policy", "NAME", "ltgf",
	 "Chooses who goes next. ltgf: long-term GPU-time fairness (ASTRAEA, "
	 "Ye et al.). themis: auctions of the GPUs whose leases are over, for "
	 "finish-time fairness of apps (Mahajan et al.). incentive: batches "
	 "of jobs, planned slot by slot at posted prices; a tenant's own "
	 "share is free of charge (Wang et al.). oasis: the utility of jobs, "
	 "admitted at prices that rise with the load (Bao et al.). ogasched: "
	 "shares of classes of jobs, learned slot by slot (Zhao et al.). "
	 "ltgf+themis: ltgf between tenants, auctions among the apps of each "
	 "tenant. ltgf+incentive: ltgf between tenants, and in each tenant a "
	 "market of its users, whose shares are parts of the tenant's. "
	 "ltgf+oasis, ltgf+ogasched: ltgf between tenants at each slot; each "
	 "tenant plans, or learns, for its own jobs and the GPUs of its "
	 "share. The other names are baselines of the papers' evaluations, "
	 "for comparison only; sfairsim(1) describes them: fifo, slurm, drf, "
	 "yarn-cs, hived, allox, tiresias, gandiva, gandiva-fair, optimus, "
	 "srtf, srsf, ftf, batchsche, rrh, dorm, slaq, oga-drf, oga-fairness, "
	 "oga-binpacking, oga-spreading.",
	 .parse = set_policy},
	{"Leases", "yes|no|watch", "yes",
	 "Whether jobs run under leases. no: Slurm starts the jobs in the "
	 "order of their priorities, and they run until they end. The "
	 "priorities follow Policy if priority/ltgf is loaded. A pool is also "
	 "without leases if burst_buffer/astraea is not loaded. watch: as no, "
	 "and sfair watch says what leases would have changed since then. "
	 "watch needs History=yes. no and watch are refused with any Policy "
	 "other than ltgf, and with MaxGPUHours, TenantGPUHours and "
	 "MaxGPUHoursPerUser.",
	 .parse = options_set_leases,
	 .sets = {OPTION(FLAG, leases), OPTION(FLAG, watch)}},
	{"Gres", "gpu|shard", "gpu",
	 "Chooses what the pool shares out. gpu: whole GPUs. shard: parts of "
	 "GPUs, gres/shard, which jobs ask for with --gres=shard:N. With "
	 "shard, everything that this page and sfair say of GPUs holds for "
	 "shards, except for shares of tenants, GPUs of tenants and GPU time: "
	 "there a shard counts as its part of the node's GPUs. On each node a "
	 "job has shards of one GPU. With leases, whole GPUs, whole nodes, "
	 "--gpu-range and --workers are refused. Waiting jobs that ask for "
	 "what the pool does not share out any more are left to Slurm.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, shards)},
	 .words = {"gpu", "shard"}},
	{"PriorityWeightLTGF", "NUMBER|only", "only",
	 "Sets what a place in Policy's line adds to the priority of "
	 "priority/multifactor in a pool without leases. The first of n jobs "
	 "gets NUMBER, the next NUMBER x (n-1)/n, and so on. only: each place "
	 "counts 1000 more than all PriorityWeight options of slurm.conf "
	 "together.",
	 .parse = set_weight, .sets = {OPTION(U32, priority_weight)}},
	{"LeaseTerm", "TIME|auto", "900",
	 "Sets how long a job holds its GPUs before it competes for them "
	 "again. The default of themis and ltgf+themis is 600. auto: once a "
	 "day slurmctld simulates the pool's last seven days under several "
	 "terms between LeaseMin and LeaseMax, and takes the best term, as "
	 "sfairsim tune does. The term changes only if another one is better "
	 "by more than two points. Running leases keep their ends. First "
	 "starts that were promised under a shorter term may be late. auto "
	 "needs History=yes. The policy's default holds until 100 jobs have "
	 "ended, over at least a day. Policies whose leases do not end with a "
	 "term refuse auto: incentive, oasis, ogasched.",
	 .parse = options_set_lease,
	 .sets = {OPTION(REAL, lease_sec), OPTION(FLAG, lease_said),
		  OPTION(FLAG, lease_auto)}},
	{"LeaseMin", "TIME", "0",
	 "Sets the shortest term that a job may ask for with --lease, and "
	 "that LeaseTerm=auto takes. 0 means for --lease: CheckpointGrace, "
	 "and at least MinRunTime. 0 means for LeaseTerm=auto: the longest of "
	 "5:00, five times CheckpointGrace, and MinRunTime.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lease_min_sec)}},
	{"LeaseMax", "TIME", "0",
	 "Sets the longest term: of a job that asks with --lease, of "
	 "LeaseTerm=auto, and of a job whose leases are too short to save "
	 "anything. With LeaseTerm's value no job gets a longer term. 0 means "
	 "for --lease: LeaseTerm. 0 means for jobs whose leases are too "
	 "short: four times LeaseTerm. 0 means with LeaseTerm=auto: 2:00:00, "
	 "and at least four times the shortest term that auto takes.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lease_max_sec)}},
	{"AllowNoLease", "yes|no", "no",
	 "Whether a job may say --lease=none and keep its GPUs until it ends. "
	 "Such a job is charged like others.",
	 .parse = astra_option_bool,
	 .sets = {OPTION(FLAG, lease_none_allowed)}},
	{"NoLeaseGPUs", "GPUS|quota|none", "quota",
	 "Bounds the GPUs that a tenant's jobs without leases hold at a time. "
	 "These are jobs of srun and salloc, jobs with --no-requeue or "
	 "--lease=none, jobs that Slurm started before the pool had leases, "
	 "and with Unprepared=keep jobs that declare no checkpoint. Further "
	 "ones wait. They start in the order of PriorityTier, then nice and "
	 "an operator's priority, then submit time. A job that does not fit "
	 "does not hold up a smaller one. Users have no shares in this bound; "
	 "NoLeaseUserGPUs bounds each user. Jobs whose time limit is at most "
	 "LeaseTerm are free of the bound. quota: the tenant's share of the "
	 "pool, rounded up. If JobRequeue=0 in slurm.conf makes every job one "
	 "without a lease, quota holds only if this option is set. none: no "
	 "bound.",
	 .parse = set_unleased,
	 .sets = {OPTION(U32, unleased_gpus), OPTION(FLAG, unleased_said)}},
	{"NoLeaseUserGPUs", "GPUS|quota|none", "none",
	 "Bounds the same of each user. quota: the share of the user's "
	 "tenant.",
	 .parse = astra_option_gpus, .sets = {OPTION(U32, unleased_user_gpus)}},
	{"NoLeaseTime", "TIME|none", "none",
	 "Sets the longest time limit of a job without leases. A new job's "
	 "limit is shortened to it, and sbatch says so. A user's update may "
	 "not make the limit longer; an operator's may. A lower value does "
	 "not shorten the limits of waiting jobs.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, unleased_sec)}},
	{"Unprepared", "share|requeue|keep", "share",
	 "Chooses what happens to a batch job that declares no checkpoint. A "
	 "job declares one by --signal, --requeue, --checkpoint-with, "
	 "--agent, --gpu-range or --workers, or by its pool's "
	 "CheckpointSignal. Later it can do so by scontrol update JobId=N "
	 "Requeue=1, and under ltgf and themis by reporting a checkpoint. "
	 "Under these two, a job that reports progress and saved nothing in "
	 "two runs in a row declares none. share: such a job keeps its GPUs "
	 "if they fit into its tenant's share, and else borrows all of them. "
	 "The share is the pool's GPUs, by weight among the tenants that have "
	 "jobs. It is filled in this order: jobs without leases, then jobs "
	 "that declare no checkpoint, by start time, those of users within "
	 "their own share first. A borrowing job keeps its GPUs until another "
	 "tenant lacks GPUs of its share. Idle GPUs are used before that, "
	 "then GPUs beyond a tenant's share of jobs that declare a "
	 "checkpoint. Then borrowing jobs get leases like others, the last "
	 "started first. Jobs that reach UnpreparedMin within a term are "
	 "chosen before others, and no job gets a lease before UnpreparedMin. "
	 "After each term in which the tenant still lacks GPUs, more "
	 "borrowing jobs get leases. A job that needs whole nodes waits for "
	 "the time limits of the jobs that keep them, as under stock Slurm. "
	 "Under ltgf no GPUs are held for a job that would exceed its "
	 "tenant's share while a poorer tenant lacks GPUs. requeue: the job "
	 "has leases like others, and starts from the beginning after each "
	 "lease that is not renewed. keep: the job has no lease and keeps its "
	 "GPUs until it ends. NoLeaseGPUs, NoLeaseUserGPUs and NoLeaseTime "
	 "bound it.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, unprepared)},
	 .words = {"share", "requeue", "keep"}},
	{"UnpreparedMin", "TIME|auto", "auto",
	 "Sets the shortest run of a borrowing job with Unprepared=share. It "
	 "doubles each time that the job's GPUs are taken back, four times at "
	 "most. auto: four times LeaseTerm.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, unprepared_sec)}},
	{"RoundInterval", "TIME", "10",
	 "Sets the longest time between two rounds. Rounds also follow a "
	 "job's end, a lease's end and a submission, at most once a second. A "
	 "round comes sooner if srun or salloc waits.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, round_sec)}},
	{"CheckpointGrace", "TIME", "60",
	 "Sets how long a job that was signalled at its lease's end may go on "
	 "before it is requeued.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, grace_sec)}},
	{"CheckpointSignal", "SIGNAL|none", "none",
	 "Sets the signal of jobs that do not name one with --signal. none: "
	 "such jobs are requeued at once; Slurm sends TERM, and KILL after "
	 "KillWait.",
	 .parse = set_signal, .sets = {OPTION(INT, checkpoint_signal)}},
	{"CheckpointExit", "CODE[,CODE...]|none", "85",
	 "Names the exit codes by which a job in its grace says that it has "
	 "written a checkpoint and wants to go on later.",
	 .parse = set_exit,
	 .sets = {ASTRA_MEMBER_ARRAY(astra_options, INT, checkpoint_exit),
		  OPTION(SIZE, checkpoint_exit_count)}},
	{"TimeLimitExit", "requeue|fail", "requeue",
	 "Chooses what follows if a job that may be requeued gets its "
	 "--signal before its time limit and ends with a code of "
	 "CheckpointExit. requeue: the job goes on later, and its next run "
	 "has the whole time limit again. The number of such runs has no "
	 "limit: a job that saves nothing new is requeued until somebody "
	 "cancels it. A job whose run was shorter than a minute has failed. "
	 "fail: the job has failed, as in Slurm.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, fail_at_limit)},
	 .words = {"requeue", "fail"}},
	{"MinRunTime", "TIME|auto", "auto",
	 "Sets how long a job keeps its GPUs after each start at least, "
	 "however short its lease. GPUs are not lent for a shorter time. "
	 "auto, for a job that reports its progress: the time that it needs "
	 "to start up and for a checkpoint, at most a term. auto, for other "
	 "jobs: a tenth of the term, at most a minute. auto is 0 if the "
	 "policy itself ends the leases.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, min_run_sec)}},
	{"MaxReclaim", "GPUS", "0",
	 "Bounds the GPUs that are taken back in one round. A single job that "
	 "holds more counts as one. 0: no limit.",
	 .parse = astra_option_count, .sets = {OPTION(U32, reclaim_max)}},
	{"TenantVariant", "eq8|eq16", "eq8",
	 "Chooses what is due to a tenant. eq8: its quota, and no more than "
	 "it asks for at the time. eq16: its quota, always, so that a tenant "
	 "that was idle comes back with a lead.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, quota_entitlement)},
	 .words = {"eq8", "eq16"}},
	{"FairnessHalfLife", "TIME|none", "none",
	 "Sets how fast past use is forgotten: use of so long ago counts "
	 "half. none: all use counts, as in the paper. If it is shorter than "
	 "some twenty terms, first starts may be later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, half_life_sec)}},
	{"LeadMax", "TIME|none", "none",
	 "Bounds what an idle tenant saves up under eq16, as a time of its "
	 "whole quota.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lead_max_sec)}},
	{"Promise", "yes|no", "yes",
	 "Whether each job that fits has its first start within a known time. "
	 "The bound in lease terms is 2 + (its own GPUs + those of its "
	 "tenant's jobs before it that never ran) / the tenant's quota. GPUs "
	 "count as they are charged. With FairWithin=user the same is "
	 "computed with the user's jobs and the user's part of the quota, and "
	 "the later time counts. An example: 32 GPUs, a tenant of half of "
	 "them, two users with jobs, LeaseTerm 15:00. A user's first job of 4 "
	 "GPUs starts within 2 + 4/8 terms, 38 minutes, and the graces of the "
	 "jobs that leave. GPUs are held for such a job, and leases of its "
	 "tenant and of richer tenants are recalled. Under policies other "
	 "than ltgf a lease ends for it by itself, or once it has lasted "
	 "LeaseTerm. Plans, prices and auctions give way to a promised start. "
	 "No start is promised to a job that Admission=refuse holds, to jobs "
	 "under a baseline, and while jobs that declare no checkpoint keep "
	 "GPUs (Unprepared=share). no: the paper's rule alone, under which "
	 "large jobs may starve.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, promise)}},
	{"RecallAfter", "TIME", "2:00",
	 "Sets how long a job has run, with Promise=yes, before its lease may "
	 "end early. MinRunTime holds as well. Under ltgf such a lease ends "
	 "for the next job of the same tenant or a poorer one that never ran. "
	 "Under other policies it ends for a job that would else start later "
	 "than promised. A job that reports its progress first runs ten times "
	 "as long as it needs to start up and for a checkpoint, but no longer "
	 "than LeaseTerm. 0: no lease ends early; under overload some first "
	 "starts are later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, recall_sec)}},
	{"MaxOverhead", "PERCENT", "5",
	 "Bounds, with Promise=yes, what leases that end early may cost "
	 "within an hour, in percent of the pool's GPU time. An early end "
	 "costs seconds x GPUs x the part of a term that the job has not run "
	 "since its start. The seconds are what the job needs to start up and "
	 "for a checkpoint; if that is not known, CheckpointGrace. A quarter "
	 "of the budget is left to jobs whose tenant or user has had less "
	 "than its share. Two kinds of early ends ignore the budget, and are "
	 "counted: for a first start that would else be later than promised, "
	 "and of GPUs that were lent while they are collected for a job. At "
	 "most 240 jobs a minute are told to leave early. The leases that end "
	 "for one gang end together, however many they are. MaxReclaim bounds "
	 "them, too. 0: no other lease ends early. 100: no limit.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, overhead_max)},
	 .least = 0, .most = 100},
	{"Reserve", "GPUS", "2",
	 "Keeps so many GPUs of a node for jobs that never ran, with ltgf and "
	 "Promise=yes, while more GPUs are wanted than there are. So small "
	 "jobs start at once. It is at most a 256th of the pool's GPUs, so "
	 "that a pool below 256 GPUs keeps none. 0: none.",
	 .parse = astra_option_count, .sets = {OPTION(U32, reserve_gpus)}},
	{"FairWithin", "user|job", "user",
	 "Chooses among whom a tenant's GPU time is shared. user: its users "
	 "in equal parts, then each user's jobs, so that more jobs gain "
	 "nothing. job: its jobs, whoever submits them, as in the paper.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, within_users)},
	 .words = {"job", "user"}},
	{"DeadlineUrgency", "TIME", "0",
	 "Lets a job go before its tenant's other jobs once its --deadline, "
	 "less its time limit, is nearer than this.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, urgency_sec)}},
	{"Placement", "consolidated|strict", "consolidated",
	 "Chooses whether a job may run on more nodes than it needs. strict: "
	 "it waits instead.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, strict_placement)},
	 .words = {"consolidated", "strict"}},
	{"QOSWeight", "QOS:WEIGHT[,...]|none", "none",
	 "Sets the weights of jobs within their tenant, by QOS. A job of "
	 "weight 2 is due twice the GPUs of a job of weight 1. Jobs of other "
	 "QOS have weight 1. A job of weight 0 runs on what its tenant's "
	 "other jobs leave. Under incentive and oasis a job that does not say "
	 "what it is worth is worth its GPU hours times this.",
	 .parse = set_qos_weights},
	{"MaxGPUHours", "HOURS|none", "none",
	 "Bounds the GPU hours of each tenant in a CapPeriod, as they are "
	 "charged. A lease begins, or is renewed, only if the tenant's used "
	 "hours, what its leases may still use, and this whole lease are "
	 "within the bound. A job with a lease keeps it to its end. Other "
	 "jobs of the tenant wait until the next period. Jobs without leases "
	 "count to their time limit; without a time limit they never start. "
	 "0: no GPUs at all.",
	 .parse = options_set_cap, .sets = {OPTION(REAL, cap_hours)}},
	{"TenantGPUHours", "TENANT:HOURS[,...]|none", "none",
	 "Bounds the same of these tenants, instead of MaxGPUHours.",
	 .parse = options_set_tenant_caps},
	{"MaxGPUHoursPerUser", "HOURS|none", "none",
	 "Bounds the same of each user of a tenant, besides the tenant's "
	 "bound.",
	 .parse = options_set_cap, .sets = {OPTION(REAL, cap_user_hours)}},
	{"CapPeriod", "day|week|month", "month",
	 "Chooses when GPU hours begin to count anew, in the time zone of "
	 "slurmctld's host: at 00:00, on Mondays, or on the first of the "
	 "month.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, cap_period)},
	 .words = {"day", "week", "month"}},
	{"GPUWeight", "TYPE:WEIGHT[,...]|none", "none",
	 "Sets what an hour of a GPU counts, by the type that gres.conf "
	 "names. Other types count 1. A device of MIG is a type, and counts "
	 "as its part of a GPU: 1g.10gb:0.125. Shares, rho, and the GPUs and "
	 "GPU time that sfair shows of tenants are in this measure.",
	 .parse = set_gpu_weights},
	{"ChargeBlocked", "yes|no", "yes",
	 "Whether a job is charged with what it keeps from others. On each "
	 "node that is the larger of its GPUs and the GPUs' worth of its CPUs "
	 "and memory. The worth comes from TRESBillingWeights of its "
	 "partition if these weigh GPUs, else from the node's CPUs and memory "
	 "for a GPU. no: the job is charged with its GPUs.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, charge_blocked)}},
	{"SlotLength", "TIME", "600",
	 "Sets the slot by which incentive, oasis and ogasched plan, at least "
	 "ten seconds. Their leases end with a slot. If a slot is about as "
	 "long as LeaseTerm, and several gangs of the whole pool come at "
	 "once, some start later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, slot_sec)}},
	{"BatchMax", "SLOTS", "4",
	 "Sets the longest window of incentive, 1 to 256 slots. Windows begin "
	 "with 2 slots and double up to this. Jobs that come during a window "
	 "are planned at its end; longer jobs are planned in parts.",
	 .parse = astra_option_count, .sets = {OPTION(U32, batch_max)}},
	{"PriceBase", "NUMBER", "2",
	 "Sets theta of incentive, 1 to 1000000. A GPU hour costs theta^u - 1 "
	 "while a share u of the GPUs is in use. A job that does not say what "
	 "it is worth is worth its GPU hours.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, price_base)},
	 .least = 1, .most = 1e6},
	{"OwnPrice", "cluster|share", "cluster",
	 "Chooses whose use sets the price that incentive compares with a "
	 "job's worth in its tenant's own share. cluster: everybody's, as in "
	 "the paper; then jobs are refused while their tenant's share is idle "
	 "because others are busy. share: the tenant's.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, own_share)},
	 .words = {"cluster", "share"}},
	{"Budget", "CREDITS|none", "none",
	 "Sets the credits that each tenant has at first for GPUs of others' "
	 "shares, under incentive. Payments are taken off and income is "
	 "added. A tenant buys nothing for which it lacks credits. Without "
	 "LendIdle its jobs do not go on beyond what they were sold, either, "
	 "if it lacks credits. In its own share its jobs run all the same. 0: "
	 "it buys nothing. none: it may owe any amount, as in the paper.",
	 .parse = options_set_budget, .sets = {OPTION(REAL, budget)},
	 .least = 0, .most = CREDITS_MAX},
	{"BudgetRefill", "CREDITS", "0",
	 "Gives a tenant that has less than Budget so many credits a day, up "
	 "to Budget.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, budget_refill)},
	 .least = 0, .most = CREDITS_MAX},
	{"PlanHorizon", "TIME|auto", "auto",
	 "Sets how far ahead oasis plans, 1 to 1000 slots. auto: a day, and "
	 "at most 1000 slots. A job whose work is longer than three quarters "
	 "of this is planned part by part.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, horizon_sec)}},
	{"Admission", "wait|refuse", "wait",
	 "Chooses what becomes of a job for which oasis finds no schedule "
	 "worth its price. wait: it is asked again in each slot, and LendIdle "
	 "lends it GPUs. refuse: it is held, with its price and its worth as "
	 "the reason. Once it is released, it is asked as if it had just "
	 "come. A job that ran or was admitted once is not refused. No job is "
	 "refused in the SlotLength after the number of usable GPUs has "
	 "changed. For Policy=oasis only.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, refuse_unworthy)},
	 .words = {"wait", "refuse"}},
	{"LendIdle", "yes|no", "yes",
	 "Whether GPUs that are idle are lent, free of charge, to waiting "
	 "jobs that can run there. These are GPUs that nobody has planned, "
	 "and GPUs that were planned for a job that cannot start there. A "
	 "loan lasts to the slot's end; under themis and ltgf+themis to the "
	 "term's end. yes: no GPU is idle beside a job that could run on it, "
	 "except under baselines, which lend nothing. no: as in the papers. "
	 "Then GPUs may be idle while jobs wait, and with oasis a job that is "
	 "never worth its price never runs. With incentive a job that goes on "
	 "beyond what it was sold then pays the posted price of each slot. "
	 "ltgf leaves no such GPU in either case, except those that it keeps "
	 "for a promised start.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, lend_idle)}},
	{"FairnessKnob", "NUMBER", "0.8",
	 "Sets f of themis and ltgf+themis: GPUs are offered to the part 1 - "
	 "f of the apps that are worst off. 0 offers them to all apps, which "
	 "is most efficient. Near 1 only the worst app is offered GPUs, which "
	 "is most fair.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, fairness_knob)},
	 .least = 0, .most = 1},
	{"TrustBids", "yes|no", "no",
	 "Whether the fairness that an app's agent states decides which app "
	 "is worst off, as in the paper; then it pays to overstate. no: "
	 "themis' own estimates decide. In both cases the agent says what "
	 "GPUs do for its app.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, trust_bids)}},
	{"LearningRate", "theory|const|decay", "theory",
	 "Sets how far ogasched moves at a time. theory: by the length of the "
	 "reward's gradient. const: by the longest that the gradient can be, "
	 "which bounds what learning can lose. decay: less and less far.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, learning_rate)},
	 .words = {"decay", "theory", "const"}},
	{"LentSteps", "NUMBER", "5",
	 "Lets ogasched lend, for each slot, what it has learned for classes "
	 "without a job to the other classes. The shares of these take so "
	 "many more steps along the gradient. 0, as in the paper: nothing is "
	 "lent. What is learned is the same in both cases.",
	 .parse = astra_option_count, .sets = {OPTION(U32, lent_steps)},
	 .least = 0, .most = 50},
	{"LearnedUtility", "linear|log|reciprocal|poly", "log",
	 "Chooses what GPUs on a node are worth to a class of jobs, for "
	 "ogasched. linear: each as much as the first. poly, log, reciprocal: "
	 "less and less. The steeper the worth falls, the more equal are the "
	 "shares.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, learned_utility)},
	 .words = {"linear", "log", "reciprocal", "poly"}},
	{"AdminComment", "yes|no", "yes",
	 "Whether a job's AdminComment, which sacct shows, gets a word "
	 "astraea:submit=TIME,leases=N,lost=SECONDS at each of its ends.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, admin_comment)}},
	{"ReasonDetail", "yes|no", "no",
	 "Whether squeue's reason of a job that waits for a lease has "
	 "numbers, times and names, as in \"Lease: waits its turn, rank 3 of "
	 "17\". no: the reason is one of the fixed texts of astraea(7), so "
	 "that programs which count jobs by reason see few kinds. sfair why "
	 "says all in both cases.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, reason_detail)}},
	{"ForecastInterval", "TIME|none", "5",
	 "Sets how often a thread of low priority looks ahead when waiting "
	 "jobs will start, for squeue --start and sfair when. It runs a copy "
	 "of the engine for some seconds at most, and then rests twenty times "
	 "as long. none: never; then only planned starts are shown.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, forecast_sec)}},
	{.key = NULL},
};

void astra_options_init(struct astra_options *options)
{
	*options = (struct astra_options){0};
	for (const struct astra_option *row = astra_option_table; row->key;
	     row++)
		row->parse(row, options, row->initial, NULL);
	options->attained_first = true;
	options->epoch_sec = EPOCH_SEC;
	options->lease_said = options->unleased_said = false;
}

int astra_options_set(struct astra_options *options, const char *key,
		      const char *value, struct astra_error *err)
{
	struct astra_options parsed = *options;
	struct astra_error why = {""};

	for (const struct astra_option *row = astra_option_table; row->key;
	     row++) {
		if (strcasecmp(row->key, key))
			continue;
		if (row->parse(row, &parsed, value, &why) < 0)
			return astra_error_set(err, "%s=%s: %s", row->key,
					       value, why.text);
		*options = parsed;
		return 0;
	}
	return astra_error_set(err, "%s=%s: there is no such option", key,
			       value);
}

const char *astra_leases_word(const struct astra_options *o)
{
	return o->leases ? "yes" : o->watch ? "watch" : "no";
}

/* Check for caps that have no effect or never bind. */
static int options_check_caps(const struct astra_options *o,
			      struct astra_error *err)
{
	double most = o->cap_hours;

	for (size_t i = 0; i < o->cap_tenants.count && most >= 0; i++)
		most = fmax(most, o->cap_tenants.row[i].weight);
	if (astra_capped(o) && !o->leases)
		return astra_error_set(err,
				       "Leases=%s: %s is kept by leases; "
				       "without them there is sacctmgr's "
				       "GrpTRESMins",
				       astra_leases_word(o),
				       o->cap_hours >= 0 ? "MaxGPUHours"
				       : o->cap_tenants.count
					       ? "TenantGPUHours"
					       : "MaxGPUHoursPerUser");
	if (o->cap_user_hours >= 0 && !o->within_users)
		return astra_error_set(err,
				       "MaxGPUHoursPerUser=%g: with "
				       "FairWithin=job users have no accounts",
				       o->cap_user_hours);
	if (most >= 0 && o->cap_user_hours > most)
		return astra_error_set(err,
				       "MaxGPUHoursPerUser=%g is more than any "
				       "tenant may have, %g",
				       o->cap_user_hours, most);
	return 0;
}

/* Check the terms that LeaseTerm=auto may choose. */
static int options_check_auto(const struct astra_options *o,
			      struct astra_error *err)
{
	const struct astra_policy *policy = astra_policy_find(o->policy);
	double least = astra_auto_least_sec(o), most = astra_auto_most_sec(o);

	if (policy && (policy->slots || policy->endless))
		return astra_error_set(err,
				       "LeaseTerm=auto: with Policy=%s leases "
				       "do not end with a term: say "
				       "LeaseTerm=TIME",
				       o->policy);
	if (least < 1)
		return astra_error_set(err,
				       "LeaseMin=%g: a lease lasts at least "
				       "one second",
				       least);
	if (o->grace_sec >= least)
		return astra_error_set(
			err,
			"CheckpointGrace=%g is not shorter than LeaseMin=%g, "
			"which LeaseTerm=auto may take: make LeaseMin longer",
			o->grace_sec, least);
	if (o->min_run_sec > least)
		return astra_error_set(
			err,
			"LeaseMin=%g is shorter than MinRunTime=%g, and "
			"LeaseTerm=auto may take it: make LeaseMin longer",
			least, o->min_run_sec);
	if (most < least)
		return astra_error_set(err,
				       "LeaseMax=%g is shorter than "
				       "LeaseMin=%g%s: LeaseTerm=auto has no "
				       "term to take",
				       most, least,
				       o->lease_min_sec > 0 ? ""
							    : ", its default");
	return 0;
}

/* Check the term, if it is given. */
static int options_check_term(const struct astra_options *o,
			      struct astra_error *err)
{
	if (o->lease_sec < 1)
		return astra_error_set(err,
				       "LeaseTerm=%g: a lease lasts at "
				       "least one second",
				       o->lease_sec);
	if (o->grace_sec >= o->lease_sec)
		return astra_error_set(err,
				       "CheckpointGrace=%g is not shorter than "
				       "LeaseTerm=%g: a job would spend its "
				       "whole lease on the checkpoint",
				       o->grace_sec, o->lease_sec);
	if (o->min_run_sec > o->lease_sec)
		return astra_error_set(err,
				       "MinRunTime=%g is longer than "
				       "LeaseTerm=%g",
				       o->min_run_sec, o->lease_sec);
	return 0;
}

int astra_options_check(const struct astra_options *o, struct astra_error *err)
{
	if (options_check_caps(o, err) < 0 ||
	    (o->lease_auto ? options_check_auto(o, err)
			   : options_check_term(o, err)) < 0)
		return -1;
	if (!o->leases && astra_policy_find(o->policy)->allocate)
		return astra_error_set(err,
				       "Leases=%s: Policy=%s allocates leases; "
				       "without them there is Policy=ltgf",
				       astra_leases_word(o), o->policy);
	if (o->slot_sec < 10)
		return astra_error_set(err,
				       "SlotLength=%g: a slot lasts at least "
				       "ten seconds",
				       o->slot_sec);
	if (o->batch_max < 1 || o->batch_max > ASTRA_BATCH_SLOTS_MAX)
		return astra_error_set(err,
				       "BatchMax=%u: a batch has 1 to %d slots",
				       o->batch_max, ASTRA_BATCH_SLOTS_MAX);
	if (o->epoch_sec < o->slot_sec)
		return astra_error_set(err, "SlotLength=%g: at most %g",
				       o->slot_sec, o->epoch_sec);
	if ((!strcmp(o->policy, "oasis") || !strcmp(o->policy, "ltgf+oasis")) &&
	    o->horizon_sec >= 0 &&
	    (o->horizon_sec < o->slot_sec ||
	     o->horizon_sec / o->slot_sec > HORIZON_SLOTS_MAX))
		return astra_error_set(err,
				       "PlanHorizon=%g: allowed are 1 to %d "
				       "times SlotLength=%g",
				       o->horizon_sec, HORIZON_SLOTS_MAX,
				       o->slot_sec);
	if (o->round_sec < 1 || o->round_sec > 3600)
		return astra_error_set(err,
				       "RoundInterval=%g: allowed are 1 "
				       "second to 1 hour",
				       o->round_sec);
	if (o->lease_min_sec > 0 && o->lease_min_sec < o->grace_sec)
		return astra_error_set(err,
				       "LeaseMin=%g is shorter than "
				       "CheckpointGrace=%g",
				       o->lease_min_sec, o->grace_sec);
	if (o->lease_max_sec > 0 && o->lease_max_sec < o->lease_min_sec)
		return astra_error_set(err,
				       "LeaseMax=%g is shorter than "
				       "LeaseMin=%g",
				       o->lease_max_sec, o->lease_min_sec);
	if (!o->lease_auto && o->lease_max_sec <= 0 &&
	    o->lease_sec < o->lease_min_sec)
		return astra_error_set(err,
				       "LeaseMin=%g is longer than "
				       "LeaseTerm=%g, which is LeaseMax "
				       "unless that is set",
				       o->lease_min_sec, o->lease_sec);
	return 0;
}
