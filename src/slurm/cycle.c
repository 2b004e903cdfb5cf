/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/cycle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/fault.h"
#include "src/history/history.h"
#include "src/model/plausible.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/ahead/recorder.h"
#include "src/slurm/ahead/tuner.h"
#include "src/slurm/check/overlap.h"
#include "src/slurm/check/selfcheck.h"
#include "src/slurm/conf/config_kept.h"
#include "src/slurm/desk/adopter.h"
#include "src/slurm/desk/publish.h"
#include "src/slurm/desk/told.h"
#include "src/slurm/desk/told_file.h"
#include "src/slurm/hooks/arrival.h"
#include "src/slurm/hooks/gate.h"
#include "src/slurm/in/lost_launch.h"
#include "src/slurm/in/mixed.h"
#include "src/slurm/in/unleased_view.h"
#include "src/slurm/in/users.h"
#include "src/slurm/out/advise.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/out/preempt.h"
#include "src/slurm/out/recover.h"
#include "src/slurm/out/waiting.h"
#include "src/slurm/warn.h"

#define TRIES_MAX 3
#define IDLE_SEC 60
/* Jobs that ended up to this long before the last round are still shown to the
 * engine, in case it missed them. */
#define ENDED_SEC 120
/* How long nodes may take to answer after a start. */
#define SETTLE_SEC 10
/* How long slurmctld's start, or a reconfigure, may take. */
#define START_SEC 5
/* After this time each node was asked to register. */
#define YOUNG_SEC 300

/* Configuration. */

/* Put a configuration in force, and take ownership of it. Returns 0, or -1 when
 * slurmctld is shutting down. */
static int put_in_force(struct astra_cycle *cycle, struct astra_config *config,
			bool locked)
{
	struct astra_config *before;
	struct astra_hold_time hold;

	if (!locked && astra_lock(&hold) < 0) {
		astra_config_destroy(config);
		return -1;
	}
	for (size_t i = 0; i < config->pool_count && !cycle->gate; i++)
		config->pools[i].options.leases = false;
	astra_arrival_forget();
	for (size_t i = 0; i < config->pool_count; i++)
		astra_unleased_default(&config->pools[i].options);
	astra_tuner_configure(config);
	before = astra_config_swap(config);
	if (!locked)
		astra_unlock(&hold, &cycle->diag);
	astra_config_destroy(before);
	cycle->diag.of.config_sec = (double)time(NULL);
	cycle->kept = cycle->loaded = false;
	return 0;
}

/* Read the file. A pool without an existing partition is an error like any
 * other. */
static struct astra_config *read_config(const struct astra_cycle *cycle,
					bool locked, struct astra_error *err)
{
	const slurmctld_lock_t locks = {.node = READ_LOCK, .part = READ_LOCK};
	struct astra_config *config = astra_config_read(cycle->conf_path, err);
	int rc;

	if (!config)
		return NULL;
	if (!locked)
		lock_slurmctld(locks);
	rc = astra_config_check_site(config, err);
	if (rc == 0)
		rc = astra_mixed_check(config, err);
	if (rc == 0)
		rc = astra_overlap_check(config, err);
	if (!locked)
		unlock_slurmctld(locks);
	if (rc == 0)
		return config;
	astra_config_destroy(config);
	return NULL;
}

/* Report an error, and which configuration is in force instead. If that is a
 * copy, say when it was made, as it may be old. */
static void tell_config_error(struct astra_cycle *cycle,
			      struct astra_error *err)
{
	double now = (double)time(NULL);
	char text[32] = "";
	struct tm tm;

