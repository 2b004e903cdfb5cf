/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/tenants.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/slurm/users.h"

/* Names, by their hashes: the maps' keys are never 0. */

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ? h : 1;
}

uint32_t astra_tenants_find(const struct astra_tenants *t, const char *name)
{
	uint32_t at = astra_idmap_get(&t->by_name, hash(name));

	while (at != ASTRA_NONE && strcmp(t->list[at].name, name))
		at = t->next[at];
	return at;
}

static uint32_t add(struct astra_tenants *t, const char *name, double weight,
		    uint32_t uid)
{
	const char *copy = astra_arena_text(t->arena, name);
	uint32_t at = (uint32_t)t->count, key = hash(name);

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

static uint32_t find_or_add(struct astra_tenants *t, const char *name,
			    double weight, uint32_t uid)
{
	uint32_t at = astra_tenants_find(t, name);

	return at == ASTRA_NONE ? add(t, name, weight, uid) : at;
}

/* Accounts. */

static struct astra_account *find_account(const struct astra_tenants *t,
					  const char *name)
{
	uint32_t at = astra_idmap_get(&t->by_account, hash(name));

	while (at != ASTRA_NONE && strcmp(t->account_list[at].name, name))
		at = t->account_list[at].next;
	return at == ASTRA_NONE ? NULL : &t->account_list[at];
}

static struct astra_account *add_account(struct astra_tenants *t,
					 const char *name, uint32_t in_tree,
					 unsigned level)
{
	const struct astra_account_tree *tree = &t->shares.tree;
	uint32_t tenant = astra_account_tree_tenant(tree, in_tree, level);
	uint32_t key = hash(name);
	struct astra_account *a;

	if (astra_grow(&t->account_list, &t->account_room, t->account_count + 1,
		       sizeof(*t->account_list)) < 0)
		return NULL;
	a = &t->account_list[t->account_count];
	*a = (struct astra_account){
		.name = astra_arena_text(t->arena, name),
		.tenant = astra_arena_text(t->arena, tree->list[tenant].name),
		.weight =
			astra_account_tree_weight(tree, tenant, level, t->tree),
		.index = ASTRA_NONE,
		.next = astra_idmap_get(&t->by_account, key),
	};
	if (!a->name || !a->tenant ||
	    astra_idmap_put(&t->by_account, key, (uint32_t)t->account_count) <
		    0)
		return NULL;
	t->account_count++;
	return a;
}

static uint32_t account_tenant(struct astra_tenants *t, struct astra_account *a)
{
	if (a->index == ASTRA_NONE)
		a->index = find_or_add(t, a->tenant, a->weight, NO_VAL);
	return a->index;
}

static int add_user_share(struct astra_tenants *t,
			  const struct astra_account *a,
			  const slurmdb_assoc_rec_t *assoc)
{
	double shares = astra_shares_of(assoc);
	uint32_t at = (uint32_t)t->user_count, key = 1 + assoc->uid;

	if (shares == 1 || assoc->uid == NO_VAL || strcmp(a->name, a->tenant))
		return 0;
	if (astra_grow(&t->user_list, &t->user_room, t->user_count + 1,
		       sizeof(*t->user_list)) < 0)
		return -1;
	t->user_list[at] = (struct astra_user_share){
		.uid = assoc->uid,
		.tenant = a->index,
		.shares = shares,
		.next = astra_idmap_get(&t->by_uid, key),
	};
	t->user_count++;
	return astra_idmap_put(&t->by_uid, key, at);
}

double astra_tenants_user_weight(const struct astra_tenants *t, uint32_t tenant,
				 uint32_t uid)
{
	uint32_t at = astra_idmap_get(&t->by_uid, 1 + uid);

	while (at != ASTRA_NONE && t->user_list[at].tenant != tenant)
		at = t->user_list[at].next;
	return at == ASTRA_NONE ? 1 : t->user_list[at].shares;
}

struct walk {
	struct astra_tenants *t;
	unsigned level;
	bool failed;
};

/* An account, or a user's place in one: accounts with users are tenants,
 * others are when they have a job, and so is root, who always has a user. */
static int walk_assoc(void *x, void *arg)
{
	const slurmdb_assoc_rec_t *assoc = x, *account = assoc;
	struct walk *w = arg;
	struct astra_account *a;
	uint32_t at;

	if (!assoc->acct)
		return 0;
	if (assoc->user)
		account = astra_account_parent(assoc);
	a = find_account(w->t, assoc->acct);
	if (!a) {
		at = account ? astra_account_shares_find(&w->t->shares, account)
			     : ASTRA_NONE;
		if (at == ASTRA_NONE)
			return 0;
		a = add_account(w->t, account->acct, at, w->level);
	}
	if (!a || (assoc->user && xstrcmp(assoc->acct, "root") &&
		   (account_tenant(w->t, a) == ASTRA_NONE ||
		    add_user_share(w->t, a, assoc) < 0))) {
		w->failed = true;
		return -1;
	}
	return 0;
}

static int begin_accounts(struct astra_tenants *t, unsigned level)
{
	assoc_mgr_lock_t locks = {.assoc = READ_LOCK};
	struct walk w = {.t = t, .level = level};

	assoc_mgr_lock(&locks);
	w.failed = astra_account_shares_read(&t->shares) < 0;
	if (assoc_mgr_assoc_list && !w.failed)
		list_for_each_ro(assoc_mgr_assoc_list, walk_assoc, &w);
	assoc_mgr_unlock(&locks);
	return w.failed ? -1 : 0;
}

static void reset(struct astra_tenants *t, struct astra_arena *arena)
{
	t->count = t->account_count = t->user_count = 0;
	t->unnamed = false;
	t->unknown = NULL;
	t->arena = arena;
	astra_idmap_clear(&t->by_name);
	astra_idmap_clear(&t->by_account);
	astra_idmap_clear(&t->by_uid);
}

int astra_tenants_begin(struct astra_tenants *t,
			const struct astra_config *config,
			struct astra_arena *arena)
{
	reset(t, arena);
	t->accounts = slurm_with_slurmdbd();
	t->tree = config->shares_tree;
	if (t->accounts)
		return begin_accounts(t, config->tenant_level);
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

/* An account that slurmdbd does not have is no tenant: where associations are
 * not enforced, anybody could make up one more. */
static uint32_t of_account(struct astra_tenants *t, const job_record_t *job)
{
	struct astra_account *a;

	if (!job->account || !*job->account)
		return ASTRA_NONE;
	a = find_account(t, job->account);
	if (a)
		return account_tenant(t, a);
	if (!t->account_count) /* slurmdbd has not answered since the start */
		return find_or_add(t, job->account, 1, NO_VAL);
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
	uint32_t at =
		t->accounts ? of_account(t, job) : configured(t, config, job);

	/* All others are tenants of their own, one a user. */
	return at == ASTRA_NONE
		       ? find_or_add(t, user_of(t, job), 1, job->user_id)
		       : at;
}

void astra_tenants_free(struct astra_tenants *t)
{
	free(t->list);
	free(t->uid);
	free(t->next);
	free(t->account_list);
	astra_account_shares_free(&t->shares);
	astra_idmap_clear(&t->by_name);
	astra_idmap_clear(&t->by_account);
	free(t->user_list);
	astra_idmap_clear(&t->by_uid);
	*t = (struct astra_tenants){0};
}
