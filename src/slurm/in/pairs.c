/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/pairs.h"

struct pairs {
	job_record_t *job;
	bool (*suits)(job_record_t *job, void *arg);
	void *arg;
};

bool astra_pairs_are_several(const job_record_t *job)
{
	return job->part_ptr_list || astra_qos_named(job);
}

/* Of lists copies are looked through: what is asked may look at them, too. */
static bool pairs_try(const struct pairs *p, part_record_t *part)
{
	list_t *named = astra_qos_named(p->job);
	slurmdb_qos_rec_t *qos;
	bool found = false;

	p->job->part_ptr = part;
	if (!named)
		return p->suits(p->job, p->arg);
	named = list_shallow_copy(named);
	while (!found && (qos = list_pop(named))) {
		p->job->qos_ptr = qos;
		p->job->qos_id = qos->id;
		found = p->suits(p->job, p->arg);
	}
	FREE_NULL_LIST(named);
	return found;
}

bool astra_pairs_find(job_record_t *job, part_record_t *first,
		      bool (*suits)(job_record_t *job, void *arg), void *arg)
{
	const struct pairs p = {.job = job, .suits = suits, .arg = arg};
	part_record_t *had_part = job->part_ptr, *part;
	slurmdb_qos_rec_t *had_qos = job->qos_ptr;
	uint32_t had_qos_id = job->qos_id;
	list_t *parts = NULL;
	bool found;

	if (!first && !job->part_ptr_list)
		first = job->part_ptr;
	found = first && pairs_try(&p, first);
	if (job->part_ptr_list)
		parts = list_shallow_copy(job->part_ptr_list);
	while (parts && !found && (part = list_pop(parts)))
		found = part != first && pairs_try(&p, part);
	FREE_NULL_LIST(parts);
	if (!found) {
		job->part_ptr = had_part;
		job->qos_ptr = had_qos;
		job->qos_id = had_qos_id;
	}
	return found;
}
