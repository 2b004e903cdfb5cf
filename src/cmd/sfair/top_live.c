/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screen, refreshed until the user quits. */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/cmd/sfair/sfair.h"
#include "src/cmd/sfair/top.h"

#define PATIENCE_SEC 3

struct live {
	struct top_state *state;
	struct top_model model;
	struct top_letters letters;
	struct top_sheet sheet;
	struct top_fetch *fetch;
	bool asking;	  /* rows were asked for */
	double asked_sec; /* on the monotonic clock */
	double rows_sec;  /* when the rows came */
};

static volatile sig_atomic_t stopped;

static void note_stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static double steady_sec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double top_live_now_sec(void)
{
	return (double)time(NULL);
}

/* ---- Asking. ---- */

static void ask_rows(struct live *l)
{
	struct astra_query query;

	if (top_copy_query(&l->state->query, &query) < 0)
		return;
	top_fetch_ask(l->fetch, &query);
	if (!l->asking)
		l->asked_sec = steady_sec();
	l->asking = true;
}

static void top_live_ask_why(struct live *l)
{
	struct astra_query query = {.kind = ASTRA_QUERY_WHY};
	struct astra_job_ref ref = l->state->ask;

	if (astra_job_refs_add(&query.jobs, ref) < 0)
		return;
	snprintf(l->state->why_of, sizeof(l->state->why_of),
		 ref.task == UINT32_MAX ? "%u" : "%u_%u", ref.id, ref.task);
	top_fetch_ask(l->fetch, &query);
}

static void sort_all(struct live *l)
{
	for (size_t v = 0; v < TOP_VIEWS; v++)
		top_sort(&l->model, (enum top_view)v, &l->state->sort[v]);
	top_state_settle(l->state, &l->model, true);
}

/* Takes new rows. reply: stolen. */
static int take_rows(struct live *l, json_t *reply)
{
	const char *idle = json_string_value(json_object_get(reply, "idle"));
	struct astra_error err = {""};
	struct top_model model;

	if (idle)
		astra_error_set(&err, "%s", idle);
	(void)sfair_check_users(json_array_size(json_object_get(reply, "jobs")),
				&l->state->query.users, &err);
	if (top_model_load(reply, &l->letters, &model) < 0)
		return -1;
	top_model_destroy(&l->model);
	l->model = model;
	l->rows_sec = top_live_now_sec();
	l->state->error = err;
	sort_all(l);
	return 0;
}

/* Stores an error. After an error about an unknown name the rows are dropped,
 * as they belong to other names. */
static void take_error(struct live *l, const struct astra_error *err)
{
	l->state->error = *err;
	if (strncmp(err->text, "unknown ", strlen("unknown ")) != 0)
		return;
	top_model_destroy(&l->model);
	l->rows_sec = top_live_now_sec();
	sort_all(l);
}

static void show_why(struct live *l, json_t *reply)
{
	free(l->state->why);
	l->state->why = sfair_why_words(reply, true);
	l->state->text_scroll = 0;
	json_decref(reply);
}

static void take_replies(struct live *l)
{
	enum astra_query_kind kind;
	struct astra_error err;
	json_t *reply;

	while (top_fetch_take(l->fetch, &kind, &reply, &err)) {
		if (kind == ASTRA_QUERY_WHY) {
			if (reply)
				show_why(l, reply);
			else
				l->state->message = err;
			continue;
		}
		l->asking = false;
		if (!reply)
			take_error(l, &err);
		else if (take_rows(l, reply) < 0)
			astra_error_nomem(&l->state->error);
	}
}

/* ---- The loop. ---- */

static void top_live_show(struct live *l)
{
	size_t rows, columns;

	top_screen_size(&rows, &columns);
	top_draw(&l->sheet, &l->model, l->state, l->rows_sec, rows, columns);
	top_screen_show(&l->sheet);
}

/* Handles all keys typed so far. Returns false if the user quits. */
static bool take_keys(struct live *l)
{
	int key;

	while ((key = top_screen_key()) != TOP_KEY_NONE) {
		switch (top_key(l->state, &l->model, key)) {
		case TOP_DO_QUIT:
			return false;
		case TOP_DO_SORT:
			sort_all(l);
			break;
		case TOP_DO_REFRESH:
			ask_rows(l);
			break;
		case TOP_DO_WHY:
			top_live_ask_why(l);
			break;
		case TOP_DO_NOTHING:
		case TOP_DO_DRAW:
			break;
		}
	}
	return true;
}

/* Waits for a key, an answer, a signal, or the next refresh. The signals that
 * end the program are blocked everywhere else. Returns false if one came. */
static bool wait_for(struct live *l, const sigset_t *mask)
{
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = top_fetch_fd(l->fetch), .events = POLLIN},
	};
	double left =
		fmax(l->asked_sec + l->state->delay_sec - steady_sec(), 0);
	struct timespec wait = {.tv_sec = (time_t)left};

	wait.tv_nsec = (long)((left - floor(left)) * 1e9);
	if (l->asking)
		wait = (struct timespec){.tv_sec = 1};
	ppoll(fds, 2, &wait, mask);
	return !stopped && !(fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Shows how long there was no answer. The plugin may still be up. */
static void note_silence(struct live *l)
{
	double sec = steady_sec() - l->asked_sec;

	if (l->asking && sec >= PATIENCE_SEC)
		astra_error_set(&l->state->error,
				"no answer from the plugin for %.0f s", sec);
}

static void loop(struct live *l, const sigset_t *mask)
{
	do {
		take_replies(l);
		if (!l->asking &&
		    steady_sec() >= l->asked_sec + l->state->delay_sec)
			ask_rows(l);
		note_silence(l);
		top_live_show(l);
	} while (wait_for(l, mask) && take_keys(l));
}

/* Catches the signals that end the program, and blocks them. before: set to the
 * mask before that, for waiting. */
static void top_live_catch_signals(sigset_t *before)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note_stop};
	sigset_t ours;

	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&ours, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &ours, before);
}

/* Waits for the first answer. An error in it ends the command with a line. */
static int top_live_begin(struct live *l, struct astra_error *err)
{
	struct sfair_where where;
	json_t *reply = NULL;
	int rc = sfair_find(&where, err);

	if (!rc) {
		reply = sfair_ask_at(&where, &l->state->query, ASTRA_REPLY_SEC,
				     false, err);
		rc = reply ? 0 : -1;
	}
	l->asked_sec = steady_sec();
	if (!rc && take_rows(l, reply) < 0)
		rc = astra_error_nomem(err);
	if (!rc) {
		l->fetch = top_fetch_start(&where, err);
		rc = l->fetch ? 0 : -1;
	}
	sfair_where_clear(&where);
	return rc;
}

int top_live(struct top_state *state, struct astra_error *err)
{
	struct live l = {.state = state};
	sigset_t mask;
	int rc = top_screen_check(err);

	l.sheet.utf8 = top_is_utf8();
	if (!rc)
		rc = top_live_begin(&l, err);
	if (!rc) {
		top_live_catch_signals(&mask);
		rc = top_screen_open(err);
	}
	if (!rc) {
		loop(&l, &mask);
		top_screen_close();
	}
	top_fetch_stop(l.fetch);
	top_model_destroy(&l.model);
	top_letters_clear(&l.letters);
	top_sheet_free(&l.sheet);
	return rc;
}
