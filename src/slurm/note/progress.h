/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs report about themselves: each job's newest progress and checkpoint,
 * kept until it ends, and what was learned from the reports. The socket's
 * thread writes them; the rounds' thread reads and saves them (told_state.h). A
 * lock of this module is held only while they are copied. Pure: no Slurm, no
 * I/O. A process has one table. */
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

/* Keep a job's report that astra_answer() has accepted. Returns 0, or -1 with
 * err set when there is no room. */
int astra_progress_note(const struct astra_query *query, double now_sec,
			struct astra_error *err);

struct astra_progress_texts {
	char advice[ASTRA_GUARD_TEXT];
	char speedup[ASTRA_SCALING_TEXT];
};

/* Copy what is known of a job now into its row of a report. The row borrows the
 * texts. */
void astra_progress_show(struct astra_report_job *job, double now_sec,
			 struct astra_progress_texts *texts);

/* Pass reports to the engine: work_sec and done_sec of the forecast, if the job
 * reported enough. If the present run has not reported, only saved work counts.
 * An iteration is assumed to last as long as on all the GPUs that the job asks
 * for, side by side. Once two levels were measured, of the job or of its app,
 * the measured values replace the assumed slowdown: see astra_speed_refine().
 * Once two sizes were measured, an elastic job asks for no more GPUs than it
 * can use: see astra_scaling_most(). In a pool with leases, the guard looks at
 * each job that has reported. Call begin, then fill for each pool's jobs, then
 * end, all in one thread and without other calls in between. end forgets jobs
 * that were in no pool or have ended. */
void astra_progress_begin(void);
struct astra_progress_pool {
	const struct astra_node *nodes;	     /* nodes by the index in the jobs'
					      * shares */
	const struct astra_options *options; /* NULL: the guard is not used */
	const struct astra_engine *engine;   /* of the pool; NULL: none */
	double now_sec;
};

void astra_progress_fill(const struct astra_progress_pool *pool,
			 struct astra_job *jobs, size_t count);
void astra_progress_end(void);

/* Move all times by by_sec: the host's clock was set forward, or back if by_sec
 * is negative. */
void astra_progress_shift(double by_sec);

/* Return the lease term that the guard gives a job, as of the last round; 0:
 * none. */
double astra_progress_lease(uint32_t job);

/* Note that this run of a job got its checkpoint signal at time_sec. */
void astra_progress_signalled(uint32_t job, uint32_t run, double time_sec);

/* An advice for a job's user that was not given yet. */
struct astra_advice {
	uint32_t job;
	char text[ASTRA_GUARD_TEXT];
};

/* Fill in at most max advices, each of them only once. Returns how many; the
 * others come with later calls. */
size_t astra_progress_advice(struct astra_advice *list, size_t max);

#define ASTRA_PROGRESS_VERSION 2

/* Save everything that is known; return whether anything has changed since the
 * last save. */
void astra_progress_save(struct astra_bytes *out);
bool astra_progress_changed(void);

/* Take over what an earlier process saved, unless a job has reported since.
 * now_sec: the present time; nothing can be newer. Returns 0, or -1 when memory
 * is out or the data is invalid; then nothing is taken over. */
int astra_progress_restore(struct astra_reader *in, uint32_t version,
			   double now_sec);

void astra_progress_free(void);

#endif
