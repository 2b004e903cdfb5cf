/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/preempt.h"

#include "src/slurm/apply.h"
#include "src/slurm/managed.h"
#include "src/slurm/park.h"
#include "src/slurm/start.h"

/* A call looks at so many jobs, each time at all that run, and tries so many to
 * start: all of it under the write lock. */
#define LOOKS_MAX 16
#define TRIES_MAX 8

/* So long after KillWait a job that has preempted others waits for them. */
#define LEAVE_SEC 60

/* Nodes that jobs leave for one that has preempted them. */
static bitstr_t *kept;

struct serve {
	const struct astra_config *config;
	uint32_t seen, from, looks, tries;
	struct astra_started started[TRIES_MAX];
	size_t started_count;
	bool waiting; /* one has preempted others, and they are leaving */
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

/* Whoever is leaving may be one of them. */
static void keep_nodes(void)
{
	if (kept && bit_size(kept) != node_record_count)
		FREE_NULL_BITMAP(kept);
	if (!kept)
		kept = bit_alloc(node_record_count);
	if (cg_node_bitmap)
		bit_or(kept, cg_node_bitmap);
}

bool astra_preempt_keeps(uint32_t node)
{
	return kept && node < bit_size(kept) && bit_test(kept, node);
}

static void try(struct serve *s, job_record_t *job, size_t pool)
{
	const struct astra_pool_config *p = &s->config->pools[pool];
	struct astra_terms terms;
	struct astra_env_lease lease;

	s->tries++;
	astra_terms_of(job, &p->options, &terms);
	lease = (struct astra_env_lease){
		.pool = p->name,
		.term_sec = terms.lease_sec > 0 ? terms.lease_sec
						: p->options.lease_sec,
		.grace_sec = p->options.grace_sec,
		.start_sec = (double)time(NULL),
		.signal = terms.signal,
	};
	lease.end_sec = lease.start_sec + lease.term_sec;
	if (astra_start_anywhere(job, &lease, &s->started[s->started_count]) ==
	    ASTRA_STARTED)
		s->started_count++;
}

static void serve_job(struct serve *s, job_record_t *job)
{
	size_t pool;

	if (!IS_JOB_PENDING(job) || IS_JOB_COMPLETING(job) || !job->details ||
	    !astra_is_parked(job) || astra_park_limited(job->job_id) ||
	    astra_claim_of(job, &pool) != ASTRA_MANAGED)
		return;
	if (s->tries == TRIES_MAX)
		return;
	if (is_waiting_for_victims(job)) {
		try(s, job, pool);
		s->waiting |= IS_JOB_PENDING(job);
		return;
	}
	if (s->seen++ < s->from || s->looks == LOOKS_MAX)
		return;
	s->looks++;
	if (!may_preempt(job))
		return;
	try(s, job, pool);
	s->waiting |= IS_JOB_PENDING(job) && is_waiting_for_victims(job);
}

static void serve_all(struct serve *s)
{
	/* Starting an array's task adds a record to the list. */
	list_itr_t *jobs = list_iterator_create(job_list);
	job_record_t *job;

	while ((job = list_next(jobs)))
		serve_job(s, job);
	list_iterator_destroy(jobs);
	if (s->waiting)
		keep_nodes();
	else
		FREE_NULL_BITMAP(kept);
}

void astra_preempt_serve(const struct astra_config *config,
			 struct astra_diag *diag)
{
	static uint32_t from;
	struct serve s = {.config = config, .from = from};
	struct astra_hold_time hold;

	if (!slurm_preemption_enabled() || astra_lock(&hold) < 0)
		return;
	serve_all(&s);
	astra_unlock(&hold, diag);
	from += s.looks;
	if (from >= s.seen)
		from = 0;
	diag->started += s.started_count;
	(void)astra_launch_all(s.started, s.started_count, diag);
}
