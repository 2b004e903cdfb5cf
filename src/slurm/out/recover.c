/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/idmap.h"
#include "src/slurm/in/managed.h"
#include "src/slurm/in/run_end.h"
#include "src/slurm/in/survivor.h"
#include "src/slurm/in/usage.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/revoke.h"
#include "src/store/black_box.h"
#include "src/store/shared_name.h"

/* How long ids of lost jobs are not given out again. */
#define ID_SEC 3600
/* Ends in the last seconds before the last known end may not have reached
 * slurmdbd. */
#define HEARD_SEC 10

#define BOX_PREFIX "astraea." ASTRA_BOX_FORMAT "."
#define UNPROTECTED "no protection of the last seconds before a crash"

static struct astra_box *box; /* guarded by job write */
static char box_name[64];
static struct astra_error trouble;
static time_t died_sec;	  /* when the last process died; 0: unknown */
static time_t opened_sec; /* when slurmctld had just read its jobs */
static bool taken;	  /* another user has made a file of box_name */
static bool again; /* the end that is being carried out was noted before */

static int open_box(const char *folder)
{
	char id[ASTRA_SHARED_NAME_SIZE];

	astra_shared_name(folder, ASTRA_SHARED_BOX, id);
	snprintf(box_name, sizeof(box_name), "/" BOX_PREFIX "%s", id);
	taken = astra_box_is_taken(box_name);
	trouble = (struct astra_error){""};
	box = astra_box_open(box_name, &trouble);
	died_sec = astra_box_last_beat(box);
	return box ? 0 : -1;
}

void astra_recover_open(const char *folder)
{
	int rc;

	opened_sec = time(NULL);
	(void)astra_shared_name_make(folder, false);
	astra_shared_name_adopt(folder, ASTRA_SHARED_BOX, BOX_PREFIX, "");
	rc = open_box(folder);
	if (rc < 0 && taken && astra_shared_name_make(folder, true) == 0)
		rc = open_box(folder);
	if (rc < 0)
		error("astraea: " UNPROTECTED ": %s", trouble.text);
}

/* Make a new box from the old one, whose file is removed but still mapped. */
static void make_box_again(void)
{
	struct astra_box *gone = box, *made;
	struct astra_box_event *list;
	size_t count;

	made = astra_box_open(box_name, &trouble);
	if (!made)
		return;
	trouble = (struct astra_error){""};
	lock_slurmctld(astra_write_locks());
	count = astra_box_read(gone, &list);
	for (size_t i = 0; i < count; i++)
		astra_box_add(made, &list[i]);
	box = made;
	unlock_slurmctld(astra_write_locks());
	free(list);
	astra_box_close(gone);
	error("astraea: somebody removed /dev/shm%s; it was made again. "
	      "systemd-logind does so where SlurmUser is no system user, see "
	      "RemoveIPC in logind.conf(5)",
	      box_name);
}

void astra_recover_round(void)
{
	if (astra_box_is_gone(box) && !slurmctld_config.shutdown_time)
		make_box_again();
	astra_box_beat(box, time(NULL));
}

void astra_recover_warn(struct astra_error *out)
{
	if (*trouble.text)
		astra_error_add(out, UNPROTECTED ": %s", trouble.text);
}

void astra_recover_close(void)
{
	astra_survivors_free();
	astra_box_close(box);
	box = NULL;
}

/* Writing. */

/* Return the job's nodes. While a job is being started its record does not name
 * them yet, but job_resrcs does. */
static const char *recover_nodes_of(const job_record_t *job)
{
	if (job->nodes || !job->job_resrcs)
		return job->nodes;
	return job->job_resrcs->nodes;
}

static void recover_note(const job_record_t *job, enum astra_box_kind kind)
{
	struct astra_box_event e = {
		.kind = kind,
		.job = job->job_id,
		.restart_cnt = job->restart_cnt,
		.array_job = job->array_job_id,
		.array_task = job->array_task_id,
		.state = job->job_state & (JOB_STATE_BASE | JOB_REQUEUE),
		.exit_code = job->exit_code,
		.has_index = 1,
		.gpus = astra_usage_gpus(job) & 0x7fffffff,
		.index = job->db_index,
		.submit_sec = job->details->submit_time,
		.start_sec = job->start_time,
		.end_sec = job->end_time,
	};

	astra_box_name(&e, recover_nodes_of(job), job->tres_alloc_str);
	astra_box_add(box, &e);
}

void astra_recover_started(const job_record_t *job)
{
	recover_note(job, ASTRA_BOX_START);
}

void astra_recover_launched(const job_record_t *job)
{
	recover_note(job, ASTRA_BOX_LAUNCH);
}

