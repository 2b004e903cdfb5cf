/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/client/store.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/client/courier.h"
#include "src/client/lineage.h"
#include "src/client/notice.h"
#include "src/client/sfair.h"
#include "src/common/thread.h"

/* A snapshot in memory. */
struct buffer {
	char *data;
	size_t size, room;
	uint64_t step;
	uint64_t number; /* number of the put, from 1; 0: none */
};

struct sfair_store {
	struct sfair_store *next; /* read and written under stores_lock */
	pid_t pid;
	unsigned keep;
	bool threaded;
	pthread_t thread;
	pthread_mutex_t putting; /* held during a put */
	pthread_mutex_t writing; /* held by the thread that uses the lineage */
	struct sfair_lineage lineage;
	pthread_mutex_t lock; /* for the members below; taken after the other
			       * locks */
	pthread_cond_t wake;
	struct buffer buffers[2];
	struct buffer *newest; /* the last complete one; NULL: none */
	struct buffer *busy;   /* the one that is being written */
	uint64_t puts, written;
	uint64_t floor; /* a put of a step below this is refused */
	bool stale, closing;
};

static pthread_mutex_t stores_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sfair_store *stores;
static pthread_mutex_t failure_lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_error failure;

/* Reset the stores in the child of a fork: the child has none. */
static void store_begin_child(void)
{
	pthread_mutex_init(&stores_lock, NULL);
	pthread_mutex_init(&failure_lock, NULL);
	stores = NULL;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, store_begin_child);
}

/* Save the text for sfair_error() and set errno. rc: 0 or an errno. Returns 0
 * or -1. */
static int store_finish(int rc, const struct astra_error *err)
{
	pthread_mutex_lock(&failure_lock);
	failure = *err;
	if (rc && !*failure.text)
		astra_error_set(&failure, "store: %s", strerror(rc));
	pthread_mutex_unlock(&failure_lock);
	if (rc)
		errno = rc;
	return rc ? -1 : 0;
}

size_t sfair_store_error(char *text, size_t size)
{
	int length;

	pthread_mutex_lock(&failure_lock);
	length = snprintf(text, size, "%s", failure.text);
	pthread_mutex_unlock(&failure_lock);
	return (size_t)length;
}

/* Returns the snapshot that is still to be written, or NULL. The caller holds
 * the lock. */
static struct buffer *unwritten(const struct sfair_store *s)
{
	return s->newest && s->newest->number > s->written ? s->newest : NULL;
}

static int write_buffer(struct sfair_store *s, const struct buffer *b,
			struct astra_error *err)
{
	int rc = sfair_lineage_save(&s->lineage, b->step, b->data, b->size,
				    s->keep, err);

	if (!rc && sfair_checkpointed(b->step) < 0 && errno == ESTALE) {
		sfair_courier_error(err->text, sizeof(err->text));
		rc = ESTALE;
	}
	return rc;
}

/* Write the newest snapshot, unless it was written already. Returns 0 or an
 * errno. */
static int write_newest(struct sfair_store *s, struct astra_error *err)
{
	int rc = 0;

	pthread_mutex_lock(&s->writing);
	pthread_mutex_lock(&s->lock);
	s->busy = unwritten(s);
	if (s->busy && s->stale)
		rc = ESTALE;
	pthread_mutex_unlock(&s->lock);
	if (s->busy && !rc)
		rc = write_buffer(s, s->busy, err);
	pthread_mutex_lock(&s->lock);
	if (s->busy && !rc)
		s->written = s->busy->number;
	s->busy = NULL;
	s->stale |= rc == ESTALE;
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&s->writing);
	return rc;
}

/* Run the thread: after the signal it writes each new snapshot. If a write
 * fails, the thread does not try that snapshot again, but writes the next one.
 * sfair_store_close() tries again. */
