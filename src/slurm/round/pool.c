/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/round/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/bytes.h"
#include "src/slurm/check/damage.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/note/note.h"
#include "src/store/state_file.h"

static void close_pool(struct astra_pool *pool)
{
	astra_engine_destroy(pool->engine);
	astra_plan_destroy(&pool->plan);
	free(pool->name);
	free(pool->partitions);
	free(pool->path);
}

/* Whether a job may be in its grace. If its lease is over, it may have got its
 * signal and be writing a checkpoint without that being saved: slurmctld was
 * killed in between, or only an older file exists. */
static bool pool_may_be_in_grace(const struct astra_job_view *view,
				 double now_sec)
{
	if (view->phase == ASTRA_PHASE_WAITING)
		return false;
	return view->phase == ASTRA_PHASE_GRACE ||
	       view->lease_end_sec <= now_sec;
}

/* Note what is known of the jobs, before the first round: jobs may end before
 * it, also those that were in their grace when slurmctld stopped. */
static void remember_jobs(const struct astra_pool *pool, double now_sec)
{
	const struct astra_options *o = astra_engine_options(pool->engine);
	struct astra_grace grace =
		astra_grace_make(o, ASTRA_NOTE_ANY_RUN, o->checkpoint_signal);

	for (size_t i = 0; i < astra_engine_job_count(pool->engine); i++) {
		struct astra_job_view view;
		struct astra_note *note;

		astra_engine_job_view(pool->engine, i, 0, &view);
		if (!view.id)
			continue;
		note = astra_note_open(view.id);
		if (pool_may_be_in_grace(&view, now_sec)) {
			note->in_grace = true;
			note->grace = grace;
		}
		if (o->admin_comment) {
			note->in_ledger = true;
			note->ledger =
				astra_ledger_of(&view, ASTRA_NOTE_ANY_RUN);
		}
		astra_note_close(note);
	}
}

/* Keep a file that this release cannot read: the next save must not destroy
 * what another release may be able to read. */
static void keep_aside(struct astra_pool *pool)
{
	pool->unread = true;
	astra_damage_keep(pool->path);
}

/* If the policy's part of the state (its ledger and plans) is damaged, look for
 * it in an older file. The damaged file is put aside. */
static void mend_policy(struct astra_pool *pool, struct astra_engine *engine)
{
	const char *policy = astra_engine_options(engine)->policy;
	bool found = false;
	void *data;
	size_t size;

	if (!astra_engine_policy_lost(engine))
		return;
	if (astra_state_read_old(pool->path, &data, &size, NULL) == 0)
		found = astra_engine_policy_from(engine, data, size);
	free(data);
	astra_damage_tell(
		"pool %s: what %s knew in %s (ledger, plans, what it learned) "
		"is damaged; %s",
		pool->name, policy, pool->path,
		found ? "it goes on with the state before the last one"
		      : "it begins anew");
	astra_damage_keep(pool->path);
	pool->dirty = true;
}

/* Load one state. A file that cannot be used is put aside. Returns whether
 * another file may exist, such as the one before a newer release's. */
static bool load_one(struct astra_pool *pool,
		     const struct astra_options *options,
		     struct astra_engine **engine)
{
	struct astra_error err = {""};
	bool fallback = false;
	void *data = NULL;
	size_t size = 0;

	if (astra_state_read(pool->path, &data, &size, &fallback, &err) < 0) {
		astra_damage_tell("pool %s begins anew: %s", pool->name,
				  err.text);
		keep_aside(pool);
		return false;
	}
	if (!data)
		return false;
	if (fallback) {
		astra_damage_tell("pool %s: the state before the last one is "
				  "used: %s",
				  pool->name, err.text);
		keep_aside(pool);
	}
	*engine = astra_engine_restore(options, data, size, &err);
	free(data);
	if (*engine) {
		mend_policy(pool, *engine);
		return false;
	}
	astra_damage_tell("pool %s: %s cannot be used: %s", pool->name,
			  pool->path, err.text);
	keep_aside(pool);
	return !fallback;
}

/* Load the state that could not be saved before the end. */
static struct astra_engine *load_refuge(const struct astra_pool *pool,
					const struct astra_options *options)
{
	struct astra_engine *engine = NULL;
	void *data;
	size_t size;

	astra_refuge_load(pool->path, &data, &size);
	if (data)
		engine = astra_engine_restore(options, data, size, NULL);
	free(data);
	return engine;
}

static struct astra_engine *pool_load(struct astra_pool *pool,
				      const struct astra_options *options)
{
	struct astra_engine *engine = load_refuge(pool, options);

	pool->refuge = pool->dirty = engine;
	if (engine) {
		info("astraea: pool %s goes on from what could not be saved",
		     pool->name);
		return engine;
	}
	if (load_one(pool, options, &engine))
		(void)load_one(pool, options, &engine);
	return engine;
}

/* Move a state from the future back: the clock was set back while slurmctld was
 * down. */
static void go_on_from(struct astra_pool *pool, double now_sec)
{
	double ahead = astra_engine_time(pool->engine) - now_sec;

	if (ahead <= 1)
		return;
	error("astraea: pool %s: the saved state is %.0f s ahead of the clock; "
	      "its leases are moved back by as much",
	      pool->name, ahead);
	astra_engine_shift(pool->engine, -ahead);
}

