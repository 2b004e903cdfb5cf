/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/users.h"

static uint32_t add(struct astra_tenants *t, const char *name, double weight,
		    uint32_t uid)
{
	const char *copy = astra_arena_text(t->arena, name);

	if (!copy ||
	    astra_grow(&t->list, &t->room, t->count + 1, sizeof(*t->list)) <
		    0 ||
	    astra_grow(&t->uid, &t->uid_room, t->count + 1, sizeof(*t->uid)) <
		    0)
		return ASTRA_NONE;
	t->list[t->count] =
		(struct astra_tenant){.name = copy, .weight = weight};
	t->uid[t->count] = uid;
	return (uint32_t)t->count++;
}

static uint32_t find(const struct astra_tenants *t, const char *name)
{
	for (size_t i = 0; i < t->count; i++)
		if (!strcmp(t->list[i].name, name))
			return (uint32_t)i;
	return ASTRA_NONE;
}

/* Accounts with users. */

static slurmdb_assoc_rec_t *account_of(const slurmdb_assoc_rec_t *user)
{
	return user->usage ? user->usage->parent_assoc_ptr : NULL;
}

/* fairshare=parent: the account has its parent's share to itself; 1 is the
 * number of shares a new account gets. */
static double shares_of(const slurmdb_assoc_rec_t *account)
{
	if (!account || account->shares_raw == SLURMDB_FS_USE_PARENT ||
	    account->shares_raw == NO_VAL || account->shares_raw == INFINITE)
		return 1;
	return account->shares_raw;
}

static int add_account(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x;
	struct astra_tenants *t = arg;

	if (!assoc->user || !assoc->acct)
		return 0;
	if (!xstrcmp(assoc->acct, "root") && !xstrcmp(assoc->user, "root"))
		return 0; /* added when it has a job */
	if (find(t, assoc->acct) == ASTRA_NONE)
		(void)add(t, assoc->acct, shares_of(account_of(assoc)), NO_VAL);
	return 0;
}

static bool accounting_on(void)
{
	return slurm_conf.accounting_storage_type &&
	       xstrstr(slurm_conf.accounting_storage_type, "slurmdbd") &&
	       (accounting_enforce & ACCOUNTING_ENFORCE_ASSOCS);
}

int astra_tenants_begin(struct astra_tenants *t,
			const struct astra_config *config,
			struct astra_arena *arena)
{
	t->count = 0;
	t->unnamed = false;
	t->arena = arena;
	t->accounts = accounting_on();
	if (t->accounts) {
		assoc_mgr_lock_t locks = {.assoc = READ_LOCK};

		assoc_mgr_lock(&locks);
		if (assoc_mgr_assoc_list)
			list_for_each_ro(assoc_mgr_assoc_list, add_account, t);
		assoc_mgr_unlock(&locks);
		return 0;
	}
	for (size_t i = 0; i < config->tenant_count; i++)
		if (add(t, config->tenants[i].name, config->tenants[i].weight,
			NO_VAL) == ASTRA_NONE)
			return -1;
	return 0;
}

static const char *user_of(struct astra_tenants *t, const job_record_t *job)
{
	const char *name = astra_user_name(job->user_id);

	if (name)
		return name;
	t->unnamed = true; /* the snapshot is taken again when it is known */
	return "?";
}

/* Outside the configured tenants each user is one. */
static uint32_t user_tenant(struct astra_tenants *t, const job_record_t *job)
{
	const char *name = user_of(t, job);
	uint32_t at = find(t, name);

	return at == ASTRA_NONE ? add(t, name, 1, job->user_id) : at;
}

static uint32_t configured(struct astra_tenants *t,
			   const struct astra_config *config,
			   const job_record_t *job)
{
	for (size_t i = 0; i < config->tenant_count; i++)
		if (astra_names_have(&config->tenants[i].accounts,
				     job->account))
			return (uint32_t)i;
	for (size_t i = 0; i < config->tenant_count; i++)
		if (config->tenants[i].users.count &&
		    astra_names_have(&config->tenants[i].users,
				     user_of(t, job)))
			return (uint32_t)i;
	return ASTRA_NONE;
}

uint32_t astra_tenants_of(struct astra_tenants *t,
			  const struct astra_config *config,
			  const job_record_t *job)
{
	uint32_t at;

	if (t->accounts && job->account && *job->account) {
		at = find(t, job->account);
		return at == ASTRA_NONE ? add(t, job->account, 1, NO_VAL) : at;
	}
	at = t->accounts ? ASTRA_NONE : configured(t, config, job);
	return at == ASTRA_NONE ? user_tenant(t, job) : at;
}

void astra_tenants_free(struct astra_tenants *t)
{
	free(t->list);
	free(t->uid);
	*t = (struct astra_tenants){0};
}
