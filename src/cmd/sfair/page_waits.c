/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A chart of how long jobs waited, by their number of GPUs. */
#include <math.h>

#include "src/cmd/sfair/page.h"
#include "src/sim/sample.h"

#define LEFT_PX 130
#define RIGHT_PX 960
#define TOP_PX 14
#define ROW_PX 34
#define SIZES 8

static const struct {
	double most;
	const char *name;
} sizes[SIZES] = {
	{1, "1 GPU"},	    {2, "2 GPUs"},
	{4, "3-4 GPUs"},    {8, "5-8 GPUs"},
	{16, "9-16 GPUs"},  {32, "17-32 GPUs"},
	{64, "33-64 GPUs"}, {INFINITY, "65 GPUs or more"},
};

struct waits {
	struct astra_sample samples[SIZES];
	size_t shown; /* sizes that some job has */
};

static size_t page_waits_size_of(double gpus)
{
	size_t i = 0;

	while (i < SIZES - 1 && gpus > sizes[i].most)
		i++;
	return i;
}

static int page_waits_collect(const struct page_data *d, struct waits *w)
{
	for (size_t i = 0; i < d->job_count; i++) {
		const struct page_row *j = &d->jobs[i];

		if (!(j->wait_sec >= 0) || !(j->gpus > 0))
			continue;
		if (astra_sample_add(&w->samples[page_waits_size_of(j->gpus)],
				     j->wait_sec) < 0)
			return -1;
	}
	for (size_t i = 0; i < SIZES; i++) {
		astra_sample_sort(&w->samples[i]);
		w->shown += w->samples[i].count > 0;
	}
	return 0;
}

static double longest(const struct waits *w)
{
	double most = 60;

	for (size_t i = 0; i < SIZES; i++)
		if (w->samples[i].count)
			most = fmax(most,
				    astra_sample_quantile(&w->samples[i], 0.9));
	return most * 1.25;
}

static size_t choose_ticks(double most, double ticks[HTML_TICKS_MAX])
{
	static const double all[] = {1,	    10,	   60,	   600,	   3600,
				     21600, 86400, 604800, 2592000};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i] <= most)
			ticks[count++] = all[i];
	return count;
}

static void page_waits_put_label(FILE *f, double y, const char *name,
				 size_t jobs)
{
	fprintf(f, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">%s</text>",
		LEFT_PX - 10, y - 1, name);
	fprintf(f,
		"<text x=\"%d\" y=\"%.1f\" class=\"tick end\">%zu job%s"
		"</text>\n",
		LEFT_PX - 10, y + 12, jobs, jobs == 1 ? "" : "s");
}

/* Draws a box from the first to the third quartile, with a mark at the median,
 * and a line up to the ninth decile. */
static void page_waits_draw_box(const struct html_chart *c,
				const struct astra_sample *s, const char *name,
				double y)
{
	static const double points[] = {0.25, 0.5, 0.75, 0.9};
	FILE *f = c->file;
	double x[4];

	for (int i = 0; i < 4; i++)
		x[i] = html_at(&c->x.scale,
			       astra_sample_quantile(s, points[i]));
	fprintf(f, "<g class=\"box c0\"><title>%s: a quarter waited up to ",
		name);
	page_span(f, astra_sample_quantile(s, 0.25));
	fputs(", half up to ", f);
	page_span(f, astra_sample_quantile(s, 0.5));
	fputs(", three quarters up to ", f);
	page_span(f, astra_sample_quantile(s, 0.75));
	fputs(", nine of ten up to ", f);
	page_span(f, astra_sample_quantile(s, 0.9));
	fprintf(f,
		"</title><path d=\"M%.1f %.1fH%.1fM%.1f %.1fv10\"/>"
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\"/>"
		"<path class=\"median\" d=\"M%.1f %.1fv16\"/></g>\n",
		x[2], y, x[3], x[3], y - 5, x[0], y - 8, fmax(x[2] - x[0], 1),
		x[1], y - 8);
}

static void page_waits_draw(const struct waits *w, FILE *file)
{
	double ticks[HTML_TICKS_MAX], most = longest(w);
	double bottom = TOP_PX + ROW_PX * (double)w->shown, y = TOP_PX;
	const struct html_chart chart = {
		.file = file,
		.desc = "A box for each size of jobs, on a logarithmic scale "
			"of time.",
		.class = "scroll",
		.width = 1000,
		.height = bottom + 42,
		.x = {.scale = {1, most, LEFT_PX, RIGHT_PX, true},
		      .ticks = ticks,
		      .tick_count = choose_ticks(most, ticks),
		      .unit = HTML_TIME,
		      .title = "wait (logarithmic scale)"},
		.y = {.scale = {0, 1, bottom, TOP_PX, false}},
	};

	html_chart_begin(&chart, "Time until the first start",
			 "The box holds the middle half of the jobs, the thick "
			 "line in it is the median, and nine of ten waited no "
			 "longer than to the end of the thin line.");
	html_axis_x(&chart);
	for (size_t i = 0; i < SIZES; i++) {
		if (!w->samples[i].count)
			continue;
		page_waits_put_label(file, y + ROW_PX / 2.0, sizes[i].name,
				     w->samples[i].count);
		page_waits_draw_box(&chart, &w->samples[i], sizes[i].name,
				    y + ROW_PX / 2.0);
		y += ROW_PX;
	}
	html_chart_end(&chart);
}

static void page_waits_put_table(const struct waits *w, FILE *f)
{
	static const double points[] = {0.25, 0.5, 0.75, 0.9, 1};

	page_details_begin(f, "Waits");
	fputs("<thead><tr><th scope=\"col\">size<th scope=\"col\">jobs"
	      "<th scope=\"col\">first quartile<th scope=\"col\">median"
	      "<th scope=\"col\">third quartile<th scope=\"col\">90th "
	      "percentile<th scope=\"col\">longest\n<tbody>\n",
	      f);
	for (size_t i = 0; i < SIZES; i++) {
		if (!w->samples[i].count)
			continue;
		fprintf(f, "<tr><th scope=\"row\">%s<td>%zu", sizes[i].name,
			w->samples[i].count);
		for (int p = 0; p < 5; p++) {
			fputs("<td>", f);
			page_span(f, astra_sample_quantile(&w->samples[i],
							   points[p]));
		}
		fputs("\n", f);
	}
	page_details_end(f);
}

int page_waits(const struct page_data *d, FILE *f)
{
	struct waits w = {0};
	int rc = page_waits_collect(d, &w);

	fputs("<section>\n<h2>Waits, by size of the job</h2>\n", f);
	if (!rc && w.shown) {
		page_waits_draw(&w, f);
		page_waits_put_table(&w, f);
	} else {
		fputs("<p class=\"none\">No job in this window has started."
		      "</p>\n",
		      f);
	}
	if (d->heads[PAGE_SLOWDOWN].more)
		fputs("<p class=\"soft\">There were more jobs than the "
		      "history gives at a time.</p>\n",
		      f);
	fputs("</section>\n", f);
	for (size_t i = 0; i < SIZES; i++)
		astra_sample_clear(&w.samples[i]);
	return rc;
}