/* Ends because of a failed node are left to Slurm, which will see the node's
 * state again. */
void astra_recover_ended(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;
	bool returns = job->job_state & JOB_REQUEUE;

	if (again || !job->details || base == JOB_NODE_FAIL ||
	    (base < JOB_COMPLETE && !returns) ||
	    astra_claim_of(job, NULL) != ASTRA_MANAGED)
		return;
	returns |= base == JOB_PREEMPTED && astra_revoke_marked(job);
	recover_note(job, returns ? ASTRA_BOX_REQUEUE : ASTRA_BOX_END);
}

/* Reading. */

/* Whether an event is about the job's present run or a later one. Ids are
 * reused, so the time of submission is compared too. A requeue counts a restart
 * at once, but changes the time of submission only when the run has been
 * cleaned up. That may have happened before the kill, when the record is older,
 * or after slurmctld has read the record. */
static bool is_about(const struct astra_box_event *e, const job_record_t *job)
{
	time_t submit_sec;

	if (job->magic != JOB_MAGIC || !job->details ||
	    e->restart_cnt < job->restart_cnt)
		return false;
	submit_sec = job->details->submit_time;
	return e->submit_sec == submit_sec ||
	       (e->restart_cnt && e->submit_sec > submit_sec) ||
	       (job->restart_cnt && submit_sec >= opened_sec);
}

/* Split from its array a task that was split after the last save. Returns the
 * task's record, or NULL. */
static job_record_t *split_again(const struct astra_box_event *e)
{
	job_record_t *job = find_job_record(e->array_job);
	bitstr_t *tasks;

	if (!job || !IS_JOB_PENDING(job) || !job->array_recs ||
	    !is_about(e, job))
		return NULL;
	tasks = job->array_recs->task_id_bitmap;
	if (!tasks || e->array_task >= bit_size(tasks) ||
	    !bit_test(tasks, e->array_task))
		return NULL;
	job->array_task_id = e->array_task;
	astra_array_split(job);
	job->db_index = e->index; /* slurmdbd's index, not a new one */
	return job;
}

static job_record_t *find_record(const struct astra_box_event *e)
{
	job_record_t *job = find_job_record(e->job);

	if (job && is_about(e, job) && job->array_task_id == e->array_task &&
	    !(job->array_recs && job->array_recs->task_id_bitmap))
		return job;
	return e->array_job ? split_again(e) : NULL;
}

/* Set a record to the event's run, which is its present run or a later one.
 * slurmdbd knows the run by its index, before 25.11 by its time of submission.
 * It may not have heard of the start yet; if there is no index, Slurm reports
 * the start itself. */
static void take_run(job_record_t *job, const struct astra_box_event *e)
{
	astra_restarts_set(job, e->restart_cnt);
	job->start_time = (time_t)e->start_sec;
	if (job->details->submit_time != e->submit_sec) {
		job->details->submit_time = (time_t)e->submit_sec;
		job->db_index = e->index;
	}
	if (IS_JOB_RUNNING(job) && job->db_index)
		(void)jobacct_storage_g_job_start(acct_db_conn, job);
}

/* Return when the run ended. If it had not ended, it ended with slurmctld. */
static time_t end_of_run(const struct astra_box_event *e)
{
	time_t now = time(NULL), start = (time_t)e->start_sec;

	if (e->kind == ASTRA_BOX_REQUEUE || e->kind == ASTRA_BOX_END)
		return (time_t)e->end_sec;
	if (!died_sec || died_sec > now)
		return now;
	return died_sec > start ? died_sec : start;
}

static uint32_t count_nodes(char *names)
{
	bitstr_t *nodes = NULL;
	uint32_t count = 0;

	if (*names && astra_nodes_named(names, &nodes) == SLURM_SUCCESS)
		count = (uint32_t)bit_set_count(nodes);
	FREE_NULL_BITMAP(nodes);
	return count;
}

/* Report a run's start, of which slurmdbd may not have heard. Slurm can report
 * a run without waiting for an answer only if the run is over, so the record
 * gets such a state. */
static void tell_start(job_record_t *run)
{
	run->job_state = JOB_PREEMPTED;
	(void)jobacct_storage_g_job_start(acct_db_conn, run);
}

/* Report a run and its end to accounting. The job's record is pending, so a
 * copy gets the values of the run. Returns when the run ended. */
