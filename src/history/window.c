/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/window.h"

#include <stdbool.h>
#include <time.h>

#define STEPS_MAX 400

static const int64_t level_sec[ASTRA_HISTORY_LEVELS] = {60, 3600, 86400};

static bool on_day(int64_t sec, const struct tm *day)
{
	time_t when = (time_t)sec;
	struct tm tm;

	return localtime_r(&when, &tm) && tm.tm_mday == day->tm_mday;
}

/* Returns the first second of the day that is `days` later. If clocks change at
 * midnight, a day may have no midnight or two; mktime() may return either. */
static int64_t midnight(int64_t sec, int days)
{
	time_t when = (time_t)sec;
	struct tm tm, noon;
	int64_t begin;

	if (!localtime_r(&when, &tm))
		return sec - sec % 86400 + days * 86400;
	tm.tm_mday += days;
	tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	tm.tm_hour = 12;
	noon = tm;
	mktime(&noon);
	tm.tm_hour = 0;
	begin = (int64_t)mktime(&tm);
	if (!on_day(begin, &noon))
		return begin + 3600;
	return on_day(begin - 3600, &noon) ? begin - 3600 : begin;
}

int64_t astra_history_bucket(enum astra_history_level level, int64_t sec)
{
	if (level == ASTRA_HISTORY_DAY)
		return midnight(sec, 0);
	return sec - sec % level_sec[level];
}

int64_t astra_history_next(enum astra_history_level level, int64_t sec)
{
	if (level == ASTRA_HISTORY_DAY)
		return midnight(sec, 1);
	return sec - sec % level_sec[level] + level_sec[level];
}

static int64_t round_up(enum astra_history_level level, int64_t sec)
{
	int64_t begin = astra_history_bucket(level, sec);

	return begin == sec ? sec : astra_history_next(level, sec);
}

/* Sets, for each level, the time since which its rows are complete. If a
 * level's first row is in the first hour or day of the next coarser level,
 * nothing of the level was deleted. */
static void kept_since(const int64_t *first, int64_t *since)
{
	for (int i = 0; i < ASTRA_HISTORY_DAY; i++) {
		enum astra_history_level next = (enum astra_history_level)i + 1;

		since[i] = first[i];
		if (first[i] < INT64_MAX &&
		    astra_history_bucket(next, first[i]) <= first[next])
			since[i] = INT64_MIN;
	}
}

/* Returns the finest level whose rows are complete from sec on. */
static enum astra_history_level finest(int64_t sec, const int64_t *first)
{
	if (sec >= first[ASTRA_HISTORY_MINUTE])
		return ASTRA_HISTORY_MINUTE;
	return sec >= first[ASTRA_HISTORY_HOUR] ? ASTRA_HISTORY_HOUR
						: ASTRA_HISTORY_DAY;
}

static void window_add(struct astra_history_window *w,
		       enum astra_history_level level, int64_t from, int64_t to)
{
	if (from < to)
		w->pieces[w->count++] =
			(struct astra_history_piece){level, from, to};
}

/* Covers a span with rows of this level, and of finer levels at its ends. That
 * makes at most seven pieces: minutes, hours, minutes, days, minutes, hours,
 * minutes. */
static void cover(struct astra_history_window *w,
		  enum astra_history_level level, int64_t from, int64_t to)
{
	int64_t inner = round_up(level, from);
	int64_t outer = astra_history_bucket(level, to);

	if (level == ASTRA_HISTORY_MINUTE) {
		window_add(w, level, from, to);
	} else if (inner >= outer) {
		cover(w, level - 1, from, to);
	} else {
		cover(w, level - 1, from, inner);
		window_add(w, level, inner, outer);
		cover(w, level - 1, outer, to);
	}
}

/* Whether all rows of the window are kept. This fails if midnight is not a
 * whole hour and the minutes between hours and days are deleted. */
static bool is_kept(const struct astra_history_window *w, const int64_t *first)
{
	for (size_t i = 0; i < w->count; i++)
		if (finest(w->pieces[i].from, first) > w->pieces[i].level)
			return false;
	return true;
}

/* Covers a span, widened to whole rows of the finest level that is kept and not
 * finer than `least`. Returns whether all its rows are kept. */
static bool split_by(enum astra_history_level least, int64_t start_sec,
		     int64_t end_sec, const int64_t *since,
		     struct astra_history_window *out)
{
	enum astra_history_level at_start = finest(start_sec, since);
	enum astra_history_level at_end = finest(end_sec - 1, since);

	at_start = at_start < least ? least : at_start;
	at_end = at_end < least ? least : at_end;
	out->start_sec = astra_history_bucket(at_start, start_sec);
	out->end_sec = round_up(at_end, end_sec);
	for (int top = ASTRA_HISTORY_DAY; top >= (int)least; top--) {
		out->count = 0;
		cover(out, (enum astra_history_level)top, out->start_sec,
		      out->end_sec);
		if (is_kept(out, since))
			return true;
	}
	return false;
}

void astra_history_split(int64_t start_sec, int64_t end_sec,
			 const int64_t first[ASTRA_HISTORY_LEVELS],
			 struct astra_history_window *out)
{
	int64_t since[ASTRA_HISTORY_DAY];

	kept_since(first, since);
	*out = (struct astra_history_window){0};
	for (int least = 0; least < ASTRA_HISTORY_DAY; least++)
		if (split_by((enum astra_history_level)least, start_sec,
			     end_sec, since, out))
			return;
	out->start_sec = astra_history_bucket(ASTRA_HISTORY_DAY, start_sec);
	out->end_sec = round_up(ASTRA_HISTORY_DAY, end_sec);
	out->count = 0;
	window_add(out, ASTRA_HISTORY_DAY, out->start_sec, out->end_sec);
}

int64_t astra_history_series(int64_t start_sec, int64_t end_sec,
			     const int64_t first[ASTRA_HISTORY_LEVELS],
			     struct astra_history_window *out)
{
	int64_t since[ASTRA_HISTORY_DAY];
	enum astra_history_level level;

	kept_since(first, since);
	level = finest(start_sec, since);
	while (level < ASTRA_HISTORY_DAY &&
	       (end_sec - start_sec) / level_sec[level] > STEPS_MAX)
		level++;
	*out = (struct astra_history_window){
		.start_sec = astra_history_bucket(level, start_sec),
		.end_sec = round_up(level, end_sec),
	};
	window_add(out, level, out->start_sec, out->end_sec);
	return level_sec[level];
}
