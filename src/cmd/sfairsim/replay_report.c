/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the results beside those of the simulator, tenant by tenant. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfairsim/replay.h"
#include "src/sim/grid.h"
#include "src/sim/outfile.h"
#include "src/sim/output.h"

/* A line for a tenant, or for all tenants. */
struct row {
	const char *tenant;
	double jobs;
	double live, sfair, sim;      /* GPU seconds */
	double live_early, sim_early; /* GPU seconds until the last submission;
				       * NaN: not known */
	double runs, squares;	      /* of the live runs: their count, and the
				       * sum of GPUs^2 over them */
	double live_jct, sim_jct;     /* mean seconds */
};

struct comparison {
	struct row *rows; /* of tenants that submitted jobs */
	size_t count;
	struct row all;
};

static double difference(double live, double sim)
{
	return live > 0 ? sim / live - 1 : (double)NAN;
}

static double gpu_difference(const struct row *row)
{
	return difference(row->live, row->sim);
}

static double early_difference(const struct row *row)
{
	return difference(row->live_early, row->sim_early);
}

static double jct_difference(const struct row *row)
{
	return difference(row->live_jct, row->sim_jct);
}

/* Returns the GPU seconds of a run. Slurm's whole seconds may make live runs
 * shorter (start_sec < 0); then simulated runs are shortened as much. */
static double run_gpu_sec(const struct replay *r, uint32_t gpus,
			  double start_sec, double end_sec)
{
	return gpus * (end_sec - start_sec + fmin(0, r->start_sec));
}

/* Adds the simulator's results. rows: one for each tenant. */
static void add_simulated(const struct replay *r,
			  const struct astra_sim_result *result,
			  struct row *rows)
{
	const struct astra_trace *trace = result->trace;
	double last = trace->jobs[trace->job_count - 1].submit_sec;

	for (size_t i = 0; i < result->run_count; i++) {
		const struct astra_sim_run *run = &result->runs[i];
		struct row *row = &rows[trace->jobs[run->job].tenant];

		row->sim +=
			run_gpu_sec(r, run->gpus, run->start_sec, run->end_sec);
		if (run->start_sec < last)
			row->sim_early +=
				run_gpu_sec(r, run->gpus, run->start_sec,
					    fmin(run->end_sec, last));
	}
	for (size_t i = 0; i < trace->job_count; i++) {
		const struct astra_trace_job *t = &trace->jobs[i];

		rows[t->tenant].sim_jct +=
			(result->jobs[i].end_sec - t->submit_sec) /
			r->tenants[t->tenant].jobs;
	}
}

static void replay_report_add_live(const struct replay *r, struct row *rows)
{
	const struct astra_trace *trace = &r->setup->trace;
	double last = r->jobs[trace->job_count - 1].submit_sec;

	for (size_t i = 0; i < trace->tenant_count; i++) {
		const struct replay_tenant *t = &r->tenants[i];

		rows[i].tenant = trace->tenants[i].name;
		rows[i].jobs = t->jobs;
		rows[i].live = t->live_gpu_sec;
		rows[i].sfair = t->sfair_gpu_sec;
		rows[i].live_jct = t->live_jct_sec;
		if (!r->accounted)
			rows[i].live_early = NAN;
	}
	for (size_t i = 0; i < r->run_count; i++) {
		const struct replay_run *run = &r->runs[i];
		const struct astra_trace_job *t = &trace->jobs[run->job];

		rows[t->tenant].runs++;
		rows[t->tenant].squares += (double)t->gpus * t->gpus;
		if (run->start_sec < last)
			rows[t->tenant].live_early +=
				t->gpus *
				(fmin(run->end_sec, last) - run->start_sec);
	}
}

static void replay_report_add_up(struct row *all, const struct row *row)
{
	all->live_jct += row->live_jct * row->jobs;
	all->sim_jct += row->sim_jct * row->jobs;
	all->jobs += row->jobs;
	all->runs += row->runs;
	all->squares += row->squares;
	all->live += row->live;
	all->sfair += row->sfair;
	all->sim += row->sim;
	all->live_early += row->live_early;
	all->sim_early += row->sim_early;
}

static int replay_report_compare(const struct replay *r,
				 const struct astra_sim_result *result,
				 struct comparison *c)
{
	size_t tenants = result->trace->tenant_count;

	*c = (struct comparison){.all = {.tenant = "all"}};
	c->rows = calloc(tenants + 1, sizeof(*c->rows));
	if (!c->rows)
		return -1;
	replay_report_add_live(r, c->rows);
	add_simulated(r, result, c->rows);
	for (size_t i = 0; i < tenants; i++) {
		if (!(c->rows[i].jobs > 0))
			continue;
		replay_report_add_up(&c->all, &c->rows[i]);
		c->rows[c->count++] = c->rows[i];
	}
	c->all.live_jct /= c->all.jobs;
	c->all.sim_jct /= c->all.jobs;
	return 0;
}

