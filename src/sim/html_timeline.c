/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of who held the GPUs over time: a panel for each case, with the
 * largest tenants stacked, and all others as one layer. */
#include <math.h>
#include <stdlib.h>

#include "src/sim/html_priv.h"

#define SHOWN_MAX 7 /* tenants with a colour of their own */

/* The tenants that held most GPU time over all cases, largest first. */
struct ranking {
	size_t order[SHOWN_MAX];
	size_t shown;
	bool rest; /* there are other tenants */
};

static double html_timeline_held(const struct astra_comparison *c,
				 size_t tenant)
{
	double sum = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct astra_digest *d = c->cases[i].digest;

		for (size_t s = 0; s < d->slot_count; s++)
			sum += d->slot_sec * astra_digest_gpus(d, s, tenant);
	}
	return sum;
}

/* Ranks the tenants, largest first; ties go to the lower index. Returns 0, or
 * -1 if out of memory. */
static int html_timeline_rank(const struct astra_comparison *c,
			      struct ranking *out)
{
	size_t count = c->trace->tenant_count;
	double *sums = calloc(count + 1, sizeof(*sums));

	if (!sums)
		return -1;
	*out = (struct ranking){.rest = count > SHOWN_MAX};
	for (size_t i = 0; i < count; i++)
		sums[i] = html_timeline_held(c, i);
	while (out->shown < count && out->shown < SHOWN_MAX) {
		size_t best = 0;

		for (size_t i = 1; i < count; i++)
			if (sums[i] > sums[best])
				best = i;
		out->order[out->shown++] = best;
		sums[best] = -1;
	}
	free(sums);
	return 0;
}

/* Returns the GPUs that the first `layers` tenants of the ranking held in a
 * slot, or those of all tenants if layers is larger than the ranking. */
static double level(const struct astra_digest *d, const struct ranking *r,
		    size_t slot, size_t layers)
{
	double sum = 0;

	if (layers > r->shown) {
		for (size_t t = 0; t < d->tenant_count; t++)
			sum += astra_digest_gpus(d, slot, t);
		return sum;
	}
	for (size_t i = 0; i < layers; i++)
		sum += astra_digest_gpus(d, slot, r->order[i]);
	return sum;
}

static double slot_at(const struct html_chart *chart,
		      const struct astra_digest *d, size_t slot)
{
	return html_at(&chart->x.scale,
		       fmin((double)slot * d->slot_sec, d->stop_sec));
}

/* Draws a layer: steps along its upper edge, and back along its lower edge. */
static void html_timeline_draw_layer(const struct html_chart *chart,
				     const struct astra_comparison *c,
				     const struct astra_digest *d,
				     const struct ranking *r, size_t layer)
{
	bool rest = layer >= r->shown;
	FILE *f = chart->file;

	fprintf(f, "<path class=\"area %s%zu\" d=\"", rest ? "rest" : "a",
		layer);
	for (size_t s = 0; s < d->slot_count; s++)
		fprintf(f, "%c%.1f %.1fH%.1f", s ? 'L' : 'M',
			slot_at(chart, d, s),
			html_at(&chart->y.scale, level(d, r, s, layer + 1)),
			slot_at(chart, d, s + 1));
	for (size_t s = d->slot_count; s-- > 0;)
		fprintf(f, "L%.1f %.1fH%.1f", slot_at(chart, d, s + 1),
			html_at(&chart->y.scale, level(d, r, s, layer)),
			slot_at(chart, d, s));
	fputs("Z\"><title>", f);
	html_text(f, rest ? "the others"
			  : c->trace->tenants[r->order[layer]].name);
	fputs("</title></path>\n", f);
}

static void html_timeline_draw_panel(const struct astra_comparison *c,
				     FILE *file, const struct ranking *r,
				     size_t index, double stop_sec)
{
	const struct astra_digest *d = c->cases[index].digest;
	const struct html_chart chart = {
		.file = file,
		.width = 520,
		.height = 180,
		.x = {.scale = {0, stop_sec, 60, 505, false},
		      .unit = HTML_TIME,
		      .title = ""},
		.y = {.scale = {0, (double)c->gpus, 150, 24, false},
		      .title = "GPUs"},
	};

	html_chart_begin(&chart, c->cases[index].label, "");
	html_axis_x(&chart);
	html_axis_y(&chart);
	for (size_t i = 0; i < r->shown + r->rest; i++)
		html_timeline_draw_layer(&chart, c, d, r, i);
	html_chart_end(&chart);
}

static void html_timeline_put_key(const struct astra_comparison *c, FILE *file,
				  const struct ranking *r)
{
	fputs("<p class=\"keys\">", file);
	for (size_t i = 0; i < r->shown; i++) {
		fprintf(file, "<span class=\"tenant\"><i class=\"a%zu\"></i>",
			i);
		html_text(file, c->trace->tenants[r->order[i]].name);
		fputs("</span> ", file);
	}
	if (r->rest)
		fprintf(file,
			"<span class=\"tenant\"><i class=\"rest%zu\"></i>the "
			"other %zu</span>",
			r->shown, c->trace->tenant_count - r->shown);
	fputs("</p>\n", file);
}

int html_timelines(const struct astra_comparison *c, FILE *file)
{
	struct ranking ranking;
	double stop_sec = 0;

	if (html_timeline_rank(c, &ranking) < 0)
		return -1;
	for (size_t i = 0; i < c->count; i++)
		stop_sec = fmax(stop_sec, c->cases[i].digest->stop_sec);
	fputs("<h2>GPUs held, by tenant</h2>\n", file);
	html_timeline_put_key(c, file, &ranking);
	fputs("<div class=\"charts\">\n", file);
	for (size_t i = 0; i < c->count; i++)
		html_timeline_draw_panel(c, file, &ranking, i, stop_sec);
	fputs("</div>\n", file);
	return 0;
}
