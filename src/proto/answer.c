/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/proto/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/proto/report_pool.h"
#include "src/proto/select.h"

/* What an answer is made from, and its output. */
struct answer {
	const struct astra_report *report;
	const struct astra_query *query;
	const struct astra_viewer *viewer;
	struct astra_text *out;
	uint64_t picked; /* keys of its records that are shown, as bits */
	bool nomem;
};

static void answer_put_key(struct answer *a, const char *key)
{
	astra_text_printf(a->out, ",\"%s\":", key);
}

static void answer_put_text(struct answer *a, const char *key, const char *text)
{
	answer_put_key(a, key);
	astra_encode_text(a->out, text);
}

void astra_answer_head(const struct astra_report *report,
		       const struct astra_query *query, struct astra_text *out)
{
	struct answer a = {.out = out};
	char idle[ASTRA_IDLE_BYTES];

	astra_text_printf(out, "{\"astraea\":%d", ASTRA_PROTOCOL);
	answer_put_text(&a, "request", astra_query_kind_name(query->kind));
	answer_put_text(&a, "cluster", report->cluster);
	answer_put_text(&a, "slurm_version", report->slurm_version);
	answer_put_key(&a, "time_sec");
	astra_encode_real(out, report->time_sec);
	if (*astra_idle_text(report, idle))
		answer_put_text(&a, "idle", idle);
}

enum astra_fault astra_answer_too_early(struct astra_error *err)
{
	astra_error_set(
		err,
		"the plugin has not finished its first round yet: ask again in a few seconds");
	return ASTRA_FAULT_NO_DATA;
}

/* Writes the comma before every item of an array except the first. */
static void separate(struct answer *a, bool *first)
{
	if (!*first)
		astra_text_add(a->out, ",", 1);
	*first = false;
}

static void answer_put_head(struct answer *a)
{
	astra_answer_head(a->report, a->query, a->out);
}

/* Writes a pool. If the viewer may not see the job of its hold, the pool shows
 * none. */
static void answer_put_pool(struct answer *a, struct astra_report_pool pool)
{
	const struct astra_report_job *job =
		astra_report_find(a->report, pool.hold_job);

	if (job && !astra_job_visible(a->report, job, a->viewer))
		pool.hold_job = 0;
	astra_encode_object(a->out, &pool, astra_pool_members);
}

static void answer_put_pools(struct answer *a)
{
	bool first = true;

	answer_put_key(a, "pools");
	astra_text_add(a->out, "[", 1);
	for (size_t i = 0; i < a->report->pool_count; i++) {
		if (!astra_pool_selected(&a->report->pools[i], a->query))
			continue;
		separate(a, &first);
		answer_put_pool(a, a->report->pools[i]);
	}
	astra_text_add(a->out, "]", 1);
}

static void answer_put_tenants(struct answer *a)
{
	bool *selected = astra_tenants_selected(a->report, a->query, a->viewer);
	bool first = true;

	if (!selected) {
		a->nomem = true;
		return;
	}
	answer_put_key(a, "tenants");
	astra_text_add(a->out, "[", 1);
	for (size_t i = 0; i < a->report->tenant_count; i++) {
		if (!selected[i])
			continue;
		separate(a, &first);
		astra_encode_picked(a->out, &a->report->tenants[i],
				    astra_report_tenant_members, a->picked, 0);
	}
	astra_text_add(a->out, "]", 1);
	free(selected);
}

static void answer_put_jobs(struct answer *a, const char *key, bool leases_only)
{
	bool first = true;

	answer_put_key(a, key);
	astra_text_add(a->out, "[", 1);
	for (size_t i = 0; i < a->report->job_count && !a->out->failed; i++) {
		const struct astra_report_job *job = &a->report->jobs[i];

		if ((leases_only && job->phase == ASTRA_REPORT_WAITING) ||
		    !astra_job_visible(a->report, job, a->viewer) ||
		    !astra_job_selected(job, a->query))
			continue;
		separate(a, &first);
		astra_encode_job(
			a->out, job, a->picked,
			astra_job_usage_visible(a->report, job, a->viewer));
	}
	astra_text_add(a->out, "]", 1);
}

/* Returns the record that says most about the job that ref names: the job's
 * own; else a waiting record of its array; else any; NULL: none. others: gets
 * how many more match. */
static const struct astra_report_job *
answer_find_job(struct answer *a, struct astra_job_ref ref, size_t *others)
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
		if (!best || job->of.id == ref.id ||
		    (best->of.id != ref.id &&
		     best->phase != ASTRA_REPORT_WAITING &&
		     job->phase == ASTRA_REPORT_WAITING))
			best = job;
	}
	return best;
}

static enum astra_fault answer_put_why(struct answer *a,
				       struct astra_error *err)
{
	const struct astra_report_job *job;
	struct astra_job_ref ref;
	size_t others;

	if (a->query->mine) {
		answer_put_head(a);
		astra_answer_mine(a->report, a->viewer, a->out);
		return ASTRA_FAULT_NONE;
	}
	ref = a->query->jobs.refs[0];
	job = answer_find_job(a, ref, &others);
	if (!job)
		return astra_job_unknown(a->report, ref, err);
	answer_put_head(a);
	if (astra_answer_why(a->report, job, a->viewer, a->out) < 0)
		a->nomem = true;
	answer_put_key(a, "job");
	astra_encode_job(a->out, job, ASTRA_PICK_ALL,
			 astra_job_usage_visible(a->report, job, a->viewer));
	astra_text_printf(a->out, ",\"others\":%zu", others);
	return ASTRA_FAULT_NONE;
}