static time_t close_run(const job_record_t *job,
			const struct astra_box_event *e, uint32_t state)
{
	struct astra_box_event had = *e;
	const char *tres = astra_box_tres(&had);
	char tres_text[ASTRA_BOX_NODES];
	job_details_t details = *job->details;
	job_record_t run = *job;

	details.submit_time = (time_t)e->submit_sec;
	/* sacct does not list a run that was never eligible. */
	details.begin_time = (time_t)e->submit_sec;
	run.details = &details;
	run.job_id = e->job;
	run.array_recs = NULL;
	run.nodes = *had.nodes ? had.nodes : NULL;
	run.total_nodes = count_nodes(had.nodes);
	snprintf(tres_text, sizeof(tres_text), "%s", tres);
	run.tres_alloc_str = *tres ? tres_text : NULL;
	run.bit_flags |= TRES_STR_CALC;
	if (e->index)
		run.db_index = e->index;
	else if (e->job != job->job_id ||
		 e->submit_sec != job->details->submit_time)
		run.db_index = 0;
	run.start_time = (time_t)e->start_sec;
	run.end_time = end_of_run(e);
	run.exit_code = e->exit_code;
	if (*had.nodes || *tres)
		tell_start(&run);
	run.job_state = state;
	(void)jobacct_storage_g_job_complete(acct_db_conn, &run);
	return run.end_time;
}

static void recover_end(job_record_t *job, const struct astra_box_event *e)
{
	bool ran = IS_JOB_RUNNING(job) && job->node_cnt;

	info("astraea: %pJ had ended before slurmctld was killed: %s", job,
	     job_state_string(e->state));
	take_run(job, e);
	job->end_time = (time_t)e->end_sec;
	job->exit_code = e->exit_code;
	astra_state_set(job, e->state | (ran ? JOB_COMPLETING : 0));
	job_completion_logger(job, false);
	last_job_update = time(NULL);
	if (!ran) {
		(void)close_run(job, e, e->state);
		return;
	}
	build_cg_bitmap(job);
	deallocate_nodes(job, false, false, false);
}

static void recover_requeue(job_record_t *job, const struct astra_box_event *e)
{
	bool ended = e->kind == ASTRA_BOX_REQUEUE;
	int rc;

	take_run(job, e);
	/* This end is already in the box. If it were noted again now, then
	 * after another kill slurmdbd would hear of the new end, but perhaps
	 * not of the earlier one. */
	again = ended;
	rc = astra_revoke_requeue(job);
	again = false;
	info("astraea: %pJ had been requeued or not yet been launched before "
	     "slurmctld was killed: %s",
	     job, slurm_strerror(rc));
	astra_survivors_add(job, e, close_run(job, e, JOB_REQUEUE));
}

/* End that run in accounting too; there the next run is a separate one. */
static void let_wait(job_record_t *job, const struct astra_box_event *e)
{
	time_t end = close_run(job, e, JOB_REQUEUE);

	astra_run_renew(job, (time_t)e->submit_sec);
	astra_survivors_add(job, e, end);
}

/* Whether the record is newer than the event. If a run with the same count of
 * restarts began later than the event's, it is another run: the job was put
 * back to an earlier record and started again, or its nodes have booted
 * meanwhile. */
static bool record_is_newer(const job_record_t *job,
			    const struct astra_box_event *e)
{
	return e->restart_cnt == job->restart_cnt &&
	       e->start_sec < job->start_time;
}

static void bring_running_up(job_record_t *job, const struct astra_box_event *e)
{
	bool later = e->restart_cnt > job->restart_cnt;

	if (record_is_newer(job, e))
		return;
	if (e->kind != ASTRA_BOX_LAUNCH && e->kind != ASTRA_BOX_START &&
	    e->end_sec < job->start_time)
		return; /* another controller has started the job again */
	switch (e->kind) {
	case ASTRA_BOX_LAUNCH:
		if (later && (!astra_box_has_nodes(e, job->nodes) ||
			      !astra_run_is(job, e->index))) {
			recover_requeue(job, e);
			return;
		}
		take_run(job, e);
		return;
	case ASTRA_BOX_END:
		recover_end(job, e);
		return;
	default:
		recover_requeue(job, e);
	}
}

static void bring_up(job_record_t *job, const struct astra_box_event *e)
{
	if (IS_JOB_RUNNING(job))
		bring_running_up(job, e);
	else if (IS_JOB_PENDING(job) && e->kind == ASTRA_BOX_END)
		recover_end(job, e);
	else if (IS_JOB_PENDING(job))
		let_wait(job, e);
}

/* Report a requeue again. Slurm may have saved that a job was requeued and been
 * killed before slurmdbd heard of it: then the run would go on there for ever.
 * Slurm itself repeats only the ends of jobs that are over. The record may be
 * of a later run, so its values are not sent. */
