/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "src/html/html.h"

double html_at(const struct html_scale *s, double value)
{
	double v = fmin(fmax(value, s->from), s->to);
	double part = s->log ? log(v / s->from) / log(s->to / s->from)
			     : (v - s->from) / (s->to - s->from);

	if (!(s->to > s->from) || isnan(part))
		return s->begin;
	return s->begin + part * (s->end - s->begin);
}

/* 1, 2 or 5 times a power of ten, not below the value. */
static double round_step(double value)
{
	double power = pow(10, floor(log10(value))), lead = value / power;

	if (lead <= 1 + 1e-9)
		return power;
	if (lead <= 2 + 1e-9)
		return 2 * power;
	return lead <= 5 + 1e-9 ? 5 * power : 10 * power;
}

/* The least step of a clock or calendar that is not below the value. */
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
