/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/host.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/fault.h"
#include "src/history/history.h"
#include "src/slurm/apply.h"
#include "src/slurm/compat.h"
#include "src/slurm/cycle.h"
#include "src/slurm/expected.h"
#include "src/slurm/forecaster.h"
#include "src/slurm/gate.h"
#include "src/slurm/grace.h"
#include "src/slurm/ledger.h"
#include "src/slurm/pace.h"
#include "src/slurm/park.h"
#include "src/slurm/priority.h"
#include "src/slurm/publish.h"
#include "src/slurm/recover.h"
#include "src/slurm/run_end.h"
#include "src/slurm/saver.h"
#include "src/slurm/selfcheck.h"
#include "src/slurm/told.h"
#include "src/slurm/users.h"

#define READY_POLL_USEC 20000

/* Who changes it from STOPPED or RUNNING does the work, and nobody waits. */
enum { STOPPED, STARTING, RUNNING, STOPPING };
static atomic_int life;
static pthread_t thread;
static struct astra_cycle cycle; /* the thread's, while it runs */

static pthread_mutex_t wake_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_cond = PTHREAD_COND_INITIALIZER;
static bool stop, event, urgent, reconfigure; /* under wake_mutex */
static atomic_bool reset_diag;

static double now_sec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A moment so many seconds from now by a clock that nobody sets. Slurm counts
 * in whole seconds, and its clock may lag by a tick: a little after the second
 * begins, time() has it. */
static struct timespec moment(double wait_sec)
{
	struct timespec t;
	double at;

	clock_gettime(CLOCK_MONOTONIC, &t);
	at = (double)t.tv_nsec / 1e9 + fmax(wait_sec, 0) + 0.01;
	t.tv_sec += (time_t)floor(at);
	t.tv_nsec = (long)((at - floor(at)) * 1e9);
	return t;
}

/* The earliest moment for a round that somebody waits for. */
static struct timespec after_pause(const struct astra_pace *pace)
{
	uint64_t at = pace->due_usec;

	return (struct timespec){
		.tv_sec = (time_t)(at / 1000000),
		.tv_nsec = (long)(at % 1000000 * 1000),
	};
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static bool is_past(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return !is_before(&now, t);
}

/* Sleep until the round that is due, or until something happens; two rounds in
 * a second only where somebody waits at the terminal. Returns false to stop. */
static bool wait_for_round(double due_sec, double last_sec,
			   const struct astra_pace *pace, bool *reread)
{
	double now = now_sec();
	double earliest = fmin(floor(last_sec) + 1 - now, 1);
	struct timespec soon = moment(earliest);
	struct timespec due = moment(fmax(due_sec - now, earliest));
	struct timespec next = after_pause(pace);
	bool go_on;

	pthread_mutex_lock(&wake_mutex);
	for (;;) {
		bool early = event || urgent || reconfigure;
		const struct timespec *t = early ? &soon : &due;

		if (urgent && is_before(&next, t))
			t = &next;
		if (stop || is_past(t))
			break;
		pthread_cond_clockwait(&wake_cond, &wake_mutex, CLOCK_MONOTONIC,
				       t);
	}
	event = urgent = false;
	*reread = reconfigure;
	reconfigure = false;
	go_on = !stop;
	pthread_mutex_unlock(&wake_mutex);
	return go_on;
}

/* Plugins are initialised before jobs, dependencies and priorities are in
 * place. */
static bool wait_until_ready(void)
{
	for (;;) {
		struct timespec pause = {.tv_nsec = READY_POLL_USEC * 1000L};
		bool stopped, ready = astra_slurmctld_ready();

		pthread_mutex_lock(&wake_mutex);
		stopped = stop;
		pthread_mutex_unlock(&wake_mutex);
		if (stopped)
			return false;
		if (ready)
			return true;
		nanosleep(&pause, NULL);
	}
}

static void *run(void *arg)
{
	struct astra_pace pace = {0};
	double due = 0;
	bool reread = false;
	uint64_t begin;

	(void)arg;
	if (!wait_until_ready())
		return NULL;
	while (wait_for_round(due, cycle.diag.round_sec, &pace, &reread)) {
		begin = astra_usec();
		if (reread)
			(void)astra_cycle_configure(&cycle, false);
		if (atomic_exchange(&reset_diag, false))
			astra_diag_reset(&cycle.diag, now_sec());
		due = astra_cycle_run(&cycle);
		astra_pace_done(&pace, begin);
	}
	return NULL;
}

static int begin(void)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 4 * 1024 * 1024);
	rc = pthread_create(&thread, &attr, run, NULL);
	pthread_attr_destroy(&attr);
	if (rc)
		error("astraea: no thread: %s", strerror(rc));
	return rc ? -1 : 0;
}

