/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The charts over time. GPUs used: tenants are stacked, under a line of all
 * GPUs. */
#include <math.h>
#include <string.h>

#include "src/cmd/sfair/page.h"

#define LEFT_PX 56
#define RIGHT_PX 960
#define TOP_PX 30
#define BOTTOM_PX 290

/* Returns the GPUs of the looks stacked below this one. */
static double below(const struct page_data *d, size_t look, size_t slot)
{
	double sum = 0;

	for (size_t i = 0; i < look; i++)
		sum += page_gpus(d, i, slot);
	return sum;
}

static double page_usage_highest(const struct page_data *d)
{
	double most = d->gpus;

	for (size_t s = 0; s < d->slot_count; s++)
		most = fmax(most, below(d, page_looks(d), s));
	return most;
}

/* Draws a look's area: steps along its upper edge, and back along its lower
 * edge. */
static void page_usage_draw_layer(const struct html_chart *c,
				  const struct page_data *d, size_t look)
{
	FILE *f = c->file;

	fputs("<path", f);
	html_series(f, "area", look);
	fputs(" d=\"", f);
	for (size_t s = 0; s < d->slot_count; s++)
		fprintf(f, "%c%.1f %.1fH%.1f", s ? 'L' : 'M',
			html_at(&c->x.scale, page_slot_at(d, s)),
			html_at(&c->y.scale, below(d, look + 1, s)),
			html_at(&c->x.scale, page_slot_at(d, s + 1)));
	for (size_t s = d->slot_count; s-- > 0;)
		fprintf(f, "L%.1f %.1fH%.1f",
			html_at(&c->x.scale, page_slot_at(d, s + 1)),
			html_at(&c->y.scale, below(d, look, s)),
			html_at(&c->x.scale, page_slot_at(d, s)));
	fputs("Z\"/>\n", f);
}

/* Draws the texts shown under the pointer: a strip for a slot, with the slot's
 * values. */
static void draw_strip(const struct html_chart *c, const struct page_data *d,
		       size_t slot)
{
	double x = html_at(&c->x.scale, page_slot_at(d, slot));
	double end = html_at(&c->x.scale, page_slot_at(d, slot + 1));
	FILE *f = c->file;

	fprintf(f,
		"<rect class=\"strip\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
		"height=\"%d\"><title>",
		x, TOP_PX, end - x, BOTTOM_PX - TOP_PX);
	page_time(f, page_slot_at(d, slot));
	for (size_t i = 0; i < page_looks(d); i++) {
		double gpus = page_gpus(d, i, slot);

		if (gpus < 0.05)
			continue;
		fputs("\n", f);
		page_look_name(d, i, f);
		fprintf(f, ": %.1f GPUs", gpus);
	}
	fputs("</title></rect>\n", f);
}

static void page_usage_put_row(const struct page_data *d, FILE *f, size_t slot)
{
	fputs("<tr><th scope=\"row\">", f);
	page_time(f, page_slot_at(d, slot));
	for (size_t i = 0; i < page_looks(d); i++) {
		fputs("<td>", f);
		page_fixed(f, page_gpus(d, i, slot), 1);
	}
	fputs("<td>", f);
	page_fixed(f, below(d, page_looks(d), slot), 1);
	fputs("\n", f);
}

static void page_usage_put_table(const struct page_data *d, FILE *f)
{
	page_details_begin(f, "GPUs in use");
	fputs("<thead><tr><th scope=\"col\">from", f);
	for (size_t i = 0; i < page_looks(d); i++) {
		fputs("<th scope=\"col\">", f);
		page_look_name(d, i, f);
	}
	fputs("<th scope=\"col\">all\n<tbody>\n", f);
	for (size_t s = 0; s < d->slot_count; s++)
		page_usage_put_row(d, f, s);
	page_details_end(f);
}

void page_usage(const struct page_data *d, FILE *file)
{
	struct page_axis marks;
	struct html_chart chart = {
		.file = file,
		.desc = "Stacked areas over time, one for each tenant; a line "
			"marks how many GPUs there are.",
		.class = "scroll",
		.width = 1000,
		.height = BOTTOM_PX + 24,
		.x = page_time_axis(d, &marks, LEFT_PX, RIGHT_PX),
		.y = {.scale = {0, 0, BOTTOM_PX, TOP_PX, false},
		      .title = "GPUs"},
	};
	char label[64];

	chart.y.scale.to = html_round_up(page_usage_highest(d), HTML_PLAIN);
	fputs("<section>\n<h2>GPUs in use, by tenant</h2>\n", file);
	page_keys(d, "area", file);
	html_chart_begin(
		&chart, "GPUs in use",
		"The mean number of GPUs that each tenant's jobs held, "
		"one tenant upon the other.");
	html_axis_y(&chart);
	html_axis_x(&chart);
	for (size_t i = 0; i < page_looks(d); i++)
		page_usage_draw_layer(&chart, d, i);
	snprintf(label, sizeof(label), "in the cluster: %.6g", d->gpus);
	if (d->gpus > 0)
		html_rule_y(&chart, d->gpus, label);
	for (size_t s = 0; s < d->slot_count; s++)
		draw_strip(&chart, d, s);
	html_chart_end(&chart);
	page_usage_put_table(d, file);
	fputs("</section>\n", file);
}

