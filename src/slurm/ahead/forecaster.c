/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/ahead/forecaster.h"

#include <limits.h>
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

#include "src/common/clock.h"
#include "src/common/grow.h"
#include "src/common/thread.h"
#include "src/engine/engine_image.h"
#include "src/model/members.h"
#include "src/proto/report.h"
#include "src/slurm/ahead/forecaster_priv.h"
#include "src/slurm/check/damage.h"
#include "src/store/state_file.h"

#define NAME "astraea-runtimes" /* a pool's file is astraea.POOL */
#define SAVE_SEC 60

static struct astra_runtimes runtimes;
static char path[PATH_MAX]; /* "": nothing is kept */
static bool loaded;
static bool failing; /* the last save failed, and this was logged */
static time_t saved_sec;
static double seen_sec; /* time of this round's snapshot */

/* The file. It has only estimates, so it is not synced. */

static void forecaster_load(void)
{
	struct astra_error err = {""}, why;
	bool fallback;
	void *data = NULL;
	size_t size;
	int rc;

	loaded = true;
	saved_sec = time(NULL);
	if (!*path)
		return;
	rc = astra_state_read(path, &data, &size, &fallback, &err);
	if (!rc && data &&
	    astra_runtimes_restore(&runtimes, data, size, &why) < 0)
		rc = astra_error_set(&err, "%s: %s", path, why.text);
	free(data);
	if (!rc)
		return;
	astra_damage_tell("how long jobs run is learned anew: %s", err.text);
	astra_damage_keep(path);
}

static void forecaster_save(void)
{
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	saved_sec = time(NULL);
	if (!*path || !runtimes.changed)
		return;
	if (astra_runtimes_save(&runtimes, &bytes) < 0)
		astra_error_nomem(&err);
	else
		(void)astra_state_write(path, bytes.data, bytes.size, 0, &err);
	astra_bytes_clear(&bytes);
	runtimes.changed = *err.text;
	if (runtimes.changed && !failing)
		error("astraea: how long jobs run is not saved: %s", err.text);
	failing = runtimes.changed;
}

/* Set where run times are kept. Run times are used by the engine's thread and
 * the thread that starts and stops it. They are read from the folder on first
 * use, and saved at the end of a round, at most once a minute, and at shutdown.
 * folder may be NULL: then nothing is read or saved. */
static void learned_begin(const char *folder)
{
	if (!folder ||
	    snprintf(path, sizeof(path), "%s/" NAME, folder) >= PATH_MAX)
		*path = '\0';
}

static void learned_end(void)
{
	if (loaded)
		forecaster_save();
	astra_runtimes_clear(&runtimes);
	loaded = failing = false;
}

/* Called in each round. */

static struct astra_runtime_job runtime_of(const struct astra_view *view,
					   size_t i)
{
	return astra_runtime_job_of(&view->jobs[i], view->info[i].uid,
				    view->info[i].name);
}

static void learned_see(const struct astra_view *view)
{
	if (!loaded)
		forecaster_load();
	seen_sec = view->model.now_sec;
	for (size_t i = 0; i < view->job_count; i++) {
		struct astra_runtime_job job = runtime_of(view, i);

		(void)astra_runtimes_see(&runtimes, &job);
	}
	for (size_t i = 0; i < view->other_count; i++)
		(void)astra_runtimes_see(&runtimes, &view->others[i].job);
}

/* Called for a forecast. */

static int guess_runs(const struct astra_view *view, enum astra_guess_kind kind,
		      struct look *look)
{
	struct astra_run_guess *guesses =
		calloc(view->job_count + 1, sizeof(*guesses));

	look->guesses[kind] = guesses;
	for (size_t i = 0; guesses && i < view->job_count; i++) {
		struct astra_runtime_job job = runtime_of(view, i);

		guesses[i] = astra_runtimes_guess(&runtimes, &job,
						  &view->jobs[i].forecast, kind,
						  view->model.now_sec);
	}
	return guesses ? 0 : -1;
}

/* Return when a job of another pool is expected to leave; infinite: unknown. */
static double leaves_sec(const struct astra_other *other,
			 enum astra_guess_kind kind, double now_sec)
{
	if (!other->job.running) /* the job is being cleaned up */
		return now_sec;
	return now_sec +
	       astra_runtimes_guess_other(&runtimes, &other->job, kind, now_sec)
		       .left_sec;
}

static int guess_releases(const struct astra_view *view,
			  enum astra_guess_kind kind, struct look *look)
{
	struct astra_release *releases;
	size_t count = 0;

	for (size_t i = 0; i < view->other_count; i++)
		count += view->others[i].held_count;
	releases = calloc(count + 1, sizeof(*releases));
	look->releases[kind] = releases;
	count = 0;
	for (size_t i = 0; releases && i < view->other_count; i++) {
		const struct astra_other *other = &view->others[i];
		double at = leaves_sec(other, kind, view->model.now_sec);

		for (size_t k = 0; isfinite(at) && k < other->held_count; k++)
			releases[count++] = (struct astra_release){
				.at_sec = at,
				.share = other->held[k],
			};
	}
	look->release_count[kind] = count;
	return releases ? 0 : -1;
}

/* Guess how long the jobs of a view run, and when other jobs release what they
 * hold. look: gets the results. Returns 0, or -1 when memory is out. */
static int learned_guess(const struct astra_view *view, struct look *look)
{
	for (int kind = 0; kind < ASTRA_GUESSES; kind++)
		if (guess_runs(view, (enum astra_guess_kind)kind, look) < 0 ||
		    guess_releases(view, (enum astra_guess_kind)kind, look) < 0)
			return -1;
	return 0;
}

