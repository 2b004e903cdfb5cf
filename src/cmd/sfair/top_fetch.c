/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that asks the plugin, so that keys work while a reply is slow. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"
#include "src/common/thread.h"

#define WAIT_SEC 20 /* timeout for each part of a reply */

enum { ROWS, WHY, KINDS };

struct result {
	bool there;
	json_t *reply; /* NULL: see err */
	struct astra_error err;
};

struct top_fetch {
	pthread_mutex_t lock;
	pthread_cond_t asked;
	struct sfair_where where; /* only the thread uses it, once it runs */
	struct astra_query waiting[KINDS];
	bool waits[KINDS];
	struct result results[KINDS];
	int fd;
	bool stop;
	int users; /* count of users: the thread and its owner; the last one
		    * frees the struct */
};

static void top_fetch_release(struct top_fetch *f)
{
	int users;

	pthread_mutex_lock(&f->lock);
	users = --f->users;
	pthread_mutex_unlock(&f->lock);
	if (users)
		return;
	for (int i = 0; i < KINDS; i++) {
		if (f->waits[i])
			astra_query_destroy(&f->waiting[i]);
		json_decref(f->results[i].reply);
	}
	close(f->fd);
	sfair_where_clear(&f->where);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->asked);
	free(f);
}

static int top_fetch_kind_of(const struct astra_query *query)
{
	return query->kind == ASTRA_QUERY_WHY ? WHY : ROWS;
}

/* Takes the next query. A query about a job goes first, since a user waits for
 * it. Returns false to stop. */
static bool top_fetch_next(struct top_fetch *f, struct astra_query *out)
{
	bool taken;

	pthread_mutex_lock(&f->lock);
	while (!f->stop && !f->waits[ROWS] && !f->waits[WHY])
		pthread_cond_wait(&f->asked, &f->lock);
	taken = !f->stop;
	if (taken) {
		int kind = f->waits[WHY] ? WHY : ROWS;

		*out = f->waiting[kind];
		f->waits[kind] = false;
	}
	pthread_mutex_unlock(&f->lock);
	return taken;
}

static void top_fetch_give(struct top_fetch *f, int kind,
			   const struct result *result)
{
	pthread_mutex_lock(&f->lock);
	json_decref(f->results[kind].reply);
	f->results[kind] = *result;
	pthread_mutex_unlock(&f->lock);
	eventfd_write(f->fd, 1);
}

static void *work(void *data)
{
	struct top_fetch *f = data;
	struct astra_query query;

	while (top_fetch_next(f, &query)) {
		struct result result = {.there = true};

		result.reply = sfair_ask_at(&f->where, &query, WAIT_SEC, false,
					    &result.err);
		top_fetch_give(f, top_fetch_kind_of(&query), &result);
		astra_query_destroy(&query);
	}
	top_fetch_release(f);
	return NULL;
}

static int top_fetch_start_thread(struct top_fetch *f)
{
	pthread_t thread;
	int rc = astra_thread_begin(&thread, 0, work, f);

	if (!rc)
		pthread_detach(thread);
	return rc;
}

struct top_fetch *top_fetch_start(struct sfair_where *where,
				  struct astra_error *err)
{
	struct top_fetch *f = calloc(1, sizeof(*f));

	if (!f) {
		astra_error_nomem(err);
		return NULL;
	}
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->asked, NULL);
	f->users = 1;
	f->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->where = *where;
	*where = (struct sfair_where){0};
	if (f->fd >= 0) {
		f->users = 2;
		if (!top_fetch_start_thread(f))
			return f;
		f->users = 1;
	}
	astra_error_set(err, "no thread could be started");
	top_fetch_release(f);
	return NULL;
}

int top_fetch_fd(const struct top_fetch *fetch)
{
	return fetch->fd;
}

void top_fetch_ask(struct top_fetch *f, struct astra_query *query)
{
	int kind = top_fetch_kind_of(query);

	pthread_mutex_lock(&f->lock);
	if (f->waits[kind])
		astra_query_destroy(&f->waiting[kind]);
	f->waiting[kind] = *query;
	f->waits[kind] = true;
	pthread_cond_signal(&f->asked);
	pthread_mutex_unlock(&f->lock);
	*query = (struct astra_query){0};
}

bool top_fetch_take(struct top_fetch *f, enum astra_query_kind *kind,
		    json_t **reply, struct astra_error *err)
{
	eventfd_t count;
	bool there = false;

	pthread_mutex_lock(&f->lock);
	eventfd_read(f->fd, &count);
	for (int i = 0; i < KINDS && !there; i++) {
		there = f->results[i].there;
		if (!there)
			continue;
		*kind = i == WHY ? ASTRA_QUERY_WHY : ASTRA_QUERY_TOP;
		*reply = f->results[i].reply;
		*err = f->results[i].err;
		f->results[i] = (struct result){0};
	}
	pthread_mutex_unlock(&f->lock);
	return there;
}

void top_fetch_stop(struct top_fetch *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_signal(&f->asked);
	pthread_mutex_unlock(&f->lock);
	top_fetch_release(f);
}
