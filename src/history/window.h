/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rows of the history's tables make up a span of time. Pure, but for the
 * time zone. */
#ifndef ASTRA_HISTORY_WINDOW_H
#define ASTRA_HISTORY_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "src/history/schema.h"

/* The begin of the minute, hour or day that a time is in: whole minutes and
 * hours since the epoch, days by the local calendar. */
int64_t astra_history_bucket(enum astra_history_level level, int64_t sec);
/* The begin of the next one. */
int64_t astra_history_next(enum astra_history_level level, int64_t sec);

/* All rows of a level with from <= time < to. */
struct astra_history_piece {
	enum astra_history_level level;
	int64_t from, to;
};

#define ASTRA_HISTORY_PIECES 7 /* where midnight is no whole hour; else 5 */

struct astra_history_window {
	int64_t start_sec, end_sec; /* what is covered */
	struct astra_history_piece pieces[ASTRA_HISTORY_PIECES];
	size_t count;
};

/* Take a span apart into the largest rows that fit, none counted twice: days
 * in the middle, hours and then minutes at its ends. An end goes outward to the
 * next whole minute, or, where the minutes are no longer kept, hour or day.
 * first: by level the time of the oldest row; INT64_MAX: there is none.
 * start < end. */
void astra_history_split(int64_t start_sec, int64_t end_sec,
			 const int64_t first[ASTRA_HISTORY_LEVELS],
			 struct astra_history_window *out);

/* The same for one row after the other of one level: the finest that is kept
 * since the start and has at most 400 of them in the span; else days.
 * Returns how long one is. */
int64_t astra_history_series(int64_t start_sec, int64_t end_sec,
			     const int64_t first[ASTRA_HISTORY_LEVELS],
			     struct astra_history_window *out);

#endif
