/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/engine/guard.h"

#include <math.h>
#include <stdio.h>

#include "src/policies/options.h"
#include "src/policies/policy.h"

#define TERMS_MAX 4
#define RUN_LEAST .4   /* part of a term; shorter runs say nothing */
#define GAIN_LEAST .1  /* part of a run; a smaller gain counts as none */
#define NEED_TIMES 1.5 /* the new lease is this many times the need */
#define BARREN_TIMES 2
#define BARREN_RUNS 2

double astra_guard_max(const struct astra_options *options)
{
	const struct astra_policy *policy = astra_policy_find(options->policy);

	if (!options->leases || !policy || policy->slots)
		return 0;
	return options->lease_max_sec > 0 ? options->lease_max_sec
					  : TERMS_MAX * options->lease_sec;
}

/* Lengthen the lease. need_sec: as in struct astra_guard. */
static void lengthen(struct astra_guard *g, double lease_sec, double need_sec)
{
	double lease = fmin(ceil(lease_sec), g->longest_sec);
	bool longer = lease > g->term_sec;
	bool capped = need_sec > 0 ? need_sec > g->longest_sec : !longer;

	if (!longer && (!capped || g->capped))
		return;
	if (longer) {
		g->was_sec = g->term_sec;
		g->lease_sec = g->term_sec = lease;
	}
	g->capped = capped;
	g->need_sec = need_sec;
	g->wasted = g->barren;
	g->changes++;
}

double astra_guard_need_sec(const struct astra_guard *g)
{
	double startup = fmax(g->startup_sec[0], g->startup_sec[1]);

	if (startup <= 0)
		return 0;
	if (g->signalled)
		return startup + g->iter_sec + g->write_sec;
	return startup + fmax(g->gap_sec, g->iter_sec);
}

static void check_need(struct astra_guard *g)
{
	double need = astra_guard_need_sec(g);

	if (need > g->term_sec)
		lengthen(g, NEED_TIMES * need, need);
}

bool astra_guard_is_barren(const struct astra_guard *g)
{
	return g->barren >= BARREN_RUNS;
}

static void guard_count_run(struct astra_guard *g, bool barren)
{
	g->barren = barren ? g->barren + 1 : 0;
	if (astra_guard_is_barren(g))
		lengthen(g, BARREN_TIMES * g->term_sec, 0);
}

/* Judge a run that is over. */
static void guard_judge(struct astra_guard *g, double end_sec)
{
	double length = end_sec - g->start_sec;

	if (length < RUN_LEAST * g->term_sec)
		return;
	g->open = !g->saves && g->heard && g->newest > g->first;
	g->open_first = g->first;
	g->open_sec = length;
	if (!g->open)
		guard_count_run(g, g->saves ? g->saved <= g->step : true);
}

static void guard_begin(struct astra_guard *g,
			const struct astra_guard_look *look)
{
	g->begun = true;
	g->heard = g->started_up = false;
	g->run = look->run;
	g->step = g->saved;
	g->signal_sec = 0;
}

void astra_guard_follow(struct astra_guard *g,
			const struct astra_guard_look *look)
{
	g->longest_sec = look->longest_sec;
	if (g->begun && g->run != look->run) {
		guard_judge(g, look->end_sec > g->start_sec ? look->end_sec
							    : g->seen_sec);
		g->begun = false;
	}
	/* The snapshot may be older than the guard's last change. */
	g->term_sec =
		fmax(look->term_sec, fmin(g->lease_sec, look->longest_sec));
	g->signalled = look->signalled;
	if (!look->running)
		return;
	if (!g->begun)
		guard_begin(g, look);
	g->start_sec = look->start_sec;
	g->seen_sec = look->now_sec;
}

/* Judge the last run by what this run began with: it begins at iteration
 * `first`, so the last run saved that much. */
static void guard_settle(struct astra_guard *g)
{
	double gain = g->first > g->open_first
			      ? (double)(g->first - g->open_first)
			      : 0;

	if (!g->open)
		return;
	g->open = false;
	guard_count_run(g, gain <= 0 || (g->iter_sec > 0 &&
					 gain * g->iter_sec <
						 GAIN_LEAST * g->open_sec));
}

/* Return the iterations that the run began with. If the job reports
 * checkpoints, they are what was saved. Otherwise, in a later run, they are
 * those of its first report. */
static uint64_t base_of(const struct astra_guard *g)
{
	if (g->saves)
		return g->step;
	return g->run ? g->first : 0;
}

/* Measure the start-up. A job that continues an earlier job's checkpoint has
 * not done all the iterations that it reports: then all the time until its
 * report counts as start-up. */
static void measure_startup(struct astra_guard *g, double time_sec,
			    uint64_t done)
{
	double startup = time_sec - g->start_sec;
	double since = (double)(done - base_of(g)) * g->iter_sec;

	g->started_up = true;
	g->startup_sec[1] = g->startup_sec[0];
	g->startup_sec[0] =
		fmax(0, startup > since ? startup - since : startup);
}

void astra_guard_progress(struct astra_guard *g, double time_sec, uint64_t done,
			  double iter_sec)
{
	bool first = !g->heard;

	if (iter_sec > 0)
		g->iter_sec = iter_sec;
	g->heard = true;
	g->newest = done;
	if (first) {
		g->first = done;
		guard_settle(g);
	}
	if (!g->started_up && done > base_of(g))
		measure_startup(g, time_sec, done);
	check_need(g);
}

/* Return since when this run has had unsaved work; 0: unknown. */
static double unsaved_since(const struct astra_guard *g)
{
	if (g->saves && g->saved_run == g->run)
		return g->saved_sec;
	return g->started_up ? g->start_sec + g->startup_sec[0] : 0;
}

void astra_guard_saved(struct astra_guard *g, double time_sec, uint64_t step)
{
	double since = unsaved_since(g);

	if (g->signal_sec > 0)
		g->write_sec = fmax(0, time_sec - g->signal_sec);
	else if (since > 0 && step > g->saved)
		g->gap_sec = fmax(0, time_sec - since);
	g->saved = step;
	g->saves = true;
	g->saved_run = g->run;
	g->saved_sec = time_sec;
	check_need(g);
}

void astra_guard_signal(struct astra_guard *g, double time_sec)
{
	g->signal_sec = time_sec;
}

static const char *span(double sec, char text[32])
{
	astra_print_time(ceil(sec), text, 32);
	return text;
}

void astra_guard_text(const struct astra_guard *g, char text[ASTRA_GUARD_TEXT])
{
	char why[100] = "", was[32], now[32], need[32];

	*text = '\0';
	if (!g->changes)
		return;
	span(g->was_sec, was);
	span(g->capped ? g->longest_sec : g->lease_sec, now);
	if (g->need_sec > 0)
		snprintf(why, sizeof(why),
			 "start-up and one checkpoint take %s",
			 span(g->need_sec, need));
	else
		snprintf(why, sizeof(why), "%u runs in a row saved nothing",
			 g->wasted);
	if (g->capped)
		snprintf(text, ASTRA_GUARD_TEXT,
			 "%s, but a lease here is at most %s: what it does may "
			 "be lost",
			 why, now);
	else
		snprintf(text, ASTRA_GUARD_TEXT,
			 "%s, its lease was %s: now it is %s", why, was, now);
}
