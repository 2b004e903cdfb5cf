/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/revoke.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/forwarder.h"
#include "src/slurm/note/marks.h"

#define MARK "ASTRAEA_REVOKED_RUN"

int astra_revoke_signal(job_record_t *job, const struct astra_terms *terms)
{
	uint16_t signal = (uint16_t)terms->signal;
	int rc;

	if (terms->batch_only)
		return job_signal(job, signal, KILL_JOB_BATCH, 0, false);
	rc = job_signal(job, signal, KILL_STEPS_ONLY, 0, false);
	(void)job_signal(job, ASTRA_FORWARD_SIGNAL, KILL_FULL_JOB, 0, false);
	return rc;
}

int astra_revoke_requeue(job_record_t *job)
{
	int rc;

	astra_revoke_mark(job);
	rc = astra_requeue(job);
	if (rc == ESLURM_DISABLED || rc == ESLURM_BATCH_ONLY)
		astra_terms_pin(job);
	return rc;
}

void astra_revoke_mark(job_record_t *job)
{
	char run[16];

	snprintf(run, sizeof(run), "%u", (unsigned int)job->restart_cnt);
	astra_env_set(job->details, MARK, run);
}

bool astra_revoke_marked(const job_record_t *job)
{
	const char *run = astra_env_get(job->details, MARK);

	return run && strtoul(run, NULL, 10) == job->restart_cnt;
}

/* Finish a requeue. Slurm does not finish it if the last node of an ending job
 * goes down: the next run would then get none of its GPUs. */
static void finish_requeue(job_record_t *job)
{
	if (job->batch_flag && job->gres_list_alloc)
		batch_requeue_fini(job);
}

void astra_revoke_tidy(job_record_t *job)
{
	const char *run;
	time_t now = time(NULL);

	if (!job->restart_cnt)
		return;
	finish_requeue(job);
	if (job->details->begin_time <= now)
		return;
	run = astra_env_get(job->details, MARK);
	/* The marked run may be more than one behind: Slurm counts again when
	 * it continues a requeue that a kill had interrupted. */
	if (!run || *run < '0' || *run > '9' ||
	    strtoul(run, NULL, 10) >= job->restart_cnt)
		return;
	job->details->begin_time = 0;
	astra_env_set(job->details, MARK, "done");
	if (job->state_reason == WAIT_TIME) {
		job->state_reason = WAIT_NO_REASON;
		xfree(job->state_desc);
	}
}
