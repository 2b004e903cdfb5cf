/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/qos.h"

#include <string.h>

struct pairs {
	job_record_t *job;
	bool (*suits)(job_record_t *job, void *arg);
	void *arg;
};

bool astra_pairs_are_several(const job_record_t *job)
{
	return job->part_ptr_list || astra_qos_named(job);
}

/* Try the partition with each QOS. Copies of lists are walked, since suits()
 * may walk the lists too. Returns whether a pair suits. */
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

struct search {
	const char *name;
	uint32_t id;
};

static int qos_match(void *x, void *arg)
{
	const slurmdb_qos_rec_t *qos = x;
	struct search *s = arg;

	if (!qos->name || strcmp(qos->name, s->name))
		return 0;
	s->id = qos->id;
	return -1;
}

uint32_t astra_qos_find(const char *name)
{
	assoc_mgr_lock_t locks = {.qos = READ_LOCK};
	struct search s = {.name = name};

	assoc_mgr_lock(&locks);
	if (assoc_mgr_qos_list)
		list_for_each_ro(assoc_mgr_qos_list, qos_match, &s);
	assoc_mgr_unlock(&locks);
	return s.id;
}

bool astra_qos_frees_nodes(const job_record_t *job)
{
	assoc_mgr_lock_t locks = {.qos = READ_LOCK};
	bool frees;

	assoc_mgr_lock(&locks);
	frees = job->qos_ptr && (job->qos_ptr->flags & QOS_FLAG_PART_MAX_NODE);
	assoc_mgr_unlock(&locks);
	return frees;
}

int astra_qos_begin(struct astra_qos_weights *qos,
		    const struct astra_weights *weights)
{
	qos->weights = weights;
	astra_idmap_clear(&qos->by_id);
	for (size_t i = 0; i < weights->count; i++) {
		uint32_t id = astra_qos_find(weights->row[i].name);

		if (id && astra_idmap_put(&qos->by_id, id, (uint32_t)i) < 0)
			return -1;
	}
	return 0;
}

double astra_qos_weight(const struct astra_qos_weights *qos, uint32_t id)
{
	uint32_t row = astra_idmap_get(&qos->by_id, id);

	return row == ASTRA_IDMAP_NONE ? 1 : qos->weights->row[row].weight;
}

void astra_qos_free(struct astra_qos_weights *qos)
{
	astra_idmap_clear(&qos->by_id);
}
