/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/reserved.h"

static int reserved_is_same(void *x, void *key)
{
	return x == key;
}

bool astra_reserved_own(const job_record_t *job, slurmctld_resv_t *resv)
{
	return resv == job->resv_ptr ||
	       (job->resv_list &&
		list_find_first_ro(job->resv_list, reserved_is_same, resv));
}

struct reserved_first {
	const job_record_t *job;
	time_t now, from;
};

static int reserved_find(void *x, void *arg)
{
	slurmctld_resv_t *resv = x;
	struct reserved_first *f = arg;
	time_t from = resv->start_time > f->now ? resv->start_time : f->now;

	if (!resv->node_bitmap || !(resv->ctld_flags & RESV_CTLD_FULL_NODE) ||
	    (resv->flags & (RESERVE_FLAG_MAGNETIC | RESERVE_FLAG_TIME_FLOAT)) ||
	    resv->max_start_delay || resv->end_time <= f->now ||
	    (f->from && f->from <= from) || astra_reserved_own(f->job, resv) ||
	    !bit_overlap_any(resv->node_bitmap, f->job->node_bitmap))
		return 0;
	f->from = from;
	return 0;
}

time_t astra_reserved_from(const job_record_t *job, time_t now)
{
	struct reserved_first first = {.job = job, .now = now};

	if (resv_list && job->node_bitmap)
		list_for_each_ro(resv_list, reserved_find, &first);
	return first.from;
}

static int add_nodes(void *x, void *arg)
{
	const slurmctld_resv_t *resv = x;

	if (resv->node_bitmap)
		bit_or(arg, resv->node_bitmap);
	return 0;
}

void astra_reserved_keep(const job_record_t *job, bitstr_t *nodes)
{
	bitstr_t *own;

	if (!job->resv_ptr || !job->resv_ptr->node_bitmap ||
	    (job->resv_ptr->flags & RESERVE_FLAG_FLEX))
		return;
	if (!job->resv_list) {
		bit_and(nodes, job->resv_ptr->node_bitmap);
		return;
	}
	own = bit_alloc(node_record_count);
	list_for_each_ro(job->resv_list, add_nodes, own);
	bit_and(nodes, own);
	bit_free(own);
}

static int covers(void *x, void *key)
{
	const slurmctld_resv_t *resv = x;

	return resv->node_bitmap && bit_super_set(key, resv->node_bitmap);
}

void astra_reserved_choose(job_record_t *job, bitstr_t *nodes)
{
	slurmctld_resv_t *resv = NULL;

	if (job->resv_list)
		resv = list_find_first_ro(job->resv_list, covers, nodes);
	if (resv)
		job->resv_ptr = resv;
}
