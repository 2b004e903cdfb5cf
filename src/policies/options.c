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

/* The most slots that oasis plans ahead, and the default of PlanHorizon. */
#define HORIZON_SLOTS_MAX 1000
#define HORIZON_SEC 86400

#define CREDITS_MAX 1e9
#define EPOCH_SEC (7 * 86400.0)
#define CAP_HOURS_MAX 1e9
#define LEASE_TERM_SEC 900
#define MIN_RUN_SEC 60

/* Bounds of LeaseTerm=auto if LeaseMin and LeaseMax are not set. */
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

/* Read a budget. "none" gives a negative one. */
static int options_set_budget(const struct astra_option *row,
			      struct astra_options *o, const char *text,
			      struct astra_error *err)
{
	if (strcasecmp(text, "none"))
		return astra_option_number(row, o, text, err);
	o->budget = -1;
	return 0;
}

/* Read a tenant's or user's cap in GPU hours. "none" gives a negative one. */
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
	 "Chooses which job goes next. The policy ltgf shares GPU time fairly "
	 "over the long term (ASTRAEA, Ye et al.). The policy themis auctions "
	 "the GPUs of ended leases, for finish-time fairness of apps (Mahajan "
	 "et al.). The policy incentive plans jobs in batches and sells GPUs "
	 "slot by slot at posted prices; a tenant's own share is free of "
	 "charge (Wang et al.). The policy oasis admits the jobs whose utility "
	 "exceeds their price, which rises with the load (Bao et al.). The "
	 "policy ogasched learns the shares of classes of jobs slot by slot "
	 "(Zhao et al.). The policy ltgf+themis shares GPUs by ltgf between "
	 "tenants, and by auctions among the apps of each tenant. The policy "
	 "ltgf+incentive shares GPUs by ltgf between tenants; in each tenant "
	 "it sells GPUs to the users, who own parts of the tenant's share. The "
	 "policies ltgf+oasis and ltgf+ogasched share GPUs by ltgf between "
	 "tenants at each slot; each tenant's jobs then compete for its share "
	 "under the second policy. The other names are baselines of the "
	 "papers' evaluations, for comparison only; sfairsim(1) describes "
	 "them: fifo, slurm, drf, yarn-cs, hived, allox, tiresias, gandiva, "
	 "gandiva-fair, optimus, srtf, srsf, ftf, batchsche, rrh, dorm, slaq, "
	 "oga-drf, oga-fairness, oga-binpacking, oga-spreading.",
	 .parse = set_policy},
	{"Leases", "yes|no|watch", "yes",
	 "Whether jobs run under leases. With no, Slurm starts the jobs in the "
	 "order of their priorities, and they run until they end. With "
	 "priority/ltgf loaded, the priorities follow Policy. A pool also has "
	 "no leases if burst_buffer/astraea is not loaded. With watch, the "
	 "pool has no leases either, but the plugin records jobs, and sfair "
	 "watch reports what leases would have changed. The value watch needs "
	 "History=yes. The values no and watch are refused with any Policy "
	 "other than ltgf, and with MaxGPUHours, TenantGPUHours and "
	 "MaxGPUHoursPerUser.",
	 .parse = options_set_leases,
	 .sets = {OPTION(FLAG, leases), OPTION(FLAG, watch)}},
	{"Gres", "gpu|shard", "gpu",
	 "Chooses what the pool shares among jobs. With gpu, these are whole "
	 "GPUs. With shard, these are parts of GPUs, gres/shard, for which "
	 "jobs ask with --gres=shard:N. Most of what this page and sfair say "
	 "about GPUs then applies to shards. But in shares of tenants, GPUs of "
	 "tenants and GPU time, a shard counts as its part of the node's GPUs. "
	 "On each node, all shards of a job belong to one GPU. In a pool with "
	 "leases, requests for whole GPUs, whole nodes, --gpu-range and "
	 "--workers are refused. After a change of Gres, Slurm itself "
	 "schedules waiting jobs that ask for the old kind.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, shards)},
	 .words = {"gpu", "shard"}},
	{"PriorityWeightLTGF", "NUMBER|only", "only",
	 "Sets how much a place in Policy's order adds to the priority of "
	 "priority/multifactor, in a pool without leases. Of n jobs, the first "
	 "gets NUMBER, the second NUMBER x (n-1)/n, and so on. With only, each "
	 "place counts 1000 more than the sum of all PriorityWeight options in "
	 "slurm.conf.",
	 .parse = set_weight, .sets = {OPTION(U32, priority_weight)}},
	{"LeaseTerm", "TIME|auto", "900",
	 "Sets how long a job holds its GPUs before it competes for them "
	 "again. The default of themis and ltgf+themis is 600. With auto, "
	 "slurmctld chooses the best term between LeaseMin and LeaseMax once a "
	 "day, as sfairsim tune does. It simulates the pool's last seven days "
	 "under several terms. The term changes only if another one is better "
	 "by more than two points. A new term does not change running leases. "
	 "First starts that were promised under a shorter term may be late. "
	 "The value auto needs History=yes. The default of the policy is used "
	 "until 100 jobs have ended, over at least a day. The policies "
	 "incentive, oasis and ogasched refuse auto, since their leases do not "
	 "end with a term.",
	 .parse = options_set_lease,
	 .sets = {OPTION(REAL, lease_sec), OPTION(FLAG, lease_said),
		  OPTION(FLAG, lease_auto)}},
	{"LeaseMin", "TIME", "0",
	 "Sets the shortest term that a job may request with --lease, and the "
	 "shortest that LeaseTerm=auto may choose. For --lease, 0 means "
	 "CheckpointGrace, but at least MinRunTime. For LeaseTerm=auto, 0 "
	 "means the longest of 5:00, five times CheckpointGrace, and "
	 "MinRunTime.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lease_min_sec)}},
	{"LeaseMax", "TIME", "0",
	 "Sets the longest term that a job may request with --lease, and the "
	 "longest that LeaseTerm=auto may choose. It is also the longest term "
	 "of a job whose leases are too short to save anything. If it equals "
	 "LeaseTerm, no job gets a longer term. For --lease, 0 means "
	 "LeaseTerm. For jobs whose leases are too short, 0 means four times "
	 "LeaseTerm. For LeaseTerm=auto, 0 means 2:00:00, but at least four "
	 "times the shortest term that auto may choose.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lease_max_sec)}},
	{"AllowNoLease", "yes|no", "no",
	 "Whether a job may request --lease=none and keep its GPUs until it "
	 "ends. Such a job is charged like other jobs.",
	 .parse = astra_option_bool,
	 .sets = {OPTION(FLAG, lease_none_allowed)}},
	{"NoLeaseGPUs", "GPUS|quota|none", "quota",
	 "Limits the GPUs that a tenant's jobs without leases hold at a time. "
	 "Such jobs are those of srun and salloc, jobs with --no-requeue or "
	 "--lease=none, and jobs that Slurm started before the pool had "
	 "leases. With Unprepared=keep, jobs that declare no checkpoint count "
	 "as well. Jobs beyond the limit wait. They start in the order of "
	 "PriorityTier, then nice and an operator's priority, then submit "
	 "time. A job that does not fit does not delay a smaller job. This "
	 "limit is not divided among users; NoLeaseUserGPUs limits each user. "
	 "Jobs whose time limit is at most LeaseTerm are exempt. The value "
	 "quota means the tenant's share of the pool, rounded up. If no job "
	 "has leases because slurm.conf has JobRequeue=0, quota only applies "
	 "if this option is set. The value none means no limit.",
	 .parse = set_unleased,
	 .sets = {OPTION(U32, unleased_gpus), OPTION(FLAG, unleased_said)}},
	{"NoLeaseUserGPUs", "GPUS|quota|none", "none",
	 "Limits the GPUs that each user's jobs without leases hold at a time. "
	 "The value quota means the share of the user's tenant.",
	 .parse = astra_option_gpus, .sets = {OPTION(U32, unleased_user_gpus)}},
	{"NoLeaseTime", "TIME|none", "none",
	 "Sets the longest time limit of a job without leases. The time limit "
	 "of a new job is shortened to this, and sbatch says so. An operator "
	 "may make the limit longer, but the user may not. A lower value does "
	 "not shorten the limits of waiting jobs.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, unleased_sec)}},
	{"Unprepared", "share|requeue|keep", "share",
	 "Chooses what happens to a batch job that declares no checkpoint. A "
	 "job declares a checkpoint by --signal, --requeue, --checkpoint-with, "
	 "--agent, --gpu-range or --workers, or through the CheckpointSignal "
	 "of its pool. After submission it can do so by scontrol update "
	 "JobId=N Requeue=1 and, under ltgf and themis, by reporting a "
	 "checkpoint. Under ltgf and themis, a job counts as declaring none if "
	 "it reports progress but saved nothing in two runs in a row. With "
	 "share, a job that declares no checkpoint keeps its GPUs if they fit "
	 "into its tenant's share. Otherwise the job borrows all of its GPUs. "
	 "The tenant's share is its part of the pool's GPUs, by weight among "
	 "the tenants that have jobs. The tenant's jobs without leases use up "
	 "the share first. Then follow its jobs that declare no checkpoint: "
	 "first jobs of users within their own share, then the others, each by "
	 "start time. A job that borrows keeps its GPUs until another tenant "
	 "has fewer GPUs than its share and needs more. That tenant first gets "
	 "idle GPUs, then GPUs of jobs that declare a checkpoint, from tenants "
	 "above their share. If these are too few, borrowing jobs get leases "
	 "like others, the last started first. No borrowing job gets a lease "
	 "before it has run for UnpreparedMin; jobs that reach UnpreparedMin "
	 "within a term are chosen first. After each term in which the tenant "
	 "still lacks GPUs, more borrowing jobs get leases. A waiting job that "
	 "needs whole nodes may have to wait until the jobs on these nodes "
	 "reach their time limits, as under stock Slurm. Under ltgf, while a "
	 "poorer tenant lacks GPUs, none are held for a job that would exceed "
	 "its tenant's share. With requeue, the job has leases like others, "
	 "and starts from the beginning after each lease that is not renewed. "
	 "With keep, the job has no lease and keeps its GPUs until it ends. "
	 "NoLeaseGPUs, NoLeaseUserGPUs and NoLeaseTime limit such jobs.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, unprepared)},
	 .words = {"share", "requeue", "keep"}},
	{"UnpreparedMin", "TIME|auto", "auto",
	 "Sets how long a borrowing job runs at least, with Unprepared=share. "
	 "Each time that the job's GPUs are taken back, this time doubles for "
	 "the job, but at most four times. The value auto means four times "
	 "LeaseTerm.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, unprepared_sec)}},
	{"RoundInterval", "TIME", "10",
	 "Sets the longest time between two rounds. A round also follows each "
	 "end of a job or lease and each submission, but at most once a "
	 "second. If a job of srun or salloc waits, a round comes even sooner.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, round_sec)}},
	{"CheckpointGrace", "TIME", "60",
	 "Sets how long a job may continue after the signal at the end of its "
	 "lease, until it is requeued.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, grace_sec)}},
	{"CheckpointSignal", "SIGNAL|none", "none",
	 "Sets the signal for jobs that do not choose one with --signal. With "
	 "none, such jobs are requeued at once: Slurm sends TERM, and KILL "
	 "after KillWait.",
	 .parse = set_signal, .sets = {OPTION(INT, checkpoint_signal)}},
	{"CheckpointExit", "CODE[,CODE...]|none", "85",
	 "Lists the exit codes by which a job says, during its grace, that it "
	 "has written a checkpoint and wants to continue later.",
	 .parse = set_exit,
	 .sets = {ASTRA_MEMBER_ARRAY(astra_options, INT, checkpoint_exit),
		  OPTION(SIZE, checkpoint_exit_count)}},
	{"TimeLimitExit", "requeue|fail", "requeue",
	 "Chooses what happens if a job that may be requeued ends with a code "
	 "of CheckpointExit after the --signal before its time limit. With "
	 "requeue, the job is requeued, and its next run has the full time "
	 "limit again. The number of such runs is unlimited: a job that saves "
	 "nothing new is requeued until it is cancelled. A job whose run was "
	 "shorter than a minute fails. With fail, the job fails, as in Slurm.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, fail_at_limit)},
	 .words = {"requeue", "fail"}},
	{"MinRunTime", "TIME|auto", "auto",
	 "Sets how long a job keeps its GPUs after each start, even if its "
	 "lease is shorter. GPUs are never lent for a shorter time. For a job "
	 "that reports its progress, auto means the time for start-up and one "
	 "checkpoint, but at most a term. For other jobs, auto means a tenth "
	 "of the term, but at most a minute. Under policies that end the "
	 "leases themselves, auto means 0.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, min_run_sec)}},
	{"MaxReclaim", "GPUS", "0",
	 "Limits the GPUs that are taken back in one round. A single job with "
	 "more GPUs may still be interrupted. The value 0 means no limit.",
	 .parse = astra_option_count, .sets = {OPTION(U32, reclaim_max)}},
	{"TenantVariant", "eq8|eq16", "eq8",
	 "Chooses how much GPU time is due to a tenant. With eq8, this is its "
	 "quota, but no more than its jobs ask for at the time. With eq16, "
	 "this is always its quota, so that a tenant returns from an idle time "
	 "with a lead.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, quota_entitlement)},
	 .words = {"eq8", "eq16"}},
	{"FairnessHalfLife", "TIME|none", "none",
	 "Sets the half-life of past use: use that is this old counts half. "
	 "With none, all use counts in full, as in the paper. With a half-life "
	 "below about twenty terms, first starts may be later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, half_life_sec)}},
	{"LeadMax", "TIME|none", "none",
	 "Limits the lead that an idle tenant gains under eq16, as a time of "
	 "its whole quota.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, lead_max_sec)}},
	{"Promise", "yes|no", "yes",
	 "Whether each job that fits gets its first start within a known time. "
	 "The time in lease terms is 2 + (the job's GPUs + GPUs of its "
	 "tenant's earlier jobs that never ran) / the tenant's quota. GPUs are "
	 "counted as they are charged. With FairWithin=user, the same is also "
	 "computed from the user's jobs and the user's part of the quota; the "
	 "later of the two times counts. Example: the pool has 32 GPUs, the "
	 "tenant half of them, two of its users have jobs, and LeaseTerm is "
	 "15:00. Then a user's first job of 4 GPUs starts within 2 + 4/8 "
	 "terms, or 38 minutes, plus the graces of the jobs that leave. GPUs "
	 "are held for such a job, and leases of its tenant and of richer "
	 "tenants are ended early. Under policies other than ltgf, these "
	 "leases end by themselves or once they have lasted LeaseTerm. Plans, "
	 "prices and auctions give way to a promised start. No start is "
	 "promised to a job that Admission=refuse holds, or to jobs under a "
	 "baseline. Nor is any start promised while jobs that declare no "
	 "checkpoint keep their GPUs (Unprepared=share). With no, only the "
	 "paper's rule applies, under which large jobs may starve.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, promise)}},
	{"RecallAfter", "TIME", "2:00",
	 "Sets how long a job runs at least before its lease may end early, "
	 "with Promise=yes. MinRunTime applies as well. Under ltgf such a "
	 "lease ends for the next job that never ran, of the same tenant or a "
	 "poorer one. Under other policies it ends for a job that would "
	 "otherwise start later than promised. A job that reports its progress "
	 "runs at least ten times as long as start-up and one checkpoint take, "
	 "but at most LeaseTerm. With 0, no lease ends early; under overload "
	 "some first starts are later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, recall_sec)}},
	{"MaxOverhead", "PERCENT", "5",
	 "Limits the cost of leases that end early, with Promise=yes, in "
	 "percent of the pool's GPU time of the last hour. An early end costs "
	 "seconds x GPUs x (1 - the part of a term that the job has run since "
	 "its start). The seconds are the job's time for start-up and one "
	 "checkpoint or, if that is unknown, CheckpointGrace. A quarter of the "
	 "budget is reserved for jobs whose tenant or user has had less than "
	 "its share. Two kinds of early ends are counted but not limited: "
	 "those for a first start that would otherwise be late, and those of "
	 "lent GPUs. At most 240 jobs a minute are told to leave early. The "
	 "leases that end for one gang always end together, even if they are "
	 "more. MaxReclaim limits them as well. With 0, leases end early only "
	 "in the two cases that are not limited. With 100, there is no limit.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, overhead_max)},
	 .least = 0, .most = 100},
	{"Reserve", "GPUS", "2",
	 "Keeps this many GPUs of one node for jobs that never ran, under ltgf "
	 "with Promise=yes, while the demand exceeds the GPUs. So small jobs "
	 "start at once. At most a 256th of the pool's GPUs is kept, so a pool "
	 "below 256 GPUs keeps none. With 0, no GPUs are kept.",
	 .parse = astra_option_count, .sets = {OPTION(U32, reserve_gpus)}},
	{"FairWithin", "user|job", "user",
	 "Chooses how a tenant's GPU time is shared. With user, it is shared "
	 "among the tenant's users by their fairshare in the tenant's account, "
	 "else equally. Each user's part is shared among the user's jobs, so "
	 "that a user gains nothing by submitting more jobs. With job, it is "
	 "shared among the tenant's jobs, whoever submits them, as in the "
	 "paper.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, within_users)},
	 .words = {"job", "user"}},
	{"DeadlineUrgency", "TIME", "0",
	 "Lets a job go before its tenant's other jobs if the time until its "
	 "--deadline, minus its time limit, is less than this.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, urgency_sec)}},
	{"Placement", "consolidated|strict", "consolidated",
	 "Chooses whether a job may run on more nodes than its GPUs need. With "
	 "consolidated, the job may run on more nodes if fewer have no room at "
	 "the time. With strict, the job waits instead.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, strict_placement)},
	 .words = {"consolidated", "strict"}},
	{"QOSWeight", "QOS:WEIGHT[,...]|none", "none",
	 "Sets the weights of jobs within their tenant, by QOS. A job of "
	 "weight 2 is due twice the GPUs of a job of weight 1. Jobs of other "
	 "QOS have weight 1. A job of weight 0 gets only what its tenant's "
	 "other jobs leave. Under incentive and oasis, a job that does not "
	 "state its worth is worth its GPU hours times this weight.",
	 .parse = set_qos_weights},
	{"MaxGPUHours", "HOURS|none", "none",
	 "Limits the GPU hours of each tenant in a CapPeriod, as charged. A "
	 "lease is granted or renewed only if three amounts together fit the "
	 "limit: the hours used, the rest of the tenant's running leases, and "
	 "this whole lease. A job that has a lease keeps it until the lease "
	 "ends. Other jobs of the tenant wait until the next period. A job "
	 "without leases counts with its whole time limit; if it has no time "
	 "limit, it never starts. With 0, the tenant gets no GPUs at all.",
	 .parse = options_set_cap, .sets = {OPTION(REAL, cap_hours)}},
	{"TenantGPUHours", "TENANT:HOURS[,...]|none", "none",
	 "Sets MaxGPUHours for single tenants.",
	 .parse = options_set_tenant_caps},
	{"MaxGPUHoursPerUser", "HOURS|none", "none",
	 "Limits the GPU hours of each user of a tenant, in addition to the "
	 "tenant's limit.",
	 .parse = options_set_cap, .sets = {OPTION(REAL, cap_user_hours)}},
	{"CapPeriod", "day|week|month", "month",
	 "Chooses when the count of GPU hours starts again, in the time zone "
	 "of slurmctld's host: every day at 00:00, every Monday, or on the "
	 "first of the month.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, cap_period)},
	 .words = {"day", "week", "month"}},
	{"GPUWeight", "TYPE:WEIGHT[,...]|none", "none",
	 "Sets how much an hour of a GPU counts, by the type in gres.conf. "
	 "Types without a weight count 1. A MIG device is a type; give it its "
	 "part of a GPU as weight, such as 1g.10gb:0.125. Shares and rho use "
	 "this measure, and so do the GPUs and GPU time that sfair shows for "
	 "tenants.",
	 .parse = set_gpu_weights},
	{"ChargeBlocked", "yes|no", "yes",
	 "Whether a job is also charged for GPUs that others cannot use "
	 "because of its CPUs and memory. On each node the charge is the job's "
	 "GPUs, or its CPUs and memory expressed in GPUs if these are more. A "
	 "GPU is worth what TRESBillingWeights of the partition say or, if "
	 "these do not weigh GPUs, the node's CPUs and memory per GPU. With "
	 "no, the job is charged only for its GPUs.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, charge_blocked)}},
	{"SlotLength", "TIME", "600",
	 "Sets the length of a slot of incentive, oasis and ogasched, at least "
	 "ten seconds. Leases under these policies end with a slot. If a slot "
	 "is about as long as LeaseTerm, and several jobs of the whole pool's "
	 "size come at once, some start later than promised.",
	 .parse = astra_option_seconds, .sets = {OPTION(REAL, slot_sec)}},
	{"BatchMax", "SLOTS", "4",
	 "Sets the longest window of incentive, 1 to 256 slots. Windows begin "
	 "with 2 slots and double up to this length. Jobs that are submitted "
	 "during a window are planned at its end. Jobs that are longer than a "
	 "window are planned in parts.",
	 .parse = astra_option_count, .sets = {OPTION(U32, batch_max)}},
	{"PriceBase", "NUMBER", "2",
	 "Sets theta of incentive, 1 to 1000000. A GPU hour costs theta^u - 1 "
	 "while a share u of the GPUs is in use. A job that does not state its "
	 "worth is worth its GPU hours.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, price_base)},
	 .least = 1, .most = 1e6},
	{"OwnPrice", "cluster|share", "cluster",
	 "Chooses the price that incentive compares with the worth of a job in "
	 "its tenant's own share. With cluster, the use of all tenants sets "
	 "the price, as in the paper; then a job may be refused although its "
	 "tenant's share is idle, because others are busy. With share, only "
	 "the use of this tenant sets the price.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, own_share)},
	 .words = {"cluster", "share"}},
	{"Budget", "CREDITS|none", "none",
	 "Sets the credits that each tenant starts with, to buy GPUs of other "
	 "tenants' shares under incentive. Payments are subtracted and income "
	 "is added. A tenant without enough credits buys nothing. With "
	 "LendIdle=no, jobs of a tenant that lacks credits also stop at the "
	 "end of the slots that they were sold. In its own share, its jobs run "
	 "in any case. With 0, the tenant buys nothing. With none, the tenant "
	 "may owe any amount, as in the paper.",
	 .parse = options_set_budget, .sets = {OPTION(REAL, budget)},
	 .least = 0, .most = CREDITS_MAX},
	{"BudgetRefill", "CREDITS", "0",
	 "Gives this many credits a day to each tenant that has less than "
	 "Budget, up to Budget.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, budget_refill)},
	 .least = 0, .most = CREDITS_MAX},
	{"PlanHorizon", "TIME|auto", "auto",
	 "Sets how far ahead oasis plans, from 1 to 1000 slots. The value auto "
	 "means a day, but at most 1000 slots. A job whose work is longer than "
	 "three quarters of this time is planned in parts.",
	 .parse = astra_option_auto, .sets = {OPTION(REAL, horizon_sec)}},
	{"Admission", "wait|refuse", "wait",
	 "Chooses what happens to a job for which oasis finds no schedule "
	 "worth its price. With wait, the job is considered again in each "
	 "slot, and LendIdle lends GPUs to it. With refuse, the job is held, "
	 "and the reason shows its price and its worth. After its release, the "
	 "job is considered as if it had just been submitted. A job that ran "
	 "or was admitted once is not refused. No job is refused within a "
	 "SlotLength after the number of usable GPUs changed. This option is "
	 "for Policy=oasis only.",
	 .parse = astra_option_flag, .sets = {OPTION(FLAG, refuse_unworthy)},
	 .words = {"wait", "refuse"}},
	{"LendIdle", "yes|no", "yes",
	 "Whether idle GPUs are lent, free of charge, to waiting jobs that can "
	 "run on them. GPUs are idle if they are planned for no job, or for a "
	 "job that cannot start on them. A loan ends with the slot, or under "
	 "themis and ltgf+themis with the term. With yes, no GPU is idle while "
	 "a waiting job could run on it, except under baselines, which lend "
	 "nothing. With no, as in the papers, GPUs may be idle while jobs "
	 "wait. Then, under oasis, a job that is never worth its price never "
	 "runs. Under incentive, a job that continues beyond what it was sold "
	 "then pays the posted price of each slot. Under ltgf no such GPU is "
	 "idle in either case, except those that it keeps for a promised start.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, lend_idle)}},
	{"FairnessKnob", "NUMBER", "0.8",
	 "Sets f of themis and ltgf+themis: GPUs are offered to a fraction 1 - "
	 "f of the apps, those that are worst off. With 0, they are offered to "
	 "all apps, which is most efficient. Near 1, they are only offered to "
	 "the worst-off app, which is most fair.",
	 .parse = astra_option_number, .sets = {OPTION(REAL, fairness_knob)},
	 .least = 0, .most = 1},
	{"TrustBids", "yes|no", "no",
	 "Whether themis uses the fairness that an app's agent states to find "
	 "the apps that are worst off. With yes, as in the paper, an agent "
	 "gains by overstating. With no, themis uses its own estimates. In "
	 "both cases the agent's bids say how useful GPUs are to its app.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, trust_bids)}},
	{"LearningRate", "theory|const|decay", "theory",
	 "Sets the step size with which ogasched learns. With theory, the "
	 "length of the reward's gradient determines it. With const, the "
	 "longest possible gradient determines it, which bounds the loss by "
	 "learning. With decay, the steps become shorter and shorter.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, learning_rate)},
	 .words = {"decay", "theory", "const"}},
	{"LentSteps", "NUMBER", "5",
	 "Lets ogasched lend shares that it has learned for classes without a "
	 "job to the other classes, in each slot. The shares of these other "
	 "classes are moved by this many more steps along the gradient. With "
	 "0, nothing is lent, as in the paper. The learning itself is the same "
	 "in both cases.",
	 .parse = astra_option_count, .sets = {OPTION(U32, lent_steps)},
	 .least = 0, .most = 50},
	{"LearnedUtility", "linear|log|reciprocal|poly", "log",
	 "Chooses how much GPUs on a node are worth to a class of jobs, under "
	 "ogasched. With linear, each GPU is worth as much as the first. With "
	 "poly, log and reciprocal, each further GPU is worth less. The faster "
	 "the worth falls, the more equal are the shares.",
	 .parse = astra_option_word, .sets = {OPTION(SIZE, learned_utility)},
	 .words = {"linear", "log", "reciprocal", "poly"}},
	{"AdminComment", "yes|no", "yes",
	 "Chooses whether the word astraea:submit=TIME,leases=N,lost=SECONDS "
	 "is added to a job's AdminComment each time that the job ends. sacct "
	 "shows this comment.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, admin_comment)}},
	{"ReasonDetail", "yes|no", "no",
	 "Whether squeue shows numbers, times and names in the reason of a job "
	 "that waits for a lease, as in \"Lease: waits its turn, rank 3 of "
	 "17\". With no, the reason is one of the fixed texts of astraea(7), "
	 "so that programs that count jobs by reason see only a few. The "
	 "command sfair why always shows everything.",
	 .parse = astra_option_bool, .sets = {OPTION(FLAG, reason_detail)}},
	{"ForecastInterval", "TIME|none", "5",
	 "Sets how often a low-priority thread predicts when waiting jobs will "
	 "start, for squeue --start and sfair when. The thread runs a copy of "
	 "the engine for a few seconds at most, and then rests twenty times as "
	 "long. With none, there are no predictions, and only planned starts "
	 "are shown.",
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

/* Check LeaseTerm, if it is not auto. */
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
