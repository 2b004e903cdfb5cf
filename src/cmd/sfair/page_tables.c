/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables; a click on a heading sorts their rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"

#define NAME_CHARS 32

void page_filter(FILE *f)
{
	fputs("<p class=\"filter\"><label>Show only rows with <input "
	      "type=\"search\" id=\"filter\" placeholder=\"tenant, account, user "
	      "or state\" autocomplete=\"off\"></label></p>\n",
	      f);
}

void page_table_begin(FILE *f, const char *title,
		      const struct page_heading *heads)
{
	fprintf(f,
		"<section id=\"%s\">\n<h2>%s <button type=\"button\" "
		"class=\"csv\" title=\"Save the rows that are shown\">CSV</button>"
		"</h2>\n<div class=\"wide\"><table class=\"sort\">\n<thead><tr>",
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

void page_cell_hours(FILE *f, double gpu_sec)
{
	fputs("<td>", f);
	page_gpu_hours(f, gpu_sec);
}

/* Writes a span; data-v makes the table sort by seconds, not by letters. */
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
	page_cell_fixed(f, t->row.rho, 3);
	page_cell_fixed(f, t->row.weight, 2);
	page_cell_hours(f, t->used_sec);
	page_cell_fixed(f, 100 * t->used_sec / d->total_sec, 1);
	page_cell_hours(f, t->row.alloc_gpu_sec);
	page_cell_hours(f, t->row.fair_gpu_sec);
	page_cell_hours(f, t->row.lack_gpu_sec);
	page_cell_hours(f, t->row.demand_gpu_sec);
	fprintf(f, "<td>%zu", t->jobs);
	if (d->before.end_sec > 0) {
		page_cell_fixed(f, t->before_rho, 3);
		page_cell_hours(f, t->before_sec);
	}
	fputs("\n", f);
}

static void page_tables_put_tenants(const struct page_data *d, FILE *f)
{
	const bool before = d->before.end_sec > 0;
	const struct page_heading heads[] = {
		{"Tenant", "account or tenant", true},
		{"rho",
		 "GPU time had over GPU time due; below 1: less than due",
		 false},
		{"Weight", "its share is in proportion to that", false},
		{"Used GPU h", "what its jobs held", false},
		{"of all %", "used, of all the GPU time there was", false},
		{"Alloc GPU h", "held, by the weights of GPU types", false},
		{"Fair GPU h", "what it was entitled to", false},
		{"Lacked GPU h", "due and not had, minute by minute", false},
		{"Asked GPU h", "what its jobs asked for", false},
		{"Jobs", "in this window", false},
		{before ? "rho before" : NULL, "in the time before", false},
		{"Alloc before", "GPU h held in the time before", false},
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
		page_cell_hours(f, u->used_gpu_sec);
		page_cell_fixed(f, 100 * u->used_gpu_sec / d->total_sec, 1);
		fputs("\n", f);
	}
	page_table_end(f);
	if (d->user_count >= PAGE_ROWS_MAX)
		fprintf(f, "<p class=\"soft\">The %d that used most.</p>\n",
			PAGE_ROWS_MAX);
	fputs("</section>\n", f);
}

/* A row of the table of jobs: a job, or the tasks of an array. */
struct job_line {
	struct page_row of; /* sums over the tasks, except gpus, submit_sec and
			     * wait_sec */
	const struct page_row *first;
	size_t tasks;
	double waited_sec, slowdowns; /* sums over the tasks that have them */
	size_t waits, slowed;
	bool alike; /* all have one state */
};

static void page_tables_put_job(const struct page_data *d, FILE *f,
				const struct job_line *line)
{
	const struct page_row *j = &line->of;
	size_t array = page_array_of(j->id_text);

	fputs("<tr><th scope=\"row\">", f);
	if (line->tasks > 1)
		fprintf(f, "%.*s_[%zu tasks]", (int)array, j->id_text,
			line->tasks);
	else
		page_name(f, *j->id_text ? j->id_text : "-", NAME_CHARS);
	page_cell_fixed(f, j->rho, 3);
	page_cell_text(f, j->name);
	page_cell_text(f, j->user);
	put_tenant(d, f, j->of);
	page_cell_fixed(f, j->gpus, 0);
	page_tables_put_time(f, j->submit_sec);
	page_cell_span(f, j->wait_sec);
	page_cell_span(f, j->run_sec);
	page_cell_fixed(f, j->slowdown, 2);
	page_cell_fixed(f, j->leases, 0);
	page_cell_fixed(f, j->revoked, 0);
	page_cell_text(f, line->alike ? j->state : "several");
	fputs("\n", f);
}

/* Returns a job's weight: its GPUs times the time that it ran or waited. */
static double weight(const struct job_line *line)
{
	double run = line->of.run_sec > 0 ? line->of.run_sec : 0;
	double gpus = line->of.gpus > 0 ? line->of.gpus : 1;

	return (run + line->waited_sec) * gpus;
}

static int heavier(const void *a, const void *b)
{
	const struct job_line *x = a, *y = b;

	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static int page_tables_by_place(const void *a, const void *b)
{
	const struct job_line *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Orders jobs so that the tasks of an array are together, at the place of the
 * first task. */
static int by_array(const void *a, const void *b)
{
	const struct page_row *x = *(const struct page_row *const *)a;
	const struct page_row *y = *(const struct page_row *const *)b;
	size_t of_x = page_array_of(x->id_text),
	       of_y = page_array_of(y->id_text);
	int order;

	if (!of_x || !of_y)
		return of_x || of_y ? (of_x > 0) - (of_y > 0)
				    : (x > y) - (x < y);
	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	order = strncmp(x->id_text, y->id_text, of_x);
	return order ? order : (x > y) - (x < y);
}

/* Returns the sum of two values. If one is unknown, returns the other. */
static double both(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void add_task(struct job_line *line, const struct page_row *j)
{
	struct page_row *of = &line->of;

	if (line->tasks++) {
		of->run_sec = both(of->run_sec, j->run_sec);
		of->leases = both(of->leases, j->leases);
		of->revoked = both(of->revoked, j->revoked);
		of->alloc_gpu_sec = both(of->alloc_gpu_sec, j->alloc_gpu_sec);
		of->fair_gpu_sec = both(of->fair_gpu_sec, j->fair_gpu_sec);
		line->alike &= !strcmp(of->state, j->state);
	} else {
		*line = (struct job_line){
			.of = *j, .first = j, .tasks = 1, .alike = true};
	}
	if (j->wait_sec > 0)
		line->waited_sec += j->wait_sec;
	line->waits += j->wait_sec >= 0;
	if (j->slowdown > 0)
		line->slowdowns += j->slowdown;
	line->slowed += j->slowdown > 0;
}

/* Completes a line: sets mean waits and slowdowns, and rho from the GPU time of
 * all tasks. */
static void finish_line(struct job_line *line)
{
	struct page_row *of = &line->of;

	if (line->tasks < 2)
		return;
	of->wait_sec = line->waits ? line->waited_sec / (double)line->waits
				   : (double)NAN;
	of->slowdown = line->slowed ? line->slowdowns / (double)line->slowed
				    : (double)NAN;
	of->rho = of->fair_gpu_sec > 0 ? of->alloc_gpu_sec / of->fair_gpu_sec
				       : (double)NAN;
}

/* Returns the lines of the table, to be freed, or NULL when out of memory. */
static struct job_line *job_lines(const struct page_data *d, size_t *count)
{
	const struct page_row **list = calloc(d->job_count + 1, sizeof(*list));
	struct job_line *lines = calloc(d->job_count + 1, sizeof(*lines));

	*count = 0;
	for (size_t i = 0; list && i < d->job_count; i++)
		list[i] = &d->jobs[i];
	if (list)
		qsort(list, d->job_count, sizeof(*list), by_array);
	for (size_t i = 0; list && lines && i < d->job_count; i++) {
		size_t array = page_array_of(list[i]->id_text);
		bool next =
			i && array &&
			array == page_array_of(list[i - 1]->id_text) &&
			!strncmp(list[i]->id_text, list[i - 1]->id_text, array);

		*count += !next;
		add_task(&lines[*count - 1], list[i]);
	}
	for (size_t i = 0; lines && i < *count; i++)
		finish_line(&lines[i]);
	free(list);
	if (!list) {
		free(lines);
		return NULL;
	}
	return lines;
}

static int page_tables_put_jobs(const struct page_data *d, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Job", "its number; the tasks of an array are one row", true},
		{"rho",
		 "GPU time had over GPU time due; below 1: less than due",
		 false},
		{"Name", "as its user called it", true},
		{"User", "login name", true},
		{"Tenant", "account or tenant", true},
		{"GPUs", "asked for, by each task", false},
		{"Submitted", "local time", true},
		{"Waited",
		 "until its first start, D-HH:MM:SS; of tasks the mean", false},
		{"Ran", "all its runs, D-HH:MM:SS", false},
		{"Slowdown",
		 "from submission to the end, over its runs; of tasks the mean",
		 false},
		{"Leases", "it was given", false},
		{"Revoked", "of these", false},
		{"State", "at the end of the window, or its own", true},
		{0},
	};
	size_t count, shown;
	struct job_line *lines = job_lines(d, &count);

	if (!lines)
		return -1;
	shown = count < PAGE_ROWS_MAX ? count : PAGE_ROWS_MAX;
	qsort(lines, count, sizeof(*lines), heavier);
	qsort(lines, shown, sizeof(*lines), page_tables_by_place);
	page_table_begin(f, "Jobs", heads);
	for (size_t i = 0; i < shown; i++)
		page_tables_put_job(d, f, &lines[i]);
	page_table_end(f);
	if (shown < count)
		fprintf(f,
			"<p class=\"soft\">The %zu with most GPU time waited "
			"and run, of %zu.</p>\n",
			shown, count);
	fputs("</section>\n", f);
	free(lines);
	return 0;
}

int page_tables(const struct page_data *d, FILE *f)
{
	page_filter(f);
	page_tables_put_tenants(d, f);
	if (page_tree(d, f) < 0)
		return -1;
	put_users(d, f);
	return page_tables_put_jobs(d, f);
}
