/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/model/auction.h"
#include "src/model/speed.h"
#include "src/policies/forecast.h"
#include "src/policies/options.h"
#include "src/proto/query.h"
#include "src/slurm/note/progress_priv.h"

struct progress_entry *progress_find(const struct progress_table *t,
				     uint32_t key)
{
	uint32_t at = astra_idmap_get(&t->by_key, key);

	return at == ASTRA_IDMAP_NONE ? NULL : &t->list[at];
}

struct progress_entry *progress_obtain(struct progress_table *t, uint32_t key)
{
	struct progress_entry *e = progress_find(t, key);

	if (e)
		return e;
	if (t->count >= ASTRA_PROGRESS_MAX ||
	    astra_grow(&t->list, &t->room, t->count + 1, sizeof(*t->list)) <
		    0 ||
	    astra_idmap_put(&t->by_key, key, (uint32_t)t->count) < 0)
		return NULL;
	t->list[t->count] = (struct progress_entry){.key = key};
	return &t->list[t->count++];
}

static void progress_drop(struct progress_table *t, size_t at)
{
	astra_idmap_del(&t->by_key, t->list[at].key);
	if (at != --t->count) {
		t->list[at] = t->list[t->count];
		/* The key exists already, so this call needs no memory. */
		(void)astra_idmap_put(&t->by_key, t->list[at].key,
				      (uint32_t)at);
	}
}

static void progress_clear(struct progress_table *t)
{
	free(t->list);
	astra_idmap_clear(&t->by_key);
	*t = (struct progress_table){0};
}

/* Take over a saved entry of an earlier process; newer reports have
 * priority. */
static void progress_take_over(struct progress_table *t,
			       const struct progress_entry *saved)
{
	struct progress_entry *e = progress_obtain(t, saved->key);
	struct progress_entry now;

	if (!e)
		return;
	now = *e;
	*e = *saved;
	if (now.progress.time_sec > 0) {
		e->progress = now.progress;
		e->fresh = e->unguarded[0] = true;
	}
	if (now.checkpoint.time_sec > 0) {
		e->checkpoint = now.checkpoint;
		e->saved_run = now.saved_run;
		e->unguarded[1] = true;
	}
}

/* Bounds on what a job can make the engine believe. */
#define WORK_SEC_MIN 1.0
#define WORK_SEC_MAX (10 * 365.25 * 86400)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct progress_table jobs_known, apps_known, arrays_known;
static atomic_bool any_longer; /* in the last round, the guard lengthened a
				* lease */
static bool any_untold, longer;
static bool changed; /* since the last save */

