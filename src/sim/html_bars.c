/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job completion times as bars: mean, median, 95th percentile, each on a scale
 * of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/sim/html_priv.h"

#define ROW_PX 22
#define TOP_PX 22
#define LEFT_PX 110
#define PANEL_PX 270
#define CUT 3 /* times the median of a panel is as long as a bar gets */

static double html_bars_value_of(const struct astra_comparison *c,
				 const struct astra_metric *m, size_t index)
{
	return astra_metric_value(&c->cases[index].digest->metrics, m);
}

/* The end of a panel's scale: what is far beyond the others is cut, so that
 * they can still be told apart. */
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
	double y = TOP_PX + ROW_PX * (double)index;
	const struct html_scale scale = {0, most, 0, PANEL_PX - 90, false};
	double width = isnan(value) ? 0 : html_at(&scale, value);
	char text[32];

	astra_metric_text(m, value, text);
	fputs("<rect", f);
	html_series(f, "bar", index);
	html_px(f, "x", left);
	html_px(f, "y", y + 3);
	html_px(f, "width", fmax(width, 0.5));
	fprintf(f, " height=\"%d\">", ROW_PX - 6);
	html_tooltip(f, c->cases[index].label, m->title, text);
	fputs("</rect>", f);
	if (value > most)
		fprintf(f,
			"<path class=\"cut\" d=\"M%.1f %.1fl-4 %dh4l4 -%dz\"/>",
			left + width - 8, y + 2, ROW_PX - 4, ROW_PX - 4);
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
		.height = TOP_PX + ROW_PX * (double)c->count + 6,
	};

	html_chart_begin(
		&chart, "Job completion time",
		"From submission to the end, h:mm:ss; each panel has "
		"a scale of its own. A bar with a gap is longer than there is room.");
	for (size_t i = 0; i < c->count; i++) {
		fprintf(file, "<text x=\"%d\" y=\"%.1f\" class=\"name end\">",
			LEFT_PX - 8, TOP_PX + ROW_PX * (double)i + 15);
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
