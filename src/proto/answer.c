/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/answer.h"

#include <stdlib.h>
#include <string.h>

#include "src/proto/select.h"

/* What an answer is made from, and into. */
struct answer {
	const struct astra_report *report;
	const struct astra_query *query;
	const struct astra_viewer *viewer;
	struct astra_text *out;
	bool nomem;
};

/* Records are written one by one: a large report is never in memory as JSON
 * objects and as text at once. */
static int sink(const char *bytes, size_t size, void *out)
{
	return astra_text_add(out, bytes, size);
}

/* Write a value; steals it. */
static void put(struct answer *a, json_t *value)
{
	if (!value)
		a->nomem = true;
	else
		json_dump_callback(value, sink, a->out,
				   JSON_COMPACT | JSON_ENCODE_ANY |
					   JSON_REAL_PRECISION(15));
	json_decref(value);
}

static void put_key(struct answer *a, const char *key, json_t *value)
{
	astra_text_printf(a->out, ",\"%s\":", key);
	put(a, value);
}

static void put_item(struct answer *a, bool *first, json_t *value)
{
	if (!*first)
		astra_text_add(a->out, ",", 1);
	*first = false;
	put(a, value);
}

static void put_head(struct answer *a)
{
	astra_text_printf(a->out, "{\"astraea\":%d", ASTRA_PROTOCOL);
	put_key(a, "request",
		json_string(astra_query_kind_name(a->query->kind)));
	put_key(a, "cluster", astra_encode_text(a->report->cluster));
	put_key(a, "slurm_version",
		astra_encode_text(a->report->slurm_version));
	put_key(a, "time_sec", json_real(a->report->time_sec));
}

static void put_pools(struct answer *a)
{
	bool first = true;

	astra_text_printf(a->out, ",\"pools\":[");
	for (size_t i = 0; i < a->report->pool_count; i++)
		if (astra_pool_selected(&a->report->pools[i], a->query))
			put_item(a, &first,
				 astra_encode_pool(&a->report->pools[i]));
	astra_text_add(a->out, "]", 1);
}

static void put_tenants(struct answer *a)
{
	bool *selected = astra_tenants_selected(a->report, a->query, a->viewer);
	bool first = true;

	if (!selected) {
		a->nomem = true;
		return;
	}
	astra_text_printf(a->out, ",\"tenants\":[");
	for (size_t i = 0; i < a->report->tenant_count; i++)
		if (selected[i])
			put_item(a, &first,
				 astra_encode_tenant(&a->report->tenants[i]));
	astra_text_add(a->out, "]", 1);
	free(selected);
}

static json_t *encode_job(struct answer *a, const struct astra_report_job *job)
{
	return astra_encode_job(
		job, astra_job_usage_visible(a->report, job, a->viewer));
}

static void put_jobs(struct answer *a, const char *key, bool leases_only)
{
	bool first = true;

	astra_text_printf(a->out, ",\"%s\":[", key);
	for (size_t i = 0; i < a->report->job_count; i++) {
		const struct astra_report_job *job = &a->report->jobs[i];

		if (a->out->failed || a->nomem)
			break;
		if ((leases_only && !strcmp(job->phase, "waiting")) ||
		    !astra_job_visible(a->report, job, a->viewer) ||
		    !astra_job_selected(job, a->query))
			continue;
		put_item(a, &first, encode_job(a, job));
	}
	astra_text_add(a->out, "]", 1);
}

/* The record that says most about the job meant: its own, else a waiting one
 * of the array, else any. others: how many more there are. */
static const struct astra_report_job *
find_job(struct answer *a, struct astra_job_ref ref, size_t *others)
{
	const struct astra_report_job *best = NULL;

	*others = 0;
	for (size_t i = 0; i < a->report->job_count; i++) {
		const struct astra_report_job *job = &a->report->jobs[i];

		if (!astra_job_matches(job, ref) ||
		    !astra_job_visible(a->report, job, a->viewer))
			continue;
		if (best)
			++*others;
		if (!best || job->id == ref.id ||
		    (best->id != ref.id &&
		     strcmp(best->phase, "waiting") != 0 &&
		     !strcmp(job->phase, "waiting")))
			best = job;
	}
	return best;
}

