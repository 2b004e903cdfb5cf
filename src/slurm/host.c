/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/host.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/clock.h"
#include "src/common/fault.h"
#include "src/common/thread.h"
#include "src/history/history.h"
#include "src/slurm/ahead/forecaster.h"
#include "src/slurm/ahead/tuner.h"
#include "src/slurm/check/damage.h"
#include "src/slurm/check/selfcheck.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/cycle.h"
#include "src/slurm/desk/publish.h"
#include "src/slurm/desk/told.h"
#include "src/slurm/hooks/gate.h"
#include "src/slurm/in/reserved.h"
#include "src/slurm/in/users.h"
#include "src/slurm/note/note.h"
#include "src/slurm/out/apply.h"
#include "src/slurm/out/checkpointed.h"
#include "src/slurm/out/env.h"
#include "src/slurm/out/notify.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/priority.h"
#include "src/slurm/out/recover.h"
#include "src/slurm/out/saver.h"
#include "src/slurm/round/bell.h"
#include "src/slurm/round/pace.h"

#define READY_POLL_USEC 20000

/* The state of the engine's thread. The caller that changes it from STOPPED or
 * RUNNING does the work; other callers return at once. */
enum { STOPPED, STARTING, RUNNING, STOPPING };
static atomic_int life;
static pthread_t thread;
static struct astra_cycle cycle; /* owned by the thread while it runs */

/* Wait until slurmctld is ready: plugins are initialised before jobs,
 * dependencies and priorities exist. Returns false if the thread is to stop. */
static bool wait_until_ready(void)
{
	for (;;) {
		struct timespec pause = {.tv_nsec = READY_POLL_USEC * 1000L};
		bool ready = astra_slurmctld_ready();

		if (astra_bell_stopped())
			return false;
		if (ready)
			return true;
		nanosleep(&pause, NULL);
	}
}

static void host_settle(void)
{
	struct astra_hold_time hold;

	if (astra_lock(&hold) < 0)
		return;
	astra_checkpointed_settle();
	astra_unlock(&hold, &cycle.diag);
}

static void *host_run(void *arg)
{
	struct astra_pace pace = {0};
	struct astra_bell_orders orders;
	double due = 0;
	uint64_t begin;

	(void)arg;
	if (!wait_until_ready())
		return NULL;
	while (astra_bell_wait(due, cycle.diag.of.round_sec, &pace, &orders)) {
		if (orders.settle)
			host_settle();
		if (!orders.round)
			continue;
		begin = astra_usec();
		if (orders.reconfigure)
			(void)astra_cycle_configure(&cycle, false);
		if (orders.reset_diag)
			astra_diag_reset(&cycle.diag,
					 astra_now_sec(CLOCK_REALTIME));
		due = astra_cycle_run(&cycle);
		astra_pace_done(&pace, begin);
	}
	return NULL;
}

static int host_begin(void)
{
	int rc = astra_thread_begin(&thread, 4 * 1024 * 1024, host_run, NULL);

	if (rc)
		error("astraea: no thread: %s", strerror(rc));
	return rc ? -1 : 0;
}

static void host_prepare(void)
{
	char conf[] = "astraea.conf";
	char *path = get_extra_conf_path(conf);

	memset(&cycle, 0, sizeof(cycle));
	cycle.conf_path = strdup(path);
	cycle.folder = strdup(slurm_conf.state_save_location);
	xfree(path);
	cycle.diag.of.started_sec = cycle.diag.of.reset_sec =
		astra_now_sec(CLOCK_REALTIME);
	if (cycle.folder) {
		astra_users_open(cycle.folder);
		astra_recover_open(cycle.folder);
	}
	astra_tuner_open(cycle.folder);
	ASTRA_FAULT_FOLDER(cycle.folder);
	astra_gate_begin();
	cycle.gate = astra_gate_loaded();
	if (!cycle.gate)
		info("astraea: without burst_buffer/astraea there are no "
		     "leases; jobs are only put in order");
	if (cycle.conf_path && cycle.folder)
		(void)astra_cycle_configure(&cycle, true);
	/* slurmctld may still lack its partitions, or some of them. */
	astra_bell_begin(*cycle.diag.config_error.text || !part_list);
	astra_cycle_follow(&cycle);
}

