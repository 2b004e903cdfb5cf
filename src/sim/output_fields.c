/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "src/sim/output.h"

/* Columns of the table of first waits by size. */

static struct astra_wait_size
output_sizes_size_of(const struct astra_sim_result *r, size_t row)
{
	struct astra_wait_size sizes[ASTRA_WAIT_SIZES];

	astra_wait_sizes(r, sizes);
	return sizes[row];
}

static double size_gpus_min(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).gpus_min;
}

static double size_gpus_max(const struct astra_sim_result *r, size_t i)
{
	double gpus = output_sizes_size_of(r, i).gpus_max;

	return isinf(gpus) ? (double)NAN : gpus;
}

static double size_jobs(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).jobs;
}

static double size_never(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).never;
}

static double size_mean(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).mean_sec;
}

static double size_max(const struct astra_sim_result *r, size_t i)
{
	return output_sizes_size_of(r, i).max_sec;
}

static double size_over(const struct astra_sim_result *r, size_t i)
{
	return r->term_sec > 0 ? output_sizes_size_of(r, i).over : (double)NAN;
}

static size_t size_count(const struct astra_sim_result *r)
{
	(void)r;
	return ASTRA_WAIT_SIZES;
}

/* The columns of sizes. */
static const struct astra_output_field size_fields[] = {
	{"gpus_min", NULL, size_gpus_min}, {"gpus_max", NULL, size_gpus_max},
	{"jobs", NULL, size_jobs},	   {"never", NULL, size_never},
	{"over_bound", NULL, size_over},   {"wait_mean_sec", NULL, size_mean},
	{"wait_max_sec", NULL, size_max},  {NULL, NULL, NULL},
};

/* Returns the value, or NaN if it is unknown, that is, negative. */
static double output_fields_known(double value)
{
	return value < 0 ? (double)NAN : value;
}

/* Jobs. */

#define TRACE_JOB(r, i) (&(r)->trace->jobs[i])

static const char *job_name(const struct astra_sim_result *r, size_t i)
{
	return TRACE_JOB(r, i)->name;
}

static const char *job_tenant(const struct astra_sim_result *r, size_t i)
{
	return r->trace->tenants[TRACE_JOB(r, i)->tenant].name;
}

static const char *job_user(const struct astra_sim_result *r, size_t i)
{
	uint32_t user = TRACE_JOB(r, i)->user;

	return user < r->trace->user_count ? r->trace->users[user] : "";
}

static double job_app(const struct astra_sim_result *r, size_t i)
{
	uint32_t app = TRACE_JOB(r, i)->app;

	return app ? app : (double)NAN;
}

static double job_gpus(const struct astra_sim_result *r, size_t i)
{
	return TRACE_JOB(r, i)->gpus;
}

static double output_fields_job_submit(const struct astra_sim_result *r,
				       size_t i)
{
	return TRACE_JOB(r, i)->submit_sec;
}

static double job_start(const struct astra_sim_result *r, size_t i)
{
	return output_fields_known(r->jobs[i].start_sec);
}

static double job_end(const struct astra_sim_result *r, size_t i)
{
	return output_fields_known(r->jobs[i].end_sec);
}

static double job_duration(const struct astra_sim_result *r, size_t i)
{
	return TRACE_JOB(r, i)->duration_sec;
}

static double job_jct(const struct astra_sim_result *r, size_t i)
{
	return job_end(r, i) - output_fields_job_submit(r, i);
}

static double job_slowdown(const struct astra_sim_result *r, size_t i)
{
	return job_jct(r, i) / job_duration(r, i);
}

static double job_alloc(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].alloc_gpu_sec;
}

static double job_fair(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].fair_gpu_sec;
}

static double job_rho(const struct astra_sim_result *r, size_t i)
{
	return astra_share_rho(job_alloc(r, i), job_fair(r, i));
}

static double job_contenders(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].contenders;
}

static double job_ftf(const struct astra_sim_result *r, size_t i)
{
	return job_jct(r, i) / astra_ideal_themis_sec(r, i);
}