	/* The file is read again once slurmctld has its partitions. */
	if (!part_list)
		return;
	if (cycle->kept_sec && localtime_r(&cycle->kept_sec, &tm)) {
		strftime(text, sizeof(text), "%F %T", &tm);
		astra_error_add(err,
				"the old values stay (the last good file, "
				"copied at %s)",
				text);
	}
	/* The file is read several times: at slurmctld's start, and for each
	 * plugin at a reconfigure. */
	if (now < cycle->told_sec + START_SEC &&
	    !strcmp(err->text, cycle->diag.config_error.text))
		return;
	cycle->told_sec = now;
	error("astraea: %s%s", err->text,
	      cycle->kept_sec	      ? ""
	      : astra_config_active() ? "; the old values stay"
				      : "; no job is managed until "
					"this is mended");
}

int astra_cycle_configure(struct astra_cycle *cycle, bool locked)
{
	struct astra_error err = {""};
	struct astra_config *config = read_config(cycle, locked, &err);
	bool good = config != NULL;

	if (!good && !astra_config_active())
		config = astra_config_kept(cycle->conf_path, cycle->folder,
					   &cycle->kept_sec);
	if (config && put_in_force(cycle, config, locked) < 0)
		return -1;
	if (good)
		cycle->kept_sec = 0;
	else
		tell_config_error(cycle, &err);
	cycle->diag.config_error = err;
	return good ? 0 : -1;
}

/* Check that slurmctld's structures are those that we were built with. Returns
 * 0, or -1 if we stand aside. */
static int self_check(void)
{
	if (!astra_selfcheck_done()) {
		lock_slurmctld(astra_write_locks());
		(void)astra_selfcheck_look();
		unlock_slurmctld(astra_write_locks());
	}
	return astra_selfcheck_aside() ? -1 : 0;
}

/* The steps of a round. */

static int take_scene(struct astra_cycle *cycle, struct astra_error *err)
{
	time_t since =
		(time_t)astra_history_behind(cycle->last_sec) - ENDED_SEC;
	uint64_t begin;
	int rc;

	if (slurmctld_config.shutdown_time)
		return astra_error_set(err, "slurmctld is shutting down");
	cycle->scene.start = (time_t)cycle->diag.of.started_sec;
	cycle->scene.kept = astra_preempt_kept();
	cycle->scene.young =
		(double)time(NULL) < cycle->diag.of.started_sec + YOUNG_SEC;
	lock_slurmctld(astra_read_locks());
	begin = astra_usec();
	rc = !astra_selfcheck_passed() && list_count(job_list)
		     ? astra_error_set(err, "jobs are yet to be checked")
		     : astra_scene_take(&cycle->scene, astra_config_active(),
					since, err);
	if (rc == 0)
		astra_warn_scene(&cycle->scene, astra_config_active(),
				 &cycle->warning);
	astra_clock_add(&cycle->diag.of.snapshot, begin);
	unlock_slurmctld(astra_read_locks());
	return rc;
}

/* Take the snapshots. Unknown user names are looked up without locks. Returns
 * 0, or -1. */
static int take_named_scene(struct astra_cycle *cycle)
{
	struct astra_error err = {""};

	astra_cycle_name_users(cycle);
	for (int i = 0; i < TRIES_MAX; i++) {
		if (take_scene(cycle, &err) < 0) {
			cycle->diag.scene_error = err;
			return -1;
		}
		*cycle->diag.scene_error.text = '\0';
		if (!cycle->scene.unnamed) {
			astra_told_add(&cycle->scene, astra_config_active(),
				       &cycle->pools);
			return 0;
		}
		astra_cycle_name_users(cycle);
	}
	return -1;
}

/* Check the first snapshot that has jobs, before anything is decided from it.
 * Returns 0, or -1. */
static int rehearse(struct astra_cycle *cycle)
{
	struct astra_error err = {""};

	if (cycle->rehearsed || !astra_selfcheck_passed())
		return 0;
	for (size_t i = 0; i < cycle->scene.view_count; i++)
		if (astra_snapshot_plausible(&cycle->scene.views[i].model,
					     &err) < 0) {
			astra_selfcheck_refuse(err.text);
			return -1;
		}
	cycle->rehearsed = true;
	return 0;
}

