/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread asks the plugin repeatedly and draws each reply once. All readers
 * get the same bytes. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "src/cmd/sfair/web.h"
#include "src/common/clock.h"
#include "src/common/thread.h"

#define WAIT_SEC 5   /* timeout for each part of a reply */
#define PAST_SEC 300 /* least time between two requests for the past */
#define WINDOW_SEC 86400
#define GZIP_BITS (15 + 16)

struct web_state {
	struct sfair_where where;
	double every_sec;
	bool verbose;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool stop;

	struct web_documents *documents; /* under the lock */
	uint64_t number;

	/* Used by the thread alone. */
	struct top_letters letters;
	struct top_model model;
	bool known;	   /* `model` is valid */
	double silent_sec; /* as in struct web_view */
	struct page_data past;
	bool past_known;
	time_t past_asked_sec; /* by the monotonic clock; 0: never */
	const char *no_past;
};

static time_t web_steady_sec(void)
{
	return (time_t)astra_now_sec(CLOCK_MONOTONIC);
}

/* ---- What is known. ---- */

/* Reports once when the plugin falls silent, and once when it answers again. */
static void web_tell(struct web_state *s, const struct astra_error *err)
{
	if (err && s->silent_sec > 0)
		return;
	if (err)
		fprintf(stderr, "sfair: %s\n", err->text);
	else if (s->silent_sec > 0)
		fprintf(stderr, "sfair: the plugin answers again\n");
	s->silent_sec = err ? astra_now_sec(CLOCK_REALTIME) : 0;
}

/* Sorts leases by their end, and waiting jobs by rank, as readers expect. */
static void web_sort(struct top_model *m)
{
	struct top_sort sort = {0};

	sort.column = (size_t)top_column_find(TOP_LEASES, "Left");
	top_sort(m, TOP_LEASES, &sort);
	sort.column = (size_t)top_column_find(TOP_QUEUE, "Rank");
	top_sort(m, TOP_QUEUE, &sort);
}

static void web_ask_live(struct web_state *s)
{
	const struct astra_query query = {.kind = ASTRA_QUERY_TOP,
					  .public = true};
	struct astra_error err;
	struct top_model model;
	json_t *reply =
		sfair_ask_at(&s->where, &query, WAIT_SEC, s->verbose, &err);

	if (reply && top_model_load(reply, &s->letters, &model) < 0) {
		astra_error_nomem(&err);
		reply = NULL;
	}
	web_tell(s, reply ? NULL : &err);
	if (!reply)
		return;
	web_sort(&model);
	top_model_destroy(&s->model);
	s->model = model;
	s->known = true;
}

static int web_ask_parts(struct web_state *s, json_t *replies[PAGE_PARTS],
			 struct astra_error *err)
{
	static const enum page_part parts[] = {PAGE_UTILIZATION, PAGE_LOSS,
					       PAGE_TENANTS, PAGE_TIMELINE};
	const struct page_asked whom = {&s->where, WAIT_SEC, s->verbose};
	struct astra_query query = {.kind = ASTRA_QUERY_REPORT, .public = true};
	int rc = 0;

	query.past.end_sec = (int64_t)astra_now_sec(CLOCK_REALTIME);
	query.past.start_sec = query.past.end_sec - WINDOW_SEC;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !rc; i++)
		rc = page_ask_part(&whom, &query, parts[i], &replies[parts[i]],
				   err);
	return rc;
}

/* Asks for the past. If that fails, the page has no charts of the past. */
static void web_ask_past(struct web_state *s)
{
	json_t *replies[PAGE_PARTS] = {0};
	struct page_data past = {0};
	struct astra_error err = {""};

	if (s->past_asked_sec &&
	    web_steady_sec() - s->past_asked_sec < PAST_SEC)
		return;
	s->past_asked_sec = web_steady_sec();
	s->past_known = false;
	if (web_ask_parts(s, replies, &err) < 0) {
		for (int i = 0; i < PAGE_PARTS; i++)
			json_decref(replies[i]);
	} else if (page_data_load(&past, replies, &err) < 0 ||
		   *past.wrong.text) {
		page_data_clear(&past);
	} else {
		page_data_clear(&s->past);
		s->past = past;
		s->past_known = true;
		return;
	}
	if (s->verbose)
		fprintf(stderr, "sfair: of the past: %s\n", err.text);
}

/* ---- Documents. ---- */

static void web_pack(const struct astra_text *plain, struct astra_text *packed)
{
	z_stream z = {0};
	char *room;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_BITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	room = astra_text_room(packed, plain->size);
	z.next_in = (void *)plain->bytes;
	z.avail_in = (uInt)plain->size;
	z.next_out = (void *)room;
	z.avail_out = (uInt)plain->size;
	if (room && deflate(&z, Z_FINISH) == Z_STREAM_END)
		(void)astra_text_took(packed, z.total_out);
	deflateEnd(&z);
}

/* Whether the past may be shown. It may not if PrivateData now hides
 * tenants. */
static bool web_has_past(const struct web_state *s)
{
	return s->past_known && s->known && s->model.tenant_count;
}

static int web_draw_page(const struct web_state *s, struct astra_text *out)
{
	const struct web_view view = {
		.model = s->known ? &s->model : NULL,
		.past = web_has_past(s) ? &s->past : NULL,
		.no_past = s->past_known ? ""
					 : "The plugin keeps no history, or "
					   "does not tell of it now.",
		.silent_sec = s->silent_sec,
		.every_sec = s->every_sec,
		.idle = s->known && json_object_get(s->model.reply, "idle"),
	};
	FILE *file = open_memstream(&out->bytes, &out->size);

	if (!file)
		return -1;
	web_page(&view, file);
	return fclose(file) ? -1 : 0;
}

