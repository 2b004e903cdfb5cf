/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chart of which jobs held GPUs when: a line for each job, a bar for each
 * lease. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cmd/sfair/page.h"

#define LEFT_PX 270
#define RIGHT_PX 960
#define TOP_PX 10
#define ROW_PX 17
#define ROWS_MAX 40  /* most lines, as many as fit on a sheet of paper */
#define NEAR_PX 0.75 /* leases farther apart are separate bars */
#define DOT_PX 2     /* a shorter bar is drawn as a dot, without parts */
#define BARS_MAX 1000
#define LABEL_CHARS 10

/* The leases of one job, as a part of the sorted array of all leases. */
struct row {
	const struct page_row *first;
	size_t count;
	double gpu_sec, start_sec;
};

struct rows {
	struct row *rows; /* the shown ones come first */
	size_t count, shown;
};

static double page_gantt_clip(const struct page_data *d, double sec)
{
	return fmin(fmax(sec, d->known_sec), d->end_sec);
}

/* Returns a lease's end, cut to the window. A lease without an end still
 * runs. */
static double page_gantt_end_of(const struct page_data *d,
				const struct page_row *l)
{
	return page_gantt_clip(d, isnan(l->end_sec) ? d->end_sec : l->end_sec);
}

static int longer(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->gpu_sec != y->gpu_sec)
		return x->gpu_sec < y->gpu_sec ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static int page_gantt_earlier(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->start_sec != y->start_sec)
		return x->start_sec < y->start_sec ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int page_gantt_collect(const struct page_data *d, struct rows *r)
{
	r->rows = calloc(d->lease_count + 1, sizeof(*r->rows));
	if (!r->rows)
		return -1;
	for (size_t i = 0; i < d->lease_count; i++) {
		const struct page_row *l = &d->leases[i];
		struct row *row = r->count ? &r->rows[r->count - 1] : NULL;

		if (l->start_sec >= d->end_sec ||
		    page_gantt_end_of(d, l) <= d->start_sec)
			continue;
		if (!row || strcmp(row->first->id_text, l->id_text) != 0) {
			row = &r->rows[r->count++];
			row->first = l;
			row->start_sec = l->start_sec;
		}
		row->count = (size_t)(l - row->first) + 1;
		row->gpu_sec += (page_gantt_end_of(d, l) -
				 page_gantt_clip(d, l->start_sec)) *
				(l->gpus > 0 ? l->gpus : 1);
	}
	qsort(r->rows, r->count, sizeof(*r->rows), longer);
	r->shown = r->count < ROWS_MAX ? r->count : ROWS_MAX;
	qsort(r->rows, r->shown, sizeof(*r->rows), page_gantt_earlier);
	return 0;
}

static size_t look_of(const struct page_row *l)
{
	return l->of ? l->of->look : PAGE_OTHERS;
}

static bool is_revoked(const struct page_row *l)
{
	return !strcmp(l->how, "revoked");
}

static void put_tooltip(const struct page_data *d, FILE *f,
			const struct page_row *l, size_t count)
{
	const struct page_row *last = l + count - 1;

	fputs("<title>", f);
	page_name(f, l->id_text, LABEL_CHARS);
	fputs(" of ", f);
	page_tenant_name(d, l->of, 32, f);
	if (count > 1)
		fprintf(f, "\n%zu leases of ", count);
	else
		fprintf(f, "\nlease %.0f of ",
			isnan(l->number) ? 1 : l->number);
	page_fixed(f, l->gpus, 0);
	fputs(l->gpus == 1 ? " GPU, " : " GPUs, ", f);
	page_name(f, l->nodes, 40);
	fputs("\n", f);
	page_time(f, l->start_sec);
	fputs(" to ", f);
	page_time(f, last->end_sec);
	if (*last->how) {
		fputs(", ", f);
		page_name(f, last->how, 16);
	}
	fputs("</title>", f);
}

/* Returns how many leases, from l on, make one bar: they follow each other, and
 * all but the first are short at this scale. A revocation ends a bar, unless
 * the bar is a dot. */
static size_t run_of(const struct html_scale *x, const struct page_data *d,
		     const struct page_row *l, size_t most, double short_px)
{
	double begin = html_at(x, page_gantt_clip(d, l->start_sec));
	size_t count = 1;

	for (; count < most; count++) {
		const struct page_row *next = &l[count];
		double from = html_at(x, page_gantt_clip(d, next->start_sec));
		double to = html_at(x, page_gantt_end_of(d, next));

		if (to - begin < DOT_PX)
			continue;
		if (is_revoked(next - 1) || next->gpus != l->gpus ||
		    from - html_at(x, page_gantt_end_of(d, next - 1)) >
			    NEAR_PX ||
		    to - from > short_px)
			break;
	}
	return count;
}

static size_t count_bars(const struct html_scale *x, const struct page_data *d,
			 const struct rows *r, double short_px)
{
	size_t bars = 0;

	for (size_t i = 0; i < r->shown; i++) {
		const struct row *row = &r->rows[i];

		for (size_t at = 0; at < row->count; bars++)
			at += run_of(x, d, &row->first[at], row->count - at,
				     short_px);
	}
	return bars;
}

/* Returns the length up to which a lease is drawn in one bar with the lease
 * before it. */
static double choose_short(const struct html_scale *x,
			   const struct page_data *d, const struct rows *r)
{
	double px = 3;

	while (px < RIGHT_PX && count_bars(x, d, r, px) > BARS_MAX)
		px *= 2;
	return px;
}

