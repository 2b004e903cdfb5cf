/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/ahead/forecaster.h"

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
#include "src/engine/engine_image.h"
#include "src/model/snapshot_copy.h"
#include "src/proto/report.h"
#include "src/slurm/ahead/forecaster_priv.h"

#define CPU_PART 20 /* it rests so many times as long as it worked */

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

static void *forecaster_run(void *arg)
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

int astra_forecaster_start(const char *folder)
{
	int rc;

	astra_learned_begin(folder);
	atomic_store(&stop, false);
	rc = pthread_create(&thread, NULL, forecaster_run, NULL);
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
	astra_learned_end();
}

/* Asking for it: the engine's thread. */

static struct look *make_look(const char *pool,
			      const struct astra_engine *engine,
			      const struct astra_view *view)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	snprintf(look->pool, sizeof(look->pool), "%s", pool);
	look->options = *astra_engine_options(engine);
	if (astra_engine_image(engine, &look->image) == 0 &&
	    astra_snapshot_copy(&view->model, &look->arena, &look->snapshot) ==
		    0 &&
	    astra_learned_guess(view, look) == 0)
		return look;
	astra_look_free(look);
	return NULL;
}

/* Pools take turns: one of them at a time is looked at. */
static bool forecaster_is_time(const char *pool, double now_sec)
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
	astra_learned_see(view);
	if (!anybody_waits(view) ||
	    !forecaster_is_time(pool, view->model.now_sec))
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
	astra_learned_round_ends();
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
	time = astra_forecaster_of(record->pool, record->of.id);
	if (!(time.made_sec > 0))
		return;
	record->of.reason.start_sec = astra_forecaster_start_sec(
		record->pool, record->of.id, record->of.reason.start_sec,
		now_sec);
	record->forecast_sec = time.made_sec;
	record->forecast_until_sec = time.until_sec;
	if (time.early_sec > 0)
		record->expected_early_sec =
			fmax(fmin(time.early_sec, record->of.reason.start_sec),
			     now_sec);
	if (time.late_sec > 0)
		record->expected_late_sec =
			fmax(time.late_sec, record->of.reason.start_sec);
}
