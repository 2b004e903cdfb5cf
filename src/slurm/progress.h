/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs have said of themselves: the newest progress and checkpoint of
 * each, until it ends. It is in memory only. The thread of the socket writes,
 * that of the rounds reads; a lock of its own is held for as long as a copy
 * takes. Pure: no Slurm, no I/O.
 *
 * There is one in a process.
 */
#ifndef ASTRA_PROGRESS_H
#define ASTRA_PROGRESS_H

#include "src/common/error.h"
#include "src/policy/model.h"
#include "src/proto/report.h"

#define ASTRA_PROGRESS_MAX 131072 /* jobs */

struct astra_query;

/* Keep what a job said, which astra_answer() has let pass.
 * Returns 0, or -1 with err set when there is no room. */
int astra_progress_note(const struct astra_query *query, double now_sec,
			struct astra_error *err);

/* Copy what is known of a job into its record of a report. */
void astra_progress_show(struct astra_report_job *job);

/* Tell the engine: work_sec and done_sec of the forecast, where the job said
 * enough. Of a run that follows the one that reported, only what was saved
 * counts. Iterations are taken for as long as on all the GPUs that it asks for,
 * side by side. Once two levels were measured, of the job or of its app, its
 * slowdown is as measured, as far as it was: see astra_speed_refine().
 * nodes: those of the jobs' shares.
 * Call begin, fill for each pool's jobs, and end, in one thread; end forgets
 * the jobs that were in none of them or have ended. No calls in between. */
void astra_progress_begin(void);
void astra_progress_fill(const struct astra_node *nodes, struct astra_job *jobs,
			 size_t count);
void astra_progress_end(void);

void astra_progress_free(void);

#endif
