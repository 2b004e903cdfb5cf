/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/recover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/slurm/managed.h"
#include "src/slurm/revoke.h"
#include "src/store/black_box.h"

/* From when all its nodes have answered, so long to kill what they found. */
#define KILL_SEC 10
/* Ids of jobs whose records are lost are not given again so soon. */
#define ID_SEC 3600

/* A pending job whose last run may still be alive. */
struct survivor {
	uint32_t job;
	uint32_t restart_cnt; /* of that run */
	bitstr_t *nodes;      /* NULL: not known, all of them */
	time_t quiet_since;   /* 0: not all nodes have answered */
};

static struct astra_box *box; /* under job write */
static struct survivor *survivors;
static size_t survivor_count, survivor_room;

int astra_recover_open(const char *folder, struct astra_error *err)
{
	struct stat st;
	char name[64];

	if (stat(folder, &st) < 0)
		return astra_error_set(err, "%s: %s", folder, strerror(errno));
	snprintf(name, sizeof(name), "/astraea." ASTRA_BOX_FORMAT ".%llx.%llx",
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	box = astra_box_open(name, err);
	return box ? 0 : -1;
}

static void forget(size_t index)
{
	FREE_NULL_BITMAP(survivors[index].nodes);
	survivors[index] = survivors[--survivor_count];
}

void astra_recover_close(void)
{
	while (survivor_count)
		forget(0);
	free(survivors);
	survivors = NULL;
	survivor_room = 0;
	astra_box_close(box);
	box = NULL;
}

/* Writing. */

static void note(const job_record_t *job, enum astra_box_kind kind)
{
	struct astra_box_event e = {
		.kind = kind,
		.job = job->job_id,
		.restart_cnt = job->restart_cnt,
		.array_job = job->array_job_id,
		.array_task = job->array_task_id,
		.state = job->job_state & JOB_STATE_BASE,
		.exit_code = job->exit_code,
		.submit_sec = job->details->submit_time,
		.start_sec = job->start_time,
		.end_sec = job->end_time,
	};

	if (job->nodes && strlen(job->nodes) < sizeof(e.nodes))
		memcpy(e.nodes, job->nodes, strlen(job->nodes));
	astra_box_add(box, &e);
}

void astra_recover_started(const job_record_t *job)
{
	note(job, ASTRA_BOX_START);
}

void astra_recover_launched(const job_record_t *job)
{
	note(job, ASTRA_BOX_LAUNCH);
}

/* What is over because of its node is left to Slurm, which will see the node's
 * state again. */
void astra_recover_ended(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;
	bool again = job->job_state & JOB_REQUEUE;

	if (!job->details || base == JOB_NODE_FAIL ||
	    (base < JOB_COMPLETE && !again) ||
	    astra_claim_of(job, NULL) != ASTRA_MANAGED)
		return;
	again |= base == JOB_PREEMPTED && astra_revoke_marked(job);
	note(job, again ? ASTRA_BOX_REQUEUE : ASTRA_BOX_END);
}

/* Reading. */

/* Slurm's counter has 16 bits in some releases. */
static void set_restarts(job_record_t *job, uint32_t count)
{
	job->restart_cnt = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
}

/* The same job, at that run or an earlier one: ids come back. */
static bool is_about(const struct astra_box_event *e, const job_record_t *job)
{
	int64_t submit = job->details ? job->details->submit_time : 0;

	if (job->magic != JOB_MAGIC || !job->details ||
	    e->restart_cnt < job->restart_cnt || e->submit_sec < submit)
		return false;
	return e->restart_cnt > job->restart_cnt || e->submit_sec == submit;
}

/* A task that was split from its array after the last save. */
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

static void end(job_record_t *job, const struct astra_box_event *e)
{
	bool ran = IS_JOB_RUNNING(job) && job->node_cnt;

	info("astraea: %pJ had ended before slurmctld was killed: %s", job,
	     job_state_string(e->state));
	set_restarts(job, e->restart_cnt);
	job->start_time = (time_t)e->start_sec;
	job->end_time = (time_t)e->end_sec;
	job->exit_code = e->exit_code;
	astra_state_set(job, e->state | (ran ? JOB_COMPLETING : 0));
	job_completion_logger(job, false);
	last_job_update = time(NULL);
	if (!ran)
		return;
	build_cg_bitmap(job);
	deallocate_nodes(job, false, false, false);
}

static void keep_waiting(const job_record_t *job,
			 const struct astra_box_event *e)
{
	struct survivor s = {.job = job->job_id, .restart_cnt = e->restart_cnt};
	char nodes[ASTRA_BOX_NODES];

	if (astra_grow(&survivors, &survivor_room, survivor_count + 1,
		       sizeof(*survivors)) < 0)
		return;
	memcpy(nodes, e->nodes, sizeof(nodes));
	if (*nodes && astra_nodes_named(nodes, &s.nodes))
		FREE_NULL_BITMAP(s.nodes);
	info("astraea: %pJ was started before slurmctld was killed; it waits "
	     "until %s have answered",
	     job, *e->nodes ? e->nodes : "all nodes");
	survivors[survivor_count++] = s;
}

static void requeue(job_record_t *job, const struct astra_box_event *e)
{
	int rc;

	set_restarts(job, e->restart_cnt);
	rc = astra_revoke_requeue(job);
	info("astraea: %pJ had been requeued or not yet been launched before "
	     "slurmctld was killed: %s",
	     job, slurm_strerror(rc));
}

/* It was saved before its launch. Without this step Slurm would not take notice
 * of its end. */
static void add_batch_step(job_record_t *job)
{
	slurm_step_id_t id = {
		.job_id = job->job_id,
		.step_id = SLURM_BATCH_SCRIPT,
		.step_het_comp = NO_VAL,
	};

	if (!job->batch_flag || IS_JOB_CONFIGURING(job) ||
	    find_step_record(job, &id) || pick_batch_host(job) != SLURM_SUCCESS)
		return;
	(void)build_batch_step(job);
}

static void bring_running_up(job_record_t *job, const struct astra_box_event *e)
{
	bool later = e->restart_cnt > job->restart_cnt;

	if (e->kind != ASTRA_BOX_LAUNCH && e->kind != ASTRA_BOX_START &&
	    e->end_sec < job->start_time)
		return; /* another controller has started it anew */
	switch (e->kind) {
	case ASTRA_BOX_LAUNCH:
		if (later && xstrcmp(job->nodes, e->nodes)) {
			keep_waiting(job, e);
			requeue(job, e);
			return;
		}
		set_restarts(job, e->restart_cnt);
		add_batch_step(job);
		return;
	case ASTRA_BOX_END:
		end(job, e);
		return;
	default:
		requeue(job, e);
	}
}

static void bring_up(job_record_t *job, const struct astra_box_event *e)
{
	if (IS_JOB_RUNNING(job))
		bring_running_up(job, e);
	else if (IS_JOB_PENDING(job) && e->kind == ASTRA_BOX_END)
		end(job, e);
	else if (IS_JOB_PENDING(job))
		keep_waiting(job, e);
}

/* Its processes may live: no new job may have its id. */
static void keep_id(const struct astra_box_event *e)
{
	uint32_t first = slurm_conf.first_job_id;

	if (e->start_sec < time(NULL) - ID_SEC || e->job < first ||
	    e->job >= slurm_conf.max_job_id)
		return;
	slurm_conf.first_job_id = e->job + 1;
	reset_first_job_id();
	slurm_conf.first_job_id = first;
}

static void bring_all_up(const struct astra_box_event *list, size_t count)
{
	struct astra_idmap seen = {0};

	/* Before a task that is split off again gets an id. */
	for (size_t i = 0; i < count; i++)
		if (!find_job_record(list[i].job))
			keep_id(&list[i]);
	for (size_t i = count; i--;) { /* the last one of each job counts */
		job_record_t *job;

		if (astra_idmap_get(&seen, list[i].job) != ASTRA_IDMAP_NONE)
			continue;
		if (astra_idmap_put(&seen, list[i].job, 1) < 0)
			break;
		job = find_record(&list[i]);
		if (job)
			bring_up(job, &list[i]);
	}
	astra_idmap_clear(&seen);
}

void astra_recover_jobs(void)
{
	slurmctld_lock_t locks = astra_write_locks();
	struct astra_box_event *list;
	size_t count = astra_box_read(box, &list);

	locks.conf = WRITE_LOCK;
	lock_slurmctld(locks);
	bring_all_up(list, count);
	unlock_slurmctld(locks);
	free(list);
}

/* Waiting. */

static bool has_answered(const node_record_t *node)
{
	return IS_NODE_DOWN(node) ||
	       !(IS_NODE_UNKNOWN(node) || IS_NODE_NO_RESPOND(node));
}

static bool all_answered(const struct survivor *s)
{
	for (int i = 0; i < node_record_count; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (node && (!s->nodes || bit_test(s->nodes, i)) &&
		    !has_answered(node))
			return false;
	}
	return true;
}

/* That run was one: the next is a restart, and knows it. */
static bool is_over(struct survivor *s, time_t now)
{
	job_record_t *job = find_job_record(s->job);

	if (!job || !IS_JOB_PENDING(job))
		return true;
	if (!all_answered(s)) {
		s->quiet_since = 0;
		return false;
	}
	if (!s->quiet_since)
		s->quiet_since = now;
	if (now < s->quiet_since + KILL_SEC)
		return false;
	if (job->restart_cnt <= s->restart_cnt)
		set_restarts(job, s->restart_cnt + 1);
	return true;
}

void astra_recover_settle(void)
{
	time_t now = time(NULL);

	for (size_t i = survivor_count; i--;)
		if (is_over(&survivors[i], now))
			forget(i);
}

bool astra_recover_waits(uint32_t job_id)
{
	for (size_t i = 0; i < survivor_count; i++)
		if (survivors[i].job == job_id)
			return true;
	return false;
}
