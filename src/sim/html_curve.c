/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distributions over jobs: which share of them is at most at x. */
#include <math.h>

#include "src/sim/html_priv.h"

/* The largest value that any case has at this quantile. */
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

/* Up to where it leaves the chart to the right. */
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
