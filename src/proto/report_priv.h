/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a report among themselves. */
#ifndef ASTRA_REPORT_PRIV_H
#define ASTRA_REPORT_PRIV_H

#include <stdatomic.h>

#include "src/common/idmap.h"
#include "src/proto/report.h"
#include "src/proto/report_members.h"

struct astra_report_private {
	atomic_uint references;
	struct astra_report_chunk *chunks;
	struct astra_idmap by_id; /* job -> index */
};

/* report_keep.c: memory that lives as long as the report. */

/* A copy of so many items of a size, without their texts; aligned for numbers.
 * NULL when memory is out. */
const void *astra_report_copy(struct astra_report *report, const void *items,
			      size_t count, size_t size);

/* A copy of a text. like: a text of the report that may be the same, or NULL;
 * names repeat from one record to the next. NULL when memory is out. */
const char *astra_report_keep(struct astra_report *report, const char *text,
			      const char *like);

/* Replace a record's texts by copies. before: the record before it, whose texts
 * are copies already, or NULL. Returns 0, or -1 when memory is out. */
int astra_report_keep_all(struct astra_report *report, void *record,
			  const void *before,
			  const struct astra_member *members);

/* Append a copy of a record with its texts to a list: its address, its length
 * and its room. Returns 0, or -1 when memory is out: the list is as before. */
int astra_report_append(struct astra_report *report, void *list, size_t *count,
			size_t *room, const void *record, size_t size,
			const struct astra_member *members);

/* Free it all. */
void astra_report_forget(struct astra_report_private *own);

/* report_app.c: put a job that was added into the list of its app. */
void astra_report_link(struct astra_report *report,
		       struct astra_report_job *job);

#endif
