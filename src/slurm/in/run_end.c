/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/run_end.h"

#include "src/slurm/note/note.h"

static bool run_end_may_return(const job_record_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;

	return (job->job_state & JOB_REQUEUE) || base == JOB_PREEMPTED ||
	       base == JOB_NODE_FAIL;
}

static void run_end_set(uint32_t job, int64_t end_sec)
{
	struct astra_note *note = astra_note_open(job);

	note->run_end_sec = (uint32_t)end_sec;
	astra_note_close(note);
}

/* When memory is out nothing is noted; then the time of the cleaning counts. */
void astra_run_end_note(const job_record_t *job)
{
	if (run_end_may_return(job) && job->end_time > 0)
		run_end_set(job->job_id, job->end_time);
}

void astra_run_end_recall(const struct astra_box_event *last)
{
	const job_record_t *job = find_job_record(last->job);

	if (last->kind != ASTRA_BOX_REQUEUE || !job ||
	    job->magic != JOB_MAGIC || !job->details ||
	    last->restart_cnt >= job->restart_cnt ||
	    last->submit_sec > job->details->submit_time)
		return;
	run_end_set(last->job, last->end_sec);
}
