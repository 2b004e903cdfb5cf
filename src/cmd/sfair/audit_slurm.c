/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm's accounting knows beside the jobs: whose they are, who has which
 * share, and how many GPUs there were. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"
#include "src/sim/child.h"
#include "src/sim/field.h"

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

/* Of the first so many tenants, or ASTRA_NONE. */
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
