/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time, from the history's file. */
#ifndef ASTRA_HISTORY_READ_H
#define ASTRA_HISTORY_READ_H

#include "src/common/error.h"
#include "src/proto/wire.h"

struct astra_query;
struct astra_report;
struct astra_text;
struct astra_viewer;

/* Which file to read from now on; copied. NULL: none, no history is kept.
 * Locks: one of its own; any thread. */
void astra_history_read_from(const char *path);

/* What follows the head of the reply to a report: struct
 * astra_server_options. It reads for some 3 seconds at most, and waits
 * one for a lock. The connection is kept for the next one.
 * For one thread. Returns as astra_answer(). */
enum astra_fault astra_history_report(const struct astra_query *query,
				      const struct astra_viewer *viewer,
				      const struct astra_report *report,
				      struct astra_text *out,
				      struct astra_error *err);

/* End the report in work, and begin none: the server is about to stop. Any
 * thread. */
void astra_history_read_cancel(void);

/* Close the connection. Once the server has stopped. */
void astra_history_read_stop(void);

#endif
