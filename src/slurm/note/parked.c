/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/parked.h"

#include "src/common/idmap.h"

static struct astra_idmap limited; /* jobs over a limit -> 1 */
static struct astra_idmap refused; /* jobs -> why Slurm refused them */

void astra_park_set_limited(uint32_t job_id, bool over)
{
	if (over)
		(void)astra_idmap_put(&limited, job_id, 1);
	else
		astra_idmap_del(&limited, job_id);
}

bool astra_park_limited(uint32_t job_id)
{
	return astra_idmap_get(&limited, job_id) != ASTRA_IDMAP_NONE;
}

void astra_park_set_refused(uint32_t job_id, uint32_t reason)
{
	if (reason != WAIT_NO_REASON)
		(void)astra_idmap_put(&refused, job_id, reason);
	else
		astra_idmap_del(&refused, job_id);
}

const char *astra_park_refused(uint32_t job_id)
{
	uint32_t reason = astra_idmap_get(&refused, job_id);

	return reason == ASTRA_IDMAP_NONE ? NULL : astra_reason_name(reason);
}

static bool park_waits(uint32_t job_id, void *arg)
{
	const job_record_t *job = find_job_record(job_id);

	(void)arg;
	return job && astra_job_waits(job);
}

void astra_park_forget(void)
{
	static size_t at, refused_at;

	astra_idmap_sweep(&limited, &at, ASTRA_PARK_BATCH, park_waits, NULL);
	astra_idmap_sweep(&refused, &refused_at, ASTRA_PARK_BATCH, park_waits,
			  NULL);
}

void astra_park_forget_all(void)
{
	astra_idmap_clear(&limited);
	astra_idmap_clear(&refused);
}
