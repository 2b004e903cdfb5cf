/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/expected.h"

#include "src/common/idmap.h"
#include "src/slurm/note/parked.h"

static struct astra_idmap times; /* job -> seconds since the epoch */

void astra_expected_set(job_record_t *job, double start_sec)
{
	time_t start = start_sec > 0 && start_sec < 4e9 ? (time_t)start_sec : 0;

	if (start)
		(void)astra_idmap_put(&times, job->job_id, (uint32_t)start);
	else
		astra_idmap_del(&times, job->job_id);
	if (job->start_time == start)
		return;
	job->start_time = start;
	last_job_update = time(NULL);
}

/* It is what it was before the pass: nobody has to fetch it anew. */
static int restore_one(void *x, void *arg)
{
	job_record_t *job = x;
	struct astra_idmap *kept = arg;
	uint32_t start = astra_idmap_get(&times, job->job_id);

	if (start == ASTRA_IDMAP_NONE || !IS_JOB_PENDING(job) ||
	    !astra_is_parked(job))
		return 0;
	(void)astra_idmap_put(kept, job->job_id, start);
	job->start_time = (time_t)start;
	return 0;
}

void astra_expected_restore(void)
{
	struct astra_idmap kept = {0};

	if (!times.count || !job_list)
		return;
	list_for_each(job_list, restore_one, &kept);
	astra_idmap_clear(&times);
	times = kept;
}

void astra_expected_free(void)
{
	astra_idmap_clear(&times);
}