#define CPU_PART 20 /* the thread rests 20 times as long as it worked */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool started;
static atomic_bool stop;
/* Under the mutex: */
static struct look *question; /* the next forecast, until the thread takes it */
static bool busy;
static struct astra_forecaster_due {
	char pool[ASTRA_POOL_NAME_MAX];
	double at_sec;
	struct astra_pause pause; /* as of the last round */
	double heard_sec;	  /* as of the last round */
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

/* Forget the last forecast for a pool. */
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

/* Return the entry with the time of a pool's next forecast, or NULL. Caller
 * holds the mutex. */
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
		double begin = astra_now_sec(CLOCK_THREAD_CPUTIME_ID);
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
				     CPU_PART *
					     (astra_now_sec(
						      CLOCK_THREAD_CPUTIME_ID) -
					      begin));
		busy = false;
		astra_look_free(look);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

int astra_forecaster_start(const char *folder)
{
	int rc;

	learned_begin(folder);
	atomic_store(&stop, false);
	rc = astra_thread_begin(&thread, 0, forecaster_run, NULL);
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
	learned_end();
}

/* Asking for a forecast: the engine's thread. */

static struct look *make_look(const char *pool,
			      const struct astra_engine *engine,
			      const struct astra_view *view)
{
	struct look *look = calloc(1, sizeof(*look));

	if (!look)
		return NULL;
	snprintf(look->pool, sizeof(look->pool), "%s", pool);
	look->options = *astra_engine_options(engine);
	look->pause = view->pause;
	if (astra_engine_image(engine, &look->image) == 0 &&
	    astra_snapshot_copy(&view->model, &look->arena, &look->snapshot) ==
		    0 &&
	    learned_guess(view, look) == 0)
		return look;
	astra_look_free(look);
	return NULL;
}

/* Whether a forecast of the pool may begin now. If so, it counts as begun.
 * Pools take turns: there is one forecast at a time. */
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

static void forecaster_note_round(const char *pool,
				  const struct astra_view *view)
{
	struct astra_forecaster_due *due;

	pthread_mutex_lock(&mutex);
	due = due_of(pool);
	if (due) {
		due->pause = view->pause;
		due->heard_sec = view->heard_sec;
	}
	pthread_mutex_unlock(&mutex);
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

	forecaster_note_round(pool, view);
	if (!(options->forecast_sec > 0) || !options->leases) {
		forget_table(pool);
		return;
	}
	learned_see(view);
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
	astra_runtimes_seen(&runtimes, seen_sec);
	if (loaded && time(NULL) >= saved_sec + SAVE_SEC)
		forecaster_save();
}

/* Return the last forecast for a job. May be called from any thread. */
static struct astra_forecast_time forecaster_of(const char *pool, uint32_t job)
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

double astra_forecaster_past(const char *pool, double sec)
{
	const struct astra_forecaster_due *due;

	pthread_mutex_lock(&mutex);
	due = due_of(pool);
	if (due)
		sec = astra_look_past(&due->pause, sec);
	pthread_mutex_unlock(&mutex);
	return sec;
}

/* Return from when on jobs may lose their GPUs after a start of slurmctld. */
static double forecaster_heard_sec(const char *pool)
{
	const struct astra_forecaster_due *due;
	double sec;

	pthread_mutex_lock(&mutex);
	due = due_of(pool);
	sec = due ? due->heard_sec : 0;
	pthread_mutex_unlock(&mutex);
	return sec;
}

/* Return the earliest possible start, whatever was foreseen before the last
 * round. */
static double forecaster_first_sec(const struct astra_reason *reason,
				   double now_sec)
{
	return reason->wait == ASTRA_WAIT_CAP ? fmax(reason->retry_sec, now_sec)
					      : now_sec;
}

/* Whether nobody can know when the job starts: only jobs without a time limit
 * could make room, or Slurm refuses the start. */
static bool forecaster_is_open(const struct astra_reason *reason)
{
	return reason->wait == ASTRA_WAIT_PINNED ||
	       reason->wait == ASTRA_WAIT_REFUSED;
}

double astra_forecaster_start_sec(const char *pool,
				  const struct astra_reason *reason,
				  double now_sec)
{
	double heard = forecaster_heard_sec(pool), start = reason->start_sec;

	if (forecaster_is_open(reason))
		return 0;
	if (start > 0)
		start = fmax(start, heard);
	if (start > now_sec)
		return astra_forecaster_past(pool, start);
	start = forecaster_of(pool, reason->job).start_sec;
	return start > 0 ? fmax(fmax(start, heard),
				forecaster_first_sec(reason, now_sec + 1))
			 : reason->start_sec;
}

void astra_forecaster_show(struct astra_report_job *record, double now_sec)
{
	struct astra_forecast_time time;

	if (record->phase != ASTRA_REPORT_WAITING)
		return;
	time = forecaster_of(record->pool, record->of.id);
	record->of.reason.job = record->of.id;
	record->of.reason.start_sec = astra_forecaster_start_sec(
		record->pool, &record->of.reason, now_sec);
	record->of.reason.bound_sec = astra_forecaster_past(
		record->pool, record->of.reason.bound_sec);
	if (!(time.made_sec > 0) || forecaster_is_open(&record->of.reason))
		return;
	record->forecast_sec = time.made_sec;
	record->forecast_until_sec = time.until_sec;
	if (time.early_sec > 0)
		record->expected_early_sec =
			fmax(fmin(time.early_sec, record->of.reason.start_sec),
			     forecaster_first_sec(&record->of.reason, now_sec));
	if (time.late_sec > 0)
		record->expected_late_sec =
			fmax(time.late_sec, record->of.reason.start_sec);
}