static json_t *encode_why(struct answer *a, const struct astra_report_job *job)
{
	struct astra_text text = {.limit = 65536};
	json_t *value = NULL;

	if (!astra_why_text(a->report, job,
			    astra_job_usage_visible(a->report, job, a->viewer),
			    &text))
		value = astra_encode_text(text.bytes);
	astra_text_clear(&text);
	return value;
}

static enum astra_fault put_why(struct answer *a, struct astra_error *err)
{
	struct astra_job_ref ref = a->query->jobs.refs[0];
	size_t others;
	const struct astra_report_job *job = find_job(a, ref, &others);
	char name[32];

	if (!job) {
		snprintf(name, sizeof(name),
			 ref.task == UINT32_MAX ? "%u" : "%u_%u", ref.id,
			 ref.task);
		astra_error_set(
			err,
			"job %s: no managed job of this number that you may see: it has ended, is in no pool of astraea.conf, or asks for no GPU (see squeue)",
			name);
		return ASTRA_FAULT_NOT_FOUND;
	}
	put_head(a);
	put_key(a, "text", encode_why(a, job));
	put_key(a, "job", encode_job(a, job));
	put_key(a, "others", json_integer((json_int_t)others));
	return ASTRA_FAULT_NONE;
}

static enum astra_fault put_diag(struct answer *a,
				 const struct astra_socket_stats *stats,
				 struct astra_error *err)
{
	if (a->query->reset && !a->viewer->all) {
		astra_error_set(
			err,
			"only root, SlurmUser and operators may reset the diagnostics");
		return ASTRA_FAULT_DENIED;
	}
	put_head(a);
	put_key(a, "diag", astra_encode_diag(&a->report->diag));
	put_key(a, "socket", astra_encode_socket(stats));
	put_pools(a);
	put_key(a, "reset", json_boolean(a->query->reset));
	return ASTRA_FAULT_NONE;
}

static enum astra_fault put_body(struct answer *a,
				 const struct astra_socket_stats *stats,
				 struct astra_error *err)
{
	switch (a->query->kind) {
	case ASTRA_QUERY_TENANT:
		put_head(a);
		put_pools(a);
		put_tenants(a);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_JOB:
		put_head(a);
		put_jobs(a, "jobs", false);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_LEASE:
		put_head(a);
		put_pools(a);
		put_jobs(a, "leases", true);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_WHY:
		return put_why(a, err);
	case ASTRA_QUERY_DIAG:
		return put_diag(a, stats, err);
	}
	return ASTRA_FAULT_INTERNAL;
}

enum astra_fault astra_answer(const struct astra_report *report,
			      const struct astra_query *query,
			      const struct astra_viewer *viewer,
			      const struct astra_socket_stats *stats,
			      struct astra_text *out, struct astra_error *err)
{
	struct answer a = {
		.report = report, .query = query, .viewer = viewer, .out = out};
	enum astra_fault fault;

	if (!report) {
		astra_error_set(
			err,
			"the plugin has not finished its first round yet: ask again in a few seconds");
		return ASTRA_FAULT_NO_DATA;
	}
	fault = put_body(&a, stats, err);
	if (fault)
		return fault;
	astra_text_add(out, "}", 1);
	if (a.nomem) {
		astra_error_nomem(err);
		return ASTRA_FAULT_INTERNAL;
	}
	if (out->failed) {
		astra_error_set(
			err,
			"the reply would be too large: ask for fewer jobs with --users, --accounts, --jobs or --pool");
		return ASTRA_FAULT_TOO_LARGE;
	}
	return ASTRA_FAULT_NONE;
}

int astra_answer_fault(enum astra_fault fault, const char *text,
		       struct astra_text *out)
{
	json_t *reply = json_pack(
		"{s:i,s:{s:s,s:o}}", "astraea", ASTRA_PROTOCOL, "error", "code",
		astra_fault_name(fault), "text", astra_encode_text(text));
	int rc;

	if (!reply)
		return -1;
	rc = json_dump_callback(reply, sink, out, JSON_COMPACT);
	json_decref(reply);
	return rc;
}
