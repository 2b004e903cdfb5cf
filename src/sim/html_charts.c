/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of a comparison. Curves: the share of jobs whose value is at most x.
 * Bars: completion times. Boxes: how rho of tenants spreads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/sim/html_priv.h"

/* Returns the largest value among the cases at this quantile. */
static double html_curve_largest(const struct astra_comparison *c,
				 enum astra_curve curve, size_t point)
{
	double most = 0;

	for (size_t i = 0; i < c->count; i++) {
		double v = c->cases[i].digest->curves[curve][point];

		if (isfinite(v))
			most = fmax(most, v);
	}
	return most;
}

/* Draws a curve up to the point where it leaves the chart on the right. */
static void html_curve_draw(const struct html_chart *chart,
			    const struct astra_compared *c,
			    enum astra_curve curve, size_t index)
{
	const double *points = c->digest->curves[curve];
	FILE *f = chart->file;
	char text[64];

	if (isnan(points[0]))
		return;
	fputs("<path", f);
	html_series(f, "curve", index);
	fputs(" d=\"", f);
	for (int i = 0; i < ASTRA_CURVE_POINTS; i++) {
		double share = (double)i / (ASTRA_CURVE_POINTS - 1);

		if (points[i] > chart->x.scale.to)
			break;
		fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M',
			html_at(&chart->x.scale, points[i]),
			html_at(&chart->y.scale, share));
	}
	fputs("\">", f);
	snprintf(text, sizeof(text), "%.3g", points[ASTRA_CURVE_POINTS / 2]);
	html_tooltip(f, c->label, "median", text);
	fputs("</path>\n", f);
}

static void curve_chart(const struct astra_comparison *c, FILE *file,
			enum astra_curve curve, struct html_axis x,
			const char *title, const char *caption, double rule)
{
	const struct html_chart chart = {
		.file = file,
		.width = 520,
		.height = 330,
		.x = x,
		.y = {.scale = {0, 1, 285, 30, false},
		      .unit = HTML_PERCENT,
		      .title = "jobs"},
	};

	html_chart_begin(&chart, title, caption);
	html_axis_x(&chart);
	html_axis_y(&chart);
	html_rule_x(&chart, rule, "");
	for (size_t i = 0; i < c->count; i++)
		html_curve_draw(&chart, &c->cases[i], curve, i);
	html_chart_end(&chart);
}

static double html_curve_at_most(double most, double least, double value)
{
	return html_round_up(fmin(most, fmax(least, value)), HTML_PLAIN);
}

void html_curves(const struct astra_comparison *c, FILE *file)
{
	const size_t p90 = (ASTRA_CURVE_POINTS - 1) * 9 / 10;
	const size_t p99 = (ASTRA_CURVE_POINTS - 1) * 99 / 100;
	struct html_axis rho = {
		.scale = {.begin = 60, .end = 505},
		.title = "rho of the job",
	};
	struct html_axis slow = {
		.scale = {.from = 1, .begin = 60, .end = 505, .log = true},
		.title = "slowdown of the job",
	};
	struct html_axis ftf = rho;

	rho.scale.to = html_curve_at_most(
		4, 1.5, html_curve_largest(c, ASTRA_CURVE_JOB_RHO, p90));
	slow.scale.to =
		fmax(10, html_curve_largest(c, ASTRA_CURVE_SLOWDOWN, p99));
	ftf.scale.to = html_curve_at_most(
		10, 2, html_curve_largest(c, ASTRA_CURVE_SHARE_FTF, p90));
	ftf.title = "finish-time fairness of the job";
	curve_chart(c, file, ASTRA_CURVE_JOB_RHO, rho, "Job fairness",
		    "GPU time had over GPU time due. Left of the line at 0.95 "
		    "a job has lost by sharing.",
		    0.95);
	curve_chart(c, file, ASTRA_CURVE_SLOWDOWN, slow, "Slowdown",
		    "Time from submission to the end over the time it takes "
		    "undisturbed.",
		    1);
	curve_chart(c, file, ASTRA_CURVE_SHARE_FTF, ftf, "Finish-time fairness",
		    "Time from submission to the end over that with 1/N of "
		    "the GPUs all the time. Right of the line at 1 a job has "
		    "lost by sharing.",
		    1);
}

