/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/adopter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/common/encode.h"
#include "src/proto/query.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/round/bell.h"

#define KEPT_SEC 120

enum adopter_state { VACANT, WANTED, SERVED, DONE };

/* Under the mutex: */
static struct {
	enum adopter_state state;
	uint64_t ticket;
	char pool[ASTRA_POOL_NAME_MAX];
	uint32_t uid; /* who ordered it */
	struct astra_query_adopt adopt;
	/* the outcome, if the state is DONE */
	enum astra_fault fault;
	struct astra_error err;
	struct astra_text accounts;
	time_t since_sec;
} order;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last_ticket;

/* Whether there is an order. May be read without the mutex. */
static atomic_bool busy;

/* For all below, the caller holds the mutex. */

static void adopter_vacate(void)
{
	astra_adopt_clear(&order.adopt);
	astra_text_clear(&order.accounts);
	memset(&order, 0, sizeof(order));
}

static enum astra_fault adopter_place(const char *pool,
				      struct astra_query_adopt *adopt,
				      uint32_t uid, struct astra_error *err)
{
	if ((order.state == WANTED || order.state == SERVED) &&
	    time(NULL) <= order.since_sec + KEPT_SEC) {
		astra_error_set(err, "another request of this kind is in work: "
				     "try again in a moment");
		return ASTRA_FAULT_BUSY;
	}
	adopter_vacate();
	order.state = WANTED;
	order.ticket = ++last_ticket;
	order.uid = uid;
	order.since_sec = time(NULL);
	order.adopt = *adopt;
	*adopt = (struct astra_query_adopt){0};
	snprintf(order.pool, sizeof(order.pool), "%s", pool);
	atomic_store(&busy, true);
	return ASTRA_FAULT_NONE;
}

static enum astra_fault adopter_outcome(uint64_t ticket, struct astra_text *out,
					struct astra_error *err)
{
	if (order.state == VACANT || order.ticket != ticket) {
		astra_error_set(err, "what became of that ticket is not known "
				     "any more: ask what the accounts are");
		return ASTRA_FAULT_NOT_FOUND;
	}
	if (order.state != DONE)
		return ASTRA_FAULT_NONE;
	if (order.fault)
		*err = order.err;
	else
		astra_text_add(out, order.accounts.bytes, order.accounts.size);
	return order.fault;
}

enum astra_fault astra_adopter_order(const char *pool,
				     struct astra_query_adopt *adopt,
				     uint32_t uid, uint64_t *ticket,
				     struct astra_text *out,
				     struct astra_error *err)
{
	enum astra_fault fault;
	bool new = !*ticket;

	pthread_mutex_lock(&mutex);
	if (new)
		fault = adopter_place(pool, adopt, uid, err);
	else
		fault = adopter_outcome(*ticket, out, err);
	if (new && !fault)
		*ticket = order.ticket;
	pthread_mutex_unlock(&mutex);
	if (new && !fault)
		astra_bell_ring();
	return fault;
}

static struct astra_pool *adopter_pool(const struct astra_pools *pools)
{
	for (size_t i = 0; i < pools->count; i++)
		if (pools->list[i].engine &&
		    !strcmp(pools->list[i].name, order.pool))
			return &pools->list[i];
	return NULL;
}

static void adopter_end(enum astra_fault fault)
{
	order.fault = fault;
	order.state = DONE;
	order.since_sec = time(NULL);
}

/* Carry out the order. If it only asks for the accounts, nothing is changed;
 * astra_adopter_saved() adds them to the reply in both cases. */
static void adopter_carry_out(struct astra_pool *pool)
{
	order.state = SERVED;
	if (!order.adopt.given)
		return;
	if (astra_engine_adopt(pool->engine, order.adopt.list,
			       order.adopt.count, order.adopt.replace,
			       &order.err) < 0) {
		adopter_end(ASTRA_FAULT_DENIED);
		return;
	}
	pool->dirty = true;
	pool->adoptions++;
	info("astraea: pool %s: its accounts begin with %zu tenants' and users' past, as uid %u asked for",
	     pool->name, order.adopt.count, order.uid);
}

void astra_adopter_serve(struct astra_pools *pools)
{
	struct astra_pool *pool;

	if (!atomic_load(&busy))
		return;
	pthread_mutex_lock(&mutex);
	pool = adopter_pool(pools);
	if (order.state == WANTED && !pool) {
		astra_error_set(&order.err, "pool %s is not there any more",
				order.pool);
		adopter_end(ASTRA_FAULT_NOT_FOUND);
	} else if (order.state == WANTED &&
		   astra_engine_counters(pool->engine).rounds) {
		adopter_carry_out(pool);
	}
	if (order.state == DONE && time(NULL) > order.since_sec + KEPT_SEC)
		adopter_vacate();
	if (order.state == VACANT)
		atomic_store(&busy, false);
	pthread_mutex_unlock(&mutex);
}

/* Write the accounts' present values. */

