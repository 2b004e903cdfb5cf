/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/ahead/tuner.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/common/bytes.h"
#include "src/common/grow.h"
#include "src/common/thread.h"
#include "src/engine/engine.h"
#include "src/proto/report.h"
#include "src/proto/report_pool.h"
#include "src/slurm/ahead/tuner_priv.h"
#include "src/slurm/check/damage.h"
#include "src/slurm/round/bell.h"
#include "src/store/state_file.h"

#define NAME "astraea-terms" /* a pool's file is astraea.POOL */
#define TERMS_VERSION 1
#define POOLS_MAX 4096	/* in the file */
#define RETRY_SEC 3600	/* after a choice that failed */
#define READ_SEC 10	/* after the history could not be read */
#define USABLE_PART 0.5 /* of the GPUs; with fewer the pool is not as usual */

/* What is known of a pool. */
struct tuned {
	char pool[ASTRA_POOL_NAME_MAX];
	double term_sec;   /* the chosen term; 0: none yet */
	double chosen_sec; /* time of the last choice; 0: never */
	uint64_t jobs;	   /* how many jobs were simulated for it */
	double points;	   /* how much worse the term is than the best one */
	char why[1024];
	/* Not saved. */
	double due_sec;	 /* there is no choice before that time */
	double told_sec; /* a term that the engine has yet to get; 0: none */
};

static char path[PATH_MAX]; /* "": nothing is kept */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool started;
/* stop ends the thread's present work; leave also ends the thread. */
static atomic_bool stop, leave;
/* Under the mutex: */
static struct tuned *pools;
static size_t pool_count, pool_room;
static struct astra_tuner_question *question; /* the next choice, until the
					       * thread takes it */
static bool busy;

/* Return a pool's entry, adding a new one; NULL when memory is out. Caller
 * holds the mutex. */
static struct tuned *tuned_of(const char *pool)
{
	for (size_t i = 0; i < pool_count; i++)
		if (!strcmp(pools[i].pool, pool))
			return &pools[i];
	if (astra_grow(&pools, &pool_room, pool_count + 1, sizeof(*pools)) < 0)
		return NULL;
	pools[pool_count] = (struct tuned){.term_sec = 0};
	snprintf(pools[pool_count].pool, sizeof(pools->pool), "%s", pool);
	return &pools[pool_count++];
}

/* The file. */

static void tuned_put(struct astra_bytes *out, const struct tuned *t)
{
	astra_put_text(out, t->pool);
	astra_put_f64(out, t->term_sec);
	astra_put_f64(out, t->chosen_sec);
	astra_put_u64(out, t->jobs);
	astra_put_f64(out, t->points);
	astra_put_text(out, t->why);
}

/* Read a text, which may be missing. Returns whether it was there and fits. */
static bool tuned_text(struct astra_reader *in, char *out, size_t size)
{
	char *text = astra_get_text(in);
	bool fits = text && strlen(text) < size;

	if (fits)
		strcpy(out, text);
	free(text);
	return fits;
}

static bool tuned_sane(double sec)
{
	return isfinite(sec) && sec >= 0;
}

/* Read an entry. Returns 0, or -1 if it is damaged. */
static int tuned_get(struct astra_reader *in)
{
	struct tuned t = {.term_sec = 0}, *own;

	if (!tuned_text(in, t.pool, sizeof(t.pool)))
		return -1;
	t.term_sec = astra_get_f64(in);
	t.chosen_sec = astra_get_f64(in);
	t.jobs = astra_get_u64(in);
	t.points = astra_get_f64(in);
	if (!tuned_text(in, t.why, sizeof(t.why)) || in->failed ||
	    !tuned_sane(t.term_sec) || t.term_sec > ASTRA_TIME_MAX_SEC ||
	    !tuned_sane(t.chosen_sec) || !tuned_sane(t.points))
		return -1;
	own = tuned_of(t.pool);
	if (own)
		*own = t;
	return 0;
}

static int tuner_restore(const void *data, size_t size, struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	uint32_t version = astra_get_u32(&in), count = astra_get_u32(&in);

	if (in.failed || version != TERMS_VERSION || count > POOLS_MAX)
		return astra_error_set(err, "%s: version %u is unknown", path,
				       version);
	for (uint32_t i = 0; i < count; i++)
		if (tuned_get(&in) < 0)
			return astra_error_set(err, "%s is damaged", path);
	return 0;
}

