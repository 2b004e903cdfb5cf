/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs have said of themselves: the newest progress and checkpoint of
 * each, until it ends, and what was learned from that. The thread of the socket
 * writes, that of the rounds reads and saves (told_state.h); a lock of its own
 * is held for as long as a copy takes. Pure: no Slurm, no I/O.
 *
 * There is one in a process.
 */
#ifndef ASTRA_PROGRESS_H
#define ASTRA_PROGRESS_H

#include "src/common/bytes.h"
#include "src/common/error.h"
#include "src/engine/engine.h"
#include "src/engine/guard.h"
#include "src/model/model.h"
#include "src/model/scaling.h"
#include "src/proto/report.h"

#define ASTRA_PROGRESS_MAX 131072 /* jobs */

struct astra_query;

/* Keep what a job said, which astra_answer() has let pass.
 * Returns 0, or -1 with err set when there is no room. */
int astra_progress_note(const struct astra_query *query, double now_sec,
			struct astra_error *err);

struct astra_progress_texts {
	char advice[ASTRA_GUARD_TEXT];
	char speedup[ASTRA_SCALING_TEXT];
};

/* Copy what is known of a job by now into its record of a report, which borrows
 * the texts. */
void astra_progress_show(struct astra_report_job *job, double now_sec,
			 struct astra_progress_texts *texts);

/* Tell the engine: work_sec and done_sec of the forecast, where the job said
 * enough. Of a run that follows the one that reported, only what was saved
 * counts. Iterations are taken for as long as on all the GPUs that it asks for,
 * side by side. Once two levels were measured, of the job or of its app, its
 * slowdown is as measured, as far as it was: see astra_speed_refine(). Once two
 * sizes were, an elastic job asks for no more GPUs than are of use to it: see
 * astra_scaling_most().
 * In a pool with leases the guard looks at each job that has reported.
 * Call begin, fill for each pool's jobs, and end, in one thread; end forgets
 * the jobs that were in none of them or have ended. No calls in between. */
void astra_progress_begin(void);
struct astra_progress_pool {
	const struct astra_node *nodes;	     /* of the jobs' shares */
	const struct astra_options *options; /* NULL: no guard */
	const struct astra_engine *engine;   /* of the pool; NULL: none */
	double now_sec;
};

void astra_progress_fill(const struct astra_progress_pool *pool,
			 struct astra_job *jobs, size_t count);
void astra_progress_end(void);

/* Move all times by so much: the host's clock was set forward, or back if
 * negative. */
void astra_progress_shift(double by_sec);

/* The lease term that the guard gives a job, as of the last round; 0: none. */
double astra_progress_lease(uint32_t job);

/* This run of a job was told to write a checkpoint, at that time. */
void astra_progress_signalled(uint32_t job, uint32_t run, double time_sec);

/* What users are to know and were not told yet. */
struct astra_advice {
	uint32_t job;
	char text[ASTRA_GUARD_TEXT];
};

/* Returns how many there are, at most max; the others come later. Each once. */
size_t astra_progress_advice(struct astra_advice *list, size_t max);

#define ASTRA_PROGRESS_VERSION 2

/* All that is known; and whether anything changed since that was saved. */
void astra_progress_save(struct astra_bytes *out);
bool astra_progress_changed(void);

/* What a process before this one saved; what jobs have said since counts more.
 * now_sec: nothing was said later than that.
 * Returns 0, or -1 when out of memory or the data makes no sense: nothing is
 * taken over. */
int astra_progress_restore(struct astra_reader *in, uint32_t version,
			   double now_sec);

void astra_progress_free(void);

#endif
