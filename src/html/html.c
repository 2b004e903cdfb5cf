/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/html/html.h"

#include <math.h>

#include "src/common/encode.h"
#include "src/html/common.css.h"
#include "src/html/print.css.h"

void html_head(FILE *file, const struct html_head *head)
{
	fprintf(file,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width,"
		"initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"script-src %s; img-src data:; base-uri 'none'; "
		"form-action 'none'%s\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>",
		head->scripts, head->live ? "; connect-src 'self'" : "");
	html_text(file, head->title);
	fprintf(file,
		"</title>\n<style>\n%s%s%s@page{size:landscape;margin:12mm}\n"
		"@media print{\n%s%s}\n</style>\n%s"
		"</head>\n<body>\n<main>\n<h1>",
		common_css, head->style, head->live ? head->live : "",
		print_css, head->print,
		head->live ? "<noscript><meta http-equiv=\"refresh\" "
			     "content=\"30\"></noscript>\n"
			   : "");
	html_text(file, head->title);
	fputs("</h1>\n", file);
}

static const char *entity(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Whether a character is a control (C0, DEL, or C1: U+0080 to U+009F), or turns
 * the direction of text (U+202A to U+202E, U+2066 to U+2069). */
static bool is_control(const unsigned char *at, size_t size)
{
	if (size == 1)
		return *at < ' ' || *at == 0x7f;
	if (size == 2)
		return at[0] == 0xc2 && at[1] < 0xa0;
	return size == 3 && at[0] == 0xe2 &&
	       ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
		(at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
}

void html_text(FILE *file, const char *text)
{
	while (*text) {
		size_t size = astra_utf8_size(text);
		const char *code = entity(*text);

		if (!size || is_control((const unsigned char *)text, size))
			fputc('?', file);
		else if (code)
			fputs(code, file);
		else
			fwrite(text, 1, size, file);
		text += size ? size : 1;
	}
}

void html_px(FILE *file, const char *attribute, double px)
{
	fprintf(file, " %s=\"%.1f\"", attribute, px);
}

/* Writes a number for a tick or a tooltip, rounded. */
static void html_number(FILE *file, double value)
{
	if (isnan(value))
		fputs("-", file);
	else if (isinf(value))
		fputs("∞", file);
	else if (fabs(value) >= 1e6)
		fprintf(file, "%.4g M", value / 1e6);
	else if (fabs(value) >= 1e4)
		fprintf(file, "%.4g k", value / 1e3);
	else
		fprintf(file, "%.4g", value);
}

/* Writes a time for an axis, such as 30 s, 5 min, 2 h or 3 d. */
static void html_time(FILE *file, double sec)
{
	if (!isfinite(sec) || sec < 60)
		fprintf(file, "%.3g s", sec);
	else if (sec < 3600)
		fprintf(file, "%.3g min", sec / 60);
	else if (sec < 2 * 86400)
		fprintf(file, "%.3g h", sec / 3600);
	else
		fprintf(file, "%.3g d", sec / 86400);
}

double html_at(const struct html_scale *s, double value)
{
	double v = fmin(fmax(value, s->from), s->to);
	double part = s->log ? log(v / s->from) / log(s->to / s->from)
			     : (v - s->from) / (s->to - s->from);

	if (!(s->to > s->from) || isnan(part))
		return s->begin;
	return s->begin + part * (s->end - s->begin);
}

/* Returns the least number that is at least the value, among 1, 2 and 5 times
 * powers of ten. */
static double round_step(double value)
{
	double power = pow(10, floor(log10(value))), lead = value / power;

	if (lead <= 1 + 1e-9)
		return power;
	if (lead <= 2 + 1e-9)
		return 2 * power;
	return lead <= 5 + 1e-9 ? 5 * power : 10 * power;
}

/* Returns the least usual step of clocks and calendars that is at least the
 * value. */
static double time_step(double sec)
{
	static const double steps[] = {
		1,     2,     5,     10,    15,	    30,	    60,
		120,   300,   600,   900,   1800,   3600,   7200,
		10800, 21600, 43200, 86400, 172800, 432000, 604800,
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (sec <= steps[i] * (1 + 1e-9))
			return steps[i];
	return 86400 * round_step(sec / 86400);
}

double html_round_up(double value, enum html_unit unit)
{
	double step;

	if (!(value > 0) || !isfinite(value))
		return 1;
	step = unit == HTML_TIME ? time_step(value / 5) : round_step(value / 5);
	return ceil(value / step - 1e-9) * step;
}

static size_t linear_ticks(const struct html_scale *s, double step,
			   double *ticks)
{
	size_t count = 0;

	for (double i = ceil(s->from / step - 1e-9);
	     i * step <= s->to * (1 + 1e-9) && count < HTML_TICKS_MAX; i++)
		ticks[count++] = i * step + 0.0; /* no -0 */
	return count;
}

static size_t log_ticks(const struct html_scale *s, double *ticks)
{
	static const double leads[] = {1, 2, 5};
	double decades = log10(s->to / s->from);
	size_t each = decades > 4 ? 1 : 3, count = 0;

	for (double p = pow(10, floor(log10(s->from))); p <= s->to; p *= 10)
		for (size_t i = 0; i < each && count < HTML_TICKS_MAX; i++)
			if (leads[i] * p >= s->from * (1 - 1e-9) &&
			    leads[i] * p <= s->to * (1 + 1e-9))
				ticks[count++] = leads[i] * p;
	return count;
}

size_t html_ticks(const struct html_scale *s, enum html_unit unit,
		  double ticks[HTML_TICKS_MAX])
{
	double fifth = (s->to - s->from) / 5;

	if (!(s->to > s->from))
		return 0;
	if (s->log)
		return log_ticks(s, ticks);
	return linear_ticks(
		s, unit == HTML_TIME ? time_step(fifth) : round_step(fifth),
		ticks);
}

#define TICK_TEXT_PX 15
#define TITLE_TEXT_PX 32

void html_chart_begin(const struct html_chart *c, const char *title,
		      const char *caption)
{
	FILE *f = c->file;

	if (c->class)
		fprintf(f, "<figure class=\"%s\">", c->class);
	else
		fputs("<figure>", f);
	fputs("<figcaption><b>", f);
	html_text(f, title);
	fputs("</b> ", f);
	html_text(f, caption);
	fprintf(f,
		"</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		"aria-label=\"",
		c->width, c->height);
	html_text(f, title);
	fputs("\">\n", f);
	if (!c->desc)
		return;
	fputs("<desc>", f);
	html_text(f, c->desc);
	fputs("</desc>\n", f);
}

void html_chart_end(const struct html_chart *c)
{
	fputs("</svg></figure>\n", c->file);
}

static void chart_put_value(FILE *f, double value, enum html_unit unit)
{
	if (unit == HTML_TIME) {
		html_time(f, value);
		return;
	}
	html_number(f, unit == HTML_PERCENT ? 100 * value : value);
	if (unit == HTML_PERCENT)
		fputs(" %", f);
}

static void chart_put_text(FILE *f, double x, double y, const char *class)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
}

static void chart_put_line(FILE *f, double x1, double y1, double x2, double y2,
			   const char *class)
{
	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"class=\"%s\"/>\n",
		x1, y1, x2, y2, class);
}

static size_t axis_ticks(const struct html_axis *axis, double *ticks)
{
	if (!axis->ticks)
		return html_ticks(&axis->scale, axis->unit, ticks);
	for (size_t i = 0; i < axis->tick_count; i++)
		ticks[i] = axis->ticks[i];
	return axis->tick_count;
}

void html_axis_x(const struct html_chart *c)
{
	const struct html_scale *s = &c->x.scale;
	double bottom = c->y.scale.begin, top = c->y.scale.end;
	double ticks[HTML_TICKS_MAX];
	size_t count = axis_ticks(&c->x, ticks);

	for (size_t i = 0; i < count; i++) {
		double at = html_at(s, ticks[i]);

		chart_put_line(c->file, at, bottom, at, top, "grid");
		chart_put_text(c->file, at, bottom + TICK_TEXT_PX, "tick mid");
		if (c->x.texts)
			html_text(c->file, c->x.texts[i]);
		else
			chart_put_value(c->file, ticks[i], c->x.unit);
		fputs("</text>\n", c->file);
	}
	chart_put_line(c->file, s->begin, bottom, s->end, bottom, "axis");
	chart_put_text(c->file, (s->begin + s->end) / 2, bottom + TITLE_TEXT_PX,
		       "title mid");
	html_text(c->file, c->x.title);
	fputs("</text>\n", c->file);
}

void html_axis_y(const struct html_chart *c)
{
	const struct html_scale *s = &c->y.scale;
	double left = c->x.scale.begin, right = c->x.scale.end;
	double ticks[HTML_TICKS_MAX];
	size_t count = axis_ticks(&c->y, ticks);

	for (size_t i = 0; i < count; i++) {
		double at = html_at(s, ticks[i]);

		chart_put_line(c->file, left, at, right, at, "grid");
		chart_put_text(c->file, left - 6, at + 4, "tick end");
		chart_put_value(c->file, ticks[i], c->y.unit);
		fputs("</text>\n", c->file);
	}
	chart_put_text(c->file, left, s->end - 8, "title");
	html_text(c->file, c->y.title);
	fputs("</text>\n", c->file);
}

void html_rule_x(const struct html_chart *c, double value, const char *label)
{
	double at = html_at(&c->x.scale, value);

	chart_put_line(c->file, at, c->y.scale.begin, at, c->y.scale.end,
		       "rule");
	chart_put_text(c->file, at + 4, c->y.scale.end + 10, "tick");
	html_text(c->file, label);
	fputs("</text>\n", c->file);
}

void html_rule_y(const struct html_chart *c, double value, const char *label)
{
	double at = html_at(&c->y.scale, value);

	chart_put_line(c->file, c->x.scale.begin, at, c->x.scale.end, at,
		       "rule");
	chart_put_text(c->file, c->x.scale.end - 4, at - 4, "tick end");
	html_text(c->file, label);
	fputs("</text>\n", c->file);
}

void html_series(FILE *file, const char *kind, size_t index)
{
	fprintf(file, " class=\"%s c%zu d%zu\" data-s=\"%zu\"", kind, index % 8,
		index / 8 % 3, index);
}

void html_tooltip(FILE *file, const char *label, const char *what,
		  const char *text)
{
	fputs("<title>", file);
	html_text(file, label);
	fputs(": ", file);
	html_text(file, what);
	fputs(" ", file);
	html_text(file, text);
	fputs("</title>", file);
}
