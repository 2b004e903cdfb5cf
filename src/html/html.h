/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Self-contained HTML pages with inline SVG: what the pages of sfairsim and of
 * sfair share. Everything is written to a stream, whose owner finds out whether
 * that has failed. Pure but for that. */
#ifndef ASTRA_HTML_PARTS_H
#define ASTRA_HTML_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text between tags or in an attribute's quotes: escaped, and of what is no
 * UTF-8 or a control character only question marks. (html_text.c) */
void html_text(FILE *file, const char *text);

/* A coordinate: one tenth of a pixel is enough. */
void html_px(FILE *file, const char *attribute, double px);

/* From values to pixels. */
struct html_scale {
	double from, to;   /* values */
	double begin, end; /* pixels */
	bool log;
};

/* Clamped to the ends. */
double html_at(const struct html_scale *scale, double value);

enum html_unit { HTML_PLAIN, HTML_PERCENT, HTML_TIME };

/* From a value to one above it that is a round number. */
double html_round_up(double value, enum html_unit unit);

#define HTML_TICKS_MAX 16

/* Round values to mark on a scale. Returns how many. */
size_t html_ticks(const struct html_scale *scale, enum html_unit unit,
		  double ticks[HTML_TICKS_MAX]);

struct html_axis {
	struct html_scale scale;
	const double *ticks; /* NULL: round values */
	size_t tick_count;
	const char *const *texts; /* of the ticks; NULL: by their unit */
	enum html_unit unit;
	const char *title;
};

/* One drawing: a figure of its own with a heading, axes and what is put
 * between begin and end. */
struct html_chart {
	FILE *file;
	const char *desc;  /* what is to be seen, for those who cannot */
	const char *class; /* of the figure; NULL: none */
	double width, height;
	struct html_axis x, y;
};

void html_chart_begin(const struct html_chart *chart, const char *title,
		      const char *caption);
void html_chart_end(const struct html_chart *chart);

/* Ticks, grid lines and titles. */
void html_axis_x(const struct html_chart *chart);
void html_axis_y(const struct html_chart *chart);

/* A line across at a value of x that has a meaning. */
void html_rule_x(const struct html_chart *chart, double value,
		 const char *label);

/* The same at a value of y; the label stands above its right end. */
void html_rule_y(const struct html_chart *chart, double value,
		 const char *label);

/* Attributes by which the style knows a series and the legend hides it. */
void html_series(FILE *file, const char *kind, size_t index);

void html_tooltip(FILE *file, const char *label, const char *what,
		  const char *text);

/* The page up to its heading, in black on white, in light on dark where the
 * reader has it so, and on paper; nothing may be fetched from anywhere,
 * whatever a name may say.
 * scripts: which ones may run, as in a Content-Security-Policy.
 * style: rules after the common ones; print: those of paper.
 * live: rules of a page that is renewed, which may ask whoever served it; NULL:
 * it is not. */
struct html_head {
	const char *title;
	const char *scripts;
	const char *style, *print;
	const char *live;
};

void html_head(FILE *file, const struct html_head *head);

#endif
