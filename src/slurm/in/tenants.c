/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/in/users.h"

uint32_t astra_tenants_find(const struct astra_tenants *t, const char *name)
{
	uint32_t at = astra_idmap_get(&t->by_name, astra_name_key(name));

	while (at != ASTRA_NONE && strcmp(t->list[at].name, name))
		at = t->next[at];
	return at;
}

static uint32_t tenants_add(struct astra_tenants *t, const char *name,
			    double weight, uint32_t uid)
{
	const char *copy = astra_arena_text(t->arena, name);
	uint32_t at = (uint32_t)t->count, key = astra_name_key(name);

	if (!copy ||
	    astra_grow(&t->list, &t->room, t->count + 1, sizeof(*t->list)) <
		    0 ||
	    astra_grow(&t->uid, &t->uid_room, t->count + 1, sizeof(*t->uid)) <
		    0 ||
	    astra_grow(&t->next, &t->next_room, t->count + 1,
		       sizeof(*t->next)) < 0)
		return ASTRA_NONE;
	t->next[at] = astra_idmap_get(&t->by_name, key);
	if (astra_idmap_put(&t->by_name, key, at) < 0)
		return ASTRA_NONE;
	t->list[at] = (struct astra_tenant){.name = copy, .weight = weight};
	t->uid[at] = uid;
	t->count++;
	return at;
}

static uint32_t tenants_find_or_add(struct astra_tenants *t, const char *name,
				    double weight, uint32_t uid)
{
	uint32_t at = astra_tenants_find(t, name);

	return at == ASTRA_NONE ? tenants_add(t, name, weight, uid) : at;
}

/* Accounts. */

static uint32_t account_tenant(struct astra_tenants *t, uint32_t account)
{
	const struct astra_account *a = &t->accounts->list[account];

	if (t->of_account[account] == ASTRA_NONE)
		t->of_account[account] =
			tenants_find_or_add(t, a->tenant, a->weight, NO_VAL);
	return t->of_account[account];
}

double astra_tenants_user_weight(const struct astra_tenants *t, uint32_t tenant,
				 uint32_t uid)
{
	const struct astra_user_share *share;

	for (share = astra_accounts_user(t->accounts, uid); share;
	     share = astra_accounts_user_next(t->accounts, share))
		if (t->of_account[share->account] == tenant)
			return share->shares;
	return 1;
}

static int begin_accounts(struct astra_tenants *t)
{
	size_t count = t->accounts->count;

	if (astra_grow(&t->of_account, &t->of_account_room, count + 1,
		       sizeof(*t->of_account)) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		t->of_account[i] = ASTRA_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (t->accounts->list[i].has_users &&
		    account_tenant(t, i) == ASTRA_NONE)
			return -1;
	return 0;
}

static void reset(struct astra_tenants *t, struct astra_arena *arena)
{
	t->count = 0;
	t->unnamed = false;
	t->unknown = NULL;
	t->arena = arena;
	astra_idmap_clear(&t->by_name);
}

int astra_tenants_begin(struct astra_tenants *t,
			const struct astra_config *config,
			const struct astra_accounts *accounts,
			struct astra_arena *arena)
{
	reset(t, arena);
	t->accounts = accounts;
	if (begin_accounts(t) < 0)
		return -1;
	if (accounts->used)
		return 0;
	for (size_t i = 0; i < config->tenant_count; i++)
		if (tenants_add(t, config->tenants[i].name,
				config->tenants[i].weight,
				NO_VAL) == ASTRA_NONE)
			return -1;
	return 0;
}

static const char *user_of(struct astra_tenants *t, const job_record_t *job)
{
	const char *name = astra_user_name(job->user_id);

	if (name)
		return name;
	t->unnamed = true; /* the snapshot is taken again when the name is
			    * known */
	return "?";
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

/* Return the tenant of the job's account, or ASTRA_NONE. An account that
 * slurmdbd does not know is not a tenant: if associations are not enforced,
 * anybody could invent one. */
static uint32_t of_account(struct astra_tenants *t, const job_record_t *job)
{
	uint32_t account;

	if (!job->account || !*job->account)
		return ASTRA_NONE;
	account = astra_accounts_find(t->accounts, job->account);
	if (account != ASTRA_NONE)
		return account_tenant(t, account);
	if (!t->accounts->count) /* slurmdbd has not answered since the start */
		return tenants_find_or_add(t, job->account, 1, NO_VAL);
	if (!t->unknown && !IS_JOB_FINISHED(job)) {
		t->unknown = astra_arena_text(t->arena, job->account);
		t->unknown_job = job->job_id;
	}
	return ASTRA_NONE;
}

uint32_t astra_tenants_of(struct astra_tenants *t,
			  const struct astra_config *config,
			  const job_record_t *job)
{
	uint32_t at = t->accounts->used ? of_account(t, job)
					: configured(t, config, job);

	/* A job without another tenant belongs to its user's own tenant. */
	return at == ASTRA_NONE ? tenants_find_or_add(t, user_of(t, job), 1,
						      job->user_id)
				: at;
}

void astra_tenants_free(struct astra_tenants *t)
{
	free(t->list);
	free(t->uid);
	free(t->next);
	free(t->of_account);
	astra_idmap_clear(&t->by_name);
	*t = (struct astra_tenants){0};
}
