/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of overhead, fairness and completion time over the values of one
 * option. For the lease term this is ASTRAEA's Figure 9. The charts stand one
 * above the other, since one chart must not have two scales. */
#include <math.h>
#include <string.h>

#include "src/sim/html_priv.h"

#define TICK_PX 46 /* least distance between the texts at the axis */

static double html_sweep_value_of(const struct astra_page *p,
				  const struct astra_metric *m, size_t index)
{
	const struct astra_compared *c = &p->comparison->cases[index];

	return astra_metric_value(&c->digest->metrics, m);
}

/* Returns the position of a value on the x axis. Terms are to scale; other
 * values, which may be words, are evenly spaced. */
static double html_sweep_place_of(const struct astra_page *p, size_t index)
{
	return p->terms_sec ? p->terms_sec[index] : (double)index;
}

static bool is_recommended(const struct astra_page *p, size_t index)
{
	return p->terms_sec && index == p->recommended;
}

static double html_sweep_largest(const struct astra_page *p,
				 const struct astra_metric *m)
{
	double most = 0;

	for (size_t i = 0; i < p->comparison->count; i++)
		if (isfinite(html_sweep_value_of(p, m, i)))
			most = fmax(most, html_sweep_value_of(p, m, i));
	return most;
}

static void draw_line(const struct html_chart *chart,
		      const struct astra_page *p, const struct astra_metric *m,
		      size_t series)
{
	FILE *f = chart->file;
	bool begun = false;

	fputs("<path", f);
	html_series(f, "curve", series);
	fputs(" d=\"", f);
	for (size_t i = 0; i < p->comparison->count; i++) {
		if (isnan(html_sweep_value_of(p, m, i)))
			continue;
		fprintf(f, "%c%.1f %.1f", begun ? 'L' : 'M',
			html_at(&chart->x.scale, html_sweep_place_of(p, i)),
			html_at(&chart->y.scale, html_sweep_value_of(p, m, i)));
		begun = true;
	}
	fputs("\"/>\n", f);
}

static void draw_points(const struct html_chart *chart,
			const struct astra_page *p,
			const struct astra_metric *m, size_t series)
{
	FILE *f = chart->file;
	char text[32];

	for (size_t i = 0; i < p->comparison->count; i++) {
		double value = html_sweep_value_of(p, m, i);

		if (isnan(value))
			continue;
		fputs("<circle", f);
		html_series(f, "point", series);
		html_px(f, "cx",
			html_at(&chart->x.scale, html_sweep_place_of(p, i)));
		html_px(f, "cy", html_at(&chart->y.scale, value));
		fprintf(f, " r=\"%d\">", is_recommended(p, i) ? 6 : 4);
		html_tooltip(f, p->comparison->cases[i].label, m->title,
			     astra_metric_text(m, value, text));
		fputs("</circle>\n", f);
	}
}

static enum html_unit html_sweep_unit_of(const struct astra_metric *m)
{
	if (*m->unit == '%')
		return HTML_PERCENT;
	return *m->unit == 's' ? HTML_TIME : HTML_PLAIN;
}

/* Picks the values to show as ticks: those whose texts do not overlap. */
static size_t pick_ticks(const struct astra_page *p,
			 const struct html_scale *scale, double *ticks,
			 const char **texts)
{
	size_t count = 0;

	for (size_t i = 0; i < p->comparison->count; i++) {
		double at = html_at(scale, html_sweep_place_of(p, i));

		if (count == HTML_TICKS_MAX ||
		    (count && at - html_at(scale, ticks[count - 1]) < TICK_PX))
			continue;
		texts[count] = p->comparison->cases[i].label;
		ticks[count++] = html_sweep_place_of(p, i);
	}
	return count;
}

static struct html_axis axis_of(const struct astra_page *p)
{
	size_t last = p->comparison->count - 1;

	if (p->terms_sec)
		return (struct html_axis){
			.scale = {p->terms_sec[0], p->terms_sec[last], 70, 700,
				  true},
			.unit = HTML_TIME,
			.title = "lease term",
		};
	return (struct html_axis){
		.scale = {-.5, (double)last + .5, 70, 700, false},
		.title = p->comparison->what,
	};
}

static void draw_chart(const struct astra_page *p, FILE *file,
		       const char *const keys[], const char *title,
		       const char *caption)
{
	const char *texts[HTML_TICKS_MAX];
	double ticks[HTML_TICKS_MAX];
	struct html_chart chart = {
		.file = file,
		.width = 720,
		.height = 250,
		.x = axis_of(p),
		.y = {.scale = {0, 0, 205, 30, false},
		      .unit = html_sweep_unit_of(astra_metric_find(*keys)),
		      .title = ""},
	};

	chart.x.tick_count = pick_ticks(p, &chart.x.scale, ticks, texts);
	chart.x.ticks = ticks;
	chart.x.texts = p->terms_sec ? NULL : texts;
	for (size_t i = 0; keys[i]; i++)
		chart.y.scale.to =
			fmax(chart.y.scale.to,
			     html_sweep_largest(p, astra_metric_find(keys[i])));
	chart.y.scale.to = html_round_up(chart.y.scale.to, chart.y.unit);
	html_chart_begin(&chart, title, caption);
	html_axis_y(&chart);
	html_axis_x(&chart);
	if (p->terms_sec)
		html_rule_x(&chart, p->terms_sec[p->recommended],
			    "recommended");
	for (size_t i = 0; keys[i]; i++) {
		draw_line(&chart, p, astra_metric_find(keys[i]), i);
		draw_points(&chart, p, astra_metric_find(keys[i]), i);
	}
	html_chart_end(&chart);
}

/* Draws fairness of apps, if it is known for any case. */
static void draw_apps(const struct astra_page *p, FILE *file)
{
	static const char *const apps[] = {"app_ftf_max", NULL};

	if (astra_compare_known(p->comparison, astra_metric_find(*apps)))
		draw_chart(p, file, apps, "Finish-time fairness",
			   "T_SH / T_ID of the app that is worst off.");
}

void html_sweep(const struct astra_page *p, FILE *file)
{
	static const char *const overhead[] = {"lost_share", NULL};
	static const char *const losses[] = {"job_loss", "tenant_loss", NULL};
	static const char *const jct[] = {"jct_mean_sec", NULL};

	fputs("<div class=\"column\">\n", file);
	draw_chart(p, file, overhead, "Overhead",
		   "GPU time lost to checkpoints and cold starts, of that "
		   "used.");
	fputs("<p class=\"keys\"><span class=\"tenant\"><i class=\"a0\"></i>"
	      "jobs</span> <span class=\"tenant\"><i class=\"a1\"></i>"
	      "tenants, in intervals</span></p>\n",
	      file);
	draw_chart(p, file, losses, "Sharing loss",
		   "Jobs with rho below 0.95, and tenants' intervals with rho "
		   "below 1.");
	draw_chart(p, file, jct, "Job completion time", "The mean.");
	draw_apps(p, file);
	fputs("</div>\n", file);
}
