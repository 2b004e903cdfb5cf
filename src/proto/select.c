/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/report_pool.h"

/* Whether a task is in squeue's list of tasks, such as "0-3,7,10-20:5%2". A
 * list cut short ends in "...", and may contain any task. */
static bool task_listed(const char *list, uint32_t task)
{
	while (*list && *list != ']' && *list != '%') {
		unsigned long first, last, step = 1;
		char *end;

		if (!isdigit((unsigned char)*list))
			return *list == '.';
		first = last = strtoul(list, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (*end == ':')
			step = strtoul(end + 1, &end, 10);
		if (task >= first && task <= last && step &&
		    (task - first) % step == 0)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

bool astra_job_matches(const struct astra_report_job *job,
		       struct astra_job_ref ref)
{
	const char *list;

	if (ref.task == UINT32_MAX)
		return job->of.id == ref.id || job->array_id == ref.id;
	if (job->array_id != ref.id)
		return false;
	if (job->array_task != UINT32_MAX)
		return job->array_task == ref.task;
	list = strchr(job->id_text, '[');
	return list && task_listed(list + 1, ref.task);
}

static int compare_name(const void *key, const void *entry)
{
	return strcmp(key, *(char *const *)entry);
}

bool astra_viewer_coordinates(const struct astra_viewer *viewer,
			      const char *account)
{
	return viewer->accounts && viewer->accounts->count &&
	       bsearch(account, viewer->accounts->names,
		       viewer->accounts->count,
		       sizeof(*viewer->accounts->names), compare_name);
}

/* Whether the job is the viewer's, or in an account that the viewer
 * coordinates. */
static bool is_own(const struct astra_report_job *job,
		   const struct astra_viewer *viewer)
{
	return job->uid == viewer->uid ||
	       astra_viewer_coordinates(viewer, job->account);
}

bool astra_job_visible(const struct astra_report *report,
		       const struct astra_report_job *job,
		       const struct astra_viewer *viewer)
{
	return viewer->all || !report->privacy.jobs || is_own(job, viewer);
}

bool astra_job_usage_visible(const struct astra_report *report,
			     const struct astra_report_job *job,
			     const struct astra_viewer *viewer)
{
	return viewer->all || !report->privacy.usage || is_own(job, viewer);
}

bool astra_nodes_visible(const struct astra_report *report,
			 const struct astra_viewer *viewer)
{
	return viewer->all || !report->privacy.nodes;
}

bool astra_filter_has(const struct astra_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

bool astra_filter_has_user(const struct astra_names *names, const char *user,
			   uint32_t uid)
{
	if (astra_filter_has(names, user))
		return true;
	for (size_t i = 0; i < names->count; i++) {
		char *end;
		unsigned long number = strtoul(names->names[i], &end, 10);

		if (isdigit((unsigned char)*names->names[i]) && !*end &&
		    number == uid)
			return true;
	}
	return false;
}

static bool has_job(const struct astra_job_refs *refs,
		    const struct astra_report_job *job)
{
	for (size_t i = 0; i < refs->count; i++)
		if (astra_job_matches(job, refs->refs[i]))
			return true;
	return false;
}

bool astra_job_selected(const struct astra_report_job *job,
			const struct astra_query *query)
{
	if (query->users.count &&
	    !astra_filter_has_user(&query->users, job->user, job->uid))
		return false;
	if (query->accounts.count &&
	    !astra_filter_has(&query->accounts, job->account) &&
	    !astra_filter_has(&query->accounts, job->tenant))
		return false;
	if (query->pools.count && !astra_filter_has(&query->pools, job->pool))
		return false;
	return !query->jobs.count || has_job(&query->jobs, job);
}

bool astra_pool_selected(const struct astra_report_pool *pool,
			 const struct astra_query *query)
{
	return !query->pools.count ||
	       astra_filter_has(&query->pools, pool->name);
}

/* A tenant's index; the keys are sorted by pool and name for bsearch(). */
struct tenant_key {
	const char *pool, *name;
	size_t index;
};

static int select_compare_keys(const void *a, const void *b)
{
	const struct tenant_key *x = a, *y = b;
	int order = strcmp(x->pool, y->pool);

	return order ? order : strcmp(x->name, y->name);
}

static struct tenant_key *sorted_tenants(const struct astra_report *report)
{
	struct tenant_key *keys =
		calloc(report->tenant_count + 1, sizeof(*keys));

	if (!keys)
		return NULL;
	for (size_t i = 0; i < report->tenant_count; i++)
		keys[i] = (struct tenant_key){
			.pool = report->tenants[i].pool,
			.name = report->tenants[i].of.name,
			.index = i,
		};
	qsort(keys, report->tenant_count, sizeof(*keys), select_compare_keys);
	return keys;
}

enum { OWN = 1, WANTED = 2 };

/* Marks the tenants of the viewer's jobs, and the tenants of visible jobs of
 * the users that the query names. Returns 0, or -1 if out of memory. */
static int mark_by_jobs(const struct astra_report *report,
			const struct astra_query *query,
			const struct astra_viewer *viewer, uint8_t *marks)
{
	struct tenant_key *keys = sorted_tenants(report);

	if (!keys)
		return -1;
	for (size_t i = 0; i < report->job_count; i++) {
		const struct astra_report_job *job = &report->jobs[i];
		struct tenant_key key = {.pool = job->pool,
					 .name = job->tenant};
		bool own = is_own(job, viewer);
		bool wanted = astra_filter_has_user(&query->users, job->user,
						    job->uid) &&
			      astra_job_visible(report, job, viewer);
		const struct tenant_key *found;

		if (!own && !wanted)
			continue;
		found = bsearch(&key, keys, report->tenant_count, sizeof(*keys),
				select_compare_keys);
		if (found)
			marks[found->index] |= (uint8_t)((own ? OWN : 0) |
							 (wanted ? WANTED : 0));
	}
	free(keys);
	return 0;
}

static bool tenant_selected(const struct astra_report *report,
			    const struct astra_report_tenant *tenant,
			    const struct astra_query *query,
			    const struct astra_viewer *viewer, uint8_t marks)
{
	bool is_user = tenant->uid != ASTRA_REPORT_NO_UID;

	/* A tenant that is only remembered, for example from root's test job,
	 * is shown only if the query names it. */
	if (!tenant->of.listed && !query->accounts.count)
		return false;
	if (report->privacy.usage && !viewer->all && !(marks & OWN) &&
	    !(is_user ? tenant->uid == viewer->uid
		      : astra_viewer_coordinates(viewer, tenant->of.name)))
		return false;
	if (query->users.count && !(marks & WANTED) &&
	    !(is_user && astra_filter_has_user(&query->users, tenant->of.name,
					       tenant->uid)))
		return false;
	if (query->accounts.count &&
	    !astra_filter_has(&query->accounts, tenant->of.name))
		return false;
	return !query->pools.count ||
	       astra_filter_has(&query->pools, tenant->pool);
}

bool *astra_tenants_selected(const struct astra_report *report,
			     const struct astra_query *query,
			     const struct astra_viewer *viewer)
{
	size_t count = report->tenant_count;
	bool *selected = calloc(count + 1, sizeof(*selected));
	uint8_t *marks = calloc(count + 1, sizeof(*marks));

	if (!selected || !marks ||
	    mark_by_jobs(report, query, viewer, marks) < 0) {
		free(selected);
		free(marks);
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		selected[i] = tenant_selected(report, &report->tenants[i],
					      query, viewer, marks[i]);
	free(marks);
	return selected;
}

/* Checks for unknown names: a misspelt name must not look like an empty
 * list. */

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

/* Checks that at least one of the jobs in the query is known; the others may
 * have ended. */
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
