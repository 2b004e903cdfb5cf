/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/grace.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "src/common/grow.h"
#include "src/slurm/conf/config.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/revoke.h"

#define TELL_SEC 20
#define LIMIT_RUN_MIN_SEC 60

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct astra_grace *entries;
static size_t entry_count, entry_room;
/* Who was started before may be in its grace until then. */
static time_t doubt_since_sec, doubt_until_sec;

void astra_grace_set(const struct astra_grace *list, size_t count)
{
	pthread_mutex_lock(&mutex);
	if (!astra_grow(&entries, &entry_room, count + 1, sizeof(*entries))) {
		if (count)
			memcpy(entries, list, count * sizeof(*entries));
		entry_count = count;
	}
	pthread_mutex_unlock(&mutex);
}

static struct astra_grace *grace_find(uint32_t job)
{
	for (size_t i = 0; i < entry_count; i++)
		if (entries[i].job == job)
			return &entries[i];
	return NULL;
}

void astra_grace_add(const struct astra_grace *entry)
{
	struct astra_grace *at;

	pthread_mutex_lock(&mutex);
	at = grace_find(entry->job);
	if (at)
		*at = *entry;
	else if (!astra_grow(&entries, &entry_room, entry_count + 1,
			     sizeof(*entries)))
		entries[entry_count++] = *entry;
	pthread_mutex_unlock(&mutex);
}

/* slurmstepd tries every 15 seconds to report an end. */
void astra_grace_doubt(double grace_sec)
{
	time_t now = time(NULL), until = now + (time_t)fmin(grace_sec, 86400);

	pthread_mutex_lock(&mutex);
	doubt_since_sec = now;
	if (until + TELL_SEC > doubt_until_sec)
		doubt_until_sec = until + TELL_SEC;
	pthread_mutex_unlock(&mutex);
}

static bool grace_is_doubtful(const job_record_t *job)
{
	bool doubtful;

	pthread_mutex_lock(&mutex);
	doubtful = job->start_time <= doubt_since_sec &&
		   job->end_time <= doubt_until_sec;
	pthread_mutex_unlock(&mutex);
	return doubtful;
}

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
		grace_is_doubtful(job) ? grace_options(job) : NULL;

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

bool astra_grace_has(uint32_t job)
{
	bool has;

	pthread_mutex_lock(&mutex);
	has = grace_find(job) != NULL;
	pthread_mutex_unlock(&mutex);
	return has;
}

static bool grace_take(const job_record_t *job, struct astra_grace *out)
{
	struct astra_grace *at;
	bool found;

	pthread_mutex_lock(&mutex);
	at = grace_find(job->job_id);
	found = at && (at->restart_cnt == job->restart_cnt ||
		       at->restart_cnt == ASTRA_GRACE_ANY_RUN);
	if (found)
		*out = *at;
	if (at)
		*at = entries[--entry_count];
	pthread_mutex_unlock(&mutex);
	return found;
}

/* What makes the job's end a checkpoint; false if it cannot be one. */
static bool grace_of_job(const job_record_t *job, struct astra_grace *out)
{
	if (!grace_take(job, out) && !grace_by_options(job, out))
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

void astra_grace_free(void)
{
	pthread_mutex_lock(&mutex);
	free(entries);
	entries = NULL;
	entry_count = entry_room = 0;
	doubt_since_sec = doubt_until_sec = 0;
	pthread_mutex_unlock(&mutex);
}
