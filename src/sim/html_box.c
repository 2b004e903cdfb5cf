/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tenants: how rho spreads over their intervals, and what it is in the end. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/html_priv.h"

#define ROW_PX 26
#define TOP_PX 12
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
	double bottom = TOP_PX + ROW_PX * (double)c->count;
	const struct html_chart chart = {
		.file = file,
		.width = 520,
		.height = bottom + 44,
		.x = {.scale = {0, html_box_largest(c), LEFT_PX, 505, false},
		      .title = "rho of the tenant"},
		.y = {.scale = {0, 1, bottom, TOP_PX, false}},
	};

	html_chart_begin(&chart, "Tenant fairness",
			 "Boxes: intervals (5, 25, 50, 75, 95 %). Dots: each "
			 "tenant over all the time.");
	html_axis_x(&chart);
	html_rule_x(&chart, 1, "");
	for (size_t i = 0; i < c->count; i++) {
		double y = TOP_PX + ROW_PX * ((double)i + 0.5);

		fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">",
			LEFT_PX - 8, y + 4);
		html_text(file, c->cases[i].label);
		fputs("</text>\n", file);
		html_box_draw_box(&chart, &c->cases[i], i, y);
		draw_tenants(&chart, c, i, y);
	}
	html_chart_end(&chart);
}
