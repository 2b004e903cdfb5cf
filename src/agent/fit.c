/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/fit.h"

#include <math.h>

#define C_MIN 0.05
#define C_MAX 4.0
#define C_STEPS 24
#define POINTS_LEAST 3
#define REFINEMENTS 40

struct sample {
	const struct agent_point *points;
	size_t count;
	double last;
};

/* a and b for that c, and what they leave unexplained. n counts in units of the
 * last iteration, so that n^-c is 1 there. */
static double fit_solve(const struct sample *s, double c, struct agent_fit *fit)
{
	double n = (double)s->count, x_mean = 0, y_mean = 0, xx = 0, xy = 0,
	       rest = 0;

	for (size_t i = 0; i < s->count; i++) {
		x_mean += pow(s->points[i].done / s->last, -c) / n;
		y_mean += s->points[i].loss / n;
	}
	for (size_t i = 0; i < s->count; i++) {
		double x = pow(s->points[i].done / s->last, -c) - x_mean;

		xx += x * x;
		xy += x * (s->points[i].loss - y_mean);
	}
	fit->c = c;
	fit->b = xx > 0 && xy > 0 ? xy / xx : 0;
	fit->a = y_mean - fit->b * x_mean;
	for (size_t i = 0; i < s->count; i++) {
		double x = pow(s->points[i].done / s->last, -c);
		double d = s->points[i].loss - fit->a - fit->b * x;

		rest += d * d / n;
	}
	fit->error = sqrt(rest);
	return rest;
}

static double c_of(int step)
{
	return C_MIN * pow(C_MAX / C_MIN, (double)step / C_STEPS);
}

/* The minimum between two steps, by the golden section. */
static void refine(const struct sample *s, double low, double high,
		   struct agent_fit *fit)
{
	const double part = (sqrt(5) - 1) / 2;
	struct agent_fit tried = *fit;
	double x = high - part * (high - low), y = low + part * (high - low);
	double at_x = fit_solve(s, x, &tried), at_y = fit_solve(s, y, &tried);

	for (int i = 0; i < REFINEMENTS; i++) {
		if (at_x <= at_y) {
			high = y;
			y = x;
			at_y = at_x;
			x = high - part * (high - low);
			at_x = fit_solve(s, x, &tried);
		} else {
			low = x;
			x = y;
			at_x = at_y;
			y = low + part * (high - low);
			at_y = fit_solve(s, y, &tried);
		}
	}
	(void)fit_solve(s, (low + high) / 2, fit);
}

bool agent_fit_curve(struct agent_fit *fit, const struct agent_point *points,
		     size_t count)
{
	struct sample s = {points, count, 0};
	double least = HUGE_VAL;
	int best = 0;

	while (s.count && !(s.points->done > 0)) {
		s.points++;
		s.count--;
	}
	if (s.count < POINTS_LEAST)
		return false;
	s.last = s.points[s.count - 1].done;
	for (int step = 0; step <= C_STEPS; step++) {
		double rest = fit_solve(&s, c_of(step), fit);

		if (rest < least) {
			least = rest;
			best = step;
		}
	}
	refine(&s, c_of(best > 0 ? best - 1 : 0),
	       c_of(best < C_STEPS ? best + 1 : C_STEPS), fit);
	fit->last = s.last;
	return true;
}

double agent_fit_loss(const struct agent_fit *fit, double iteration)
{
	return fit->a + fit->b * pow(iteration / fit->last, -fit->c);
}

double agent_fit_reaches(const struct agent_fit *fit, double loss)
{
	if (!(loss > fit->a) || !(fit->b > 0))
		return loss >= fit->a ? 0 : HUGE_VAL;
	return fit->last * pow((loss - fit->a) / fit->b, -1 / fit->c);
}