static void adopter_put_usage(struct astra_usage usage)
{
	struct astra_text *out = &order.accounts;

	astra_text_printf(out, ",\"alloc_gpu_sec\":");
	astra_encode_real(out, usage.alloc);
	astra_text_printf(out, ",\"fair_gpu_sec\":");
	astra_encode_real(out, usage.fair);
	astra_text_printf(out, "}");
}

static void adopter_put_text(const char *before, const char *text)
{
	astra_text_printf(&order.accounts, "%s", before);
	astra_encode_text(&order.accounts, text);
}

static void adopter_put_real(const char *before, double value)
{
	astra_text_printf(&order.accounts, "%s", before);
	astra_encode_real(&order.accounts, value);
}

static void adopter_put_tenants(const struct astra_engine *engine)
{
	double now = astra_engine_time(engine);

	for (size_t i = 0; i < astra_engine_tenant_count(engine); i++) {
		struct astra_tenant_view v;

		astra_engine_tenant_view(engine, i, now, &v);
		adopter_put_text(i ? ",{\"name\":" : "{\"name\":", v.name);
		adopter_put_real(",\"weight\":", v.listed ? v.weight : 0);
		adopter_put_usage(v.usage);
	}
}

static void adopter_put_users(const struct astra_engine *engine)
{
	double now = astra_engine_time(engine);

	for (size_t i = 0; i < astra_engine_user_count(engine); i++) {
		struct astra_tenant_view tenant;
		struct astra_user_view v;

		astra_engine_user_view(engine, i, now, &v);
		astra_engine_tenant_view(engine, v.tenant, now, &tenant);
		adopter_put_text(i ? ",{\"tenant\":" : "{\"tenant\":",
				 tenant.name);
		adopter_put_text(",\"name\":", v.name);
		adopter_put_usage(v.usage);
	}
}

/* Return the number of usable GPUs in the pool. */
static double adopter_devices(const struct astra_scene *scene, size_t pool)
{
	const struct astra_snapshot *model;
	double devices = 0;

	if (pool >= scene->view_count)
		return 0;
	model = &scene->views[pool].model;
	for (size_t i = 0; i < model->node_count; i++)
		if (model->nodes[i].usable)
			devices += model->nodes[i].gpus;
	return devices;
}

/* Write a pool with the parameters of its accounts, so that others can compute
 * the same values. */
static void adopter_put_pool(const struct astra_pool *pool, double devices)
{
	const struct astra_config *config = astra_config_active();
	const struct astra_options *o = astra_engine_options(pool->engine);
	struct astra_text *out = &order.accounts;

	out->limit = ASTRA_REPLY_MAX / 2;
	adopter_put_text("{\"pool\":", pool->name);
	adopter_put_text(",\"partitions\":", pool->partitions);
	adopter_put_real(",\"time_sec\":", astra_engine_time(pool->engine));
	adopter_put_real(",\"gpus\":", astra_engine_capacity(pool->engine));
	adopter_put_real(",\"devices\":", devices);
	adopter_put_text(",\"variant\":",
			 o->quota_entitlement ? "eq16" : "eq8");
	adopter_put_real(",\"half_life_sec\":", o->half_life_sec);
	adopter_put_real(",\"lead_max_sec\":", o->lead_max_sec);
	adopter_put_text(",\"within\":", o->within_users ? "user" : "job");
	astra_text_printf(out, ",\"tenant_level\":%u,\"tenants\":[",
			  config ? config->tenant_level : 0);
	adopter_put_tenants(pool->engine);
	astra_text_printf(out, "],\"users\":[");
	adopter_put_users(pool->engine);
	astra_text_printf(out, "]}");
}

static enum astra_fault adopter_finish(const struct astra_pools *pools,
				       const struct astra_scene *scene)
{
	const struct astra_pool *pool = adopter_pool(pools);

	if (pool && order.adopt.given && *pool->state_error.text) {
		astra_error_set(&order.err,
				"the accounts are set, but not saved: %s",
				pool->state_error.text);
		return ASTRA_FAULT_INTERNAL;
	}
	if (!pool) {
		astra_error_set(&order.err, "pool %s is not there any more",
				order.pool);
		return ASTRA_FAULT_NOT_FOUND;
	}
	adopter_put_pool(pool,
			 adopter_devices(scene, (size_t)(pool - pools->list)));
	if (!order.accounts.failed)
		return ASTRA_FAULT_NONE;
	astra_error_set(&order.err, "the accounts are more than a reply holds, "
				    "or out of memory");
	return ASTRA_FAULT_TOO_LARGE;
}

void astra_adopter_saved(const struct astra_pools *pools,
			 const struct astra_scene *scene)
{
	if (!atomic_load(&busy))
		return;
	pthread_mutex_lock(&mutex);
	if (order.state == SERVED)
		adopter_end(adopter_finish(pools, scene));
	pthread_mutex_unlock(&mutex);
}

void astra_adopter_free(void)
{
	pthread_mutex_lock(&mutex);
	adopter_vacate();
	pthread_mutex_unlock(&mutex);
}