static double job_share_ftf(const struct astra_sim_result *r, size_t i)
{
	return job_jct(r, i) / astra_ideal_share_sec(r, i);
}

static double job_bound(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].bound_sec > 0 ? r->jobs[i].bound_sec : (double)NAN;
}

static double job_starts(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].starts;
}

static double job_preemptions(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].preemptions;
}

static double job_leases(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].leases;
}

static double job_cold(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].cold_gpu_sec;
}

static double job_checkpoint(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].checkpoint_gpu_sec;
}

static double job_slow(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].slow_gpu_sec;
}

static double job_utility(const struct astra_sim_result *r, size_t i)
{
	return r->jobs[i].end_sec < 0 ? (double)NAN : astra_job_worth(r, i);
}

static size_t job_count(const struct astra_sim_result *r)
{
	return r->trace->job_count;
}

static const struct astra_output_field job_fields[] = {
	{"job", job_name, NULL},
	{"tenant", job_tenant, NULL},
	{"user", job_user, NULL},
	{"app", NULL, job_app},
	{"gpus", NULL, job_gpus},
	{"submit_sec", NULL, output_fields_job_submit},
	{"start_sec", NULL, job_start},
	{"end_sec", NULL, job_end},
	{"duration_sec", NULL, job_duration},
	{"jct_sec", NULL, job_jct},
	{"slowdown", NULL, job_slowdown},
	{"alloc_gpu_sec", NULL, job_alloc},
	{"fair_gpu_sec", NULL, job_fair},
	{"rho", NULL, job_rho},
	{"contenders", NULL, job_contenders},
	{"ftf", NULL, job_ftf},
	{"share_ftf", NULL, job_share_ftf},
	{"starts", NULL, job_starts},
	{"preemptions", NULL, job_preemptions},
	{"leases", NULL, job_leases},
	{"cold_gpu_sec", NULL, job_cold},
	{"checkpoint_gpu_sec", NULL, job_checkpoint},
	{"slow_gpu_sec", NULL, job_slow},
	{"utility", NULL, job_utility},
	{"bound_sec", NULL, job_bound},
	{NULL, NULL, NULL},
};

/* Tenants. */

static const char *tenant_name(const struct astra_sim_result *r, size_t i)
{
	return r->trace->tenants[i].name;
}

static double tenant_weight(const struct astra_sim_result *r, size_t i)
{
	return r->trace->tenants[i].weight;
}

static double tenant_jobs(const struct astra_sim_result *r, size_t i)
{
	double count = 0;

	for (size_t k = 0; k < r->trace->job_count; k++)
		count += TRACE_JOB(r, k)->tenant == i;
	return count;
}

static double tenant_alloc(const struct astra_sim_result *r, size_t i)
{
	return r->tenants[i].alloc_gpu_sec;
}

static double tenant_fair(const struct astra_sim_result *r, size_t i)
{
	return r->tenants[i].fair_gpu_sec;
}

static double tenant_rho(const struct astra_sim_result *r, size_t i)
{
	return astra_share_rho(tenant_alloc(r, i), tenant_fair(r, i));
}

static double tenant_income(const struct astra_sim_result *r, size_t i)
{
	return isnan(r->revenue) ? (double)NAN : r->income[i];
}

static double tenant_gain(const struct astra_sim_result *r, size_t i)
{
	return isnan(r->revenue) || !r->gain ? (double)NAN : r->gain[i];
}

/* Returns alpha_u: the tenant's share of all gain over its share of all weight.
 * (Wang et al., Figures 7 and 8) */
static double tenant_alpha(const struct astra_sim_result *r, size_t i)
{
	double gain = 0, weight = 0;

	for (size_t t = 0; t < r->trace->tenant_count; t++) {
		gain += tenant_gain(r, t);
		weight += tenant_weight(r, t);
	}
	if (!(gain > 0) || !(tenant_weight(r, i) > 0))
		return (double)NAN;
	return tenant_gain(r, i) / gain / (tenant_weight(r, i) / weight);
}

