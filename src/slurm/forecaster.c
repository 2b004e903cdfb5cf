/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/forecaster.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/common/grow.h"
#include "src/policy/engine_image.h"
#include "src/policy/snapshot_copy.h"
#include "src/proto/report.h"
#include "src/slurm/forecaster_priv.h"

#define CPU_PART 20 /* it rests so many times as long as it worked */

/* The engine's thread's. */
static struct astra_runtimes runtimes;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool started;
static atomic_bool stop;
/* Under the mutex. */
static struct look *question; /* to be taken up */
static bool busy;
static struct astra_forecaster_due {
	char pool[ASTRA_POOL_NAME_MAX];
	double at_sec;
} * dues;
static size_t due_count, due_room;
static struct table *tables;
static size_t table_count, table_room;

static struct table *find_table(const char *pool)
{
	for (size_t i = 0; i < table_count; i++)
		if (!strcmp(tables[i].pool, pool))
			return &tables[i];
	return NULL;
}

/* Nothing is foreseen of the pool any more. */
static void forget_table(const char *pool)
{
	struct table *table;

	pthread_mutex_lock(&mutex);
	table = find_table(pool);
	if (table)
		table->count = 0;
	pthread_mutex_unlock(&mutex);
}

static void keep_table(struct table table)
{
	struct table *old;

	pthread_mutex_lock(&mutex);
	old = find_table(table.pool);
	if (!old && astra_grow(&tables, &table_room, table_count + 1,
			       sizeof(*tables)) == 0) {
		old = &tables[table_count++];
		*old = (struct table){0};
	}
	if (old) {
		free(old->entries);
		*old = table;
	} else {
		free(table.entries);
	}
	pthread_mutex_unlock(&mutex);
}

static void look_ahead(const struct look *look)
{
	struct table table;

	if (astra_look_ahead(look, &stop, &table) == 0)
		keep_table(table);
}

/* When its pool may be looked at again. Caller holds the mutex. */
static struct astra_forecaster_due *due_of(const char *pool)
{
	for (size_t i = 0; i < due_count; i++)
		if (!strcmp(dues[i].pool, pool))
			return &dues[i];
	if (astra_grow(&dues, &due_room, due_count + 1, sizeof(*dues)) < 0)
		return NULL;
	dues[due_count] = (struct astra_forecaster_due){.at_sec = 0};
	snprintf(dues[due_count].pool, sizeof(dues->pool), "%s", pool);
	return &dues[due_count++];
}