static void prepare(void)
{
	char conf[] = "astraea.conf";
	char *path = get_extra_conf_path(conf);

	memset(&cycle, 0, sizeof(cycle));
	cycle.conf_path = strdup(path);
	cycle.folder = strdup(slurm_conf.state_save_location);
	xfree(path);
	cycle.diag.started_sec = cycle.diag.reset_sec = now_sec();
	stop = event = urgent = reconfigure = false;
	if (cycle.folder) {
		astra_users_open(cycle.folder);
		astra_recover_open(cycle.folder);
		astra_saver_open(cycle.folder);
	}
	ASTRA_FAULT_FOLDER(cycle.folder);
	astra_gate_begin();
	cycle.gate = astra_gate_loaded();
	if (!cycle.gate)
		info("astraea: without burst_buffer/astraea there are no "
		     "leases; jobs are only put in order");
	if (cycle.conf_path && cycle.folder)
		(void)astra_cycle_configure(&cycle, true);
	/* Slurmctld may not have all of its partitions yet, or none. */
	reconfigure = *cycle.diag.config_error.text || !part_list;
	astra_cycle_follow(&cycle);
}

static bool change_life(int from, int to)
{
	return atomic_compare_exchange_strong(&life, &from, to);
}

/* Slurmctld comes with its locks held, and stopping waits for a thread that may
 * want them: so nobody waits here. */
int astra_host_start(void)
{
	int rc;

	if (astra_selfcheck_begin() < 0 || slurmctld_config.shutdown_time ||
	    !change_life(STOPPED, STARTING))
		return 0;
	prepare();
	astra_publish_start(&cycle);
	astra_publish_start_history(&cycle);
	(void)astra_forecaster_start(cycle.folder);
	rc = begin();
	life = rc == 0 ? RUNNING : STOPPED;
	return rc;
}

/* Slurmctld saves the jobs after this: one without our plugins must find none
 * of them parked. */
static void give_back(void)
{
	uint32_t count;

	astra_gate_stop();
	if (astra_selfcheck_aside())
		return;
	lock_slurmctld(astra_write_locks());
	count = astra_unpark_all();
	astra_priority_give_back();
	unlock_slurmctld(astra_write_locks());
	schedule_job_save(); /* has locks of its own */
	if (count)
		verbose("astraea: %u jobs given back to Slurm", count);
}

/* Slurmctld comes without its own locks, at most with that of its burst buffer
 * plugins, which a start asks for. But by then it is shutting down and its jobs
 * were saved: the thread has let go of its locks and takes no more. What it may
 * still be at is the disk. */
void astra_host_stop(void)
{
	struct astra_config *config;

	if (!change_life(RUNNING, STOPPING))
		return;
	pthread_mutex_lock(&wake_mutex);
	stop = true;
	pthread_cond_broadcast(&wake_cond);
	pthread_mutex_unlock(&wake_mutex);
	pthread_join(thread, NULL);
	astra_forecaster_stop();
	astra_publish_stop();
	astra_history_stop();
	give_back();
	astra_cycle_close(&cycle);
	astra_grace_free();
	astra_ledger_free();
	astra_told_free();
	lock_slurmctld(astra_write_locks());
	config = astra_config_swap(NULL);
	astra_recover_close();
	astra_expected_free();
	astra_run_end_free();
	unlock_slurmctld(astra_write_locks());
	astra_config_destroy(config);
	life = STOPPED;
}

static void raise_flag(bool *flag)
{
	pthread_mutex_lock(&wake_mutex);
	*flag = true;
	pthread_cond_signal(&wake_cond);
	pthread_mutex_unlock(&wake_mutex);
}

void astra_host_reconfigure(void)
{
	raise_flag(&reconfigure);
}

void astra_host_wake(void)
{
	raise_flag(&event);
}

void astra_host_wake_now(void)
{
	raise_flag(&urgent);
}

void astra_host_reset_diag(void)
{
	reset_diag = true;
}