static void tuner_load(void)
{
	struct astra_error err = {""};
	bool fallback;
	void *data = NULL;
	size_t size;
	int rc;

	if (!*path)
		return;
	rc = astra_state_read(path, &data, &size, &fallback, &err);
	if (!rc && data)
		rc = tuner_restore(data, size, &err);
	free(data);
	if (!rc)
		return;
	astra_damage_tell("LeaseTerm=auto begins anew: %s", err.text);
	astra_damage_keep(path);
}

/* Save the terms. The file is not synced, as only terms can be lost. Tuner's
 * thread only. */
static void tuner_save(void)
{
	struct astra_bytes bytes = {0};
	struct astra_error err = {""};

	if (!*path)
		return;
	pthread_mutex_lock(&mutex);
	astra_put_u32(&bytes, TERMS_VERSION);
	astra_put_u32(&bytes, (uint32_t)pool_count);
	for (size_t i = 0; i < pool_count; i++)
		tuned_put(&bytes, &pools[i]);
	pthread_mutex_unlock(&mutex);
	if (bytes.failed)
		astra_error_nomem(&err);
	else
		(void)astra_state_write(path, bytes.data, bytes.size, 0, &err);
	astra_bytes_clear(&bytes);
	if (*err.text)
		error("astraea: the term of LeaseTerm=auto is not saved: %s",
		      err.text);
}

/* The tuner's thread. */

/* Note a choice, and log it if it is new. c may be NULL if no choice was
 * possible; the next try is in retry_sec. Returns whether there is something to
 * save. */
static bool tuner_note(const char *pool, const struct astra_term_choice *c,
		       const char *why, double retry_sec)
{
	double now_sec = (double)time(NULL);
	struct tuned *t;
	bool news;

	pthread_mutex_lock(&mutex);
	t = tuned_of(pool);
	news = !t || strncmp(t->why, why, sizeof(t->why) - 1) != 0;
	if (t) {
		snprintf(t->why, sizeof(t->why), "%s", why);
		t->due_sec = now_sec + retry_sec;
	}
	if (t && c && c->verdict != ASTRA_TERM_FEW) {
		t->due_sec = now_sec + ASTRA_TERM_EVERY_SEC;
		t->chosen_sec = now_sec;
		t->jobs = c->jobs;
		t->points = c->after_points;
		t->term_sec = c->term_sec;
		if (c->verdict == ASTRA_TERM_CHANGED)
			t->told_sec = c->term_sec;
	}
	pthread_mutex_unlock(&mutex);
	if (news)
		info("astraea: pool %s: %s", pool, why);
	return t && c && c->verdict != ASTRA_TERM_FEW;
}

static void tuner_work(struct astra_tuner_question *q)
{
	struct astra_term_choice choice;
	struct astra_error err = {""};
	struct astra_text text = {0};
	int rc = astra_tuner_choose(q, &stop, &choice, &err);

	if (atomic_load(&stop))
		return;
	if (rc)
		astra_text_printf(&text, "LeaseTerm=auto keeps its term: %s",
				  err.text);
	else
		astra_term_tell(&choice, &text);
	if (text.bytes && !text.failed &&
	    tuner_note(q->pool, rc ? NULL : &choice, text.bytes,
		       rc > 0 ? READ_SEC : RETRY_SEC))
		tuner_save();
	astra_text_clear(&text);
}