static void progress_keep(struct progress_entry *e,
			  const struct astra_query *query, double now_sec)
{
	const struct astra_said *said = &query->said;

	if (query->kind == ASTRA_QUERY_CHECKPOINTED) {
		e->checkpoint = (struct astra_report_checkpoint){
			.time_sec = now_sec,
			.step = said->step,
		};
		e->saved_run = said->run;
		e->unguarded[1] = true;
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
	e->fresh = e->unguarded[0] = true;
}

int astra_progress_note(const struct astra_query *query, double now_sec,
			struct astra_error *err)
{
	uint32_t job = query->jobs.refs[0].id;
	struct progress_entry *e;

	pthread_mutex_lock(&lock);
	e = progress_obtain(&jobs_known, job);
	if (e)
		progress_keep(e, query, now_sec);
	changed |= e != NULL;
	pthread_mutex_unlock(&lock);
	if (!e)
		return astra_error_set(err,
				       "too many jobs report: try again later");
	return 0;
}

void astra_progress_show(struct astra_report_job *job, double now_sec,
			 struct astra_progress_texts *texts)
{
	const struct progress_entry *e;

	*texts = (struct astra_progress_texts){0};
	job->advice = texts->advice;
	job->speedup = texts->speedup;
	pthread_mutex_lock(&lock);
	e = progress_find(&jobs_known, job->of.id);
	if (e) {
		job->progress = e->progress;
		job->checkpoint = e->checkpoint;
		astra_guard_text(&e->guard, texts->advice);
		astra_scaling_text(&e->scaling, now_sec, texts->speedup);
	}
	pthread_mutex_unlock(&lock);
}

static void unsee(struct progress_table *t)
{
	for (size_t i = 0; i < t->count; i++)
		t->list[i].seen = false;
}

static void sweep(struct progress_table *t)
{
	for (size_t i = t->count; i-- > 0;)
		if (!t->list[i].seen) {
			progress_drop(t, i);
			changed = true;
		}
}

void astra_progress_begin(void)
{
	pthread_mutex_lock(&lock);
	unsee(&jobs_known);
	unsee(&apps_known);
	unsee(&arrays_known);
	longer = false;
}

/* Return how many iterations a run has at its begin, before its first report:
 * those of its checkpoint. */
static uint64_t done_of(const struct progress_entry *e, uint32_t run)
{
	if (e->progress.run != run && e->checkpoint.time_sec > 0 &&
	    e->checkpoint.step < e->progress.done)
		return e->checkpoint.step;
	return e->progress.done;
}

/* Return the profile of a job's app; NULL: none. The jobs of an app are assumed
 * to be alike. A job that is its own app has a profile of its own; an array's
 * record shares that of its tasks. The key of a named app may equal an array's
 * id, so there are two tables. noted: add a profile if there is none. */
static struct progress_entry *progress_app_of(const struct astra_job *job,
					      bool noted)
{
	uint32_t key = (uint32_t)astra_app_of(job);
	struct progress_table *t =
		job->forecast.app ? &apps_known : &arrays_known;

	if (noted && (job->forecast.app || job->array_id))
		return progress_obtain(t, key);
	return progress_find(t, key);
}

/* Note where a job's GPUs were when it reported, if the same run still holds
 * them. */
static void progress_measure(struct progress_entry *e,
			     struct progress_entry *app,
			     const struct astra_node *nodes,
			     const struct astra_job *job)
{
	const struct astra_report_progress *p = &e->progress;
	uint32_t gpus;

	e->fresh = false;
	changed = true;
	e->at = ASTRA_LEVEL_SLOT;
	e->share = 1;
	e->gpus = 0;
	if (job->state != ASTRA_JOB_RUNNING || p->run != job->restart_cnt)
		return;
	gpus = astra_held_gpus(job);
	if (!gpus)
		return;
	e->at = astra_level_of(nodes, job->held, job->held_count);
	e->gpus = job->request.gpus_min ? gpus : 0;
	if (e->gpus)
		e->share = (double)gpus / job->request.gpus;
	if (p->iter_sec <= 0)
		return;
	progress_note_size(e, app);
	astra_speed_note(&e->speed, e->at, p->iter_sec * gpus);
	if (app)
		astra_speed_note(&app->speed, e->at, p->iter_sec * gpus);
}

static bool is_known(uint32_t levels)
{
	return (levels & (levels - 1)) != 0; /* at least two */
}

static uint32_t levels_of(const struct progress_entry *e)
{
	return e ? astra_speed_seen(&e->speed) : 0;
}

/* Put the measured slowdown into the forecast. e and app may be NULL. */
static void tell_slowdown(const struct progress_entry *e,
			  const struct progress_entry *app,
			  struct astra_forecast *f)
{
	uint32_t own = levels_of(e), of_app = levels_of(app);
	double slowdown[ASTRA_LEVEL_COUNT];

	if (!is_known(own) && !is_known(of_app))
		return;
	memcpy(slowdown, astra_slowdown(f), sizeof(slowdown));
	if (is_known(of_app))
		astra_speed_refine(&app->speed, slowdown);
	if (own)
		astra_speed_refine(&e->speed, slowdown);
	memcpy(f->slowdown, slowdown, sizeof(f->slowdown));
	f->levels_seen = own | of_app;
}

static void tell_work(const struct progress_entry *e,
		      const struct astra_scaling *scaling, double now_sec,
		      struct astra_job *job)
{
	const struct astra_report_progress *p = &e->progress;
	struct astra_forecast *f = &job->forecast;
	double iter_sec = progress_iter_sec(e, scaling, now_sec, job);

	if (p->time_sec <= 0 || p->iter_sec <= 0)
		return;
	if (p->total)
		f->work_sec =
			fmin(fmax((double)p->total * iter_sec, WORK_SEC_MIN),
			     WORK_SEC_MAX);
	f->measured = true;
	f->done_sec = fmin((double)done_of(e, job->restart_cnt) * iter_sec,
			   f->work_sec > 0 ? f->work_sec : WORK_SEC_MAX);
}

/* Pass new reports to the guard, if they are of the run that it follows. */
static void feed_guard(struct progress_entry *e)
{
	struct astra_guard *g = &e->guard;

	if (e->unguarded[0] && g->begun && g->run == e->progress.run) {
		astra_guard_progress(g, e->progress.time_sec, e->progress.done,
				     e->progress.iter_sec);
		e->unguarded[0] = false;
	}
	if (e->unguarded[1] && g->begun && g->run == e->saved_run) {
		astra_guard_saved(g, e->checkpoint.time_sec,
				  e->checkpoint.step);
		e->unguarded[1] = false;
	}
}

/* Return when the run began. If the clock was set since then, only the engine
 * knows. */
static double progress_run_start(const struct astra_progress_pool *pool,
				 const struct astra_job *job)
{
	double start = pool->engine
			       ? astra_engine_run_start(pool->engine, job->id,
							job->restart_cnt)
			       : 0;

	return start > 0 && !job->booting ? start : job->start_sec;
}

/* Let the guard look at a job. The guard is fed before and after, as a run's
 * end may be seen before its last report. */
static void guard(struct progress_entry *e,
		  const struct astra_progress_pool *pool, struct astra_job *job)
{
	const struct astra_options *o = pool->options;
	const struct astra_guard_look look = {
		.now_sec = pool->now_sec,
		.run = job->restart_cnt,
		.running = job->state == ASTRA_JOB_RUNNING,
		.signalled = job->checkpoints,
		.start_sec = progress_run_start(pool, job),
		.end_sec = job->end_sec,
		.term_sec = job->lease_sec > 0 || !o ? job->lease_sec
						     : o->lease_sec,
		.longest_sec = o ? astra_guard_max(o) : 0,
	};

	if (look.longest_sec <= 0 || !job->revocable)
		return;
	feed_guard(e);
	changed |= !e->guard.begun || e->guard.run != look.run;
	astra_guard_follow(&e->guard, &look);
	feed_guard(e);
	if (e->guard.term_sec > look.term_sec)
		job->lease_sec = e->guard.term_sec;
	if (astra_guard_is_barren(&e->guard))
		job->unprepared = true;
	else if (e->guard.saves)
		job->unprepared = false;
	job->min_run_sec = astra_guard_need_sec(&e->guard);
	longer |= e->guard.lease_sec > 0;
	any_untold |= e->guard.changes != e->told;
}

void astra_progress_fill(const struct astra_progress_pool *pool,
			 struct astra_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct astra_job *job = &jobs[i];
		const struct astra_scaling *scaling;
		struct progress_entry *e, *app;

		if (job->state == ASTRA_JOB_ENDED)
			continue;
		e = progress_find(&jobs_known, job->id);
		app = progress_app_of(job, e && e->fresh);
		if (app)
			app->seen = true;
		if (e && e->fresh)
			progress_measure(e, app, pool->nodes, job);
		tell_slowdown(e, app, &job->forecast);
		scaling = progress_tell_size(e, app, pool->now_sec, job);
		if (!e)
			continue;
		e->seen = true;
		tell_work(e, scaling, pool->now_sec, job);
		guard(e, pool, job);
	}
}

