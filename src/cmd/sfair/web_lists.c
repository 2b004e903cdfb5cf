/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the page: tenants, leases, the queue. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/web.h"

#define WHY_CHARS 120
#define ROWS_MAX 500
#define NAME_CHARS 32

/* ---- Tenants. ---- */

/* Draws a bar of the GPUs held, with a mark at the tenant's share. most: the
 * end of the scale. */
static void web_lists_put_bar(FILE *f, size_t look, double value, double at,
			      double most)
{
	const double scale = 120 / most;

	fprintf(f,
		"<td><svg class=\"bar c%zu\" viewBox=\"0 0 120 12\" "
		"aria-hidden=\"true\"><rect class=\"bg\" width=\"120\" y=\"4\" "
		"height=\"4\"/><rect class=\"of\" width=\"%.1f\" y=\"1\" "
		"height=\"10\"/>",
		look, fmin(fmax(value, 0) * scale, 120));
	if (at >= 0)
		fprintf(f, "<path class=\"at\" d=\"M%.1f 0V12\"/>",
			fmin(fmax(at * scale, 1), 119));
	fputs("</svg>", f);
}

static double web_lists_most_gpus(const struct top_model *m)
{
	double most = 1;

	for (size_t i = 0; i < m->tenant_count; i++)
		most = fmax(most,
			    fmax(m->tenants[i].alloc, m->tenants[i].quota));
	return most;
}

static int web_lists_whole_digits(double value)
{
	return fabs(value - round(value)) < 0.05 ? 0 : 1;
}

static void web_lists_put_tenant_row(const struct web_view *v,
				     const struct top_tenant *t, double most,
				     FILE *f)
{
	fputs("<tr>", f);
	web_put_tenant(v, f, "th scope=\"row\"", t->pool, t->name, t->letter);
	page_cell_fixed(f, t->rho, 2);
	page_cell_fixed(f, t->alloc, web_lists_whole_digits(t->alloc));
	page_cell_fixed(f, t->quota, web_lists_whole_digits(t->quota));
	web_lists_put_bar(f, web_look(v, t->pool, t->name), t->alloc, t->quota,
			  most);
	page_cell_fixed(f, t->demand, web_lists_whole_digits(t->demand));
	page_cell_fixed(f, t->running, 0);
	page_cell_fixed(f, t->waiting, 0);
	if (v->model->pool_count > 1)
		page_cell_text(f, t->pool);
	fputs("\n", f);
}

/* Writes a section without rows. */
static void web_lists_put_none(FILE *f, const char *title, const char *text)
{
	fprintf(f,
		"<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"none\">%s</p>"
		"</section>\n",
		title, title, text);
}

void web_tenants(const struct web_view *v, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Tenant", "account or tenant", true},
		{"rho",
		 "GPU time had over GPU time due; below 1: less than due",
		 false},
		{"GPUs", "that its jobs hold now", false},
		{"Share", "of the pool, in GPUs", false},
		{"Has", "GPUs held; the line is its share", false},
		{"Asks for", "GPUs that its jobs run on or wait for", false},
		{"Run", "jobs with GPUs", false},
		{"Wait", "jobs that wait", false},
		{"Pool", "the pool", true},
		{0},
	};
	struct page_heading own[sizeof(heads) / sizeof(*heads)];
	const struct top_model *m = v->model;

	if (!m->tenant_count) {
		web_lists_put_none(
			f, "Tenants",
			"No tenants are shown: there are none, or PrivateData "
			"hides them.");
		return;
	}
	memcpy(own, heads, sizeof(heads));
	if (m->pool_count < 2)
		own[sizeof(heads) / sizeof(*heads) - 2].title = NULL;
	page_table_begin(f, "Tenants", own);
	for (size_t i = 0; i < m->tenant_count && i < ROWS_MAX; i++)
		web_lists_put_tenant_row(v, &m->tenants[i],
					 web_lists_most_gpus(m), f);
	page_table_end(f);
	web_put_rest(f, "tenants", m->tenant_count, ROWS_MAX);
	fputs("</section>\n", f);
}

/* ---- Jobs. ---- */

/* Begins a job's row. tasks: count of the array's tasks that the row stands
 * for; 1: a single job. */
