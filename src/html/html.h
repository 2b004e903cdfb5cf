/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Self-contained HTML pages with inline SVG: the code shared by the pages of
 * sfairsim and of sfair. All output goes to a stream; its owner checks the
 * stream for errors. Otherwise pure. */
#ifndef ASTRA_HTML_PARTS_H
#define ASTRA_HTML_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes text between tags, or inside an attribute's quotes, escaped. Invalid
 * UTF-8 and control characters become question marks. (html_text.c) */
void html_text(FILE *file, const char *text);

/* Writes a coordinate with an accuracy of a tenth of a pixel. */
void html_px(FILE *file, const char *attribute, double px);

/* Maps values to pixels. */
struct html_scale {
	double from, to;   /* values */
	double begin, end; /* pixels */
	bool log;
};

/* Returns the pixel of a value, clamped to the scale's ends. */
double html_at(const struct html_scale *scale, double value);

enum html_unit { HTML_PLAIN, HTML_PERCENT, HTML_TIME };

/* Returns a round number that is at least the value. */
double html_round_up(double value, enum html_unit unit);

#define HTML_TICKS_MAX 16

/* Chooses round values for the ticks of a scale. Returns their count. */
size_t html_ticks(const struct html_scale *scale, enum html_unit unit,
		  double ticks[HTML_TICKS_MAX]);

struct html_axis {
	struct html_scale scale;
	const double *ticks; /* NULL: round values */
	size_t tick_count;
	const char *const *texts; /* labels of the ticks; NULL: the values in
				   * their unit */
	enum html_unit unit;
	const char *title;
};

/* A figure with a heading, axes, and the elements written between begin and
 * end. */
struct html_chart {
	FILE *file;
	const char *desc;  /* description for readers who cannot see the
			    * figure */
	const char *class; /* of the figure; NULL: none */
	double width, height;
	struct html_axis x, y;
};

void html_chart_begin(const struct html_chart *chart, const char *title,
		      const char *caption);
void html_chart_end(const struct html_chart *chart);

/* Write ticks, grid lines and titles. */
void html_axis_x(const struct html_chart *chart);
void html_axis_y(const struct html_chart *chart);

/* Writes a line across the chart at a value of x that has a meaning. */
void html_rule_x(const struct html_chart *chart, double value,
		 const char *label);

/* Writes a line across the chart at a value of y. The line's label stands above
 * its right end. */
void html_rule_y(const struct html_chart *chart, double value,
		 const char *label);

/* Writes the attributes by which the style recognizes a series and the legend
 * hides it. */
void html_series(FILE *file, const char *kind, size_t index);

void html_tooltip(FILE *file, const char *label, const char *what,
		  const char *text);

/* Writes the page up to its heading: black on white, light on dark if the
 * reader prefers that, and a version for paper. The page can load nothing,
 * whatever names contain.
 *
 * scripts: those that may run, as in a Content-Security-Policy. style: rules
 * after the common ones; print: rules for paper. live: rules for a page that
 * updates itself by asking its server; NULL: the page does not. */
struct html_head {
	const char *title;
	const char *scripts;
	const char *style, *print;
	const char *live;
};

void html_head(FILE *file, const struct html_head *head);

#endif
