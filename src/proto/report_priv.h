/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a report among themselves. */
#ifndef ASTRA_REPORT_PRIV_H
#define ASTRA_REPORT_PRIV_H

#include <stdatomic.h>

#include "src/common/idmap.h"
#include "src/proto/report.h"

struct astra_report_private {
	atomic_uint references;
	struct astra_report_chunk *chunks;
	struct astra_idmap by_id; /* job -> index */
};

/* report_keep.c: memory that lives as long as the report. */

/* Aligned for numbers. NULL when memory is out. */
void *astra_report_take(struct astra_report *report, size_t size);

/* A copy of a text. like: a text of the report that may be the same, or NULL;
 * names repeat from one record to the next. NULL when memory is out. */
const char *astra_report_keep(struct astra_report *report, const char *text,
			      const char *like);

/* Replace a record's strings, which are at these offsets, by copies. before:
 * the record before it, whose strings are copies already, or NULL.
 * Returns 0, or -1 when memory is out. */
int astra_report_keep_all(struct astra_report *report, void *record,
			  void *before, const size_t *offsets, size_t count);

/* Free it all. */
void astra_report_forget(struct astra_report_private *own);

/* report_app.c: put a job that was added into the list of its app. */
void astra_report_link(struct astra_report *report,
		       struct astra_report_job *job);

#endif