static int cycle_decide(struct astra_cycle *cycle, struct astra_pool *pool,
			const struct astra_view *view)
{
	struct astra_error err = {""};
	uint64_t begin;
	int rc;

	astra_forecaster_look(pool->name, pool->engine, view);
	astra_tuner_look(pool->name, pool->engine, view);
	astra_recorder_before(pool->name, pool->engine, &view->model);
	begin = astra_usec();
	rc = astra_engine_round(pool->engine, &view->model, &pool->plan, &err);
	astra_clock_add(&cycle->diag.of.decide, begin);
	astra_recorder_after(&pool->plan, err.text);
	if (rc < 0 && strcmp(err.text, pool->error.text))
		error("astraea: pool %s starts nothing: %s", pool->name,
		      err.text);
	pool->error = err;
	pool->dirty |= pool->plan.changed;
	return rc;
}

/* Return when to say that each job starts, or has to start at the latest,
 * parallel to the plan's reasons. The caller frees the result; NULL: as
 * planned. This is done before slurmctld's locks are taken, since the
 * forecaster, a thread of the lowest priority, may hold its own lock. */
static double *find_starts(const struct astra_pool *pool, double now_sec)
{
	const struct astra_plan *plan = &pool->plan;
	double *starts = NULL;

	if (astra_engine_options(pool->engine)->leases)
		starts = calloc(plan->reason_count, sizeof(*starts));
	for (size_t i = 0; starts && i < plan->reason_count; i++) {
		starts[i] = astra_forecaster_start_sec(
			pool->name, &plan->reasons[i], now_sec);
		if (!(starts[i] > 0))
			starts[i] = astra_forecaster_past(
				pool->name, plan->reasons[i].bound_sec);
	}
	return starts;
}

/* Tell users why a pool's jobs wait, and until when. */
static int cycle_tell(struct astra_cycle *cycle, struct astra_pool *pool,
		      const struct astra_view *view)
{
	double *starts;
	int rc;

	if (!pool->plan.reason_count)
		return 0;
	starts = find_starts(pool, view->model.now_sec);
	rc = astra_apply_texts(pool, view, starts, &cycle->diag);
	free(starts);
	return rc;
}

/* Decide for a pool, and carry the plan out. If starts are refused, decide
 * again with a new snapshot. Returns 1 if something was done, 0 if not, or -1
 * to give up the round. */
static int serve_pool(struct astra_cycle *cycle, size_t index)
{
	struct astra_pool *pool = &cycle->pools.list[index];
	struct astra_applied applied = {0};
	int done = 0;

	for (int i = 0; i < TRIES_MAX; i++) {
		if (i > 0 && take_named_scene(cycle) < 0)
			return -1;
		if (cycle_decide(cycle, pool, &cycle->scene.views[index]) < 0)
			return done;
		ASTRA_FAULT("round.decided");
		if (astra_apply(pool, &cycle->scene.views[index], &cycle->diag,
				&applied) < 0)
			return -1;
		if (applied.started || applied.requeued || applied.denied ||
		    applied.skipped)
			done = 1;
		if (!applied.refused)
			break;
	}
	astra_arrival_decided(index, pool, &applied);
	return cycle_tell(cycle, pool, &cycle->scene.views[index]) < 0 ? -1
								       : done;
}

static const struct astra_options *cycle_options(const char *pool)
{
	const struct astra_config *config = astra_config_active();

	for (size_t i = 0; config && i < config->pool_count; i++)
		if (!strcmp(config->pools[i].name, pool))
			return &config->pools[i].options;
	return NULL;
}

/* Put in force a term that LeaseTerm=auto has chosen, as a reconfigure does:
 * present leases keep their ends. Returns 0, or -1 when slurmctld is shutting
 * down. */