/* Fairness over time: what tenants had relative to their due, and how much of
 * their due was not given. */

#define POINTS_MAX 50 /* fewer than slots, as leases take turns */
#define RHO_MAX 2

/* Returns how many slots make a point. */
static size_t group_of(const struct page_data *d)
{
	return (d->slot_count + POINTS_MAX - 1) / POINTS_MAX;
}

static size_t point_count(const struct page_data *d)
{
	size_t group = group_of(d);

	return group ? (d->slot_count + group - 1) / group : 0;
}

static size_t group_end(const struct page_data *d, size_t point)
{
	size_t end = (point + 1) * group_of(d);

	return end < d->slot_count ? end : d->slot_count;
}

/* The time over which rho is computed. Leases take turns, so over a single
 * point rho may be 0 or twice the due. So rho is computed either from the
 * beginning, as accounts are kept, or over the last eighth of the window or
 * less, which shows changes. */
enum span { SINCE_BEGIN, LATELY, SPANS };

struct lately {
	double sec;
	const char *name;
};

static struct lately lately(const struct page_data *d)
{
	static const struct lately spans[] = {
		{604800, "week"},    {86400, "day"},	 {21600, "6 hours"},
		{7200, "2 hours"},   {3600, "hour"},	 {1800, "30 minutes"},
		{600, "10 minutes"}, {300, "5 minutes"}, {60, "minute"},
	};
	double most = (d->end_sec - d->known_sec) / 8;
	size_t i = 0;

	while (i < sizeof(spans) / sizeof(*spans) - 1 && spans[i].sec > most)
		i++;
	return spans[i];
}

/* Returns the first slot of the span that ends at a point. */
static size_t span_begin(const struct page_data *d, size_t point,
			 enum span span)
{
	size_t slots = (size_t)(lately(d).sec / d->slot_sec), end;

	if (span == SINCE_BEGIN)
		return 0;
	if (slots <= group_of(d))
		return point * group_of(d);
	end = group_end(d, point);
	return end > slots ? end - slots : 0;
}

static double page_fair_rho(const struct page_tenant *t, size_t from,
			    size_t end)
{
	double had = 0, due = 0;

	for (size_t s = from; t->cells && s < end; s++) {
		had += t->cells[s].alloc_sec;
		due += t->cells[s].fair_sec;
	}
	return due > 0 ? had / due : (double)NAN;
}

/* Returns rho at a point; NAN if nothing was due. */
static double rho_at(const struct page_data *d, const struct page_tenant *t,
		     size_t point, enum span span)
{
	return page_fair_rho(t, span_begin(d, point, span),
			     group_end(d, point));
}

static double page_fair_loss_at(const struct page_data *d, size_t point)
{
	double lack = 0, due = 0;

	for (size_t s = point * group_of(d); s < group_end(d, point); s++) {
		lack += d->slots[s].lack_sec;
		due += d->slots[s].fair_sec;
	}
	return due > 0 ? fmin(lack / due, 1) : (double)NAN;
}

static double begin_of(const struct page_data *d, size_t point)
{
	return page_slot_at(d, point * group_of(d));
}

static double page_fair_end_of(const struct page_data *d, size_t point)
{
	return page_slot_at(d, group_end(d, point));
}

static bool page_fair_is_alone(const struct page_data *d,
			       const struct page_tenant *t, size_t point,
			       enum span span)
{
	return point + 1 >= point_count(d) ||
	       isnan(rho_at(d, t, point + 1, span));
}

/* Draws a curve with gaps where nothing was due. A single point becomes a level
 * line. */
static void draw_curve(const struct html_chart *c, const struct page_data *d,
		       const struct page_tenant *t, enum span span)
{
	const struct html_scale *x = &c->x.scale;
	FILE *f = c->file;
	bool drawing = false;

	fputs("<path", f);
	html_series(f, "curve", t->look);
	fputs(" d=\"M0 0", f);
	for (size_t i = 0; i < point_count(d); i++) {
		double rho = rho_at(d, t, i, span),
		       y = html_at(&c->y.scale, rho);
		double begin = html_at(x, begin_of(d, i));
		double end = html_at(x, page_fair_end_of(d, i));

		if (!isnan(rho) && !drawing &&
		    page_fair_is_alone(d, t, i, span))
			fprintf(f, "M%.1f %.1fH%.1f", begin, y, end);
		else if (!isnan(rho))
			fprintf(f, "%c%.1f %.1f", drawing ? 'L' : 'M',
				(begin + end) / 2, y);
		drawing = !isnan(rho);
	}
	fputs("\"><title>", f);
	page_tenant_name(d, t, 64, f);
	fputs(": ", f);
	page_fixed(f, t->row.rho, 3);
	fputs(" in the window</title></path>\n", f);
}

