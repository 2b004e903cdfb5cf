/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the rows of the history's tables that cover a span of time. Pure,
 * except for the time zone. */
#ifndef ASTRA_HISTORY_WINDOW_H
#define ASTRA_HISTORY_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "src/history/schema.h"

/* Returns the start of the minute, hour or day of a time. Minutes and hours are
 * whole ones since the epoch; days follow the local calendar. */
int64_t astra_history_bucket(enum astra_history_level level, int64_t sec);
/* Returns the start of the next minute, hour or day. */
int64_t astra_history_next(enum astra_history_level level, int64_t sec);

/* All rows of a level with from <= time < to. */
struct astra_history_piece {
	enum astra_history_level level;
	int64_t from, to;
};

#define ASTRA_HISTORY_PIECES 7 /* at most; 5 if midnight is a whole hour */

struct astra_history_window {
	int64_t start_sec, end_sec; /* the span covered */
	struct astra_history_piece pieces[ASTRA_HISTORY_PIECES];
	size_t count;
};

/* Splits a span into the largest rows that fit, without overlap: days in the
 * middle, hours and then minutes at both ends. Each end is moved outward to a
 * whole minute or, if minutes of that time are deleted, to a whole hour or day.
 * first: the time of the oldest row of each level; INT64_MAX: the level has no
 * rows. start_sec < end_sec. */
void astra_history_split(int64_t start_sec, int64_t end_sec,
			 const int64_t first[ASTRA_HISTORY_LEVELS],
			 struct astra_history_window *out);

/* Covers a span with rows of one level: the finest level that is kept since
 * start_sec and has at most 400 rows in the span; else days. Returns the length
 * of a row in seconds. */
int64_t astra_history_series(int64_t start_sec, int64_t end_sec,
			     const int64_t first[ASTRA_HISTORY_LEVELS],
			     struct astra_history_window *out);

#endif