static void web_lists_put_job_begin(const struct web_view *v,
				    const struct top_job *j, size_t tasks,
				    FILE *f)
{
	fputs("<tr><th scope=\"row\">", f);
	if (tasks > 1)
		fprintf(f, "%.*s_[%zu tasks]", (int)page_array_of(j->id_text),
			j->id_text, tasks);
	else
		page_name(f, j->id_text, NAME_CHARS);
	page_cell_text(f, j->name);
	page_cell_text(f, j->user);
	web_put_tenant(v, f, "td class=\"text\"", j->pool, j->tenant,
		       j->letter);
	page_cell_fixed(f, j->gpus, 0);
}

static void web_lists_put_when(FILE *f, double sec, double now_sec)
{
	if (!(sec > 0 && sec < 1e11)) {
		fputs("<td>-", f);
		return;
	}
	fprintf(f, "<td data-v=\"%.0f\">", sec);
	web_put_clock(f, sec, now_sec);
}

/* Returns a phase in words. left_sec: the rest of the lease; NaN: the lease
 * ends with its job. */
static const char *web_lists_phase_words(const char *phase, double left_sec)
{
	static const char *const words[][2] = {
		{"leased", "has its lease"},
		{"doomed", "is about to give its GPUs on"},
		{"grace", "saves its work"},
		{"leaving", "leaves"},
		{"running", "runs until it ends"},
	};

	if (isnan(left_sec))
		phase = "running";
	else if (!strcmp(phase, "leased") && left_sec <= 0)
		return "is over: its GPUs are collected";
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i][0], phase))
			return words[i][1];
	return phase;
}

/* Returns the longest term, or the time left of the longest lease if that is
 * more. */
static double web_lists_longest_left(const struct top_model *m)
{
	const struct top_list *list = &m->lists[TOP_LEASES];
	double most = 1;
	json_t *pool;
	size_t p;

	json_array_foreach(json_object_get(m->reply, "pools"), p, pool) most =
		fmax(most,
		     json_number_value(json_object_get(pool, "lease_sec")));

	for (size_t i = 0; i < list->count; i++) {
		const struct top_job *j = list->rows[i];

		if (j->end_sec - m->time_sec > most)
			most = j->end_sec - m->time_sec;
	}
	return most;
}

/* A row of the leases: a job, or those tasks of an array that are in one
 * phase. */
struct lease_line {
	struct top_job of; /* the task whose lease ends first; gpus: sum over
			    * all tasks */
	size_t tasks;
	bool apart; /* the tasks are on different nodes */
};

#define LINES_BACK 64 /* lines searched back for an array's other tasks */

/* Returns the line for the tasks of the job's array in the same phase, or
 * NULL. */
static struct lease_line *array_line_of(struct lease_line *lines, size_t count,
					const struct top_job *j)
{
	size_t array = page_array_of(j->id_text);

	for (size_t i = count; array && i-- > 0 && count - i <= LINES_BACK;) {
		const struct top_job *of = &lines[i].of;

		if (page_array_of(of->id_text) == array &&
		    !strncmp(of->id_text, j->id_text, array) &&
		    !strcmp(of->phase, j->phase) &&
		    !strcmp(of->pool, j->pool) &&
		    isnan(of->end_sec) == isnan(j->end_sec))
			return &lines[i];
	}
	return NULL;
}

/* Returns the lines of the table, to be freed, or NULL when out of memory. */
static struct lease_line *lease_lines(const struct top_list *list,
				      size_t *count)
{
	struct lease_line *lines = calloc(list->count, sizeof(*lines));

	*count = 0;
	for (size_t i = 0; lines && i < list->count; i++) {
		const struct top_job *j = list->rows[i];
		struct lease_line *line = array_line_of(lines, *count, j);
		double gpus;

		if (!line) {
			lines[(*count)++] =
				(struct lease_line){.of = *j, .tasks = 1};
			continue;
		}
		gpus = line->of.gpus + j->gpus;
		line->apart |= strcmp(line->of.nodes, j->nodes) != 0;
		if (j->end_sec < line->of.end_sec)
			line->of = *j;
		line->of.gpus = gpus;
		line->tasks++;
	}
	return lines;
}

