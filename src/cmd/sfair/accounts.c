/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/accounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/audit.h"
#include "src/model/model.h"
#include "src/sim/child.h"
#include "src/sim/field.h"

struct sfair_account_user {
	const char *account, *name; /* point into the text */
	double shares;
};

static int accounts_by_names(const void *a, const void *b)
{
	const struct sfair_account_user *x = a, *y = b;
	int order = strcmp(x->account, y->account);

	return order ? order : strcmp(x->name, y->name);
}

/* Reads a share. Returns 1 for a missing or invalid share, as for a new
 * account, and for fairshare=parent. */
static double accounts_share(const char *text)
{
	double share;

	if (astra_field_number(text, &share) != ASTRA_FIELD_OK || share < 0)
		return 1;
	return share;
}

/* Returns the index of the account of this name. Adds a new account, since an
 * account may be listed before its parent. Returns ASTRA_NONE when out of
 * memory. */
static uint32_t accounts_number(struct sfair_accounts *a, const char *name)
{
	uint32_t at = astra_intern_put(&a->names, name);
	struct astra_tree_account entry = {
		.parent = ASTRA_NONE,
		.shares = 1,
	};

	if (at == ASTRA_INTERN_NONE)
		return ASTRA_NONE;
	if (at < a->tree.count)
		return at;
	entry.name = a->names.names[at];
	return astra_account_tree_add(&a->tree, &entry);
}

/* Reads a line "account|parent|user|share". The line of an account itself has
 * no user. */
static int accounts_line(struct sfair_accounts *a, char *line)
{
	const char *name = strsep(&line, "|"), *above = strsep(&line, "|");
	const char *user = strsep(&line, "|"), *share = line;
	uint32_t at, parent = ASTRA_NONE;

	if (!share)
		return 0;
	at = accounts_number(a, name);
	if (at == ASTRA_NONE)
		return -1;
	if (*user) {
		a->users[a->user_count++] = (struct sfair_account_user){
			name, user, accounts_share(share)};
		astra_account_tree_user(&a->tree, at, accounts_share(share));
		return 0;
	}
	if (*above && strcmp(above, name) != 0) {
		parent = accounts_number(a, above);
		if (parent == ASTRA_NONE)
			return -1;
	}
	a->tree.list[at].parent = parent;
	a->tree.list[at].shares = accounts_share(share);
	a->tree.list[at].of_parent = !strcasecmp(share, "parent");
	return 0;
}

static int accounts_split(struct sfair_accounts *a)
{
	char *rest = a->text, *line;
	size_t lines = 1;

	for (const char *at = a->text; (at = strchr(at, '\n')); at++)
		lines++;
	a->users = calloc(lines, sizeof(*a->users));
	if (!a->users)
		return -1;
	while ((line = strsep(&rest, "\n")))
		if (accounts_line(a, line) < 0)
			return -1;
	astra_account_tree_sum(&a->tree);
	qsort(a->users, a->user_count, sizeof(*a->users), accounts_by_names);
	return 0;
}

int sfair_accounts_ask(struct sfair_accounts *a, const char *cluster,
		       double wait_sec, struct astra_error *err)
{
	char where[128];
	char *argv[] = {"sacctmgr",
			"--noheader",
			"--parsable2",
			"--readonly",
			"show",
			"associations",
			"format=account,parentname,user,share",
			where,
			NULL};

	snprintf(where, sizeof(where), "clusters=%s", cluster);
	if (astra_child_text_within(argv, wait_sec, &a->text, err) < 0)
		return -1;
	return accounts_split(a) < 0 ? astra_error_nomem(err) : 0;
}

/* Returns the tenant that is charged with an account's jobs under this
 * TenantLevel. NULL: there is no such account. Borrowed. */
static const char *sfair_accounts_tenant(const struct sfair_accounts *a,
					 const char *account, unsigned level)
{
	uint32_t at = astra_intern_get(&a->names, account);

	if (at == ASTRA_INTERN_NONE)
		return NULL;
	at = astra_account_tree_tenant(&a->tree, at, level);
	return a->tree.list[at].name;
}