/* Bars of job completion times: mean, median and 95th percentile, each with its
 * own scale. */

#define BARS_ROW_PX 22
#define BARS_TOP_PX 22
#define LEFT_PX 110
#define PANEL_PX 270
#define CUT 3 /* length at which a bar is cut, in medians of its panel */

static double html_bars_value_of(const struct astra_comparison *c,
				 const struct astra_metric *m, size_t index)
{
	return astra_metric_value(&c->cases[index].digest->metrics, m);
}

/* Returns the end of a panel's scale. Bars of values far beyond the others are
 * cut, so that the others stay distinguishable. */
static double scale_end(const struct astra_comparison *c,
			const struct astra_metric *m)
{
	struct astra_sample s = {0};
	double end;

	for (size_t i = 0; i < c->count; i++)
		if (isfinite(html_bars_value_of(c, m, i)))
			astra_sample_add(&s, html_bars_value_of(c, m, i));
	astra_sample_sort(&s);
	end = fmin(astra_sample_quantile(&s, 1),
		   CUT * astra_sample_quantile(&s, 0.5));
	astra_sample_clear(&s);
	return isnan(end) ? 1 : end;
}

static void html_bars_draw_bar(const struct astra_comparison *c, FILE *f,
			       const struct astra_metric *m, size_t index,
			       double left, double most)
{
	double value = html_bars_value_of(c, m, index);
	double y = BARS_TOP_PX + BARS_ROW_PX * (double)index;
	const struct html_scale scale = {0, most, 0, PANEL_PX - 90, false};
	double width = isnan(value) ? 0 : html_at(&scale, value);
	char text[32];

	astra_metric_text(m, value, text);
	fputs("<rect", f);
	html_series(f, "bar", index);
	html_px(f, "x", left);
	html_px(f, "y", y + 3);
	html_px(f, "width", fmax(width, 0.5));
	fprintf(f, " height=\"%d\">", BARS_ROW_PX - 6);
	html_tooltip(f, c->cases[index].label, m->title, text);
	fputs("</rect>", f);
	if (value > most)
		fprintf(f,
			"<path class=\"cut\" d=\"M%.1f %.1fl-4 %dh4l4 -%dz\"/>",
			left + width - 8, y + 2, BARS_ROW_PX - 4,
			BARS_ROW_PX - 4);
	fputs("<text", f);
	html_px(f, "x", left + width + 4);
	html_px(f, "y", y + 15);
	fputs(astra_compare_best(c, m, index) ? " class=\"tick best\">"
					      : " class=\"tick\">",
	      f);
	html_text(f, text);
	fputs("</text>\n", f);
}

static void html_bars_draw_panel(const struct astra_comparison *c, FILE *f,
				 const char *key, const char *title,
				 double left)
{
	const struct astra_metric *m = astra_metric_find(key);
	double most = scale_end(c, m);

	fprintf(f, "<text x=\"%.1f\" y=\"14\" class=\"title\">%s</text>\n",
		left, title);
	for (size_t i = 0; i < c->count; i++)
		html_bars_draw_bar(c, f, m, i, left, most);
}

void html_bars(const struct astra_comparison *c, FILE *file)
{
	const struct html_chart chart = {
		.file = file,
		.width = LEFT_PX + 3 * PANEL_PX,
		.height = BARS_TOP_PX + BARS_ROW_PX * (double)c->count + 6,
	};

	html_chart_begin(
		&chart, "Job completion time",
		"From submission to the end, h:mm:ss; each panel has "
		"a scale of its own. A bar with a gap is longer than there is room.");
	for (size_t i = 0; i < c->count; i++) {
		fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">",
			LEFT_PX - 8,
			BARS_TOP_PX + BARS_ROW_PX * (double)i + 15);
		html_text(file, c->cases[i].label);
		fputs("</text>\n", file);
	}
	html_bars_draw_panel(c, file, "jct_mean_sec", "mean", LEFT_PX);
	html_bars_draw_panel(c, file, "jct_p50_sec", "median",
			     LEFT_PX + PANEL_PX);
	html_bars_draw_panel(c, file, "jct_p95_sec", "95th percentile",
			     LEFT_PX + 2 * PANEL_PX);
	html_chart_end(&chart);
}

