/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history's thread: it takes reports and writes what happened to a file.
 * Whatever goes wrong with the file costs history, and is told once: it tries
 * again every minute. See doc/history.md.
 */
#ifndef ASTRA_HISTORY_H
#define ASTRA_HISTORY_H

#include "src/history/writer.h"

struct astra_history_options {
	const char *file;
	const char *cluster;
	struct astra_history_keep keep;
	double write_sec; /* between transactions; 0: 5 */
	double retry_sec; /* after an error; 0: 60 */
	void (*log_line)(bool is_error, const char *text); /* may be NULL */
};

/* Start to write. options: copied.
 * Does no I/O itself: a file that cannot be opened is the thread's to tell.
 * Returns 0, or -1 with err set. */
int astra_history_start(const struct astra_history_options *options,
			struct astra_error *err);

/* Take note of a report, by a reference of its own. Never waits for I/O; with
 * 8 that wait already the oldest is left out: the next one covers it.
 * Locks: none. Does nothing when there is no thread. */
void astra_history_note(struct astra_report *report);

/* Write what waits, and end the thread. */
void astra_history_stop(void);

struct astra_history_stats {
	struct astra_report_history figures; /* strings: those below */
	char file[512];
	struct astra_error error;
};

/* Since when it wants to be told what has ended: when it was written last, if
 * it is paused, else now_sec. Seconds since the epoch. Locks: none; any thread.
 */
double astra_history_behind(double now_sec);

/* Locks: none; any thread. */
void astra_history_stats(struct astra_history_stats *out);

#endif