static void web_lists_put_lease(const struct web_view *v,
				const struct lease_line *line, double most,
				FILE *f)
{
	const struct top_job *j = &line->of;
	double now = v->model->time_sec;
	double left =
		isnan(j->end_sec) ? (double)NAN : fmax(j->end_sec - now, 0);
	const char *why = isnan(left) ? j->pinned : "";
	char words[WHY_CHARS + 1];

	web_lists_put_job_begin(v, j, line->tasks, f);
	page_cell_text(f, line->apart ? "several" : j->nodes);
	web_lists_put_when(f, j->end_sec, now);
	page_cell_span(f, left);
	if (isnan(left))
		fputs("<td>", f);
	else
		web_lists_put_bar(f, web_look(v, j->pool, j->tenant), left, -1,
				  most);
	snprintf(words, sizeof(words), "%s%s%s%s",
		 web_lists_phase_words(j->phase, left), *why ? " (" : "", why,
		 *why ? ")" : "");
	fputs("<td class=\"text\">", f);
	page_name(f, words, WHY_CHARS);
	fputs("\n", f);
}

void web_leases(const struct web_view *v, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Job", "its number; an array's tasks are one row", true},
		{"Name", "as its user called it", true},
		{"User", "login name", true},
		{"Tenant", "account or tenant", true},
		{"GPUs", "that it holds", false},
		{"Nodes", "where they are", true},
		{"Ends",
		 "its lease, of tasks the first, local time; -: not before the job",
		 false},
		{"Left", "of it, H:MM:SS", false},
		{"", "the same, of a whole term", false},
		{"What it does", "the phase of its lease", true},
		{0},
	};
	const struct top_list *list = &v->model->lists[TOP_LEASES];
	double most = web_lists_longest_left(v->model);
	struct lease_line *lines;
	size_t count;

	if (!list->count) {
		web_lists_put_none(
			f, "Leases",
			"No job with GPUs is shown: there is none, or "
			"PrivateData hides them.");
		return;
	}
	page_table_begin(f, "Leases", heads);
	lines = lease_lines(list, &count);
	for (size_t i = 0; i < count && i < ROWS_MAX; i++)
		web_lists_put_lease(v, &lines[i], most, f);
	free(lines);
	page_table_end(f);
	web_put_rest(f, "jobs", count, ROWS_MAX);
	fputs("</section>\n", f);
}

/* Returns one of Slurm's own reasons in words. */
static const char *web_lists_reason_words(const char *reason)
{
	static const char *const words[][2] = {
		{"BeginTime", "not before its begin time"},
		{"Dependency", "waits for other jobs (Dependency)"},
		{"DependencyNeverSatisfied",
		 "waits for what cannot be any more (Dependency)"},
		{"JobArrayTaskLimit", "as many tasks run as its array may (%)"},
		{"JobHeldAdmin", "held by an administrator"},
		{"JobHeldUser", "held by its user"},
		{"Licenses", "waits for licences"},
		{"Reservation", "waits for its reservation"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i][0], reason))
			return words[i][1];
	return *reason ? reason : "-";
}

static void web_lists_put_waiting(const struct web_view *v,
				  const struct top_job *j, FILE *f)
{
	double now = v->model->time_sec;

	web_lists_put_job_begin(v, j, 1, f);
	if (j->copies > 1)
		fprintf(f, " × %.0f", j->copies);
	page_cell_fixed(f, j->rank > 0 ? j->rank : (double)NAN, 0);
	page_cell_span(f, fmax(now - j->submit_sec, 0));
	web_lists_put_when(f, j->start_sec, now);
	fputs("<td class=\"text why\">", f);
	page_name(f, web_lists_reason_words(j->reason), WHY_CHARS);
	fputs("\n", f);
}

void web_queue(const struct web_view *v, FILE *f)
{
	static const struct page_heading heads[] = {
		{"Job", "its number", true},
		{"Name", "as its user called it", true},
		{"User", "login name", true},
		{"Tenant", "account or tenant", true},
		{"GPUs", "asked for; × so many tasks", false},
		{"Rank", "its place in line", false},
		{"Waited", "since its submission, D-HH:MM:SS", false},
		{"Start", "expected, local time", false},
		{"Why", "it waits; sfair why says more", true},
		{0},
	};
	const struct top_list *list = &v->model->lists[TOP_QUEUE];

	if (!list->count) {
		web_lists_put_none(f, "Queue",
				   "No waiting job is shown: there is none, or "
				   "PrivateData hides them.");
		return;
	}
	page_table_begin(f, "Queue", heads);
	for (size_t i = 0; i < list->count && i < ROWS_MAX; i++)
		web_lists_put_waiting(v, list->rows[i], f);
	page_table_end(f);
	web_put_rest(f, "jobs", list->count, ROWS_MAX);
	fputs("</section>\n", f);
}
