/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that nothing has: a misspelt one must not look like an empty list. */
#include <stdio.h>
#include <string.h>

#include "src/proto/select.h"

static enum astra_fault select_known_unknown(const char *what, const char *name,
					     const char *where,
					     struct astra_error *err)
{
	astra_error_set(err, "unknown %s %.64s: %s", what, name, where);
	return ASTRA_FAULT_NOT_FOUND;
}

const char *astra_idle_text(const struct astra_report *report,
			    char text[ASTRA_IDLE_BYTES])
{
	const char *error = report->diag.config_error;

	*text = '\0';
	if (*report->diag.aside)
		(void)snprintf(text, ASTRA_IDLE_BYTES,
			       "the plugin stands aside, and all jobs are "
			       "Slurm's own: %s",
			       report->diag.aside);
	else if (!report->pool_count)
		(void)snprintf(text, ASTRA_IDLE_BYTES,
			       "the plugin manages no jobs, all are Slurm's "
			       "own: %s",
			       *error ? error : "see slurmctld's log");
	return text;
}

enum astra_fault astra_job_unknown(const struct astra_report *report,
				   struct astra_job_ref ref,
				   struct astra_error *err)
{
	char name[32], idle[ASTRA_IDLE_BYTES];

	snprintf(name, sizeof(name), ref.task == UINT32_MAX ? "%u" : "%u_%u",
		 ref.id, ref.task);
	if (*astra_idle_text(report, idle))
		astra_error_set(err, "job %s: %s", name, idle);
	else
		astra_error_set(
			err,
			"job %s: no managed job of this number that you may see: it has ended, is in no pool of astraea.conf, or asks for no GPU (see squeue)",
			name);
	return ASTRA_FAULT_NOT_FOUND;
}

static bool is_pool(const struct astra_report *report, const char *name)
{
	for (size_t i = 0; i < report->pool_count; i++)
		if (!strcmp(report->pools[i].name, name))
			return true;
	return false;
}

static bool is_account(const struct astra_report *report,
		       const struct astra_viewer *viewer, const char *name)
{
	for (size_t i = 0; i < report->tenant_count; i++)
		if (!strcmp(report->tenants[i].of.name, name))
			return true;
	for (size_t i = 0; i < report->job_count; i++)
		if (!strcmp(report->jobs[i].account, name) &&
		    astra_job_visible(report, &report->jobs[i], viewer))
			return true;
	return false;
}

static bool select_known_is_job(const struct astra_report *report,
				const struct astra_viewer *viewer,
				struct astra_job_ref ref)
{
	for (size_t i = 0; i < report->job_count; i++)
		if (astra_job_matches(&report->jobs[i], ref) &&
		    astra_job_visible(report, &report->jobs[i], viewer))
			return true;
	return false;
}

/* Whether any of the jobs asked for by number is there: of several, some may
 * have ended since. */
static enum astra_fault jobs_known(const struct astra_report *report,
				   const struct astra_query *query,
				   const struct astra_viewer *viewer,
				   struct astra_error *err)
{
	const struct astra_job_refs *jobs = &query->jobs;

	if (!jobs->count || (query->kind != ASTRA_QUERY_JOB &&
			     query->kind != ASTRA_QUERY_LEASE))
		return ASTRA_FAULT_NONE;
	for (size_t i = 0; i < jobs->count; i++)
		if (select_known_is_job(report, viewer, jobs->refs[i]))
			return ASTRA_FAULT_NONE;
	return astra_job_unknown(report, jobs->refs[0], err);
}

enum astra_fault astra_filters_known(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     struct astra_error *err)
{
	char pools[256] = "the pools are";

	for (size_t i = 0; i < report->pool_count; i++) {
		size_t used = strlen(pools);

		snprintf(pools + used, sizeof(pools) - used, "%s %s",
			 i ? "," : "", report->pools[i].name);
	}
	for (size_t i = 0; i < query->pools.count; i++)
		if (!is_pool(report, query->pools.names[i]))
			return select_known_unknown(
				"pool", query->pools.names[i], pools, err);
	for (size_t i = 0; i < query->accounts.count; i++)
		if (!is_account(report, viewer, query->accounts.names[i]))
			return select_known_unknown(
				"account", query->accounts.names[i],
				"no tenant or account of a job has "
				"that name; sfair tenant lists them",
				err);
	return jobs_known(report, query, viewer, err);
}
