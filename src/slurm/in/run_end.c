/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/run_end.h"

#include "src/common/idmap.h"

#define RUN_END_KEPT_SEC 3600
#define RUN_END_SWEPT 8 /* places looked at for each that is added */

static struct astra_idmap run_ends; /* seconds since the epoch, by job */
static size_t run_end_swept;

static bool run_end_is_recent(uint32_t job, void *arg)
{
	const time_t *now = arg;

	return *now - (time_t)astra_idmap_get(&run_ends, job) <
	       RUN_END_KEPT_SEC;
}

static bool run_end_may_return(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return (job->job_state & JOB_REQUEUE) || base == JOB_PREEMPTED ||
	       base == JOB_NODE_FAIL;
}

/* Without memory the time of the clean-up is taken, as before. */
void astra_run_end_note(const job_record_t *job)
{
	time_t now = time(NULL);

	if (!run_end_may_return(job) || job->end_time <= 0)
		return;
	astra_idmap_sweep(&run_ends, &run_end_swept, RUN_END_SWEPT,
			  run_end_is_recent, &now);
	(void)astra_idmap_put(&run_ends, job->job_id, (uint32_t)job->end_time);
}

void astra_run_end_recall(const struct astra_box_event *last)
{
	const job_record_t *job = find_job_record(last->job);

	if (last->kind != ASTRA_BOX_REQUEUE || !job ||
	    job->magic != JOB_MAGIC || !job->details ||
	    last->restart_cnt >= job->restart_cnt ||
	    last->submit_sec > job->details->submit_time)
		return;
	(void)astra_idmap_put(&run_ends, last->job, (uint32_t)last->end_sec);
}

time_t astra_run_end_of(const job_record_t *job)
{
	uint32_t end = astra_idmap_get(&run_ends, job->job_id);

	return end == ASTRA_IDMAP_NONE ? 0 : (time_t)end;
}

void astra_run_end_free(void)
{
	astra_idmap_clear(&run_ends);
	run_end_swept = 0;
}
