/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From reports to the history's file: each is compared with what the file and
 * memory know, and what has happened since is added in one transaction. So a
 * file that is left at any moment is consistent, and a writer that opens it
 * goes on from there. No Slurm, no threads.
 */
#ifndef ASTRA_HISTORY_WRITER_H
#define ASTRA_HISTORY_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "src/common/error.h"
#include "src/proto/report.h"

/* How long rows are kept; 0: for ever. */
struct astra_history_keep {
	double minute_sec, hour_sec, day_sec;
	double job_sec; /* jobs, runs, leases, after the job's end */
};

struct astra_writer;

/* Open the file, or make it, and take up what is open in it.
 * note: gets a text when a file was renamed for it, else "".
 * Returns NULL with err set. Free with astra_writer_close(). */
struct astra_writer *astra_writer_open(const char *path, const char *cluster,
				       const struct astra_history_keep *keep,
				       struct astra_error *note,
				       struct astra_error *err);

/* Accepts NULL. What has not been written is forgotten. */
void astra_writer_close(struct astra_writer *writer);

/* What became of the file that is open, as the end of a sentence; NULL: it is
 * where it was. It looks at the path once, without a lock. */
const char *astra_writer_lost(const struct astra_writer *writer,
			      const char *path);

/* Write what happened up to the last of these reports, oldest first.
 * Returns 0, or -1 with err set: then nothing of it is in the file, and the
 * writer is of no more use but to be closed. *damaged: the file is, and should
 * be set aside. */
int astra_writer_add(struct astra_writer *writer,
		     struct astra_report *const *reports, size_t count,
		     bool *damaged, struct astra_error *err);

/* Delete a bounded number of rows that are too old; in transactions of its own.
 * Returns 1 when there is more to do, 0, or -1 with err set. */
int astra_writer_prune(struct astra_writer *writer, double now_sec,
		       struct astra_error *err);

/* Rows written by it so far. */
uint64_t astra_writer_rows(const struct astra_writer *writer);

/* Rows that it has left out, since there were too many at once. */
uint64_t astra_writer_rows_dropped(const struct astra_writer *writer);

#endif