static size_t tenant_count(const struct astra_sim_result *r)
{
	return r->trace->tenant_count;
}

static const struct astra_output_field tenant_fields[] = {
	{"tenant", tenant_name, NULL},
	{"weight", NULL, tenant_weight},
	{"jobs", NULL, tenant_jobs},
	{"alloc_gpu_sec", NULL, tenant_alloc},
	{"fair_gpu_sec", NULL, tenant_fair},
	{"rho", NULL, tenant_rho},
	{"income", NULL, tenant_income},
	{"gain", NULL, tenant_gain},
	{"alpha", NULL, tenant_alpha},
	{NULL, NULL, NULL},
};

/* Columns of the table of intervals: one row for each tenant in each
 * interval. */

static double cell_begin(const struct astra_sim_result *r, size_t i)
{
	return (double)(i / r->trace->tenant_count) * r->interval_sec;
}

static double cell_end(const struct astra_sim_result *r, size_t i)
{
	return fmin(cell_begin(r, i) + r->interval_sec, r->stop_sec);
}

static const char *cell_tenant(const struct astra_sim_result *r, size_t i)
{
	return tenant_name(r, i % r->trace->tenant_count);
}

static double cell_alloc(const struct astra_sim_result *r, size_t i)
{
	return r->cells[i].alloc_gpu_sec;
}

static double cell_fair(const struct astra_sim_result *r, size_t i)
{
	return r->cells[i].fair_gpu_sec;
}

static double cell_rho(const struct astra_sim_result *r, size_t i)
{
	return astra_share_rho(cell_alloc(r, i), cell_fair(r, i));
}

static size_t cell_count(const struct astra_sim_result *r)
{
	return r->interval_count * r->trace->tenant_count;
}

static const struct astra_output_field cell_fields[] = {
	{"begin_sec", NULL, cell_begin},
	{"end_sec", NULL, cell_end},
	{"tenant", cell_tenant, NULL},
	{"alloc_gpu_sec", NULL, cell_alloc},
	{"fair_gpu_sec", NULL, cell_fair},
	{"rho", NULL, cell_rho},
	{NULL, NULL, NULL},
};

/* Runs: the schedule. */

static const char *run_job(const struct astra_sim_result *r, size_t i)
{
	return job_name(r, r->runs[i].job);
}

static const char *run_tenant(const struct astra_sim_result *r, size_t i)
{
	return job_tenant(r, r->runs[i].job);
}

static double run_start(const struct astra_sim_result *r, size_t i)
{
	return r->runs[i].start_sec;
}

static double output_fields_run_end(const struct astra_sim_result *r, size_t i)
{
	return r->runs[i].end_sec;
}

static double output_fields_run_gpus(const struct astra_sim_result *r, size_t i)
{
	return r->runs[i].gpus;
}

static double run_nodes(const struct astra_sim_result *r, size_t i)
{
	return r->runs[i].nodes;
}

static size_t run_count(const struct astra_sim_result *r)
{
	return r->run_count;
}

static const struct astra_output_field run_fields[] = {
	{"job", run_job, NULL},
	{"tenant", run_tenant, NULL},
	{"start_sec", NULL, run_start},
	{"end_sec", NULL, output_fields_run_end},
	{"gpus", NULL, output_fields_run_gpus},
	{"nodes", NULL, run_nodes},
	{NULL, NULL, NULL},
};

const struct astra_rows astra_rows_table[] = {
	{"jobs", job_fields, job_count},
	{"tenants", tenant_fields, tenant_count},
	{"intervals", cell_fields, cell_count},
	{"runs", run_fields, run_count},
	{"sizes", size_fields, size_count},
	{NULL, NULL, NULL},
};

const struct astra_rows *astra_rows_find(const char *key)
{
	for (const struct astra_rows *t = astra_rows_table; t->key; t++)
		if (!strcmp(t->key, key))
			return t;
	return NULL;
}