/* Boxes of tenants: how rho spreads over intervals, and rho over the whole
 * time. */

#define BOX_ROW_PX 26
#define BOX_TOP_PX 12
#define LEFT_PX 110

static double html_box_largest(const struct astra_comparison *c)
{
	double most = 1.5;

	for (size_t i = 0; i < c->count; i++) {
		const struct astra_digest *d = c->cases[i].digest;
		double v = d->cell_box[ASTRA_BOX_POINTS - 1];

		if (isfinite(v))
			most = fmax(most, v);
		for (size_t t = 0; t < d->tenant_count; t++)
			if (isfinite(astra_digest_tenant_rho(d, t)))
				most = fmax(most,
					    astra_digest_tenant_rho(d, t));
	}
	return html_round_up(fmin(most, 5), HTML_PLAIN);
}

static void html_box_draw_box(const struct html_chart *chart,
			      const struct astra_compared *c, size_t index,
			      double y)
{
	const double *q = c->digest->cell_box;
	double x[ASTRA_BOX_POINTS];
	FILE *f = chart->file;
	char text[96];

	if (isnan(q[0]))
		return;
	for (int i = 0; i < ASTRA_BOX_POINTS; i++)
		x[i] = html_at(&chart->x.scale, q[i]);
	fputs("<g", f);
	html_series(f, "box", index);
	fputs(">", f);
	snprintf(text, sizeof(text), "%.3g, %.3g, %.3g, %.3g, %.3g", q[0], q[1],
		 q[2], q[3], q[4]);
	html_tooltip(f, c->label, "5, 25, 50, 75, 95 % of intervals:", text);
	fprintf(f,
		"<path d=\"M%.1f %.1fH%.1fM%.1f %.1fH%.1f\"/>"
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\"/>"
		"<path class=\"median\" d=\"M%.1f %.1fv14\"/></g>\n",
		x[0], y, x[1], x[3], y, x[4], x[1], y - 7, fmax(1, x[3] - x[1]),
		x[2], y - 7);
}

static void draw_tenants(const struct html_chart *chart,
			 const struct astra_comparison *c, size_t index,
			 double y)
{
	const struct astra_digest *d = c->cases[index].digest;
	FILE *f = chart->file;
	char text[32];

	for (size_t t = 0; t < d->tenant_count; t++) {
		double rho = astra_digest_tenant_rho(d, t);

		if (isnan(rho))
			continue;
		fputs("<circle", f);
		html_series(f, "dot", index);
		html_px(f, "cx", html_at(&chart->x.scale, rho));
		html_px(f, "cy", y);
		fputs(" r=\"2.5\">", f);
		snprintf(text, sizeof(text), "%.3f", rho);
		html_tooltip(f, c->trace->tenants[t].name, "rho", text);
		fputs("</circle>\n", f);
	}
}

void html_boxes(const struct astra_comparison *c, FILE *file)
{
	double bottom = BOX_TOP_PX + BOX_ROW_PX * (double)c->count;
	const struct html_chart chart = {
		.file = file,
		.width = 520,
		.height = bottom + 44,
		.x = {.scale = {0, html_box_largest(c), LEFT_PX, 505, false},
		      .title = "rho of the tenant"},
		.y = {.scale = {0, 1, bottom, BOX_TOP_PX, false}},
	};

	html_chart_begin(&chart, "Tenant fairness",
			 "Boxes: intervals (5, 25, 50, 75, 95 %). Dots: each "
			 "tenant over all the time.");
	html_axis_x(&chart);
	html_rule_x(&chart, 1, "");
	for (size_t i = 0; i < c->count; i++) {
		double y = BOX_TOP_PX + BOX_ROW_PX * ((double)i + 0.5);

		fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">",
			LEFT_PX - 8, y + 4);
		html_text(file, c->cases[i].label);
		fputs("</text>\n", file);
		html_box_draw_box(&chart, &c->cases[i], i, y);
		draw_tenants(&chart, c, i, y);
	}
	html_chart_end(&chart);
}
