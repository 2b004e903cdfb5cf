/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results of an audit as JSON. The tables are made from this JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/audit.h"

json_t *sfair_real(double value)
{
	if (isnan(value))
		return json_null();
	return isinf(value) ? json_string("inf") : json_real(value);
}

static json_t *audit_json_count(size_t value)
{
	return json_integer((json_int_t)value);
}

static void name_policy(json_t *row, const char *policy)
{
	if (policy)
		json_object_set_new(row, "policy", json_string(policy));
}

/* Selected accounts and users. */

static bool listed(const struct astra_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static const struct astra_record_job *record_of(const struct sfair_audit *audit,
						const struct astra_trace *trace,
						size_t job)
{
	return &audit->record.jobs[trace->jobs[job].line - 1];
}

static bool is_wanted(const struct sfair_audit *audit,
		      const struct astra_record_job *job)
{
	const struct astra_query *query = &audit->args->show.query;

	if (query->accounts.count && !listed(&query->accounts, job->account) &&
	    !listed(&query->accounts, job->tenant))
		return false;
	return !query->users.count || listed(&query->users, job->user);
}

/* Returns an array that says for each job of a trace whether it is selected;
 * for free(). */
static bool *wanted_jobs(const struct sfair_audit *audit,
			 const struct astra_trace *trace)
{
	bool *wanted = calloc(trace->job_count + 1, sizeof(*wanted));

	for (size_t i = 0; wanted && i < trace->job_count; i++)
		wanted[i] = is_wanted(audit, record_of(audit, trace, i));
	return wanted;
}

/* Tenants. */

struct tenant_sum {
	size_t jobs, wanted, waits;
	double lost_gpu_sec, wait_sec;
};

static struct tenant_sum *sum_tenants(const struct sfair_audit *audit,
				      const struct astra_sim_result *r)
{
	const struct astra_trace *t = r->trace;
	struct tenant_sum *sums = calloc(t->tenant_count + 1, sizeof(*sums));

	for (uint32_t i = 0; sums && i < t->job_count; i++) {
		struct tenant_sum *s = &sums[t->jobs[i].tenant];

		s->jobs++;
		s->wanted += is_wanted(audit, record_of(audit, t, i));
		s->lost_gpu_sec += astra_audit_loss_gpu_sec(r, i);
		if (r->jobs[i].start_sec < 0)
			continue;
		s->waits++;
		s->wait_sec += r->jobs[i].start_sec - t->jobs[i].submit_sec;
	}
	return sums;
}

static json_t *tenant_row(const struct astra_sim_result *r, size_t tenant,
			  const struct tenant_sum *sum, double weights)
{
	const struct astra_trace_tenant *t = &r->trace->tenants[tenant];
	const struct astra_sim_tenant *out = &r->tenants[tenant];
	double quota = weights > 0 ? (double)r->gpus * t->weight / weights : 0;
	json_t *row = json_object();

	json_object_set_new(row, "name", json_string(t->name));
	json_object_set_new(row, "weight", sfair_real(t->weight));
	json_object_set_new(row, "quota_gpus", sfair_real(quota));
	json_object_set_new(row, "jobs", audit_json_count(sum->jobs));
	json_object_set_new(row, "alloc_gpu_sec",
			    sfair_real(out->alloc_gpu_sec));
	json_object_set_new(row, "fair_gpu_sec", sfair_real(out->fair_gpu_sec));
	json_object_set_new(row, "rho",
			    sfair_real(astra_share_rho(out->alloc_gpu_sec,
						       out->fair_gpu_sec)));
	json_object_set_new(row, "loss",
			    sfair_real(astra_audit_tenant_loss(r, tenant)));
	json_object_set_new(row, "lost_gpu_sec", sfair_real(sum->lost_gpu_sec));
	json_object_set_new(row, "wait_mean_sec",
			    sfair_real(sum->wait_sec / (double)sum->waits));
	return row;
}

json_t *sfair_audit_tenants(const struct sfair_audit *audit,
			    const struct astra_sim_result *r,
			    const char *policy)
{
	const struct astra_query *query = &audit->args->show.query;
	struct tenant_sum *sums = sum_tenants(audit, r);
	json_t *rows = json_array();
	double weights = 0;

	for (size_t i = 0; i < r->trace->tenant_count; i++)
		weights += r->trace->tenants[i].weight;
	for (size_t i = 0; sums && i < r->trace->tenant_count; i++) {
		bool all = !query->accounts.count && !query->users.count;
		json_t *row;

		if (!all && !sums[i].wanted &&
		    !listed(&query->accounts, r->trace->tenants[i].name))
			continue;
		row = tenant_row(r, i, &sums[i], weights);
		name_policy(row, policy);
		json_array_append_new(rows, row);
	}
	free(sums);
	return rows;
}

/* Sizes. */

static void class_name(const struct astra_audit_size *size, char *text,
		       size_t room)
{
	if (size->gpus_max == UINT32_MAX)
		snprintf(text, room, "all");
	else if (size->gpus_min == size->gpus_max)
		snprintf(text, room, "%u", size->gpus_min);
	else
		snprintf(text, room, "%u-%u", size->gpus_min, size->gpus_max);
}

static json_t *size_row(const struct astra_audit_size *size)
{
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{"gpu_sec", size->gpu_sec},
		{"wait_mean_sec", size->wait_mean_sec},
		{"wait_p50_sec", size->wait_p50_sec},
		{"wait_p95_sec", size->wait_p95_sec},
		{"wait_max_sec", size->wait_max_sec},
		{"slowdown_mean", size->slowdown_mean},
		{"slowdown_p50", size->slowdown_p50},
		{"slowdown_p95", size->slowdown_p95},
		{"slowdown_max", size->slowdown_max},
	};
	json_t *row = json_object();
	char name[32];

	class_name(size, name, sizeof(name));
	json_object_set_new(row, "gpus", json_string(name));
	json_object_set_new(row, "jobs", audit_json_count(size->jobs));
	json_object_set_new(row, "never", audit_json_count(size->never));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_set_new(row, numbers[i].key,
				    sfair_real(numbers[i].value));
	return row;
}

