/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/grace_end.h"

#include <string.h>
#include <sys/wait.h>

#include "src/slurm/conf/config.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/note/note.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/revoke.h"

#define LIMIT_RUN_MIN_SEC 60

/* Return the options of the job's pool; NULL if it has no leases. Locks: caller
 * holds job, node and part read. */
static const struct astra_options *grace_options(const job_record_t *job)
{
	size_t pool;

	if (astra_claim_of(job, &pool) != ASTRA_MANAGED)
		return NULL;
	return &astra_config_active()->pools[pool].options;
}

/* Get the grace of this run that the engine has noted, and note that it is
 * over. Returns false if there is none. */
static bool grace_take(const job_record_t *job, struct astra_grace *out)
{
	struct astra_note *note = astra_note_find(job->job_id);
	bool of_run;

	if (!note)
		return false;
	*out = note->grace;
	of_run = note->in_grace && (out->run == job->restart_cnt ||
				    out->run == ASTRA_NOTE_ANY_RUN);
	note->in_grace = false;
	astra_note_close(note);
	return of_run;
}

/* Get the grace that the pool's options give, if it is unknown whether the job
 * is in its grace. Returns false if there is none. Locks: caller holds job,
 * node and part read. */
static bool grace_by_options(const job_record_t *job, struct astra_grace *out)
{
	const struct astra_options *o =
		astra_grace_is_doubtful(job->start_time, job->end_time)
			? grace_options(job)
			: NULL;

	if (!o)
		return false;
	*out = astra_grace_make(o, job->restart_cnt, o->checkpoint_signal);
	return true;
}

/* Whether the job has had Slurm's signal before its time limit and may go on in
 * another run. Death by that signal does not count as a checkpoint: a job that
 * does not know the signal would start again for ever. Nor does the end of a
 * run so short that its limit leaves no time to work. Locks: caller holds job,
 * node and part read. */
static bool grace_before_limit(const job_record_t *job, struct astra_grace *out)
{
	const struct astra_options *o;

	if (!(job->warn_flags & WARN_SENT) ||
	    job->end_time - job->start_time < LIMIT_RUN_MIN_SEC)
		return false;
	o = grace_options(job);
	if (!o || o->fail_at_limit)
		return false;
	*out = astra_grace_make(o, job->restart_cnt, 0);
	return true;
}

/* Get the grace by which the job's end may be a checkpoint. Returns false if it
 * cannot be one. */
static bool grace_of_job(const job_record_t *job, struct astra_grace *out)
{
	if (!grace_take(job, out) && !grace_by_options(job, out))
		return grace_before_limit(job, out);
	if (job->warn_signal)
		out->signal = job->warn_signal;
	return true;
}

/* Whether a wait status means that a checkpoint was written. A shell reports a
 * child's death by a signal as 128 + signal. */
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
	/* The job was requeued by its user, as Lightning and submitit do: it
	 * need not wait two minutes. */
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