double sfair_accounts_user_share(const void *arg, const char *tenant,
				 const char *user)
{
	const struct sfair_accounts *a = arg;
	const struct sfair_account_user key = {tenant, user, 0}, *found;

	if (!a->user_count)
		return 1;
	found = bsearch(&key, a->users, a->user_count, sizeof(*a->users),
			accounts_by_names);
	return found ? found->shares : 1;
}

void sfair_accounts_clear(struct sfair_accounts *a)
{
	free(a->text);
	free(a->users);
	astra_intern_clear(&a->names);
	astra_account_tree_clear(&a->tree);
	*a = (struct sfair_accounts){0};
}

/* What Slurm's accounting knows besides jobs: tenants, shares, and the count of
 * GPUs. */

int sfair_audit_accounts(struct astra_record *record,
			 const struct sfair_accounts *accounts, unsigned level,
			 struct astra_error *err)
{
	for (size_t i = 0; i < record->job_count; i++) {
		struct astra_record_job *job = &record->jobs[i];
		const char *tenant =
			sfair_accounts_tenant(accounts, job->account, level);
		uint32_t name;

		if (!tenant)
			continue;
		name = astra_intern_put(&record->words, tenant);
		if (name == ASTRA_INTERN_NONE)
			return astra_error_nomem(err);
		job->tenant = record->words.names[name];
	}
	return 0;
}

/* Returns the index of a tenant among the trace's first `known` tenants, or
 * ASTRA_NONE. */
static uint32_t tenant_named(const struct astra_trace *trace, size_t known,
			     const char *name)
{
	for (size_t k = 0; k < known; k++)
		if (!strcmp(trace->tenants[k].name, name))
			return (uint32_t)k;
	return ASTRA_NONE;
}

int sfair_audit_shares(struct astra_trace *trace,
		       const struct sfair_accounts *accounts, unsigned level,
		       bool by_tree, struct astra_error *err)
{
	const struct astra_account_tree *tree = &accounts->tree;
	size_t known = trace->tenant_count;

	for (uint32_t i = 0; i < tree->count; i++) {
		uint32_t t = astra_account_tree_tenant(tree, i, level);
		const struct astra_tree_account *tenant = &tree->list[t];
		uint32_t at = tenant_named(trace, known, tenant->name);

		if (at == ASTRA_NONE && tree->list[i].has_users &&
		    tenant->parent != ASTRA_NONE)
			at = astra_trace_tenant(trace, tenant->name);
		else if (at == ASTRA_NONE)
			continue;
		if (at == ASTRA_NONE)
			return astra_error_nomem(err);
		trace->tenants[at].weight =
			astra_account_tree_weight(tree, t, level, by_tree);
	}
	return 0;
}

/* Returns the GPUs in the cluster's latest event. text: lines "start|end|TRES";
 * the last line is not always the latest event. */
static uint64_t latest(char *text)
{
	double since = -1;
	uint32_t gpus = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		const char *start = strsep(&line, "|");
		double sec;
		uint32_t count;

		if (!line || astra_field_time(start, &sec) != ASTRA_FIELD_OK ||
		    astra_field_tres(line, &count) != ASTRA_FIELD_OK ||
		    sec < since)
			continue;
		since = sec;
		gpus = count;
	}
	return gpus;
}

int sfair_audit_gpus(const char *cluster, const struct astra_window *window,
		     uint64_t *gpus, struct astra_error *err)
{
	char where[128], since[64], until[64];
	char *argv[] = {
		"sacctmgr", "--noheader", "--parsable2",	   "--readonly",
		"show",	    "event",	  "event=cluster",	   where,
		since,	    until,	  "format=timestart,tres", NULL};
	char *text;

	snprintf(where, sizeof(where), "clusters=%s", cluster);
	snprintf(since, sizeof(since), "start=uts%.0f", window->start_sec);
	snprintf(until, sizeof(until), "end=uts%.0f", window->end_sec);
	if (astra_child_text(argv, &text, err) < 0)
		return -1;
	*gpus = latest(text);
	free(text);
	if (*gpus)
		return 0;
	return astra_error_set(err,
			       "slurmdbd knows of no GPUs of cluster %s then: "
			       "is gres/gpu in AccountingStorageTRES? else say "
			       "--nodes=N and --gpus=G of each",
			       cluster);
}