json_t *sfair_audit_sizes(const struct sfair_audit *audit,
			  const struct astra_sim_result *r, const char *policy)
{
	struct astra_audit_size sizes[ASTRA_AUDIT_SIZES];
	bool *wanted = wanted_jobs(audit, r->trace);
	json_t *rows = json_array();

	if (!wanted || astra_audit_sizes(r, wanted, sizes) < 0) {
		free(wanted);
		json_decref(rows);
		return NULL;
	}
	for (int i = 0; i < ASTRA_AUDIT_SIZES; i++) {
		json_t *row;

		if (!sizes[i].jobs)
			continue;
		row = size_row(&sizes[i]);
		name_policy(row, policy);
		json_array_append_new(rows, row);
	}
	free(wanted);
	return rows;
}

/* Jobs. */

/* Sets the job's own times, even if they lie outside the window. A wait or a
 * run that has not ended is counted up to the end of the window. */
static void job_times(json_t *row, const struct sfair_audit *audit,
		      const struct astra_record_job *job)
{
	double start = fmin(job->start_sec, audit->window.end_sec);
	bool ended = isfinite(job->end_sec) && job->runs;
	double life = job->end_sec - job->submit_sec;

	json_object_set_new(row, "submit_sec", sfair_real(job->submit_sec));
	json_object_set_new(row, "start_sec",
			    isfinite(job->start_sec)
				    ? sfair_real(job->start_sec)
				    : json_null());
	json_object_set_new(row, "end_sec",
			    isfinite(job->end_sec) ? sfair_real(job->end_sec)
						   : json_null());
	start = isfinite(job->start_sec) ? start : fmin(job->end_sec, start);
	json_object_set_new(row, "wait_sec",
			    sfair_real(start - job->submit_sec));
	json_object_set_new(
		row, "slowdown",
		sfair_real(ended ? life / job->ran_sec : (double)NAN));
	json_object_set_new(row, "runs", audit_json_count(job->runs));
}

static json_t *audit_json_job_row(const struct sfair_audit *audit, uint32_t at)
{
	const struct astra_sim_result *r = &audit->real;
	const struct astra_record_job *job = record_of(audit, r->trace, at);
	const struct astra_sim_job *out = &r->jobs[at];
	json_t *row = json_object();

	json_object_set_new(row, "id_text", json_string(job->name));
	json_object_set_new(row, "user", json_string(job->user));
	json_object_set_new(row, "account", json_string(job->account));
	json_object_set_new(row, "tenant", json_string(job->tenant));
	json_object_set_new(row, "gpus", json_integer(job->gpus));
	job_times(row, audit, job);
	json_object_set_new(row, "alloc_gpu_sec",
			    sfair_real(out->alloc_gpu_sec));
	json_object_set_new(row, "fair_gpu_sec", sfair_real(out->fair_gpu_sec));
	json_object_set_new(row, "lost_gpu_sec",
			    sfair_real(astra_audit_loss_gpu_sec(r, at)));
	json_object_set_new(row, "rho",
			    sfair_real(astra_share_rho(out->alloc_gpu_sec,
						       out->fair_gpu_sec)));
	return row;
}

json_t *sfair_audit_jobs(const struct sfair_audit *audit, size_t top)
{
	const struct astra_trace *t = audit->real.trace;
	uint32_t *order = calloc(t->job_count + 1, sizeof(*order));
	size_t all = t->job_count;
	json_t *rows = json_array();

	if (order && top)
		all = astra_audit_wronged(&audit->real, order);
	for (uint32_t i = 0; order && !top && i < all; i++)
		order[i] = i;
	for (size_t i = 0; order && i < all; i++) {
		if (!is_wanted(audit, record_of(audit, t, order[i])))
			continue;
		json_array_append_new(rows,
				      audit_json_job_row(audit, order[i]));
		if (json_array_size(rows) == top)
			break;
	}
	free(order);
	return rows;
}

json_t *sfair_audit_metrics(const struct astra_sim_result *r,
			    const char *policy)
{
	struct astra_metrics metrics;
	json_t *row;

	if (astra_metrics_compute(r, &metrics) < 0)
		return NULL;
	row = json_object();
	name_policy(row, policy);
	for (const struct astra_metric *m = astra_metric_table; m->key; m++)
		json_object_set_new(
			row, m->key,
			sfair_real(astra_metric_value(&metrics, m)));
	return row;
}