static void page_gantt_draw_bar(const struct html_chart *c,
				const struct page_data *d,
				const struct page_row *l, size_t count,
				double y)
{
	double x = html_at(&c->x.scale, page_gantt_clip(d, l->start_sec));
	double end = html_at(&c->x.scale, page_gantt_end_of(d, &l[count - 1]));
	FILE *f = c->file;

	fputs("<g", f);
	html_series(f, "lease", look_of(l));
	fputs(">", f);
	put_tooltip(d, f, l, count);
	fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
		x, y + 2, fmax(end - x - (end - x > 3 ? 0.7 : 0), 0.7),
		ROW_PX - 4);
	if (is_revoked(&l[count - 1]))
		fprintf(f,
			"<path class=\"revoked\" d=\"M%.1f %.1fv%dm-3 "
			"-%dl3 3l3 -3\"/>",
			end, y + 1, ROW_PX - 2, ROW_PX - 2);
	fputs("</g>\n", f);
}

static void draw_row(const struct html_chart *c, const struct page_data *d,
		     const struct row *row, double y, double short_px)
{
	const struct page_row *l = row->first;
	FILE *f = c->file;

	fprintf(f, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">", LEFT_PX - 8,
		y + 12.5);
	page_name(f, l->id_text, LABEL_CHARS);
	fputs("<tspan class=\"soft\"> ", f);
	page_name(f, l->user, 8);
	fputs(", ", f);
	page_name(f, l->of ? l->of->name : "-", 10);
	fputs(", ", f);
	page_fixed(f, l->gpus, 0);
	fputs("</tspan></text>\n", f);
	for (size_t i = 0; i < row->count;) {
		size_t run =
			run_of(&c->x.scale, d, &l[i], row->count - i, short_px);

		page_gantt_draw_bar(c, d, &l[i], run, y);
		i += run;
	}
}

static void page_gantt_draw(const struct page_data *d, const struct rows *r,
			    FILE *file)
{
	struct page_axis marks;
	double bottom = TOP_PX + ROW_PX * (double)r->shown;
	const struct html_chart chart = {
		.file = file,
		.desc = "A line for each job; bars over time are its leases.",
		.class = "scroll",
		.width = 1000,
		.height = bottom + 24,
		.x = page_time_axis(d, &marks, LEFT_PX, RIGHT_PX),
		.y = {.scale = {0, 1, bottom, TOP_PX, false}},
	};

	double short_px = choose_short(&chart.x.scale, d, r);

	html_chart_begin(
		&chart, "Leases",
		"At the left the job, its user, tenant and GPUs. A bar "
		"is a lease, or several short ones that followed each "
		"other. An upright line with a notch ends one that "
		"was revoked.");
	html_axis_x(&chart);
	for (size_t i = 0; i < r->shown; i++)
		draw_row(&chart, d, &r->rows[i], TOP_PX + ROW_PX * (double)i,
			 short_px);
	html_chart_end(&chart);
}

static void page_gantt_put_row(const struct page_data *d, FILE *f,
			       const struct row *row)
{
	size_t revoked = 0;

	for (size_t i = 0; i < row->count; i++)
		revoked += is_revoked(&row->first[i]);
	fputs("<tr><th scope=\"row\">", f);
	page_name(f, row->first->id_text, 32);
	fputs("<td class=\"text\">", f);
	page_tenant_name(d, row->first->of, 32, f);
	fputs("<td class=\"text\">", f);
	page_name(f, row->first->user, 32);
	fprintf(f, "<td>%zu<td>%zu<td>", row->count, revoked);
	page_time(f, row->start_sec);
	fputs("<td>", f);
	page_time(f, row->first[row->count - 1].end_sec);
	fputs("<td>", f);
	page_gpu_hours(f, row->gpu_sec);
	fputs("\n", f);
}

static void page_gantt_put_table(const struct page_data *d,
				 const struct rows *r, FILE *f)
{
	page_details_begin(f, "Leases");
	fputs("<thead><tr><th scope=\"col\">job<th scope=\"col\" "
	      "class=\"text\">tenant<th scope=\"col\" class=\"text\">user"
	      "<th scope=\"col\">leases<th scope=\"col\">revoked"
	      "<th scope=\"col\">from<th scope=\"col\">until"
	      "<th scope=\"col\">GPU hours\n<tbody>\n",
	      f);
	for (size_t i = 0; i < r->shown; i++)
		page_gantt_put_row(d, f, &r->rows[i]);
	page_details_end(f);
}

int page_gantt(const struct page_data *d, FILE *f)
{
	struct rows r = {0};
	int rc = page_gantt_collect(d, &r);

	fputs("<section>\n<h2>Leases, by job</h2>\n", f);
	if (!rc && r.shown) {
		page_keys(d, "solid", f);
		if (r.shown < r.count)
			fprintf(f,
				"<p class=\"soft\">Shown are the %zu jobs that "
				"held most GPU time, of %zu.</p>\n",
				r.shown, r.count);
		page_gantt_draw(d, &r, f);
		page_gantt_put_table(d, &r, f);
	} else {
		fputs("<p class=\"none\">No lease is known of in this window."
		      "</p>\n",
		      f);
	}
	if (d->heads[PAGE_LEASES].more)
		fputs("<p class=\"soft\">There were more leases than the "
		      "history gives at a time.</p>\n",
		      f);
	fputs("</section>\n", f);
	free(r.rows);
	return rc;
}
