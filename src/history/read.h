/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports on past time, read from the history's file. */
#ifndef ASTRA_HISTORY_READ_H
#define ASTRA_HISTORY_READ_H

#include "src/common/error.h"
#include "src/proto/wire.h"

struct astra_query;
struct astra_report;
struct astra_text;
struct astra_viewer;

/* Sets the file to read from now on; path is copied. path may be NULL: then
 * there is no history. Locks: one of its own; any thread. */
void astra_history_read_from(const char *path);

/* Writes the part of a reply that follows its head, for a report; see struct
 * astra_server_options. Reads for at most some 3 seconds, and waits up to one
 * second for a lock. The connection stays open for the next report. Only one
 * thread may call this. Returns as astra_answer(). */
enum astra_fault astra_history_report(const struct astra_query *query,
				      const struct astra_viewer *viewer,
				      const struct astra_report *report,
				      struct astra_text *out,
				      struct astra_error *err);

/* Cancels the present report, and refuses later ones: the server is about to
 * stop. Any thread. */
void astra_history_read_cancel(void);

/* Closes the connection. Call this after the server has stopped. */
void astra_history_read_stop(void);

#endif
