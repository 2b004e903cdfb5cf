/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/gate.h"

#include <stdatomic.h>

#include "src/slurm/check/selfcheck.h"
#include "src/slurm/hooks/arrival.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/start.h"
#include "src/slurm/round/bell.h"

static _Thread_local bool testing;  /* the job that this thread creates is only
				     * tested */
static _Thread_local bool arriving; /* this thread creates a job that the gate
				     * has not seen yet */
static _Thread_local const job_record_t *admitted; /* that job, once the gate
						    * has let it through */
static _Thread_local size_t admitted_pool;
static atomic_bool stopping;

/* Let an arriving job through. No other job is let through until it has
 * started. Returns whether it may start. */
static bool gate_admit(const job_record_t *job, size_t pool)
{
	if (admitted == job)
		return true;
	if (!arriving || job->batch_flag || !astra_arrival_is_open(pool) ||
	    !astra_unleased_admit(
		    pool, &astra_config_active()->pools[pool].options, job))
		return false;
	astra_arrival_close(pool);
	astra_bell_ring_now();
	arriving = false;
	admitted = job;
	admitted_pool = pool;
	return true;
}

/* Whether the job may start at its submission. Slurm then also asks about other
 * jobs, but only whether they could start (test_only). */
static bool may_arrive(const job_record_t *job, size_t pool, bool test_only)
{
	return !test_only && gate_admit(job, pool);
}

/* Whether to park the job. A job that other reservations keep from its nodes at
 * its submission is parked too: otherwise Slurm would replace its reason by one
 * about burst buffers. */
static bool gate_parks(const job_record_t *job)
{
	return astra_reason_is_plain(job->state_reason) ||
	       (job->state_reason == WAIT_RESERVATION && !job->resv_name);
}

/* Return a job's first text: the name of a limit that it is over, else
 * ASTRA_PARK_NEW. Slurm's functions take assoc_mgr's lock, which the gate's
 * callers do not hold, and call no burst buffer plugin. */
static const char *gate_first_words(job_record_t *job)
{
	uint32_t before = job->state_reason, reason;
	bool within = !job->part_ptr || astra_within_limits(job);

	reason = job->state_reason;
	job->state_reason = before;
	return within ? ASTRA_PARK_NEW : astra_reason_name(reason);
}

int astra_gate_test(job_record_t *job, bool test_only)
{
	enum astra_claim claim;
	size_t pool;

	if (astra_start_is_ours(job) || astra_selfcheck_aside() ||
	    (testing && test_only))
		return 1;
	claim = astra_claim_of(job, &pool);
	if (claim == ASTRA_FOREIGN || claim == ASTRA_ORDERED)
		return 1;
	if (!astra_selfcheck_passed()) { /* the next round checks the job */
		astra_bell_ring_now();
		return -1;
	}
	if (stopping || !IS_JOB_PENDING(job) || job->priority == 0 ||
	    !gate_parks(job))
		return -1;
	if (claim == ASTRA_MIXED) {
		astra_park(job, astra_brief_text(ASTRA_BRIEF_MIXED));
		return -1;
	}
	if (may_arrive(job, pool, test_only))
		return 1;
	astra_park(job, gate_first_words(job));
	astra_arrival_close(pool);
	if (job->batch_flag)
		astra_bell_ring();
	else /* a user waits at the terminal */
		astra_bell_ring_now();
	return -1;
}

time_t astra_gate_start_time(const job_record_t *job)
{
	time_t now = time(NULL);

	if (!astra_selfcheck_job(job))
		return now;
	return job->start_time > now ? job->start_time : now + 1;
}

void astra_gate_submitting(bool managed, bool immediate)
{
	testing = managed && !immediate;
	arriving = managed;
	admitted = NULL;
}

void astra_gate_begun(job_record_t *job)
{
	if (!admitted || admitted != job)
		return;
	admitted = NULL;
	astra_arrival_start(job, admitted_pool);
}

void astra_gate_stop(void)
{
	stopping = true;
}

void astra_gate_begin(void)
{
	stopping = false;
}

bool astra_gate_loaded(void)
{
	return xstrcasestr(slurm_conf.bb_type, "astraea") != NULL;
}