static void open_pool(struct astra_pool *pool,
		      const struct astra_pool_config *config,
		      const char *folder, double now_sec)
{
	struct astra_error err = {""};

	astra_plan_init(&pool->plan);
	pool->name = strdup(config->name);
	if (!pool->name ||
	    asprintf(&pool->path, "%s/astraea.%s", folder, config->name) < 0) {
		pool->path = NULL;
		error("astraea: out of memory");
		return;
	}
	pool->engine = pool_load(pool, &config->options);
	if (pool->engine) {
		remember_jobs(pool, now_sec);
		go_on_from(pool, now_sec);
		info("astraea: pool %s goes on with its saved leases",
		     pool->name);
		return;
	}
	if (pool->unread)
		astra_grace_doubt(config->options.grace_sec);
	pool->engine = astra_engine_create(&config->options, now_sec, &err);
	if (!pool->engine)
		error("astraea: pool %s has no engine: %s", pool->name,
		      err.text);
}

/* Move the running pool of that name out of the list. Returns whether there is
 * one. */
static bool take_pool(struct astra_pools *pools, const char *name,
		      struct astra_pool *out)
{
	for (size_t i = 0; i < pools->count; i++) {
		if (!pools->list[i].name || strcmp(pools->list[i].name, name))
			continue;
		*out = pools->list[i];
		pools->list[i] = (struct astra_pool){0};
		return true;
	}
	return false;
}

static void pool_follow(struct astra_pool *pool,
			const struct astra_pool_config *config)
{
	struct astra_error err = {""};

	if (pool->engine &&
	    astra_engine_configure(pool->engine, &config->options, &err) < 0)
		error("astraea: pool %s keeps its old options: %s", pool->name,
		      err.text);
}

void astra_pools_rename(struct astra_pools *pools, bool tenant,
			const char *from, const char *to)
{
	for (size_t i = 0; i < pools->count; i++) {
		struct astra_pool *pool = &pools->list[i];

		if (!pool->engine)
			continue;
		pool->dirty |= astra_engine_rename_user(pool->engine, from, to);
		if (tenant)
			pool->dirty |= astra_engine_rename_tenant(pool->engine,
								  from, to);
	}
}

void astra_pools_follow(struct astra_pools *pools,
			const struct astra_config *config, const char *folder,
			double now_sec)
{
	struct astra_pools next = {0};

	next.list = calloc(config->pool_count + 1, sizeof(*next.list));
	if (!next.list) {
		error("astraea: out of memory");
		return;
	}
	for (size_t i = 0; i < config->pool_count; i++) {
		const struct astra_pool_config *c = &config->pools[i];
		struct astra_pool *pool = &next.list[next.count++];

		if (take_pool(pools, c->name, pool))
			pool_follow(pool, c);
		else
			open_pool(pool, c, folder, now_sec);
		free(pool->partitions);
		pool->partitions = strdup(c->partition_text);
	}
	astra_pools_free(pools);
	*pools = next;
}

void astra_pools_shift(struct astra_pools *pools, double by_sec)
{
	for (size_t i = 0; i < pools->count; i++) {
		if (!pools->list[i].engine)
			continue;
		astra_engine_shift(pools->list[i].engine, by_sec);
		pools->list[i].dirty = true;
	}
}

/* Write a state. If slurmctld is killed, nothing that was written is lost. If
 * the host goes down, only what was not synced is lost. */
static void write_state(struct astra_pool *pool,
			const struct astra_bytes *bytes, bool last,
			struct astra_error *err)
{
	bool sync = last || astra_pace_due(&pool->sync);
	uint64_t since = astra_usec();

	if (astra_state_write(
		    pool->path, bytes->data, bytes->size,
		    (sync ? ASTRA_STATE_SYNC : 0) |
			    (sync || pool->synced ? ASTRA_STATE_KEEP : 0),
		    err) < 0) {
		(void)astra_refuge_save(pool->path, bytes->data, bytes->size);
		pool->refuge = true;
		return;
	}
	if (pool->refuge)
		astra_refuge_drop(pool->path);
	pool->refuge = false;
	pool->synced = sync;
	if (sync)
		astra_pace_done(&pool->sync, since);
}

void astra_pools_save(struct astra_pools *pools, struct astra_diag *diag,
		      double now_sec, bool last)
{
	for (size_t i = 0; i < pools->count; i++) {
		struct astra_pool *pool = &pools->list[i];
		struct astra_bytes bytes = {0};
		struct astra_error err = {""};

		if (!pool->engine || !(pool->dirty || (last && !pool->synced)))
			continue;
		if (astra_engine_save(pool->engine, &bytes) < 0)
			astra_error_nomem(&err);
		else
			write_state(pool, &bytes, last, &err);
		astra_bytes_clear(&bytes);
		if (*err.text && strcmp(err.text, pool->state_error.text))
			error("astraea: the state is not saved: %s", err.text);
		pool->state_error = err;
		if (*err.text)
			continue;
		pool->dirty = false;
		diag->of.state_saves++;
		diag->of.state_saved_sec = now_sec;
	}
}

void astra_pools_free(struct astra_pools *pools)
{
	for (size_t i = 0; i < pools->count; i++)
		close_pool(&pools->list[i]);
	free(pools->list);
	*pools = (struct astra_pools){0};
}