void astra_progress_end(void)
{
	sweep(&jobs_known);
	sweep(&apps_known);
	sweep(&arrays_known);
	atomic_store(&any_longer, longer);
	pthread_mutex_unlock(&lock);
}

void astra_progress_shift(double by_sec)
{
	pthread_mutex_lock(&lock);
	progress_shift(&jobs_known, by_sec);
	progress_shift(&apps_known, by_sec);
	progress_shift(&arrays_known, by_sec);
	changed = true;
	pthread_mutex_unlock(&lock);
}

double astra_progress_lease(uint32_t job)
{
	const struct progress_entry *e;
	double lease_sec;

	if (!atomic_load(&any_longer))
		return 0;
	pthread_mutex_lock(&lock);
	e = job ? progress_find(&jobs_known, job) : NULL;
	lease_sec = e ? e->guard.lease_sec : 0;
	pthread_mutex_unlock(&lock);
	return lease_sec;
}

void astra_progress_signalled(uint32_t job, uint32_t run, double time_sec)
{
	struct progress_entry *e;

	pthread_mutex_lock(&lock);
	e = progress_find(&jobs_known, job);
	if (e && e->guard.begun && e->guard.run == run) {
		astra_guard_signal(&e->guard, time_sec);
		changed = true;
	}
	pthread_mutex_unlock(&lock);
}

size_t astra_progress_advice(struct astra_advice *list, size_t max)
{
	size_t count = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; any_untold && i < jobs_known.count && count < max;
	     i++) {
		struct progress_entry *e = &jobs_known.list[i];

		if (e->told == e->guard.changes)
			continue;
		e->told = e->guard.changes;
		changed = true;
		list[count].job = e->key;
		astra_guard_text(&e->guard, list[count++].text);
	}
	any_untold = count == max;
	pthread_mutex_unlock(&lock);
	return count;
}

bool astra_progress_changed(void)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = changed;
	pthread_mutex_unlock(&lock);
	return any;
}

void astra_progress_save(struct astra_bytes *out)
{
	pthread_mutex_lock(&lock);
	progress_save(&jobs_known, out);
	progress_save(&apps_known, out);
	progress_save(&arrays_known, out);
	changed = false;
	pthread_mutex_unlock(&lock);
}

static void take_over(struct progress_table *t, struct progress_table *saved)
{
	for (size_t i = 0; i < saved->count; i++)
		progress_take_over(t, &saved->list[i]);
	progress_clear(saved);
}

int astra_progress_restore(struct astra_reader *in, uint32_t version,
			   double now_sec)
{
	struct progress_table saved[3] = {{0}};
	int rc = 0;

	for (size_t i = 0; !rc && i < 3; i++)
		rc = progress_restore(&saved[i], in, version, now_sec);
	if (!rc && in->at == in->size) {
		pthread_mutex_lock(&lock);
		take_over(&jobs_known, &saved[0]);
		take_over(&apps_known, &saved[1]);
		take_over(&arrays_known, &saved[2]);
		pthread_mutex_unlock(&lock);
		return 0;
	}
	for (size_t i = 0; i < 3; i++)
		progress_clear(&saved[i]);
	return -1;
}

void astra_progress_free(void)
{
	pthread_mutex_lock(&lock);
	changed = false;
	progress_clear(&jobs_known);
	progress_clear(&apps_known);
	progress_clear(&arrays_known);
	pthread_mutex_unlock(&lock);
}