static uint64_t live_preemptions(const struct replay *r)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->setup->trace.job_count; i++)
		count += r->jobs[i].runs ? r->jobs[i].runs - 1 : 0;
	return count;
}

static void replay_report_cell(struct astra_grid *grid, int digits,
			       double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	astra_grid_add(grid, isnan(value) ? "-" : text);
}

static void percent(struct astra_grid *grid, double share)
{
	char text[64];

	snprintf(text, sizeof(text), "%+.1f %%", 100 * share);
	astra_grid_add(grid, isnan(share) ? "-" : text);
}

static void print_row(struct astra_grid *grid, const struct row *row)
{
	astra_grid_add(grid, row->tenant);
	replay_report_cell(grid, 0, row->jobs);
	replay_report_cell(grid, 1, row->live);
	replay_report_cell(grid, 1, row->sim);
	percent(grid, gpu_difference(row));
	replay_report_cell(grid, 1, row->live_early);
	replay_report_cell(grid, 1, row->sim_early);
	percent(grid, early_difference(row));
	replay_report_cell(grid, 1, row->live_jct);
	replay_report_cell(grid, 1, row->sim_jct);
	percent(grid, jct_difference(row));
}

static int print_text(const struct replay *r, const struct comparison *c,
		      const struct astra_sim_result *result,
		      struct astra_error *err)
{
	static const char *const head[] = {"Tenant",	"Jobs",	   "GPU s",
					   "simulated", "differs", "while busy",
					   "simulated", "differs", "JCT in s",
					   "simulated", "differs"};
	struct astra_grid grid = {.columns = sizeof(head) / sizeof(*head)};
	int failed;

	printf("%.0f jobs at 1:%g, LeaseTerm %g s; a run took %.2f s beside "
	       "its work, a checkpoint %.2f s\n"
	       "GPU time by %s, in all and until the last submission; "
	       "checkpoints: %ju, simulated %ju\n\n",
	       c->all.jobs, r->args->scale, r->setup->options.lease_sec,
	       r->start_sec, r->checkpoint_sec,
	       r->accounted ? "sacct" : "sfair, as there is no accounting",
	       (uintmax_t)live_preemptions(r), (uintmax_t)result->preemptions);
	for (size_t i = 0; i < grid.columns; i++)
		astra_grid_add(&grid, head[i]);
	for (size_t i = 0; i < c->count; i++)
		print_row(&grid, &c->rows[i]);
	print_row(&grid, &c->all);
	failed = grid.failed;
	if (!failed)
		astra_grid_print(&grid, stdout, 0);
	astra_grid_clear(&grid);
	if (failed)
		return astra_error_nomem(err);
	return 0;
}

static void replay_report_csv_row(struct astra_text *out, const struct row *row)
{
	const double values[] = {
		row->jobs,	     row->live,
		row->sfair,	     row->sim,
		gpu_difference(row), row->live_early,
		row->sim_early,	     early_difference(row),
		row->live_jct,	     row->sim_jct,
		jct_difference(row),
	};

	astra_csv_text(out, row->tenant);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		astra_text_printf(out, ",");
		astra_csv_number(out, values[i]);
	}
	astra_text_printf(out, "\n");
}

static int replay_report_write_csv(FILE *file, const struct comparison *c,
				   struct astra_error *err)
{
	struct astra_text out = {0};
	int rc;

	astra_text_printf(&out,
			  "tenant,jobs,live_gpu_sec,sfair_gpu_sec,sim_gpu_sec,"
			  "gpu_difference,live_early_gpu_sec,"
			  "sim_early_gpu_sec,early_difference,live_jct_sec,"
			  "sim_jct_sec,"
			  "jct_difference\n");
	for (size_t i = 0; i < c->count; i++)
		replay_report_csv_row(&out, &c->rows[i]);
	replay_report_csv_row(&out, &c->all);
	rc = out.failed ? astra_error_nomem(err) : 0;
	if (!rc && fwrite(out.bytes, 1, out.size, file) != out.size)
		rc = astra_error_set(err, "cannot write the result: %m");
	astra_text_clear(&out);
	return rc;
}

