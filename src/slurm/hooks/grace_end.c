/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/grace_end.h"

#include <string.h>
#include <sys/wait.h>

#include "src/slurm/conf/config.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/note/grace.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/revoke.h"

#define LIMIT_RUN_MIN_SEC 60

/* The options of the job's pool; NULL if it has no leases. Locks: caller holds
 * job, node and part read. */
static const struct astra_options *grace_options(const job_record_t *job)
{
	size_t pool;

	if (astra_claim_of(job, &pool) != ASTRA_MANAGED)
		return NULL;
	return &astra_config_active()->pools[pool].options;
}

static void grace_of_options(const job_record_t *job,
			     const struct astra_options *o,
			     struct astra_grace *out)
{
	*out = (struct astra_grace){
		.job = job->job_id,
		.signal = o->checkpoint_signal,
		.exit_count = o->checkpoint_exit_count,
	};
	memcpy(out->exit, o->checkpoint_exit, sizeof(out->exit));
}

/* Locks: caller holds job, node and part read. */
static bool grace_by_options(const job_record_t *job, struct astra_grace *out)
{
	const struct astra_options *o =
		astra_grace_is_doubtful(job) ? grace_options(job) : NULL;

	if (!o)
		return false;
	grace_of_options(job, o, out);
	return true;
}

/* Whether the job has had Slurm's signal before its time limit, and may go on
 * in another run. To die of the signal is no checkpoint then: a job that does
 * not know the signal would begin anew for ever. Nor is the end of a run so
 * short that its limit leaves no time to work. Locks: caller holds job, node
 * and part read. */
static bool grace_before_limit(const job_record_t *job, struct astra_grace *out)
{
	const struct astra_options *o;

	if (!(job->warn_flags & WARN_SENT) ||
	    job->end_time - job->start_time < LIMIT_RUN_MIN_SEC)
		return false;
	o = grace_options(job);
	if (!o || o->fail_at_limit)
		return false;
	grace_of_options(job, o, out);
	out->signal = 0;
	return true;
}

/* What makes the job's end a checkpoint; false if it cannot be one. */
static bool grace_of_job(const job_record_t *job, struct astra_grace *out)
{
	if (!astra_grace_take(job, out) && !grace_by_options(job, out))
		return grace_before_limit(job, out);
	if (job->warn_signal)
		out->signal = job->warn_signal;
	return true;
}

/* A wait status; a shell reports its child's death by a signal as 128 + it. */
static bool says_checkpointed(const struct astra_grace *g, int status)
{
	int code;

	if (WIFSIGNALED(status))
		return g->signal && WTERMSIG(status) == g->signal;
	if (!WIFEXITED(status))
		return false;
	code = WEXITSTATUS(status);
	if (g->signal && code == 128 + g->signal)
		return true;
	for (size_t i = 0; i < g->exit_count; i++)
		if (g->exit[i] == code)
			return true;
	return false;
}

bool astra_grace_end(job_record_t *job)
{
	struct astra_grace grace;
	enum astra_claim claim;

	if (!grace_of_job(job, &grace))
		return false;
	/* By its user, as Lightning and submitit do: it need not wait. */
	if (job->job_state & JOB_REQUEUE)
		astra_revoke_mark(job);
	if (!IS_JOB_FAILED(job) || !job->batch_flag || !job->details ||
	    !job->details->requeue ||
	    (job->job_state & (JOB_REQUEUE | JOB_SPECIAL_EXIT)) ||
	    !says_checkpointed(&grace, (int)job->exit_code))
		return false;
	claim = astra_claim_of(job, NULL);
	if (claim != ASTRA_MANAGED && claim != ASTRA_ORDERED)
		return false;
	astra_checkpointed_end(job);
	return true;
}
