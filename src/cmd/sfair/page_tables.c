/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that a click on a heading sorts. */
#include <math.h>
#include <stdlib.h>

#include "src/cmd/sfair/page.h"

#define NAME_CHARS 32

void page_table_begin(FILE *f, const char *title,
		      const struct page_heading *heads)
{
	fprintf(f,
		"<section id=\"%s\">\n<h2>%s</h2>\n<div class=\"wide\">"
		"<table class=\"sort\">\n<thead><tr>",
		title, title);
	for (; heads->title; heads++)
		fprintf(f,
			"<th scope=\"col\"%s title=\"%s\"><button "
			"type=\"button\">%s</button>\n",
			heads->text ? " class=\"text\"" : "", heads->help,
			heads->title);
	fputs("<tbody>\n", f);
}

void page_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

void page_cell_text(FILE *f, const char *text)
{
	fputs("<td class=\"text\">", f);
	page_name(f, text, NAME_CHARS);
}

void page_cell_fixed(FILE *f, double value, int digits)
{
	fputs("<td>", f);
	page_fixed(f, value, digits);
}

static void put_hours(FILE *f, double gpu_sec)
{
	fputs("<td>", f);
	page_gpu_hours(f, gpu_sec);
}

/* Sorted by its seconds, not by its letters. */
void page_cell_span(FILE *f, double sec)
{
	if (sec >= 0 && sec < 1e11)
		fprintf(f, "<td data-v=\"%.0f\">", sec);
	else
		fputs("<td>", f);
	page_span(f, sec);
}

static void page_tables_put_time(FILE *f, double sec)
{
	fputs("<td>", f);
	page_time(f, sec);
}

static void put_tenant(const struct page_data *d, FILE *f,
		       const struct page_tenant *t)
{
	fputs("<td class=\"text\">", f);
	page_tenant_name(d, t, NAME_CHARS, f);
}

static void put_tenant_row(const struct page_data *d, FILE *f,
			   const struct page_tenant *t)
{
	fputs("<tr><th scope=\"row\">", f);
	page_tenant_name(d, t, NAME_CHARS, f);
	page_cell_fixed(f, t->row.weight, 2);
	put_hours(f, t->used_sec);
	page_cell_fixed(f, 100 * t->used_sec / d->total_sec, 1);
	put_hours(f, t->row.alloc_gpu_sec);
	put_hours(f, t->row.fair_gpu_sec);
	page_cell_fixed(f, t->row.rho, 3);
	put_hours(f, t->row.lack_gpu_sec);
	put_hours(f, t->row.demand_gpu_sec);
	fprintf(f, "<td>%zu\n", t->jobs);
}

static void page_tables_put_tenants(const struct page_data *d, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Tenant", "account or tenant", true},
		{"Weight", "its share is in proportion to that", false},
		{"Used GPU h", "what its jobs held", false},
		{"of all %", "used, of all the GPU time there was", false},
		{"Alloc GPU h", "held, by the weights of GPU types", false},
		{"Fair GPU h", "what it was entitled to", false},
		{"rho", "had over due; below 1 it had less", false},
		{"Lacked GPU h", "due and not had, minute by minute", false},
		{"Asked GPU h", "what its jobs asked for", false},
		{"Jobs", "in this window", false},
		{0},
	};

	page_table_begin(f, "Tenants", heads);
	for (size_t i = 0; i < d->tenant_count && i < PAGE_ROWS_MAX; i++)
		put_tenant_row(d, f, d->tenants[i]);
	page_table_end(f);
	if (d->tenant_count > PAGE_ROWS_MAX)
		fprintf(f,
			"<p class=\"soft\">The %d that used most, of %zu.</p>"
			"\n",
			PAGE_ROWS_MAX, d->tenant_count);
	fputs("</section>\n", f);
}

