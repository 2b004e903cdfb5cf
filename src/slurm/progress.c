/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/proto/query.h"

/* What a job may make the engine believe. */
#define WORK_SEC_MIN 1.0
#define WORK_SEC_MAX (10 * 365.25 * 86400)

struct entry {
	uint32_t job;
	struct astra_report_progress progress;
	struct astra_report_checkpoint checkpoint;
	bool seen; /* since astra_progress_begin() */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static size_t entry_count, entry_room;
static struct astra_idmap by_job;

static struct entry *find(uint32_t job)
{
	uint32_t at = astra_idmap_get(&by_job, job);

	return at == ASTRA_IDMAP_NONE ? NULL : &entries[at];
}

static struct entry *add(uint32_t job)
{
	if (entry_count >= ASTRA_PROGRESS_MAX ||
	    astra_grow(&entries, &entry_room, entry_count + 1,
		       sizeof(*entries)) < 0 ||
	    astra_idmap_put(&by_job, job, (uint32_t)entry_count) < 0)
		return NULL;
	entries[entry_count] = (struct entry){.job = job};
	return &entries[entry_count++];
}

static void drop(size_t at)
{
	astra_idmap_del(&by_job, entries[at].job);
	if (at != --entry_count) {
		entries[at] = entries[entry_count];
		/* Its key is there: this needs no memory. */
		(void)astra_idmap_put(&by_job, entries[at].job, (uint32_t)at);
	}
}

static void keep(struct entry *e, const struct astra_query *query,
		 double now_sec)
{
	const struct astra_said *said = &query->said;

	if (query->kind == ASTRA_QUERY_CHECKPOINTED) {
		e->checkpoint = (struct astra_report_checkpoint){
			.time_sec = now_sec,
			.step = said->step,
		};
		return;
	}
	e->progress = (struct astra_report_progress){
		.time_sec = now_sec,
		.run = said->run,
		.done = said->done,
		.total = said->total,
		.iter_sec = said->iter_sec,
		.loss = said->loss,
	};
}

int astra_progress_note(const struct astra_query *query, double now_sec,
			struct astra_error *err)
{
	uint32_t job = query->jobs.refs[0].id;
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = find(job);
	if (!e)
		e = add(job);
	if (e)
		keep(e, query, now_sec);
	pthread_mutex_unlock(&lock);
	if (!e)
		return astra_error_set(err,
				       "too many jobs report: try again later");
	return 0;
}

void astra_progress_show(struct astra_report_job *job)
{
	const struct entry *e;

	pthread_mutex_lock(&lock);
	e = find(job->id);
	if (e) {
		job->progress = e->progress;
		job->checkpoint = e->checkpoint;
	}
	pthread_mutex_unlock(&lock);
}

void astra_progress_begin(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < entry_count; i++)
		entries[i].seen = false;
}

/* What a run that has said nothing yet starts with. */
static uint64_t done_of(const struct entry *e, uint32_t run)
{
	if (e->progress.run != run && e->checkpoint.time_sec > 0 &&
	    e->checkpoint.step < e->progress.done)
		return e->checkpoint.step;
	return e->progress.done;
}

static void tell(const struct entry *e, struct astra_job *job)
{
	const struct astra_report_progress *p = &e->progress;
	struct astra_forecast *f = &job->forecast;

	if (p->time_sec <= 0 || p->iter_sec <= 0)
		return;
	if (p->total)
		f->work_sec =
			fmin(fmax((double)p->total * p->iter_sec, WORK_SEC_MIN),
			     WORK_SEC_MAX);
	f->measured = true;
	f->done_sec = fmin((double)done_of(e, job->restart_cnt) * p->iter_sec,
			   f->work_sec > 0 ? f->work_sec : WORK_SEC_MAX);
}

void astra_progress_fill(struct astra_job *jobs, size_t count)
{
	for (size_t i = 0; i < count && entry_count; i++) {
		struct entry *e = jobs[i].state == ASTRA_JOB_ENDED
					  ? NULL
					  : find(jobs[i].id);

		if (!e)
			continue;
		e->seen = true;
		tell(e, &jobs[i]);
	}
}

void astra_progress_end(void)
{
	for (size_t i = entry_count; i-- > 0;)
		if (!entries[i].seen)
			drop(i);
	pthread_mutex_unlock(&lock);
}

void astra_progress_free(void)
{
	pthread_mutex_lock(&lock);
	free(entries);
	entries = NULL;
	entry_count = entry_room = 0;
	astra_idmap_clear(&by_job);
	pthread_mutex_unlock(&lock);
}
