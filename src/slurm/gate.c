/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/gate.h"

#include <stdatomic.h>

#include "src/slurm/host.h"
#include "src/slurm/managed.h"
#include "src/slurm/park.h"

static _Thread_local const job_record_t *opened;
static _Thread_local bool submitting;
static atomic_bool stopping, disabled;

int astra_gate_test(job_record_t *job, bool test_only)
{
	enum astra_claim claim;

	if (opened == job || disabled || (submitting && test_only))
		return 1;
	claim = astra_claim_of(job, NULL);
	if (claim == ASTRA_FOREIGN || claim == ASTRA_ORDERED)
		return 1;
	if (stopping || !IS_JOB_PENDING(job) || job->priority == 0 ||
	    !astra_reason_is_plain(job->state_reason))
		return -1;
	if (claim == ASTRA_MIXED) {
		astra_park(job, "Lease: partitions inside and outside of a "
				"pool");
		return -1;
	}
	astra_park(job, ASTRA_PARK_NEW);
	astra_host_wake();
	return -1;
}

time_t astra_gate_start_time(const job_record_t *job)
{
	time_t now = time(NULL);

	return job->start_time > now ? job->start_time : now + 1;
}

void astra_gate_submitting(bool managed)
{
	submitting = managed;
}

void astra_gate_open(const job_record_t *job)
{
	opened = job;
}

void astra_gate_close(void)
{
	opened = NULL;
}

void astra_gate_stop(void)
{
	stopping = true;
}

void astra_gate_begin(void)
{
	stopping = false;
}

void astra_gate_disable(void)
{
	disabled = true;
}

bool astra_gate_loaded(void)
{
	return xstrcasestr(slurm_conf.bb_type, "astraea") != NULL;
}