static void put_users(const struct page_data *d, FILE *f)
{
	static const struct page_heading heads[] = {
		{"User", "login name", true},
		{"Account", "of its jobs", true},
		{"Tenant", "that the account belongs to", true},
		{"Used GPU h", "what its jobs held", false},
		{"of all %", "used, of all the GPU time there was", false},
		{0},
	};

	page_table_begin(f, "Users", heads);
	for (size_t i = 0; i < d->user_count && i < PAGE_ROWS_MAX; i++) {
		const struct page_row *u = &d->users[i];

		fputs("<tr><th scope=\"row\">", f);
		page_name(f, *u->user ? u->user : "-", NAME_CHARS);
		page_cell_text(f, u->account);
		page_cell_text(f, u->tenant);
		put_hours(f, u->used_gpu_sec);
		page_cell_fixed(f, 100 * u->used_gpu_sec / d->total_sec, 1);
		fputs("\n", f);
	}
	page_table_end(f);
	if (d->user_count >= PAGE_ROWS_MAX)
		fprintf(f, "<p class=\"soft\">The %d that used most.</p>\n",
			PAGE_ROWS_MAX);
	fputs("</section>\n", f);
}

static void page_tables_put_job(const struct page_data *d, FILE *f,
				const struct page_row *j)
{
	fputs("<tr><th scope=\"row\">", f);
	page_name(f, *j->id_text ? j->id_text : "-", NAME_CHARS);
	page_cell_text(f, j->name);
	page_cell_text(f, j->user);
	put_tenant(d, f, j->of);
	page_cell_fixed(f, j->gpus, 0);
	page_tables_put_time(f, j->submit_sec);
	page_cell_span(f, j->wait_sec);
	page_cell_span(f, j->run_sec);
	page_cell_fixed(f, j->slowdown, 2);
	page_cell_fixed(f, j->rho, 3);
	page_cell_fixed(f, j->leases, 0);
	page_cell_fixed(f, j->revoked, 0);
	page_cell_text(f, j->state);
	fputs("\n", f);
}

/* How much a job mattered: its GPUs by the time that it had or waited. */
static double weight(const struct page_row *j)
{
	double run = j->run_sec > 0 ? j->run_sec : 0;
	double wait = j->wait_sec > 0 ? j->wait_sec : 0;

	return (run + wait) * (j->gpus > 0 ? j->gpus : 1);
}

static int heavier(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;

	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	return (x > y) - (x < y);
}

static int page_tables_by_place(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;

	return (x > y) - (x < y);
}

static int page_tables_put_jobs(const struct page_data *d, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Job", "its number", true},
		{"Name", "as its user called it", true},
		{"User", "login name", true},
		{"Tenant", "account or tenant", true},
		{"GPUs", "asked for", false},
		{"Submitted", "local time", true},
		{"Waited", "until its first start, D-HH:MM:SS", false},
		{"Ran", "all its runs, D-HH:MM:SS", false},
		{"Slowdown", "from submission to the end, over its runs",
		 false},
		{"rho", "GPU time had over due; below 1 it had less", false},
		{"Leases", "it was given", false},
		{"Revoked", "of these", false},
		{"State", "at the end of the window, or its own", true},
		{0},
	};
	size_t shown =
		d->job_count < PAGE_ROWS_MAX ? d->job_count : PAGE_ROWS_MAX;
	const struct page_row **list = calloc(d->job_count + 1, sizeof(*list));

	if (!list)
		return -1;
	for (size_t i = 0; i < d->job_count; i++)
		list[i] = &d->jobs[i];
	qsort(list, d->job_count, sizeof(*list), heavier);
	qsort(list, shown, sizeof(*list), page_tables_by_place);
	page_table_begin(f, "Jobs", heads);
	for (size_t i = 0; i < shown; i++)
		page_tables_put_job(d, f, list[i]);
	page_table_end(f);
	if (shown < d->job_count)
		fprintf(f,
			"<p class=\"soft\">The %zu with most GPU time waited "
			"and run, of %zu.</p>\n",
			shown, d->job_count);
	fputs("</section>\n", f);
	free(list);
	return 0;
}

int page_tables(const struct page_data *d, FILE *f)
{
	page_tables_put_tenants(d, f);
	put_users(d, f);
	return page_tables_put_jobs(d, f);
}