static void put_counters(struct answer *a,
			 const struct astra_socket_stats *stats)
{
	answer_put_head(a);
	answer_put_key(a, "diag");
	astra_encode_object(a->out, &a->report->diag, astra_diag_members);
	answer_put_key(a, "history");
	astra_encode_object(a->out, &a->report->diag.history,
			    astra_history_members);
	answer_put_key(a, "socket");
	astra_encode_object(a->out, stats, astra_socket_members);
	answer_put_pools(a);
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
	put_counters(a, stats);
	answer_put_key(a, "clock_sec");
	astra_encode_real(a->out, (double)time(NULL));
	astra_text_printf(a->out, ",\"reset\":%s",
			  a->query->reset ? "true" : "false");
	return ASTRA_FAULT_NONE;
}

/* Writes the prices of GPUs, slot by slot, for pools whose policy sells slots.
 * All users see the same prices. */
static void answer_price(const struct astra_report *report,
			 const struct astra_query *query, uint64_t picked,
			 struct astra_text *out)
{
	const char *separator = "";

	astra_text_printf(out, ",\"prices\":[");
	for (size_t i = 0; i < report->price_count && !out->failed; i++) {
		const struct astra_report_price *p = &report->prices[i];

		if (query->pools.count &&
		    !astra_filter_has(&query->pools, p->pool))
			continue;
		astra_text_printf(out, "%s", separator);
		astra_encode_picked(out, p, astra_price_members, picked, 0);
		separator = ",";
	}
	astra_text_printf(out, "]");
}

static enum astra_fault put_body(struct answer *a,
				 const struct astra_socket_stats *stats,
				 struct astra_error *err)
{
	switch (a->query->kind) {
	case ASTRA_QUERY_TENANT:
		answer_put_head(a);
		answer_put_pools(a);
		answer_put_tenants(a);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_JOB:
		answer_put_head(a);
		answer_put_jobs(a, "jobs", false);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_LEASE:
		answer_put_head(a);
		answer_put_pools(a);
		answer_put_jobs(a, "leases", true);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_WHY:
		return answer_put_why(a, err);
	case ASTRA_QUERY_DIAG:
		return put_diag(a, stats, err);
	case ASTRA_QUERY_REMAINING:
	case ASTRA_QUERY_PROGRESS:
	case ASTRA_QUERY_CHECKPOINTED:
		answer_put_head(a);
		return astra_answer_own(a->report, a->query, a->viewer, a->out,
					err);
	case ASTRA_QUERY_OFFER:
	case ASTRA_QUERY_BID:
		answer_put_head(a);
		return astra_answer_offer(a->report, a->query, a->viewer,
					  a->out, err);
	case ASTRA_QUERY_AUCTION:
		answer_put_head(a);
		astra_answer_auction(a->report, a->query, a->viewer, a->picked,
				     a->out);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_PRICE:
		answer_put_head(a);
		answer_put_pools(a);
		answer_price(a->report, a->query, a->picked, a->out);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_CLASS:
		answer_put_head(a);
		answer_put_pools(a);
		a->nomem = astra_answer_classes(a->report, a->query, a->viewer,
						a->picked, a->out) < 0;
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_ADOPT:	 /* astra_answer_adopt() */
	case ASTRA_QUERY_RECORD: /* astra_answer_record() */
		return ASTRA_FAULT_INTERNAL;
	case ASTRA_QUERY_REPORT: /* astra_answer_past() */
		return astra_answer_no_history(err);
	case ASTRA_QUERY_METRICS:
		put_counters(a, stats);
		answer_put_tenants(a);
		astra_answer_metrics(a->report, a->viewer, a->out);
		return ASTRA_FAULT_NONE;
	case ASTRA_QUERY_TOP:
		put_counters(a, stats);
		answer_put_tenants(a);
		astra_answer_top(a->report, a->query, a->viewer, a->out);
		return ASTRA_FAULT_NONE;
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

	if (!report)
		return astra_answer_too_early(err);
	fault = astra_pick(query, &a.picked, err);
	if (!fault)
		fault = astra_filters_known(report, query, viewer, err);
	if (!fault)
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
	astra_text_printf(
		out, "{\"astraea\":%d,\"error\":{\"code\":\"%s\",\"text\":",
		ASTRA_PROTOCOL, astra_fault_name(fault));
	astra_encode_text(out, text);
	astra_text_add(out, "}}", 2);
	return out->failed ? -1 : 0;
}

/* Reports on past time; the host keeps the history. */

enum astra_fault astra_answer_no_history(struct astra_error *err)
{
	astra_error_set(err, "history is off (History=no in astraea.conf): "
			     "there is no report over past time; sfair audit "
			     "measures it from slurmdbd");
	return ASTRA_FAULT_NO_DATA;
}

enum astra_fault astra_answer_past(const struct astra_report *report,
				   const struct astra_query *query,
				   const struct astra_viewer *viewer,
				   astra_history *history,
				   struct astra_text *out,
				   struct astra_error *err)
{
	enum astra_fault fault;

	if (!report)
		return astra_answer_too_early(err);
	if (!history)
		return astra_answer_no_history(err);
	astra_answer_head(report, query, out);
	fault = history(query, viewer, report, out, err);
	if (fault)
		return fault;
	astra_text_add(out, "}", 1);
	if (!out->failed)
		return ASTRA_FAULT_NONE;
	astra_error_set(err, "the reply would be too large: ask for a shorter "
			     "time or fewer accounts, users or jobs");
	return ASTRA_FAULT_TOO_LARGE;
}
