/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/checkpointed.h"

#include <stdio.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/slurm/note/marks.h"
#include "src/slurm/out/revoke.h"
#include "src/slurm/round/bell.h"

/* Which mails the user wants, while Slurm must not send the mail of an end.
 * Kept in the job's record, since slurmctld may be killed in between. */
#define MAIL_WANTED "ASTRAEA_MAIL_TYPE"
#define MAIL_OF_ENDS (MAIL_JOB_END | MAIL_JOB_FAIL | MAIL_JOB_REQUEUE)

struct checkpointed {
	uint32_t job;
	uint32_t restart_cnt; /* of the run that has ended */
};

static struct checkpointed *unsettled; /* guarded by job write */
static size_t unsettled_count, unsettled_room;

static bool is_of_array(const job_record_t *job)
{
	return job->array_task_id != NO_VAL || job->array_recs;
}

/* Mail the requeue, unless the user wants one mail for the whole array. Hide
 * from Slurm that the user wants mail about ends. */
static void checkpointed_mail(job_record_t *job)
{
	bool alone = job->array_task_id == NO_VAL ||
		     (job->mail_type & MAIL_ARRAY_TASKS);
	char wanted[16];

	if (!(job->mail_type & MAIL_OF_ENDS))
		return;
	if (alone && (job->mail_type & MAIL_JOB_REQUEUE))
		mail_job_info(job, MAIL_JOB_REQUEUE);
	snprintf(wanted, sizeof(wanted), "%u", (unsigned int)job->mail_type);
	astra_env_set(job->details, MAIL_WANTED, wanted);
	job->mail_type &= (uint16_t)~MAIL_OF_ENDS;
}

static void checkpointed_mail_again(job_record_t *job)
{
	const char *wanted =
		job->details ? astra_env_get(job->details, MAIL_WANTED) : NULL;

	if (!wanted)
		return;
	job->mail_type |= (uint16_t)strtoul(wanted, NULL, 10) & MAIL_OF_ENDS;
	astra_env_unset(job->details, MAIL_WANTED);
}

static void checkpointed_tell_array(const job_record_t *job)
{
	job_record_t *head = find_job_record(job->array_job_id);

	if (is_of_array(job) && head && head->array_recs)
		head->array_recs->array_flags |= ARRAY_TASK_REQUEUED;
}

static void checkpointed_note(const job_record_t *job)
{
	if (!astra_grow(&unsettled, &unsettled_room, unsettled_count + 1,
			sizeof(*unsettled)))
		unsettled[unsettled_count++] = (struct checkpointed){
			.job = job->job_id,
			.restart_cnt = job->restart_cnt,
		};
	astra_bell_settle();
}

/* End the run. An array takes the highest exit code of its tasks, and counts
 * every end except a complete one as a failure. */
void astra_checkpointed_end(job_record_t *job)
{
	uint32_t base = is_of_array(job) ? JOB_COMPLETE : JOB_PREEMPTED;

	astra_revoke_mark(job);
	astra_state_set(job, base | JOB_REQUEUE |
				     (job->job_state & JOB_STATE_FLAGS));
	job->state_reason = WAIT_NO_REASON;
	xfree(job->state_desc);
	job->exit_code = 0;
	astra_submit_count(job);
	checkpointed_tell_array(job);
	checkpointed_mail(job);
	checkpointed_note(job);
}

/* Leave a job in the state in which _job_requeue_op() leaves one whose nodes
 * are not clean. A job that other clusters know too is left to
 * job_hold_requeue(). */
static void checkpointed_let_wait(job_record_t *job)
{
	uint32_t flags = job->job_state & JOB_STATE_FLAGS;

	astra_state_set(job, JOB_PENDING | (flags & ~(uint32_t)JOB_REQUEUE));
	job->restart_cnt++;
	job->warn_flags &= (uint16_t)~WARN_SENT;
}

static void checkpointed_settle(const struct checkpointed *c)
{
	job_record_t *job = find_job_record(c->job);

	if (!job || job->magic != JOB_MAGIC || !job->details)
		return;
	checkpointed_mail_again(job);
	if ((job->job_state & JOB_REQUEUE) && IS_JOB_COMPLETING(job) &&
	    job->restart_cnt == c->restart_cnt && !job->fed_details)
		checkpointed_let_wait(job);
	if (!IS_JOB_PENDING(job) || job->restart_cnt != c->restart_cnt + 1)
		return;
	job->db_flags = 0;
	/* The limit is not the user's: the next run may get another. */
	if (job->limit_set.time == 1) {
		job->time_limit = NO_VAL;
		job->limit_set.time = 0;
	}
	astra_limits_renew(job);
	last_job_update = time(NULL);
}

void astra_checkpointed_settle(void)
{
	while (unsettled_count)
		checkpointed_settle(&unsettled[--unsettled_count]);
}

static int checkpointed_resume(void *x, void *arg)
{
	(void)arg;
	checkpointed_mail_again(x);
	return 0;
}

void astra_checkpointed_resume(void)
{
	list_for_each(job_list, checkpointed_resume, NULL);
}

void astra_checkpointed_free(void)
{
	free(unsettled);
	unsettled = NULL;
	unsettled_count = unsettled_room = 0;
}
