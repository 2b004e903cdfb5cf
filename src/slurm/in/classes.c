/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/classes.h"

#include <string.h>

/* Return the class of a key, adding a new one; 0: there is no room. */
static uint32_t classes_add(struct astra_classes *c, uint32_t key)
{
	for (uint32_t i = 1; i < c->count; i++)
		if (c->keys[i] == key)
			return i;
	if (c->count == ASTRA_PREEMPT_CLASSES)
		return 0;
	c->keys[c->count] = key;
	return c->count++;
}

static uint32_t classes_find(const struct astra_classes *c, uint32_t key)
{
	for (uint32_t i = 1; i < c->count; i++)
		if (c->keys[i] == key)
			return i;
	return 0;
}

static int classes_of_qos(void *x, void *arg)
{
	const slurmdb_qos_rec_t *qos = x;
	struct astra_classes *c = arg;
	uint32_t own, other;

	if (!qos->preempt_bitstr || bit_ffs(qos->preempt_bitstr) < 0)
		return 0;
	own = classes_add(c, qos->id);
	for (bitoff_t i = 0; own && i < bit_size(qos->preempt_bitstr); i++) {
		if (!bit_test(qos->preempt_bitstr, i) || i == qos->id)
			continue;
		other = classes_add(c, (uint32_t)i);
		if (other)
			c->preempts[own] |= UINT64_C(1) << other;
	}
	return 0;
}

/* Return the key of a partition. Partitions of one tier differ if jobs of one
 * of them must not be preempted. */
static uint32_t classes_part_key(const part_record_t *part)
{
	return 2 * (uint32_t)part->priority_tier +
	       (part->preempt_mode == PREEMPT_MODE_OFF);
}

static int classes_of_part(void *x, void *arg)
{
	const part_record_t *part = x;

	(void)classes_add(arg, classes_part_key(part));
	return 0;
}

static void classes_compare_tiers(struct astra_classes *c)
{
	for (uint32_t i = 1; i < c->count; i++)
		for (uint32_t k = 1; k < c->count; k++)
			if (c->keys[i] / 2 > c->keys[k] / 2 &&
			    !(c->keys[k] & 1))
				c->preempts[i] |= UINT64_C(1) << k;
}

/* Complete the table: if A preempts B, and B preempts C, then A preempts C. */
static void classes_close(struct astra_classes *c)
{
	for (uint32_t via = 1; via < c->count; via++)
		for (uint32_t i = 1; i < c->count; i++)
			if (c->preempts[i] >> via & 1)
				c->preempts[i] |= c->preempts[via];
}

void astra_classes_read(struct astra_classes *c)
{
	assoc_mgr_lock_t locks = {.qos = READ_LOCK};
	const char *type = slurm_conf.preempt_type;

	*c = (struct astra_classes){.count = 1};
	if (!type || !slurm_preemption_enabled())
		return;
	c->by_qos = !strcmp(type, "preempt/qos");
	c->by_part = !strcmp(type, "preempt/partition_prio");
	if (c->by_qos) {
		assoc_mgr_lock(&locks);
		if (assoc_mgr_qos_list)
			list_for_each_ro(assoc_mgr_qos_list, classes_of_qos, c);
		assoc_mgr_unlock(&locks);
	} else if (c->by_part) {
		list_for_each_ro(part_list, classes_of_part, c);
		classes_compare_tiers(c);
	}
	classes_close(c);
}

void astra_classes_tell(const struct astra_classes *c,
			const job_record_t *record, struct astra_job *job)
{
	uint32_t class = 0;

	if (c->by_qos)
		class = classes_find(c, record->qos_id);
	else if (c->by_part && record->part_ptr)
		class = classes_find(c, classes_part_key(record->part_ptr));
	job->preempt_class = class;
}