static bool change_life(int from, int to)
{
	return atomic_compare_exchange_strong(&life, &from, to);
}

/* slurmctld calls this with its locks held, and stopping waits for a thread
 * that may want these locks. So starting waits for nothing. */
int astra_host_start(void)
{
	int rc;

	if (astra_selfcheck_begin() < 0 || slurmctld_config.shutdown_time ||
	    !change_life(STOPPED, STARTING))
		return 0;
	host_prepare();
	astra_publish_start(cycle.folder);
	astra_publish_start_history(cycle.folder);
	(void)astra_forecaster_start(cycle.folder);
	(void)astra_tuner_start();
	astra_saver_start(cycle.folder ? cycle.folder : "");
	rc = host_begin();
	life = rc == 0 ? RUNNING : STOPPED;
	return rc;
}

static int give_back_env(void *x, void *arg)
{
	job_record_t *job = x;

	(void)arg;
	/* A job that is being configured is still to be launched. */
	if (job->details && !IS_JOB_FINISHED(job) && !IS_JOB_CONFIGURING(job))
		astra_env_give_back(job->details);
	return 0;
}

/* Remove our marks from all jobs. slurmctld saves the jobs after this. A
 * slurmctld without our plugins must not find them parked, nor start a job with
 * the values of its last lease. */
static void host_give_back(void)
{
	uint32_t count;

	astra_gate_stop();
	if (astra_selfcheck_aside())
		return;
	lock_slurmctld(astra_write_locks());
	astra_checkpointed_settle();
	count = astra_unpark_all();
	astra_priority_give_back();
	if (job_list)
		list_for_each(job_list, give_back_env, NULL);
	unlock_slurmctld(astra_write_locks());
	schedule_job_save(); /* takes locks of its own */
	if (count)
		verbose("astraea: %u jobs given back to Slurm", count);
}

/* slurmctld calls this without its own locks, at most with that of its burst
 * buffer plugins, which a start needs. By then slurmctld is shutting down and
 * has saved its jobs: the thread has released its locks and takes no more. It
 * may only still be writing to disk. */
void astra_host_stop(void)
{
	struct astra_config *config;

	if (!change_life(RUNNING, STOPPING))
		return;
	astra_bell_stop();
	pthread_join(thread, NULL);
	astra_saver_stop();
	astra_forecaster_stop();
	astra_tuner_stop();
	astra_notify_stop();
	astra_publish_stop();
	astra_history_stop();
	host_give_back();
	astra_cycle_close(&cycle);
	astra_note_free();
	astra_told_free();
	astra_damage_forget();
	lock_slurmctld(astra_write_locks());
	config = astra_config_swap(NULL);
	astra_recover_close();
	astra_checkpointed_free();
	unlock_slurmctld(astra_write_locks());
	astra_config_destroy(config);
	life = STOPPED;
}

/* Start the engine here if no other plugin of ours is loaded. Some releases
 * hold their locks here, others do not, but none of them serves requests
 * yet. */
int astra_priority_init(void)
{
	int rc = astra_priority_load();

	if (rc == SLURM_SUCCESS && astra_priority_publishes())
		(void)astra_host_start();
	return rc;
}

/* Stop the engine if no sched/astraea runs it: then this is the last fini
 * before the jobs are saved. Jobs get multifactor's priorities again. */
int astra_priority_fini(void)
{
	if (astra_priority_publishes())
		astra_host_stop();
	return astra_priority_unload();
}

void astra_host_reconfigure(void)
{
	astra_bell_reconfigure();
}

void astra_host_wake(void)
{
	astra_bell_ring();
}