static void *store_run(void *arg)
{
	struct sfair_store *s = arg;
	uint64_t tried = 0;

	pthread_mutex_lock(&s->lock);
	while (!s->closing) {
		if (sfair_notice_age() >= 0 && unwritten(s) &&
		    s->newest->number > tried) {
			struct astra_error err = {""};

			tried = s->newest->number;
			pthread_mutex_unlock(&s->lock);
			(void)store_finish(write_newest(s, &err), &err);
			pthread_mutex_lock(&s->lock);
		} else {
			pthread_cond_wait(&s->wake, &s->lock);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void wake_all(void)
{
	pthread_mutex_lock(&stores_lock);
	for (struct sfair_store *s = stores; s; s = s->next) {
		pthread_mutex_lock(&s->lock);
		pthread_cond_signal(&s->wake);
		pthread_mutex_unlock(&s->lock);
	}
	pthread_mutex_unlock(&stores_lock);
}

static int store_start_thread(struct sfair_store *s)
{
	int rc = astra_thread_begin(&s->thread, 0, store_run, s);

	s->threaded = !rc;
	return rc;
}

static void stop_thread(struct sfair_store *s)
{
	struct sfair_store **at = &stores;

	pthread_mutex_lock(&stores_lock);
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	pthread_mutex_unlock(&stores_lock);
	pthread_mutex_lock(&s->lock);
	s->closing = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	if (s->threaded)
		pthread_join(s->thread, NULL);
}

/* Prepare for the checkpoint signal, if the job gets one. */
static int store_watch(struct sfair_store *s, const struct sfair_place *place)
{
	int rc;

	if (!place->leased || !place->signal)
		return 0;
	if (place->speaks) {
		rc = store_start_thread(s);
		if (rc)
			return rc;
		pthread_mutex_lock(&stores_lock);
		s->next = stores;
		stores = s;
		pthread_mutex_unlock(&stores_lock);
	}
	return sfair_notice_hook(place->signal, wake_all);
}

static void discard(struct sfair_store *s)
{
	sfair_lineage_close(&s->lineage);
	free(s->buffers[0].data);
	free(s->buffers[1].data);
	free(s);
}

static int open_store(struct sfair_store *s, const char *folder,
		      const char *name, struct astra_error *err)
{
	const struct sfair_place *place = sfair_courier_place();
	struct sfair_owner owner = {place->job, place->run};
	int rc = sfair_lineage_open(&s->lineage, folder, name, owner,
				    place->speaks, err);

	if (rc) {
		free(s);
		return rc;
	}
	s->pid = getpid();
	s->floor = s->lineage.any ? s->lineage.newest : 0;
	pthread_mutex_init(&s->putting, NULL);
	pthread_mutex_init(&s->writing, NULL);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->wake, NULL);
	rc = store_watch(s, place);
	if (rc) {
		stop_thread(s);
		discard(s);
	}
	return rc;
}

struct sfair_store *sfair_store_open(const char *folder, const char *name,
				     unsigned keep)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sfair_store *s = NULL;
	struct astra_error err = {""};
	int rc = folder && name && keep ? 0 : EINVAL;

	pthread_once(&once, watch_forks);
	if (!rc) {
		s = calloc(1, sizeof(*s));
		rc = s ? 0 : ENOMEM;
	}
	if (!rc) {
		s->keep = keep;
		rc = open_store(s, folder, name, &err);
	}
	return store_finish(rc, &err) < 0 ? NULL : s;
}

int sfair_store_load(struct sfair_store *s, void **data, size_t *size,
		     uint64_t *step)
{
	struct astra_error err = {""};
	int rc = s->pid == getpid() ? 0 : EPERM;

	if (rc)
		return store_finish(rc, &err);
	pthread_mutex_lock(&s->writing);
	rc = sfair_lineage_load(&s->lineage, data, size, step, &err);
	pthread_mutex_unlock(&s->writing);
	if (!rc || rc == ENOENT) {
		pthread_mutex_lock(&s->lock);
		s->floor = rc ? 0 : *step;
		pthread_mutex_unlock(&s->lock);
	}
	return store_finish(rc, &err);
}

static int store_fill(struct buffer *b, const void *data, size_t size)
{
	if (size > b->room) {
		/* Leave some room, since snapshots vary in size. */
		size_t room = size + size / 16;
		char *grown = realloc(b->data, room);

		if (!grown)
			return ENOMEM;
		b->data = grown;
		b->room = room;
	}
	if (size)
		memcpy(b->data, data, size);
	b->size = size;
	return 0;
}

/* Returns the buffer for the next put, which is not the newest one. If that
 * buffer is being written, returns the newest one instead; the buffer being
 * written then counts as the newest until the put is complete. */
static struct buffer *take_buffer(struct sfair_store *s)
{
	struct buffer *b = &s->buffers[s->newest == &s->buffers[0]];

	if (b == s->busy) {
		b = s->newest;
		s->newest = s->busy;
	}
	return b;
}

static int store_put(struct sfair_store *s, uint64_t step, const void *data,
		     size_t size, struct astra_error *err)
{
	struct buffer *b = NULL;
	int rc = 0;

	pthread_mutex_lock(&s->lock);
	if (s->stale)
		rc = ESTALE;
	else if (step > ASTRA_COUNT_MAX || step < s->floor)
		rc = EINVAL;
	else
		b = take_buffer(s);
	pthread_mutex_unlock(&s->lock);
	if (rc == EINVAL)
		astra_error_set(err, "a step is none, or before the last one");
	if (rc)
		return rc;
	rc = store_fill(b, data, size);
	pthread_mutex_lock(&s->lock);
	if (!rc) {
		b->step = s->floor = step;
		b->number = ++s->puts;
	}
	if (!s->newest || b->number > s->newest->number)
		s->newest = b->number ? b : NULL;
	if (sfair_notice_age() >= 0)
		pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int sfair_store_put(struct sfair_store *s, uint64_t step, const void *data,
		    size_t size)
{
	struct astra_error err = {""};
	int rc = s->pid == getpid() ? 0 : EPERM;

	if (!rc && s->lineage.writes) {
		pthread_mutex_lock(&s->putting);
		rc = store_put(s, step, data, size, &err);
		pthread_mutex_unlock(&s->putting);
	}
	return store_finish(rc, &err);
}

int sfair_store_save(struct sfair_store *s)
{
	struct astra_error err = {""};
	int rc = s->pid == getpid() ? 0 : EPERM;

	if (!rc)
		rc = write_newest(s, &err);
	return store_finish(rc, &err);
}

int sfair_store_close(struct sfair_store *s)
{
	struct astra_error err = {""};
	int rc = 0;

	if (s && s->pid == getpid()) {
		rc = write_newest(s, &err);
		stop_thread(s);
	}
	if (s)
		discard(s);
	return store_finish(rc, &err);
}
