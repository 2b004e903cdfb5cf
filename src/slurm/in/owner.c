/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/owner.h"

#include "src/common/fnv.h"

#define OWNER_LABELLED UINT32_C(0x80000000)

/* Return the number of an owner. uid may be NO_VAL for any user, and label NULL
 * for none. */
static uint32_t owner_number(uint32_t uid, const char *label)
{
	uint32_t number = uid == NO_VAL ? 0 : uid + 1;

	if (!label)
		return number;
	return astra_fnv32_text(number, label) | OWNER_LABELLED;
}

static bool owner_wants_user(const job_record_t *job)
{
	return astra_wants_users_nodes(job->details) ||
	       (job->part_ptr &&
		(job->part_ptr->flags & PART_FLAG_EXCLUSIVE_USER));
}

bool astra_owner_wants(const job_record_t *job)
{
	return job->mcs_label || owner_wants_user(job);
}

uint32_t astra_owner_of_user(const job_record_t *job)
{
	return owner_number(job->user_id, NULL);
}

void astra_owner_of_node(const node_record_t *node, uint32_t user,
			 struct astra_node *out)
{
	out->alone = node->owner != NO_VAL || node->mcs_label;
	out->owner = user == ASTRA_NONE ? 0 : user;
	if (out->alone)
		out->owner = owner_number(node->owner, node->mcs_label);
}

void astra_owner_of_job(job_record_t *job, struct astra_request *out)
{
	bool labelled = job->mcs_label && slurm_mcs_get_select(job) == 1;
	bool user = owner_wants_user(job);

	out->alone = labelled || user;
	out->owner = owner_number(user || !labelled ? job->user_id : NO_VAL,
				  labelled ? job->mcs_label : NULL);
}
