/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/parked.h"

const char *astra_refused_reason(uint32_t job)
{
	uint32_t reason = astra_note_of(job).refused;

	return reason == WAIT_NO_REASON ? NULL : astra_reason_name(reason);
}

void astra_expected_set(job_record_t *job, double start_sec)
{
	time_t start = start_sec > 0 && start_sec < 4e9 ? (time_t)start_sec : 0;
	struct astra_note *note = start ? astra_note_open(job->job_id)
					: astra_note_find(job->job_id);

	if (note) {
		note->expected_sec = (uint32_t)start;
		astra_note_close(note);
	}
	if (job->start_time == start)
		return;
	job->start_time = start;
	last_job_update = time(NULL);
}

/* Restore the start time that a job had before the backfill pass, so that no
 * client has to fetch the job again. */
static void expected_restore(struct astra_note *note, void *arg)
{
	job_record_t *job =
		note->expected_sec ? find_job_record(note->job) : NULL;

	(void)arg;
	if (job && IS_JOB_PENDING(job) && astra_is_parked(job))
		job->start_time = (time_t)note->expected_sec;
	else
		note->expected_sec = 0;
}

void astra_expected_restore(void)
{
	size_t at = 0;

	if (job_list)
		astra_note_each(&at, SIZE_MAX, expected_restore, NULL);
}
