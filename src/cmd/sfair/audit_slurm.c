/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm's accounting knows beside the jobs: who has which share, and how
 * many GPUs there were. sacctmgr knows how to find slurmdbd and what its user
 * may see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/cmd/sfair/audit.h"
#include "src/sim/child.h"
#include "src/sim/field.h"

/* Accounts. */

struct account {
	const char *name, *parent, *share; /* point into the text */
	bool has_users;
};

struct accounts {
	char *text;
	struct account *all;
	size_t count;
};

static struct account *find(const struct accounts *a, const char *name)
{
	for (size_t i = 0; i < a->count; i++)
		if (!strcmp(a->all[i].name, name))
			return &a->all[i];
	return NULL;
}

static void accounts_clear(struct accounts *a)
{
	free(a->text);
	free(a->all);
}

/* account|parent|user|share, a line each; an account's own has no user. */
static int split(struct accounts *a)
{
	char *rest = a->text, *line;
	size_t lines = 1;

	for (const char *at = a->text; (at = strchr(at, '\n')); at++)
		lines++;
	a->all = calloc(lines, sizeof(*a->all));
	if (!a->all)
		return -1;
	while ((line = strsep(&rest, "\n"))) {
		char *name = strsep(&line, "|"), *parent = strsep(&line, "|");
		char *user = strsep(&line, "|");
		struct account *known = find(a, name);

		if (!line)
			continue;
		if (!known) {
			known = &a->all[a->count++];
			*known = (struct account){name, "", "1", false};
		}
		if (*user) {
			known->has_users = true;
		} else {
			known->parent = parent;
			known->share = line;
		}
	}
	return 0;
}

static int ask(struct accounts *a, const char *cluster, struct astra_error *err)
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

	*a = (struct accounts){0};
	snprintf(where, sizeof(where), "clusters=%s", cluster);
	if (astra_child_text(argv, &a->text, err) < 0)
		return -1;
	return split(a) < 0 ? astra_error_nomem(err) : 0;
}

static bool is_parent(const struct account *account)
{
	return !strcasecmp(account->share, "parent");
}

static const struct account *parent_of(const struct accounts *a,
				       const struct account *account)
{
	const struct account *parent = find(a, account->parent);

	return parent != account ? parent : NULL;
}

/* How far below root. */
static unsigned depth_of(const struct accounts *a,
			 const struct account *account)
{
	unsigned depth = 0;

	while (depth < a->count && (account = parent_of(a, account)))
		depth++;
	return depth;
}

/* The account at that level, if this one is below it and level is not 0. An
 * account with fairshare=parent is no tenant, except directly below root; as
 * src/slurm/tenants.c has it. */
static const struct account *tenant_of(const struct accounts *a,
				       const struct account *account,
				       unsigned level)
{
	unsigned depth = depth_of(a, account);

	while ((level && depth > level) || (depth > 1 && is_parent(account))) {
		account = parent_of(a, account);
		depth--;
	}
	return account;
}

/* 1 is what a new account gets. */
static double share_of(const struct account *account)
{
	double share;

	if (astra_field_number(account->share, &share) != ASTRA_FIELD_OK ||
	    share < 0)
		return 1;
	return share;
}

int sfair_audit_accounts(struct astra_record *record, const char *cluster,
			 unsigned level, struct astra_error *err)
{
	struct accounts a;
	int rc = ask(&a, cluster, err);

	for (size_t i = 0; !rc && i < record->job_count; i++) {
		struct astra_record_job *job = &record->jobs[i];
		const struct account *account = find(&a, job->account);
		uint32_t name;

		if (!account)
			continue;
		name = astra_intern_put(&record->words,
					tenant_of(&a, account, level)->name);
		if (name == ASTRA_INTERN_NONE)
			rc = astra_error_nomem(err);
		else
			job->tenant = record->words.names[name];
	}
	accounts_clear(&a);
	return rc;
}

int sfair_audit_shares(struct astra_trace *trace, const char *cluster,
		       struct astra_error *err)
{
	size_t known = trace->tenant_count;
	struct accounts a;
	int rc = ask(&a, cluster, err);

	for (size_t i = 0; !rc && i < a.count; i++) {
		const struct account *t = tenant_of(&a, &a.all[i], 0);
		bool with_users = a.all[i].has_users && *t->parent;
		uint32_t at = ASTRA_NONE;

		for (size_t k = 0; k < known; k++)
			if (!strcmp(trace->tenants[k].name, t->name))
				at = (uint32_t)k;
		if (at == ASTRA_NONE && !with_users)
			continue;
		if (at == ASTRA_NONE)
			at = astra_trace_tenant(trace, t->name);
		if (at == ASTRA_NONE)
			rc = astra_error_nomem(err);
		else
			trace->tenants[at].weight = share_of(t);
	}
	accounts_clear(&a);
	return rc;
}

/* Lines of start|end|TRES, the cluster's events; the last is not always the
 * latest. */
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
