/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/waiting.h"

#include <stdlib.h>

#include "src/common/grow.h"
#include "src/slurm/in/each_job.h"
#include "src/slurm/in/lost_launch.h"
#include "src/slurm/in/survivor.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/priority.h"
#include "src/slurm/out/resize.h"

int astra_jobs_add(struct astra_jobs *jobs, uint32_t id)
{
	if (astra_grow(&jobs->ids, &jobs->room, jobs->count + 1,
		       sizeof(*jobs->ids)) < 0)
		return -1;
	jobs->ids[jobs->count++] = id;
	return 0;
}

void astra_jobs_free(struct astra_jobs *jobs)
{
	free(jobs->ids);
	*jobs = (struct astra_jobs){0};
}

static struct astra_park_turn turn;

struct find {
	bool gate;
	struct astra_jobs due;
};

/* Collect a job that is due. When memory is out, the other jobs come in the
 * next round. */
static int waiting_find_job(void *x, void *arg)
{
	const job_record_t *job = x;
	struct find *f = arg;

	if (astra_priority_is_stale(job) ||
	    (f->gate && astra_park_is_due(&turn, job)))
		return astra_jobs_add(&f->due, job->job_id);
	return 0;
}

static void waiting_find_due(struct find *f, struct astra_diag *diag)
{
	uint64_t begin;

	lock_slurmctld(astra_read_locks());
	begin = astra_usec();
	astra_each_job(waiting_find_job, f);
	astra_clock_add(&diag->of.snapshot, begin);
	unlock_slurmctld(astra_read_locks());
	diag->of.depth = turn.looked;
	astra_park_next_turn(&turn);
}

static void waiting_look(uint32_t id, bool gate)
{
	job_record_t *job = find_job_record(id);

	if (!job || job->magic != JOB_MAGIC)
		return;
	astra_priority_look(job);
	if (!gate)
		return;
	astra_resize_least(job);
	astra_park_look(job);
}

/* Clear those parts of a job's note that belong to another state of the job. */
static void waiting_forget(struct astra_note *note, void *arg)
{
	const job_record_t *job = find_job_record(note->job);

	(void)arg;
	if (!job || !astra_job_waits(job)) {
		note->limited = false;
		note->refused = WAIT_NO_REASON;
		note->expected_sec = 0;
	}
	if (!job)
		note->sited = false;
	if (!job || IS_JOB_RUNNING(job) ||
	    (IS_JOB_FINISHED(job) && !IS_JOB_COMPLETING(job)))
		note->run_end_sec = 0;
	if (!job || IS_JOB_PENDING(job) || IS_JOB_FINISHED(job))
		note->maint_end_sec = 0;
}

/* Sweep a part of the notes. Locks: caller holds job read. */
static void waiting_sweep(void)
{
	static size_t at;

	astra_note_each(&at, ASTRA_PARK_BATCH, waiting_forget, NULL);
}

/* Look at all due jobs. Returns 0 with the locks released, or -1. */
static int look_at_all(const struct find *f, struct astra_diag *diag)
{
	struct astra_hold_time hold;

	if (astra_lock(&hold) < 0)
		return -1;
	astra_checkpointed_settle();
	astra_survivors_settle();
	astra_lost_launch_ask();
	waiting_sweep();
	/* If no burst buffer plugin is loaded, parked jobs are left over from a
	 * slurmctld that was killed. */
	if (!f->gate && !diag->of.rounds && !slurm_conf.bb_type)
		(void)astra_unpark_all();
	for (size_t i = 0; i < f->due.count; i++) {
		waiting_look(f->due.ids[i], f->gate);
		if (astra_yield(&hold, diag) < 0)
			return -1;
	}
	astra_unlock(&hold, diag);
	return 0;
}

int astra_waiting_look(bool gate, struct astra_diag *diag)
{
	struct find f = {.gate = gate};
	int rc;

	if (slurmctld_config.shutdown_time)
		return -1;
	waiting_find_due(&f, diag);
	rc = look_at_all(&f, diag);
	astra_jobs_free(&f.due);
	return rc;
}