static int take_term(struct astra_cycle *cycle, struct astra_pool *pool,
		     double term_sec)
{
	const struct astra_options *options;
	struct astra_error err = {""};
	struct astra_hold_time hold;

	if (astra_lock(&hold) < 0)
		return -1;
	astra_config_set_term(pool->name, term_sec);
	options = cycle_options(pool->name);
	astra_unlock(&hold, &cycle->diag);
	if (options && astra_engine_configure(pool->engine, options, &err) < 0)
		error("astraea: pool %s keeps its term: %s", pool->name,
		      err.text);
	pool->dirty = true;
	return 0;
}

static int take_terms(struct astra_cycle *cycle)
{
	double term_sec;

	for (size_t i = 0; i < cycle->pools.count; i++) {
		struct astra_pool *pool = &cycle->pools.list[i];

		if (pool->engine && astra_tuner_take(pool->name, &term_sec) &&
		    take_term(cycle, pool, term_sec) < 0)
			return -1;
	}
	return 0;
}

/* Log warnings once, and again after they have changed. */
static void tell_warnings(struct astra_cycle *cycle)
{
	const struct astra_error *now = &cycle->warning;

	if (!strcmp(now->text, cycle->diag.config_warning.text))
		return;
	if (*now->text)
		error("astraea: %s", now->text);
	cycle->diag.config_warning = *now;
}

static double cycle_next_wake(const struct astra_cycle *cycle, bool busy)
{
	double now = (double)time(NULL), wake = now + IDLE_SEC;
	double heard = (double)(cycle->scene.start + ASTRA_HEARD_SEC);

	if (heard > now) /* from then on leases end again */
		wake = heard;
	for (size_t i = 0; i < cycle->pools.count; i++) {
		const struct astra_pool *pool = &cycle->pools.list[i];

		if (!pool->engine)
			continue;
		if (pool->plan.wake_sec > 0)
			wake = fmin(wake, pool->plan.wake_sec);
		wake = fmin(
			wake,
			now + astra_engine_options(pool->engine)->round_sec);
		if (i < cycle->scene.view_count &&
		    cycle->scene.views[i].unsettled)
			busy = true;
	}
	return busy ? now + 1 : fmax(ceil(wake), now + 1);
}

void astra_cycle_follow(struct astra_cycle *cycle)
{
	if (cycle->loaded || !astra_config_active())
		return;
	astra_pools_follow(&cycle->pools, astra_config_active(), cycle->folder,
			   (double)time(NULL));
	cycle->loaded = true;
}

/* Whether nodes have answered. Right after a start or a takeover slurmctld has
 * not heard from any node: for a moment the cluster would seem to have no GPUs,
 * and tenants no share of them. */
static bool nodes_settled(struct astra_cycle *cycle)
{
	bool settled = true;

	if (cycle->settled ||
	    (double)time(NULL) > cycle->diag.of.started_sec + SETTLE_SEC)
		return true;
	lock_slurmctld(astra_read_locks());
	for (int i = 0; i < node_record_count; i++) {
		const node_record_t *node = node_record_table_ptr[i];

		if (node && !IS_NODE_DOWN(node) && !IS_NODE_FUTURE(node) &&
		    !IS_NODE_POWERED_DOWN(node) && !IS_NODE_POWER_DOWN(node) &&
		    !IS_NODE_POWERING_DOWN(node) &&
		    (IS_NODE_UNKNOWN(node) || IS_NODE_NO_RESPOND(node) ||
		     !astra_node_known(node)))
			settled = false;
	}
	unlock_slurmctld(astra_read_locks());
	cycle->settled = settled;
	return settled;
}

/* Move leases, reports and bids if the clock was set. */
static void follow_clock(struct astra_cycle *cycle)
{
	double boot = (double)time(NULL) - astra_boot_sec();
	double by = boot - cycle->boot_sec;

	if (cycle->boot_sec > 0 && fabs(by) > ASTRA_JUMP_SEC) {
		error("astraea: the clock was set by %+.0f s; the ends of all "
		      "leases move along",
		      by);
		astra_pools_shift(&cycle->pools, by);
		astra_told_shift(by);
		cycle->diag.of.started_sec += by;
		cycle->last_sec += by;
	}
	cycle->boot_sec = boot;
	astra_clock_follow(boot);
}