static json_t *json_number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *replay_report_json_row(const struct row *row)
{
	return json_pack(
		"{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o, s:f, s:o, s:f, s:f, s:o}",
		"tenant", row->tenant, "jobs", (json_int_t)row->jobs,
		"live_runs", (json_int_t)row->runs, "live_runs_gpus_squared",
		row->squares, "live_gpu_sec", row->live, "sfair_gpu_sec",
		row->sfair, "sim_gpu_sec", row->sim, "gpu_difference",
		json_number(gpu_difference(row)), "live_early_gpu_sec",
		json_number(row->live_early), "sim_early_gpu_sec",
		row->sim_early, "early_difference",
		json_number(early_difference(row)), "live_jct_sec",
		row->live_jct, "sim_jct_sec", row->sim_jct, "jct_difference",
		json_number(jct_difference(row)));
}

#define HOUR_SEC 3600

/* Returns a job, with its utility at the time when it was done. */
static json_t *json_job(const struct replay *r,
			const struct astra_sim_result *result, uint32_t job)
{
	const struct astra_trace *trace = result->trace;
	const struct astra_trace_job *t = &trace->jobs[job];
	const struct astra_utility *u = &trace->utilities[t->utility - 1];
	double live = r->jobs[job].end_sec - r->jobs[job].submit_sec;
	double sim = result->jobs[job].end_sec - t->submit_sec;

	return json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
			 "job", t->name ? t->name : "", "tenant",
			 trace->tenants[t->tenant].name, "gpus",
			 (json_int_t)t->gpus, "duration_sec", t->duration_sec,
			 "submit_sec", t->submit_sec, "live_jct_sec", live,
			 "sim_jct_sec", sim, "worth_alone",
			 astra_utility_value(u, t->duration_sec / HOUR_SEC),
			 "live_worth", astra_utility_value(u, live / HOUR_SEC),
			 "sim_worth", astra_utility_value(u, sim / HOUR_SEC));
}

static json_t *json_jobs(const struct replay *r,
			 const struct astra_sim_result *result)
{
	json_t *jobs = json_array();

	for (uint32_t i = 0; jobs && i < result->trace->job_count; i++)
		if (json_array_append_new(jobs, json_job(r, result, i)) < 0) {
			json_decref(jobs);
			return NULL;
		}
	return jobs;
}

static int replay_report_write_json(FILE *file, const struct replay *r,
				    const struct comparison *c,
				    const struct astra_sim_result *result,
				    struct astra_error *err)
{
	json_t *tenants = json_array();
	json_t *all = json_pack(
		"{s:f, s:f, s:f, s:f, s:b, s:I, s:I, s:o, s:o, s:o}", "scale",
		r->args->scale, "lease_sec", r->setup->options.lease_sec,
		"start_sec", r->start_sec, "checkpoint_sec", r->checkpoint_sec,
		"accounting", r->accounted, "live_checkpoints",
		(json_int_t)live_preemptions(r), "sim_checkpoints",
		(json_int_t)result->preemptions, "tenants", tenants, "all",
		replay_report_json_row(&c->all), "jobs", json_jobs(r, result));
	int rc = 0;

	for (size_t i = 0; i < c->count; i++)
		if (json_array_append_new(
			    tenants, replay_report_json_row(&c->rows[i])) < 0)
			rc = -1;
	if (!all || rc < 0)
		rc = astra_error_nomem(err);
	else if (json_dumpf(all, file,
			    JSON_INDENT(1) | JSON_REAL_PRECISION(15)) < 0 ||
		 fputc('\n', file) == EOF)
		rc = astra_error_set(err, "cannot write the result: %m");
	json_decref(all);
	return rc;
}

static int replay_report_write_files(const struct replay *r,
				     const struct comparison *c,
				     const struct astra_sim_result *result,
				     struct astra_error *err)
{
	const char *csv = r->args->csv, *json = r->args->json;
	struct astra_outfiles files = {0};
	FILE *file;
	int rc = 0;

	if (csv) {
		file = astra_outfiles_open(&files, csv, err);
		rc = file ? replay_report_write_csv(file, c, err) : -1;
	}
	if (!rc && json) {
		file = astra_outfiles_open(&files, json, err);
		rc = file ? replay_report_write_json(file, r, c, result, err)
			  : -1;
	}
	if (!rc)
		rc = astra_outfiles_commit(&files, err);
	astra_outfiles_clear(&files);
	return rc;
}

int replay_report(struct replay *r, const struct astra_sim_result *result,
		  struct astra_error *err)
{
	const char *csv = r->args->csv, *json = r->args->json;
	struct comparison c;
	int rc;

	if (replay_report_compare(r, result, &c) < 0)
		return astra_error_nomem(err);
	rc = replay_report_write_files(r, &c, result, err);
	if (!rc && (!csv || strcmp(csv, "-") != 0) &&
	    (!json || strcmp(json, "-") != 0))
		rc = print_text(r, &c, result, err);
	free(c.rows);
	return rc;
}
