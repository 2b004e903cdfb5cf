/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/options.h"
#include "src/sim/grid.h"
#include "src/sim/output.h"

#define TENANTS_MAX 40 /* most tenants shown; the files have all tenants */
#define HOUR_SEC 3600.0

/* Adds a line with a name and a value. */
static void line(struct astra_grid *grid, const char *name, const char *value)
{
	astra_grid_add(grid, name);
	astra_grid_add(grid, value);
}

static void output_summary_number(struct astra_grid *grid, int digits,
				  double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	astra_grid_add(grid, isnan(value) ? "-" : text);
}

static int print_metrics(FILE *file, const struct astra_metrics *metrics)
{
	struct astra_grid grid = {.columns = 2};
	char text[32];
	int failed;

	line(&grid, "Metric", "Value");
	for (const struct astra_metric *m = astra_metric_table; m->key; m++)
		if (!isnan(astra_metric_value(metrics, m)))
			line(&grid, m->title,
			     astra_metric_text(
				     m, astra_metric_value(metrics, m), text));
	failed = grid.failed;
	if (!failed)
		astra_grid_print(&grid, file, 0);
	astra_grid_clear(&grid);
	return failed ? -1 : 0;
}

static void add_size(struct astra_grid *grid, const struct astra_wait_size *s)
{
	static const struct astra_metric span = {.unit = "s"};
	char text[32];

	astra_grid_add(grid, astra_wait_size_text(s, text));
	output_summary_number(grid, 0, s->jobs);
	output_summary_number(grid, 0, s->never);
	output_summary_number(grid, 0, s->over);
	astra_grid_add(grid, astra_metric_text(&span, s->mean_sec, text));
	astra_grid_add(grid, astra_metric_text(&span, s->max_sec, text));
}

/* Prints first waits; sizes that no job has are left out. Returns 0, or -1 if
 * out of memory. */
static int print_sizes(FILE *file, const struct astra_sim_result *r)
{
	static const char *const head[] = {"GPUs",	 "Jobs",
					   "Never ran",	 "Over bound",
					   "First wait", "Longest"};
	struct astra_wait_size sizes[ASTRA_WAIT_SIZES];
	struct astra_grid grid = {.columns = 6};
	int failed;

	for (size_t i = 0; i < 6; i++)
		astra_grid_add(&grid, head[i]);
	astra_wait_sizes(r, sizes);
	for (size_t i = 0; i < ASTRA_WAIT_SIZES; i++)
		if (sizes[i].jobs > 0)
			add_size(&grid, &sizes[i]);
	failed = grid.failed;
	if (!failed)
		astra_grid_print(&grid, file, 0);
	astra_grid_clear(&grid);
	return failed ? -1 : 0;
}

static void output_summary_add_tenant(struct astra_grid *grid,
				      const struct astra_sim_result *r,
				      size_t index)
{
	const struct astra_sim_tenant *t = &r->tenants[index];

	astra_grid_add(grid, r->trace->tenants[index].name);
	output_summary_number(grid, 2, r->trace->tenants[index].weight);
	output_summary_number(grid, 1, t->alloc_gpu_sec / HOUR_SEC);
	output_summary_number(grid, 1, t->fair_gpu_sec / HOUR_SEC);
	output_summary_number(
		grid, 3, astra_share_rho(t->alloc_gpu_sec, t->fair_gpu_sec));
}

static int output_summary_print_tenants(FILE *file,
					const struct astra_sim_result *r)
{
	static const char *const head[] = {"Tenant", "Weight", "GPU hours",
					   "Entitled", "rho"};
	struct astra_grid grid = {.columns = 5};
	size_t count = r->trace->tenant_count;
	size_t shown = count < TENANTS_MAX ? count : TENANTS_MAX;
	int failed;

	for (size_t i = 0; i < 5; i++)
		astra_grid_add(&grid, head[i]);
	for (size_t i = 0; i < shown; i++)
		output_summary_add_tenant(&grid, r, i);
	failed = grid.failed;
	if (!failed)
		astra_grid_print(&grid, file, 0);
	astra_grid_clear(&grid);
	if (shown < count)
		fprintf(file, "... and %zu more\n", count - shown);
	return failed ? -1 : 0;
}

#define DAY_SEC 86400.0

/* Prints the terms that LeaseTerm=auto chose, each with its first day. Returns
 * 0, or -1 if out of memory. */
static int print_terms(FILE *file, const struct astra_sim_result *r)
{
	struct astra_text text = {0};
	size_t changes = 0;
	char term[32];
	int rc;

	if (!r->term_auto)
		return 0;
	for (size_t i = 0; i < r->term_count; i++) {
		const struct astra_sim_term *t = &r->terms[i];
		bool changed = t->term_sec > t->before_sec ||
			       t->term_sec < t->before_sec;

		if (!changed && i)
			continue;
		if (!i) {
			astra_print_time(t->before_sec, term, sizeof(term));
			astra_text_printf(&text, "%s", term);
		}
		if (!changed)
			continue;
		changes++;
		astra_print_time(t->term_sec, term, sizeof(term));
		astra_text_printf(&text, ", from day %.0f %s",
				  t->at_sec / DAY_SEC, term);
	}
	rc = text.failed ? -1 : 0;
	if (!rc && text.bytes)
		fprintf(file, "%-8s auto: %s (%zu changes, chosen %zu times)\n",
			"Term", text.bytes, changes, r->term_count);
	else if (!rc)
		fprintf(file, "%-8s auto: never chosen, in less than a day\n",
			"Term");
	astra_text_clear(&text);
	return rc;
}

static int print_setup(FILE *file, const struct astra_sim_result *r)
{
	struct astra_grid grid = {.columns = 2};
	char text[128];
	int failed;

	line(&grid, "Policy", r->scheduler->name);
	line(&grid, "Trace", r->trace->source);
	snprintf(text, sizeof(text), "%zu of %zu tenants", r->trace->job_count,
		 r->trace->tenant_count);
	line(&grid, "Jobs", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)r->gpus);
	line(&grid, "GPUs", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)r->rounds);
	line(&grid, "Rounds", text);
	failed = grid.failed;
	for (size_t i = 0; !failed && i < grid.count; i += 2)
		fprintf(file, "%-8s %s\n", grid.cells[i], grid.cells[i + 1]);
	astra_grid_clear(&grid);
	return failed ? -1 : 0;
}

int astra_output_summary(FILE *file, const struct astra_sim_result *result,
			 const struct astra_metrics *metrics,
			 struct astra_error *err)
{
	if (print_setup(file, result) < 0 || print_terms(file, result) < 0)
		return astra_error_nomem(err);
	fputc('\n', file);
	if (print_metrics(file, metrics) < 0)
		return astra_error_nomem(err);
	fputc('\n', file);
	if (print_sizes(file, result) < 0)
		return astra_error_nomem(err);
	fputc('\n', file);
	if (output_summary_print_tenants(file, result) < 0)
		return astra_error_nomem(err);
	return 0;
}
