/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history's thread: it takes reports, and writes the changes to a file. An
 * error of the file costs only history: the first one is logged, and the thread
 * tries again every minute. See doc/history.md. */
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

/* Starts the history's thread. options: copied. Does no I/O: if the file cannot
 * be opened, the thread reports it later. Returns 0, or -1 with err set. */
int astra_history_start(const struct astra_history_options *options,
			struct astra_error *err);

/* Queues a report, with a reference of its own. Never waits for I/O. If 8
 * reports are already queued, drops the oldest: the report after it covers its
 * time. Does nothing if there is no thread. Locks: none. */
void astra_history_note(struct astra_report *report);

/* Writes the queued reports, and ends the thread. */
void astra_history_stop(void);

struct astra_history_stats {
	struct astra_report_history figures; /* its strings are those below */
	char file[512];
	struct astra_error error;
};

/* Returns the time since which the history needs to know of ended jobs: the
 * last write if the history is paused, else now_sec. In seconds since the
 * epoch. Locks: none; any thread. */
double astra_history_behind(double now_sec);

/* Copies the history's state and its counts. Locks: none; any thread. */
void astra_history_stats(struct astra_history_stats *out);

#endif
