/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes reports to the history's file. Each report is compared with the file
 * and the state in memory, and one transaction adds the changes. So the file is
 * consistent at any moment, and a new writer can continue from it. No Slurm, no
 * threads. */
#ifndef ASTRA_HISTORY_WRITER_H
#define ASTRA_HISTORY_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

/* How long rows are kept; 0: for ever. */
struct astra_history_keep {
	double minute_sec, hour_sec, day_sec;
	double job_sec; /* jobs, runs and leases, from the job's end on */
};

struct astra_writer;

/* Opens the file, or makes it, and loads the jobs that have not ended. note:
 * set to a text if a file was renamed, else "". Returns NULL with err set on
 * failure. Free with astra_writer_close(). */
struct astra_writer *astra_writer_open(const char *path, const char *cluster,
				       const struct astra_history_keep *keep,
				       struct astra_error *note,
				       struct astra_error *err);

/* Closes the file, and drops what was not written. Accepts NULL. */
void astra_writer_close(struct astra_writer *writer);

/* Returns what became of the open file, as the end of a sentence; NULL if the
 * file is still at path. Looks at the path once, without a lock. */
const char *astra_writer_lost(const struct astra_writer *writer,
			      const char *path);

/* Writes all changes up to the last of these reports; the oldest report comes
 * first. Returns 0, or -1 with err set: then the file has none of the changes,
 * and the writer can only be closed. *damaged: whether the file is damaged and
 * should be set aside. */
int astra_writer_add(struct astra_writer *writer,
		     struct astra_report *const *reports, size_t count,
		     bool *damaged, struct astra_error *err);

/* Deletes a bounded number of rows that are too old, in transactions of its
 * own. Returns 1 if more remain, 0 if none do, or -1 with err set. */
int astra_writer_prune(struct astra_writer *writer, double now_sec,
		       struct astra_error *err);

/* Returns the count of rows written so far. */
uint64_t astra_writer_rows(const struct astra_writer *writer);

/* Returns the count of rows dropped so far because there were too many at
 * once. */
uint64_t astra_writer_rows_dropped(const struct astra_writer *writer);

#endif
