/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/extras.h"

#include "src/common/fnv.h"

static uint32_t extras_number(uint32_t hash, uint64_t number)
{
	return astra_fnv32_number(hash, number, 8);
}

/* Add a text to a hash, including where it ends. */
static uint32_t extras_text(uint32_t hash, const char *text)
{
	return astra_fnv32_byte(astra_fnv32_text(hash, text), 0);
}

uint32_t astra_extras_of(const job_record_t *job)
{
	const job_details_t *d = job->details;
	uint32_t hash = ASTRA_FNV32_BASIS;

	hash = extras_number(hash, job->time_limit);
	hash = extras_number(hash, job->time_min);
	hash = extras_number(hash, (uint64_t)job->deadline);
	if (!astra_qos_named(job)) /* not for several QOS: Slurm puts the one
				      with room into qos_id */
		hash = extras_number(hash, job->qos_id);
	hash = extras_number(hash, job->assoc_id);
	hash = extras_number(hash, job->req_switch);
	hash = extras_number(hash, job->wait4switch);
	hash = extras_number(hash, d->contiguous);
	hash = extras_number(hash, d->core_spec);
	hash = extras_number(hash, d->pn_min_tmp_disk);
	hash = extras_number(hash, d->share_res);
	hash = extras_text(hash, job->account);
	hash = extras_text(hash, job->partition);
	hash = extras_text(hash, job->licenses);
	hash = extras_text(hash, job->resv_name);
	hash = extras_text(hash, d->features);
	hash = extras_text(hash, d->prefer);
	return hash ? hash : 1;
}
