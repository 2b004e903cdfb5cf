/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who used the GPUs when: tenants one on the other, under the line of all that
 * there are. */
#include <math.h>

#include "src/cmd/sfair/page.h"

#define LEFT_PX 56
#define RIGHT_PX 960
#define TOP_PX 30
#define BOTTOM_PX 290

/* GPUs of the looks before this one. */
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

/* Steps along the upper edge and back along the lower one. */
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

/* The text under the pointer: a strip for each slot, with its numbers. */
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
