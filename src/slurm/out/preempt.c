/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/preempt.h"

#include "src/slurm/in/managed.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/start.h"
#include "src/slurm/out/waiting.h"

/* How many jobs a call looks at, each of which it compares with all running
 * jobs, and how many it tries to start. All of this is under the write
 * locks. */
#define LOOKS_MAX 16
#define TRIES_MAX 8

/* How long, beyond KillWait, a job waits for the jobs that it has preempted. */
#define LEAVE_SEC 60

#define LOWEST_PRIORITY 1 /* of jobs that are not held */

/* Nodes that jobs leave for a job that has preempted them. */
static bitstr_t *kept;

struct serve {
	const struct astra_config *config;
	uint32_t seen, from, looks, tries;
	struct astra_jobs due;
	struct astra_started started[TRIES_MAX];
	size_t started_count;
	bool waiting; /* a job waits for jobs that it has preempted */
};

static bool may_preempt(job_record_t *job)
{
	list_t *victims = slurm_find_preemptable_jobs(job);
	bool found = victims && list_count(victims);

	FREE_NULL_LIST(victims);
	return found;
}

static bool is_waiting_for_victims(const job_record_t *job)
{
	time_t since = job->details->preempt_start_time;

	return since && time(NULL) < since + slurm_conf.kill_wait + LEAVE_SEC;
}

/* Keep the nodes of all leaving jobs: any may be a victim. */
static void keep_nodes(void)
{
	if (kept && bit_size(kept) != node_record_count)
		FREE_NULL_BITMAP(kept);
	if (!kept)
		kept = bit_alloc(node_record_count);
	if (cg_node_bitmap)
		bit_or(kept, cg_node_bitmap);
}

bitstr_t *astra_preempt_kept(void)
{
	return kept;
}

static void preempt_try(struct serve *s, job_record_t *job, size_t pool)
{
	const struct astra_pool_config *p = &s->config->pools[pool];
	struct astra_env_lease lease = astra_env_lease_of(job, p);

	s->tries++;
	if (astra_start_anywhere(job, &lease, &s->started[s->started_count]) ==
	    ASTRA_STARTED)
		s->started_count++;
}

static bool is_candidate(const job_record_t *job, size_t *pool)
{
	return IS_JOB_PENDING(job) && !IS_JOB_COMPLETING(job) && job->details &&
	       astra_is_parked(job) && !astra_note_of(job->job_id).limited &&
	       astra_claim_of(job, pool) == ASTRA_MANAGED;
}

static int preempt_find_job(void *x, void *arg)
{
	const job_record_t *job = x;
	struct serve *s = arg;

	if (!is_candidate(job, NULL))
		return 0;
	if (!is_waiting_for_victims(job)) {
		if (s->seen++ < s->from || s->looks == LOOKS_MAX)
			return 0;
		s->looks++;
	}
	return astra_jobs_add(&s->due, job->job_id);
}

static void preempt_find_due(struct serve *s, struct astra_diag *diag)
{
	uint64_t begin;

	lock_slurmctld(astra_read_locks());
	begin = astra_usec();
	list_for_each_ro(job_list, preempt_find_job, s);
	astra_clock_add(&diag->of.snapshot, begin);
	unlock_slurmctld(astra_read_locks());
}

/* Try the job's partitions one after the other, as Slurm does. While its
 * victims leave, the job keeps the partition in which it preempted them. */
static void try_parts(struct serve *s, job_record_t *job, size_t pool)
{
	part_record_t *first = job->part_ptr, *part;
	list_t *parts = list_shallow_copy(job->part_ptr_list);

	while (IS_JOB_PENDING(job) && !is_waiting_for_victims(job) &&
	       s->tries < TRIES_MAX && (part = list_pop(parts))) {
		job->part_ptr = part;
		if (may_preempt(job))
			preempt_try(s, job, pool);
	}
	FREE_NULL_LIST(parts);
	if (IS_JOB_PENDING(job) && !is_waiting_for_victims(job))
		job->part_ptr = first;
}

static bool is_within(const job_record_t *job)
{
	return (slurm_conf.preempt_mode & PREEMPT_MODE_WITHIN) ||
	       (job->qos_ptr &&
		(job->qos_ptr->preempt_mode & PREEMPT_MODE_WITHIN));
}

static void serve_candidate(struct serve *s, job_record_t *job, size_t pool)
{
	bool waits = is_waiting_for_victims(job);

	if (waits)
		preempt_try(s, job, pool);
	else if (job->part_ptr_list)
		try_parts(s, job, pool);
	else if (may_preempt(job))
		preempt_try(s, job, pool);
	s->waiting |=
		IS_JOB_PENDING(job) && (waits || is_waiting_for_victims(job));
}

/* Try a job. With the mode WITHIN, Slurm lets a job preempt others of its QOS
 * with a lower priority. Here priorities are ranks, and a job's lease may end
 * for its own victim, so each of the two would end for the other in turn. So
 * while it is tried, the job gets the lowest priority. */
static void serve_job(struct serve *s, uint32_t id)
{
	job_record_t *job = find_job_record(id);
	uint32_t priority;
	size_t pool;

	if (s->tries == TRIES_MAX || !job || job->magic != JOB_MAGIC ||
	    !is_candidate(job, &pool))
		return;
	priority = job->priority;
	if (priority && is_within(job))
		job->priority = LOWEST_PRIORITY;
	serve_candidate(s, job, pool);
	if (job->priority == LOWEST_PRIORITY)
		job->priority = priority;
}

/* Try all due jobs. Returns 0 with the locks released, or -1. */
static int serve_all(struct serve *s, struct astra_diag *diag)
{
	struct astra_hold_time hold;

	if (astra_lock(&hold) < 0)
		return -1;
	for (size_t i = 0; i < s->due.count; i++) {
		serve_job(s, s->due.ids[i]);
		if (astra_yield(&hold, diag) < 0)
			return -1;
	}
	if (s->waiting)
		keep_nodes();
	else
		FREE_NULL_BITMAP(kept);
	astra_unlock(&hold, diag);
	return 0;
}

/* Whether preemption is enabled. Slurm reads it from slurm.conf. */
static bool is_enabled(void)
{
	slurmctld_lock_t conf = {.conf = READ_LOCK};
	bool enabled;

	lock_slurmctld(conf);
	enabled = slurm_preemption_enabled();
	unlock_slurmctld(conf);
	return enabled;
}

void astra_preempt_serve(const struct astra_config *config,
			 struct astra_diag *diag)
{
	static uint32_t from;
	struct serve s = {.config = config, .from = from};
	int rc;

	if (!is_enabled() || slurmctld_config.shutdown_time)
		return;
	preempt_find_due(&s, diag);
	rc = serve_all(&s, diag);
	astra_jobs_free(&s.due);
	if (rc < 0)
		return;
	from += s.looks;
	if (from >= s.seen)
		from = 0;
	diag->of.started += s.started_count;
	(void)astra_launch_all(s.started, s.started_count, diag);
}