/* End a round that does nothing; sfair diag says why. */
static double cycle_rest(struct astra_cycle *cycle, double now)
{
	cycle->diag.of.round_sec = now;
	astra_publish(&cycle->pools, &cycle->scene, &cycle->diag);
	return now + IDLE_SEC;
}

/* Do what is due only once: copy the file of a new configuration, and recover
 * the jobs after slurmctld's start. */
static void cycle_prepare(struct astra_cycle *cycle)
{
	if (!cycle->kept)
		astra_config_keep(cycle->conf_path, cycle->folder);
	cycle->kept = true;
	if (!cycle->recovered && !slurmctld_config.shutdown_time) {
		astra_recover_jobs();
		astra_lost_launch_doubt();
	}
	cycle->recovered = true;
	astra_told_load(cycle->folder);
}

/* Serve all pools. Returns as serve_pool(). */
static int serve_pools(struct astra_cycle *cycle)
{
	int busy = 0;

	for (size_t i = 0; i < cycle->pools.count; i++) {
		int rc = cycle->pools.list[i].engine ? serve_pool(cycle, i) : 0;

		if (rc < 0)
			return -1;
		busy |= rc;
	}
	return busy;
}

static void close_round(struct astra_cycle *cycle, double now, uint64_t begin)
{
	astra_pools_save(&cycle->pools, &cycle->diag, now, false);
	astra_adopter_saved(&cycle->pools, &cycle->scene);
	astra_told_save(false);
	astra_forecaster_round_ends();
	cycle->last_sec = now;
	cycle->diag.of.rounds++;
	cycle->diag.of.round_sec = now;
	astra_clock_add(&cycle->diag.of.round, begin);
	astra_publish(&cycle->pools, &cycle->scene, &cycle->diag);
}

double astra_cycle_run(struct astra_cycle *cycle)
{
	uint64_t begin = astra_usec();
	double now = (double)time(NULL);
	int busy;

	follow_clock(cycle);
	astra_recover_round();
	astra_publish_retry(cycle->folder);
	if (self_check() < 0 || !astra_config_active())
		return cycle_rest(cycle, now);
	cycle_prepare(cycle);
	if (slurmctld_config.shutdown_time || !nodes_settled(cycle))
		return now + 1;
	astra_cycle_follow(cycle);
	astra_arrival_round_begins();
	if (astra_waiting_look(cycle->gate, &cycle->diag) < 0)
		return now + 1;
	if (cycle->gate)
		astra_preempt_serve(astra_config_active(), &cycle->diag);
	if (take_terms(cycle) < 0 || take_named_scene(cycle) < 0 ||
	    rehearse(cycle) < 0)
		return now + 1;
	tell_warnings(cycle);
	astra_adopter_serve(&cycle->pools);
	busy = serve_pools(cycle);
	if (busy < 0)
		return now + 1;
	if (astra_advise(&cycle->diag) < 0)
		return now + 1;
	ASTRA_FAULT("round.applied");
	if (busy)
		schedule_job_save(); /* takes locks of its own */
	close_round(cycle, now, begin);
	return cycle_next_wake(cycle, busy);
}

void astra_cycle_close(struct astra_cycle *cycle)
{
	astra_pools_save(&cycle->pools, &cycle->diag, (double)time(NULL), true);
	astra_told_save(true);
	astra_pools_free(&cycle->pools);
	astra_scene_free(&cycle->scene);
	astra_users_free();
	astra_recorder_free();
	astra_adopter_free();
	free(cycle->conf_path);
	free(cycle->folder);
	*cycle = (struct astra_cycle){0};
}