static void *tuner_run(void *arg)
{
	(void)arg;
	(void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	pthread_mutex_lock(&mutex);
	while (!atomic_load(&leave)) {
		struct astra_tuner_question *q = question;

		if (!q) {
			pthread_cond_wait(&cond, &mutex);
			continue;
		}
		question = NULL;
		pthread_mutex_unlock(&mutex);
		tuner_work(q);
		astra_tuner_free(q);
		astra_bell_ring();
		pthread_mutex_lock(&mutex);
		busy = false;
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

void astra_tuner_open(const char *folder)
{
	if (!folder ||
	    snprintf(path, sizeof(path), "%s/" NAME, folder) >= PATH_MAX)
		*path = '\0';
	tuner_load();
}

int astra_tuner_start(void)
{
	int rc;

	atomic_store(&stop, false);
	atomic_store(&leave, false);
	rc = astra_thread_begin(&thread, 0, tuner_run, NULL);
	started = rc == 0;
	if (rc)
		error("astraea: LeaseTerm=auto chooses no term: no thread: %s",
		      strerror(rc));
	return rc ? -1 : 0;
}

void astra_tuner_stop(void)
{
	if (started) {
		pthread_mutex_lock(&mutex);
		atomic_store(&leave, true);
		atomic_store(&stop, true);
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
	}
	started = busy = false;
	astra_tuner_free(question);
	question = NULL;
	free(pools);
	pools = NULL;
	pool_count = pool_room = 0;
	*path = '\0';
}

/* The engine's thread. */

void astra_tuner_configure(struct astra_config *config)
{
	pthread_mutex_lock(&mutex);
	atomic_store(&stop, busy);
	for (size_t i = 0; i < pool_count; i++)
		pools[i].told_sec = 0;
	for (size_t i = 0; i < config->pool_count; i++) {
		struct astra_options *o = &config->pools[i].options;
		const struct tuned *t = NULL;

		if (!o->lease_auto)
			continue;
		t = tuned_of(config->pools[i].name);
		if (t && t->term_sec > 0) {
			o->lease_sec = t->term_sec;
			o->lease_said = true;
		}
		o->lease_sec = astra_auto_bound(o, o->lease_sec);
	}
	pthread_mutex_unlock(&mutex);
}

/* Whether enough of the pool's GPUs are usable. */
static bool tuner_is_whole(const struct astra_snapshot *s)
{
	double gpus = 0, usable = 0;

	for (size_t i = 0; i < s->node_count; i++) {
		gpus += s->nodes[i].gpus;
		usable += s->nodes[i].usable ? s->nodes[i].gpus : 0;
	}
	return usable > 0 && usable >= USABLE_PART * gpus;
}

/* Whether it is time for a choice. If so, it counts as begun. Pools take turns:
 * there is one choice at a time. */
static bool tuner_is_time(const char *pool, double now_sec)
{
	const struct tuned *t;
	bool yes;

	pthread_mutex_lock(&mutex);
	t = tuned_of(pool);
	/* If the clock was set back, these times may lie in the future. */
	yes = started && !busy && t &&
	      (t->due_sec <= now_sec ||
	       t->due_sec > now_sec + ASTRA_TERM_EVERY_SEC) &&
	      (t->chosen_sec + ASTRA_TERM_EVERY_SEC <= now_sec ||
	       t->chosen_sec > now_sec);
	busy |= yes;
	if (yes)
		atomic_store(&stop, false);
	pthread_mutex_unlock(&mutex);
	return yes;
}

void astra_tuner_look(const char *pool, const struct astra_engine *engine,
		      const struct astra_view *view)
{
	const struct astra_options *options = astra_engine_options(engine);
	struct astra_tuner_question *q;

	if (!options->lease_auto || !options->leases ||
	    !tuner_is_whole(&view->model) ||
	    !tuner_is_time(pool, view->model.now_sec))
		return;
	q = astra_tuner_ask(pool, options, &view->model);
	pthread_mutex_lock(&mutex);
	question = q;
	busy = q;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
}

bool astra_tuner_take(const char *pool, double *term_sec)
{
	struct tuned *t;
	bool yes;

	pthread_mutex_lock(&mutex);
	t = tuned_of(pool);
	yes = t && t->told_sec > 0;
	if (yes) {
		*term_sec = t->told_sec;
		t->told_sec = 0;
	}
	pthread_mutex_unlock(&mutex);
	return yes;
}

void astra_tuner_show(struct astra_report_pool *record)
{
	static char why[sizeof(((struct tuned *)0)->why)];
	const struct tuned *t;

	if (!record->of.lease_auto)
		return;
	pthread_mutex_lock(&mutex);
	t = tuned_of(record->name);
	if (t) {
		record->lease_chosen_sec = t->chosen_sec;
		record->lease_chosen_jobs = t->jobs;
		record->lease_chosen_points = t->points;
		memcpy(why, t->why, sizeof(why));
	} else {
		*why = '\0';
	}
	pthread_mutex_unlock(&mutex);
	record->lease_chosen_why = why;
}