static void *run(void *arg)
{
	(void)arg;
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	pthread_mutex_lock(&mutex);
	while (!atomic_load(&stop)) {
		struct look *look = question;
		double begin = astra_look_cpu_sec();
		struct astra_forecaster_due *due;

		if (!look) {
			pthread_cond_wait(&cond, &mutex);
			continue;
		}
		question = NULL;
		pthread_mutex_unlock(&mutex);
		look_ahead(look);
		pthread_mutex_lock(&mutex);
		due = due_of(look->pool);
		if (due)
			due->at_sec =
				(double)time(NULL) +
				fmax(look->options.forecast_sec,
				     CPU_PART * (astra_look_cpu_sec() - begin));
		busy = false;
		astra_look_free(look);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int astra_forecaster_start(void)
{
	int rc;

	atomic_store(&stop, false);
	rc = pthread_create(&thread, NULL, run, NULL);
	started = rc == 0;
	if (rc)
		error("astraea: no start is foreseen: no thread: %s",
		      strerror(rc));
	return rc ? -1 : 0;
}

void astra_forecaster_stop(void)
{
	if (started) {
		pthread_mutex_lock(&mutex);
		atomic_store(&stop, true);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
	}
	started = busy = false;
	astra_look_free(question);
	question = NULL;
	for (size_t i = 0; i < table_count; i++)
		free(tables[i].entries);
	free(tables);
	free(dues);
	tables = NULL;
	dues = NULL;
	table_count = table_room = due_count = due_room = 0;
	astra_runtimes_clear(&runtimes);
}

/* Asking for it: the engine's thread. */

static struct astra_runtime_job runtime_of(const struct astra_view *view,
					   size_t i)
{
	const struct astra_job *job = &view->jobs[i];

	return (struct astra_runtime_job){
		.id = job->id,
		.run = job->restart_cnt,
		.uid = view->info[i].uid,
		.name = view->info[i].name,
		.limit_sec = job->time_limit_sec,
		.running = job->state == ASTRA_JOB_RUNNING,
		.over = job->state == ASTRA_JOB_ENDED ||
			job->state == ASTRA_JOB_ENDING,
		.start_sec = job->start_sec,
		.end_sec = job->end_sec,
	};
}

static struct look *make_look(const char *pool,
			      const struct astra_engine *engine,
			      const struct astra_view *view)
{
	struct look *look = calloc(1, sizeof(*look));
	bool good = look;

	if (!look)
		return NULL;
	snprintf(look->pool, sizeof(look->pool), "%s", pool);
	look->options = *astra_engine_options(engine);
	good = astra_engine_image(engine, &look->image) == 0 &&
	       astra_snapshot_copy(&view->model, &look->arena,
				   &look->snapshot) == 0;
	for (int kind = 0; good && kind < ASTRA_GUESSES; kind++) {
		look->guesses[kind] = calloc(view->job_count + 1,
					     sizeof(*look->guesses[kind]));
		good = look->guesses[kind];
		for (size_t i = 0; good && i < view->job_count; i++) {
			struct astra_runtime_job job = runtime_of(view, i);

			look->guesses[kind][i] = astra_runtimes_guess(
				&runtimes, &job, &view->jobs[i].forecast,
				(enum astra_guess_kind)kind,
				view->model.now_sec);
		}
	}
	if (good)
		return look;
	astra_look_free(look);
	return NULL;
}

/* Pools take turns: one of them at a time is looked at. */
static bool is_time(const char *pool, double now_sec)
{
	const struct astra_forecaster_due *due;
	bool yes;

	pthread_mutex_lock(&mutex);
	due = due_of(pool);
	yes = started && !busy && due && due->at_sec <= now_sec;
	busy |= yes;
	pthread_mutex_unlock(&mutex);
	return yes;
}

static bool anybody_waits(const struct astra_view *view)
{
	for (size_t i = 0; i < view->job_count; i++)
		if (view->jobs[i].state == ASTRA_JOB_PENDING)
			return true;
	return false;
}

void astra_forecaster_look(const char *pool, const struct astra_engine *engine,
			   const struct astra_view *view)
{
	const struct astra_options *options = astra_engine_options(engine);
	struct look *look;

	if (!(options->forecast_sec > 0) || !options->leases) {
		forget_table(pool);
		return;
	}
	for (size_t i = 0; i < view->job_count; i++) {
		struct astra_runtime_job job = runtime_of(view, i);

		(void)astra_runtimes_see(&runtimes, &job);
	}
	if (!anybody_waits(view) || !is_time(pool, view->model.now_sec))
		return;
	look = make_look(pool, engine, view);
	pthread_mutex_lock(&mutex);
	question = look;
	busy = look;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

void astra_forecaster_round_ends(void)
{
	astra_runtimes_seen(&runtimes);
}

struct astra_forecast_time astra_forecaster_of(const char *pool, uint32_t job)
{
	struct astra_forecast_time time = {0};
	const struct entry *found;

	pthread_mutex_lock(&mutex);
	found = astra_look_find(find_table(pool), job);
	if (found)
		time = found->time;
	pthread_mutex_unlock(&mutex);
	return time;
}

double astra_forecaster_start_sec(const char *pool, uint32_t job,
				  double planned_sec, double now_sec)
{
	double start;

	if (planned_sec > now_sec)
		return planned_sec;
	start = astra_forecaster_of(pool, job).start_sec;
	return start > 0 ? fmax(start, now_sec + 1) : planned_sec;
}

void astra_forecaster_show(struct astra_report_job *record, double now_sec)
{
	struct astra_forecast_time time;

	if (strcmp(record->phase, "waiting") != 0)
		return;
	time = astra_forecaster_of(record->pool, record->id);
	if (!(time.made_sec > 0))
		return;
	record->expected_start_sec = astra_forecaster_start_sec(
		record->pool, record->id, record->expected_start_sec, now_sec);
	record->forecast_sec = time.made_sec;
	record->forecast_until_sec = time.until_sec;
	if (time.early_sec > 0)
		record->expected_early_sec =
			fmax(fmin(time.early_sec, record->expected_start_sec),
			     now_sec);
	if (time.late_sec > 0)
		record->expected_late_sec =
			fmax(time.late_sec, record->expected_start_sec);
}
