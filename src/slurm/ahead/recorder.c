/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "astra_config.h"

#include "src/slurm/ahead/recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/engine/engine_image.h"
#include "src/proto/wire.h"
#include "src/record/round.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/conf/site.h"
#include "src/slurm/round/bell.h"

#define KEPT_SEC 120
#define POOL_NAME_MAX 64 /* ASTRA_POOL_NAME_MAX */
#define ORDERS 4	 /* for different pools, or not fetched yet */

enum order_state { VACANT, WANTED, DONE, FAILED };

/* Under the mutex: */
struct order {
	enum order_state state;
	char pool[POOL_NAME_MAX];
	uint64_t ticket;
	struct astra_text record; /* if DONE */
	time_t since_sec;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct order orders[ORDERS];
static uint64_t last_ticket;

/* Whether there is any order; read without the mutex. */
static atomic_bool busy;

/* The record that is being made, and its ticket. Engine's thread only. */
static struct astra_text draft;
static uint64_t draft_ticket;

/* Clear an order. Caller holds the mutex. */
static void vacate(struct order *order)
{
	astra_text_clear(&order->record);
	*order = (struct order){.state = VACANT};
}

/* Whether a new order should replace `this` rather than `that`. A vacant order
 * is replaced first, then one with a record, then one that is wanted; among
 * equals, the older one. */
static bool is_rather(const struct order *this, const struct order *that)
{
	static const int rank[] = {
		[VACANT] = 0, [DONE] = 1, [FAILED] = 1, [WANTED] = 2};

	if (rank[this->state] != rank[that->state])
		return rank[this->state] < rank[that->state];
	return this->since_sec < that->since_sec;
}

/* Order a pool's record. If it is ordered already, the caller shares that
 * order. Returns the ticket. Caller holds the mutex. */
static uint64_t order_record(const char *pool)
{
	struct order *at = &orders[0];

	for (int i = 0; i < ORDERS; i++) {
		struct order *o = &orders[i];

		if (o->state == WANTED && !strcmp(o->pool, pool))
			return o->ticket;
		if (is_rather(o, at))
			at = o;
	}
	vacate(at);
	at->state = WANTED;
	at->ticket = ++last_ticket;
	at->since_sec = time(NULL);
	snprintf(at->pool, sizeof(at->pool), "%s", pool);
	atomic_store(&busy, true);
	return at->ticket;
}

static struct order *find_order(uint64_t ticket)
{
	for (int i = 0; i < ORDERS; i++)
		if (orders[i].state != VACANT && orders[i].ticket == ticket)
			return &orders[i];
	return NULL;
}

int astra_recorder_order(const char *pool, uint64_t *ticket,
			 struct astra_text *out, struct astra_error *err)
{
	const struct order *o;
	bool new = !*ticket;
	int rc = 0;

	pthread_mutex_lock(&mutex);
	if (new)
		*ticket = order_record(pool);
	o = find_order(*ticket);
	if (!o)
		rc = astra_error_set(err, "the record of that ticket is not "
					  "kept: order another one");
	else if (o->state == FAILED)
		rc = astra_error_set(err, "the round could not be recorded: it "
					  "is too large, or out of memory");
	else if (o->state == DONE)
		astra_text_add(out, o->record.bytes, o->record.size);
	pthread_mutex_unlock(&mutex);
	if (new)
		astra_bell_ring();
	return rc;
}

/* Find the pool's order, and drop records that nobody has fetched. Returns the
 * order's ticket, or 0. */
static uint64_t take_order(const char *pool)
{
	uint64_t ticket = 0;
	bool any = false;

	pthread_mutex_lock(&mutex);
	for (int i = 0; i < ORDERS; i++) {
		struct order *o = &orders[i];

		if (o->state != VACANT && time(NULL) > o->since_sec + KEPT_SEC)
			vacate(o);
		if (o->state == WANTED && !strcmp(o->pool, pool))
			ticket = o->ticket;
		any |= o->state != VACANT;
	}
	if (!any)
		atomic_store(&busy, false);
	pthread_mutex_unlock(&mutex);
	return ticket;
}

void astra_recorder_before(const char *pool, const struct astra_engine *engine,
			   const struct astra_snapshot *snapshot)
{
	struct astra_round_head head = {
		.release = ASTRA_RELEASE,
		.pool = pool,
	};
	struct astra_bytes image = {0};
	struct astra_site site;

	draft_ticket = atomic_load(&busy) ? take_order(pool) : 0;
	if (!draft_ticket)
		return;
	site = astra_site_take();
	head.cluster = site.cluster;
	astra_text_clear(&draft);
	draft.limit = ASTRA_REPLY_MAX;
	if (astra_engine_image(engine, &image) < 0)
		draft.failed = true;
	astra_round_begin(&draft, &head, astra_engine_options(engine), &image,
			  snapshot);
	astra_bytes_clear(&image);
}

void astra_recorder_after(const struct astra_plan *plan, const char *failed)
{
	struct order *order;

	if (!draft_ticket)
		return;
	astra_round_end(&draft, plan, failed);
	if (draft.failed)
		error("astraea: a round could not be recorded: it is too large, "
		      "or out of memory");
	pthread_mutex_lock(&mutex);
	order = find_order(draft_ticket);
	if (order) {
		order->state = draft.failed ? FAILED : DONE;
		order->since_sec = time(NULL);
	}
	if (order && !draft.failed) {
		order->record = draft;
		draft = (struct astra_text){0};
	}
	pthread_mutex_unlock(&mutex);
	astra_text_clear(&draft);
	draft_ticket = 0;
}

void astra_recorder_free(void)
{
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < ORDERS; i++)
		vacate(&orders[i]);
	pthread_mutex_unlock(&mutex);
	astra_text_clear(&draft);
}
