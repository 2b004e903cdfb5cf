/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time, in a thread of their own: each may take seconds, and
 * other requests should not wait that long. */
#include <stdlib.h>
#include <unistd.h>

#include "src/slurm/desk/server_private.h"

/* Return the oldest order of a user other than the last one served; if there is
 * none, the oldest order. Caller holds the lock. */
static struct server_order *take_next(struct server_past *past)
{
	struct server_order **at = &past->first, *order;

	while (*at && (*at)->uid == past->last_uid)
		at = &(*at)->next;
	if (!*at)
		at = &past->first;
	order = *at;
	if (order) {
		*at = order->next;
		past->last_uid = order->uid;
	}
	return order;
}

static void server_past_carry_out(struct server_past *past,
				  struct server_order *order)
{
	int64_t begin = server_now_msec();

	order->fault =
		astra_answer_past(order->report, &order->query, &order->viewer,
				  past->history, &order->reply, &order->err);
	order->took_msec = server_now_msec() - begin;
}

static void tell_server(struct server_past *past)
{
	uint64_t one = 1;
	ssize_t n = write(past->wake_fd, &one, sizeof(one));

	(void)n; /* the loop polls every second anyway */
}

static void *server_past_run(void *arg)
{
	struct server_past *past = arg;

	pthread_mutex_lock(&past->lock);
	while (!past->stop) {
		struct server_order *order = take_next(past);

		if (!order) {
			pthread_cond_wait(&past->cond, &past->lock);
			continue;
		}
		pthread_mutex_unlock(&past->lock);
		server_past_carry_out(past, order);
		pthread_mutex_lock(&past->lock);
		order->done = true;
		tell_server(past);
	}
	pthread_mutex_unlock(&past->lock);
	return NULL;
}

int server_past_start(struct server_past *past, astra_history *history,
		      int wake_fd, struct astra_error *err)
{
	*past = (struct server_past){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
		.history = history,
		.wake_fd = wake_fd,
		.last_uid = (uid_t)-1,
	};
	if (server_thread_start(&past->thread, server_past_run, past, err) < 0)
		return -1;
	past->started = true;
	return 0;
}

void server_past_stop(struct server_past *past)
{
	if (!past->started)
		return;
	pthread_mutex_lock(&past->lock);
	past->stop = true;
	pthread_cond_signal(&past->cond);
	pthread_mutex_unlock(&past->lock);
	pthread_join(past->thread, NULL);
	past->started = false;
}

static void server_past_add(struct server_past *past,
			    struct server_order *order)
{
	struct server_order **at = &past->first;

	pthread_mutex_lock(&past->lock);
	while (*at)
		at = &(*at)->next;
	*at = order;
	pthread_cond_signal(&past->cond);
	pthread_mutex_unlock(&past->lock);
}

/* Whether too many clients wait for reports: each takes a place that others may
 * need. */
static bool server_past_too_many(const struct server *s, uint32_t uid)
{
	int all = 0, own = 0;

	for (int i = 0; i < SERVER_CLIENTS; i++) {
		const struct server_order *order = s->clients[i].order;

		all += order != NULL;
		own += order && order->uid == uid;
	}
	return own >= SERVER_ORDERS_PER_UID || all >= SERVER_ORDERS;
}

enum astra_fault server_past_order(struct server *s,
				   struct server_client *client,
				   struct astra_query *query, uint32_t uid,
				   struct astra_text *reply,
				   struct astra_error *err)
{
	struct server_order *order;

	if (server_past_too_many(s, uid)) {
		astra_error_set(err, "too many reports at once: ask again when "
				     "one is done");
		return ASTRA_FAULT_BUSY;
	}
	order = calloc(1, sizeof(*order));
	if (!order) {
		astra_error_nomem(err);
		return ASTRA_FAULT_INTERNAL;
	}
	order->report = server_report();
	order->uid = uid;
	order->charged = !server_sees_all(s, uid);
	order->viewer =
		server_viewer(s, order->report, query, uid, &order->accounts);
	order->query = *query;
	*query = (struct astra_query){0};
	order->reply = *reply;
	*reply = (struct astra_text){0};
	client->order = order;
	client->until_msec = INT64_MAX;
	server_past_add(&s->past, order);
	return ASTRA_FAULT_NONE;
}

bool server_past_done(struct server_past *past,
		      const struct server_order *order)
{
	bool done;

	pthread_mutex_lock(&past->lock);
	done = order->done;
	pthread_mutex_unlock(&past->lock);
	return done;
}

void server_order_free(struct server_order *order)
{
	if (!order)
		return;
	astra_query_destroy(&order->query);
	astra_names_clear(&order->accounts);
	astra_report_put(order->report);
	astra_text_clear(&order->reply);
	free(order);
}