static json_t *web_time(double sec)
{
	return sec > 0 ? json_real(sec) : json_null();
}

/* Returns the plugin's reply without the parts about the plugin itself. */
static json_t *web_live_json(const struct web_state *s)
{
	static const char *const own[] = {"diag", "history", "socket",
					  "idle", "astraea", "request"};
	json_t *live;

	if (!s->known)
		return json_null();
	live = json_copy(s->model.reply);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		json_object_del(live, own[i]);
	return live;
}

static json_t *web_past_json(const struct web_state *s)
{
	json_t *past = json_array();

	for (int i = 0; i < PAGE_PARTS; i++)
		if (web_has_past(s) && s->past.replies[i])
			json_array_append(past, s->past.replies[i]);
	return past;
}

static int web_draw_json(const struct web_state *s, struct astra_text *out)
{
	json_t *all = json_object();

	json_object_set_new(all, "answers", json_boolean(!(s->silent_sec > 0)));
	json_object_set_new(all, "silent_since_sec", web_time(s->silent_sec));
	json_object_set_new(all, "interval_sec", json_real(s->every_sec));
	json_object_set_new(all, "live", web_live_json(s));
	json_object_set_new(all, "past", web_past_json(s));
	out->bytes = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(15));
	out->size = out->bytes ? strlen(out->bytes) : 0;
	json_decref(all);
	return out->bytes ? 0 : -1;
}

static void web_documents_free(struct web_documents *d)
{
	for (int i = 0; d && i < WEB_FORMS; i++) {
		astra_text_clear(&d->forms[i].plain.text);
		astra_text_clear(&d->forms[i].packed.text);
	}
	free(d);
}

/* Draws new documents. When out of memory, the old ones stay. */
static void web_draw(struct web_state *s)
{
	struct web_documents *d = calloc(1, sizeof(*d)), *old;

	if (!d || web_draw_page(s, &d->forms[WEB_PAGE].plain.text) < 0 ||
	    web_draw_json(s, &d->forms[WEB_JSON].plain.text) < 0) {
		web_documents_free(d);
		return;
	}
	for (int i = 0; i < WEB_FORMS; i++) {
		d->forms[i].plain.of = d->forms[i].packed.of = d;
		web_pack(&d->forms[i].plain.text, &d->forms[i].packed.text);
	}
	d->state = s;
	d->number = ++s->number;
	d->answers = !(s->silent_sec > 0);
	d->users = 1;
	pthread_mutex_lock(&s->lock);
	old = s->documents;
	s->documents = d;
	pthread_mutex_unlock(&s->lock);
	if (old)
		web_state_put(old);
}

struct web_documents *web_state_get(struct web_state *s)
{
	struct web_documents *d;

	pthread_mutex_lock(&s->lock);
	d = s->documents;
	if (d)
		d->users++;
	pthread_mutex_unlock(&s->lock);
	return d;
}

void web_state_put(struct web_documents *d)
{
	struct web_state *s = d->state;
	bool last;

	pthread_mutex_lock(&s->lock);
	last = !--d->users;
	pthread_mutex_unlock(&s->lock);
	if (last)
		web_documents_free(d);
}

/* ---- The thread. ---- */

/* Asks the plugin and draws the documents. While the plugin stays silent
 * nothing changes. */
static void web_turn(struct web_state *s)
{
	bool was_silent = s->silent_sec > 0;

	web_ask_live(s);
	if (s->silent_sec > 0 && was_silent)
		return;
	if (!(s->silent_sec > 0))
		web_ask_past(s);
	web_draw(s);
}

/* Waits for the next turn. Returns false if the thread is to stop. */
static bool web_wait(struct web_state *s)
{
	struct timespec until;
	int rc = 0;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)s->every_sec;
	pthread_mutex_lock(&s->lock);
	while (!s->stop && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&s->cond, &s->lock, &until);
	stop = s->stop;
	pthread_mutex_unlock(&s->lock);
	return !stop;
}

static void *web_work(void *arg)
{
	struct web_state *s = arg;

	while (web_wait(s))
		web_turn(s);
	return NULL;
}

static void web_free(struct web_state *s)
{
	web_documents_free(s->documents);
	top_model_destroy(&s->model);
	page_data_clear(&s->past);
	top_letters_clear(&s->letters);
	sfair_where_clear(&s->where);
	pthread_cond_destroy(&s->cond);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct web_state *web_state_start(struct sfair_where *where, double every_sec,
				  bool verbose, struct astra_error *err)
{
	struct web_state *s = calloc(1, sizeof(*s));
	pthread_condattr_t steady;

	if (!s) {
		astra_error_nomem(err);
		return NULL;
	}
	s->where = *where;
	*where = (struct sfair_where){0};
	s->every_sec = every_sec;
	s->verbose = verbose;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&steady);
	pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
	pthread_cond_init(&s->cond, &steady);
	pthread_condattr_destroy(&steady);
	web_turn(s);
	if (!astra_thread_begin(&s->thread, 0, web_work, s))
		return s;
	astra_error_set(err, "no thread could be started");
	web_free(s);
	return NULL;
}

void web_state_stop(struct web_state *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->cond);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	web_free(s);
}