static void draw_rho(const struct page_data *d, enum span span, FILE *file)
{
	static const char *const classes[SPANS] = {"scroll since",
						   "scroll lately"};
	struct page_axis marks;
	const struct html_chart chart = {
		.file = file,
		.desc = "A line over time for each tenant; at 1 it had just "
			"what was its due.",
		.class = classes[span],
		.width = 1000,
		.height = 254,
		.x = page_time_axis(d, &marks, LEFT_PX, RIGHT_PX),
		.y = {.scale = {0, RHO_MAX, 230, TOP_PX, false},
		      .title = "rho"},
	};

	html_chart_begin(&chart, "Tenants",
			 "rho: GPU time had over GPU time due. Below 1 a "
			 "tenant had less than its share, above 1 it was lent "
			 "what others did not want. Above 2 it is drawn at 2.");
	html_axis_y(&chart);
	html_axis_x(&chart);
	html_rule_y(&chart, 1, "its share");
	for (size_t i = page_looks(d); i-- > 0;)
		if (page_look_tenant(d, i))
			draw_curve(&chart, d, page_look_tenant(d, i), span);
	html_chart_end(&chart);
}

/* Writes the switch between the two charts below it. */
static void put_switch(const struct page_data *d, FILE *f)
{
	fputs("<input type=\"radio\" name=\"span\" id=\"since\" checked>"
	      "<label for=\"since\">since ",
	      f);
	page_time(f, d->known_sec);
	fprintf(f,
		"</label>\n<input type=\"radio\" name=\"span\" id=\"lately\">"
		"<label for=\"lately\">over the last %s</label>\n",
		lately(d).name);
}

static void page_fair_draw_bar(const struct html_chart *c,
			       const struct page_data *d, size_t point)
{
	double loss = page_fair_loss_at(d, point);
	double x = html_at(&c->x.scale, begin_of(d, point));
	double end = html_at(&c->x.scale, page_fair_end_of(d, point));
	double y = html_at(&c->y.scale, loss);
	FILE *f = c->file;

	if (isnan(loss))
		return;
	fprintf(f,
		"<rect class=\"loss\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\"><title>",
		x, y, fmax(end - x - 1, 1), fmax(c->y.scale.begin - y, 0.5));
	page_time(f, begin_of(d, point));
	fputs(": ", f);
	page_percent(f, loss);
	fputs("</title></rect>\n", f);
}

static void draw_loss(const struct page_data *d, FILE *file)
{
	struct page_axis marks;
	struct html_chart chart = {
		.file = file,
		.desc = "Bars over time: the share of what was due to tenants "
			"that they did not get.",
		.class = "scroll",
		.width = 1000,
		.height = 164,
		.x = page_time_axis(d, &marks, LEFT_PX, RIGHT_PX),
		.y = {.scale = {0, 0.1, 140, TOP_PX, false},
		      .unit = HTML_PERCENT,
		      .title = "loss, % of what was due"},
	};

	for (size_t i = 0; i < point_count(d); i++)
		if (page_fair_loss_at(d, i) > chart.y.scale.to)
			chart.y.scale.to = html_round_up(
				page_fair_loss_at(d, i), HTML_PERCENT);
	html_chart_begin(&chart, "Cluster",
			 "Loss: of the GPU time that was due to tenants, the "
			 "part that they lacked. 0 is perfectly fair.");
	html_axis_y(&chart);
	html_axis_x(&chart);
	for (size_t i = 0; i < point_count(d); i++)
		page_fair_draw_bar(&chart, d, i);
	html_chart_end(&chart);
}

static void page_fair_put_row(const struct page_data *d, FILE *f, size_t point)
{
	fputs("<tr><th scope=\"row\">", f);
	page_time(f, page_fair_end_of(d, point));
	for (size_t i = 0; page_look_tenant(d, i); i++) {
		fputs("<td>", f);
		page_fixed(
			f,
			rho_at(d, page_look_tenant(d, i), point, SINCE_BEGIN),
			2);
	}
	fputs("<td>", f);
	page_percent(f, page_fair_loss_at(d, point));
	fputs("\n", f);
}

void page_fairness(const struct page_data *d, FILE *f)
{
	fputs("<section>\n<h2>Fairness over time</h2>\n", f);
	page_keys(d, "curve", f);
	put_switch(d, f);
	draw_rho(d, SINCE_BEGIN, f);
	draw_rho(d, LATELY, f);
	draw_loss(d, f);
	page_details_begin(f, "Fairness");
	fputs("<thead><tr><th scope=\"col\">until", f);
	for (size_t i = 0; page_look_tenant(d, i); i++) {
		fputs("<th scope=\"col\">", f);
		page_look_name(d, i, f);
	}
	fputs("<th scope=\"col\">loss\n<tbody>\n", f);
	for (size_t i = 0; i < point_count(d); i++)
		page_fair_put_row(d, f, i);
	page_details_end(f);
	fputs("</section>\n", f);
}