static void tell_requeue_again(const struct astra_box_event *e)
{
	job_record_t *job = find_job_record(e->job), run;

	if (e->kind != ASTRA_BOX_REQUEUE || !job || job->magic != JOB_MAGIC ||
	    !job->details || e->restart_cnt >= job->restart_cnt ||
	    e->submit_sec > job->details->submit_time)
		return;
	run = *job;
	run.admin_comment = run.comment = NULL;
	run.derived_ec = NO_VAL;
	run.resize_time = 0;
	(void)close_run(&run, e, e->state ? e->state : JOB_REQUEUE);
}

/* Report the requeues of the last seconds again; slurmdbd has earlier ones. */
static void tell_requeues_again(const struct astra_box_event *list,
				size_t count)
{
	int64_t last = time(NULL) - ID_SEC + HEARD_SEC;

	for (size_t i = 0; i < count; i++)
		if ((list[i].kind == ASTRA_BOX_END ||
		     list[i].kind == ASTRA_BOX_REQUEUE) &&
		    list[i].end_sec > last)
			last = list[i].end_sec;
	for (size_t i = 0; i < count; i++)
		if (list[i].end_sec >= last - HEARD_SEC)
			tell_requeue_again(&list[i]);
}

/* Let the next new job get this id or a later one. It may be a split task. */
static void start_ids_at(uint32_t id)
{
	uint32_t first = slurm_conf.first_job_id;

	if (id < first || id >= slurm_conf.max_job_id)
		return;
	slurm_conf.first_job_id = id;
	reset_first_job_id();
	slurm_conf.first_job_id = first;
}

/* Whether the event is of an array's last task. Once the other tasks are split
 * off, it keeps the array's id. */
static bool is_last_task(const struct astra_box_event *e)
{
	return e->array_job == e->job;
}

static int recover_compare(const void *a, const void *b)
{
	const struct astra_box_event *x = a, *y = b;

	if (is_last_task(x) != is_last_task(y))
		return is_last_task(x) - is_last_task(y);
	return (x->job > y->job) - (x->job < y->job);
}

/* Keep the last event of each job, in an order in which tasks that are split
 * again get their old ids. Returns the number of kept events. */
static size_t keep_last(struct astra_box_event *list, size_t count)
{
	struct astra_idmap seen = {0};
	size_t kept = count;

	if (!count) /* list may be NULL then */
		return 0;
	for (size_t i = count; i--;) {
		if (astra_idmap_get(&seen, list[i].job) != ASTRA_IDMAP_NONE)
			continue;
		if (astra_idmap_put(&seen, list[i].job, 1) < 0)
			break;
		list[--kept] = list[i];
	}
	astra_idmap_clear(&seen);
	memmove(list, list + kept, (count - kept) * sizeof(*list));
	qsort(list, count - kept, sizeof(*list), recover_compare);
	return count - kept;
}

static void bring_all_up(struct astra_box_event *list, size_t count)
{
	time_t recent = time(NULL) - ID_SEC;

	tell_requeues_again(list, count);
	count = keep_last(list, count);
	for (size_t i = 0; i < count; i++) {
		const struct astra_box_event *e = &list[i];
		job_record_t *job;
		bool lost = !find_job_record(e->job) && e->start_sec >= recent;

		if (lost)
			start_ids_at(e->job);
		job = find_record(e);
		if (job)
			bring_up(job, e);
		else if (lost) /* its processes may still run */
			start_ids_at(e->job + 1);
		astra_run_end_recall(e);
	}
}

static int add_batch_step(void *x, void *arg)
{
	job_record_t *job = x;
	slurm_step_id_t id = {
		.job_id = job->job_id,
		.step_id = SLURM_BATCH_SCRIPT,
		.step_het_comp = NO_VAL,
	};

	(void)arg;
	if (IS_JOB_RUNNING(job) && job->batch_flag && !job->het_job_id &&
	    !IS_JOB_CONFIGURING(job) && !IS_JOB_COMPLETING(job) &&
	    !find_step_record(job, &id) &&
	    pick_batch_host(job) == SLURM_SUCCESS)
		(void)build_batch_step(job);
	return 0;
}

void astra_recover_steps(void)
{
	list_for_each(job_list, add_batch_step, NULL);
}

void astra_recover_jobs(void)
{
	slurmctld_lock_t locks = astra_write_locks();
	struct astra_box_event *list;
	size_t count = astra_box_read(box, &list);

	locks.conf = WRITE_LOCK;
	lock_slurmctld(locks);
	bring_all_up(list, count);
	astra_checkpointed_resume();
	unlock_slurmctld(locks);
	free(list);
}
