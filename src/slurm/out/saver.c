/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/saver.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "src/common/fault.h"
#include "src/common/thread.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/round/pace.h"

/* Within this time a save that is in progress, and what follows it, are
 * over. */
#define WAIT_NSEC INT64_C(1000000000)
#define POLL_NSEC 20000000

static bool saver_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino &&
	       astra_saver_nsec(&a->st_mtim) == astra_saver_nsec(&b->st_mtim) &&
	       astra_saver_nsec(&a->st_ctim) == astra_saver_nsec(&b->st_ctim);
}

static char path[PATH_MAX], old_path[PATH_MAX]; /* job_state, and .old */
/* the file as slurmctld's saver left it last, and as our own save did */
static struct stat its, ours;
static int64_t own_nsec; /* how long our last saves took */

static pthread_t thread;
static bool thread_runs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static bool wanted, stopping; /* guarded by lock */

static bool rests_now(void)
{
	struct timespec now;
	struct stat st;

	if (stat(path, &st) == 0 && !saver_is_same(&st, &ours))
		its = st;
	clock_gettime(CLOCK_REALTIME, &now);
	return astra_saver_rests(&its, &now, own_nsec);
}

static bool wait_for_rest(void)
{
	struct timespec pause = {.tv_nsec = POLL_NSEC};

	for (int64_t waited = 0; waited < WAIT_NSEC; waited += POLL_NSEC) {
		if (slurmctld_config.shutdown_time)
			return false;
		if (rests_now())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* Save the jobs. Returns whether slurmctld's saver wrote the file meanwhile:
 * then our data may have overwritten newer data. Each save renames the file
 * before it to job_state.old, which shows this. */
static bool save_once(void)
{
	uint64_t since = astra_usec();
	struct stat before, old;
	bool known = stat(path, &before) == 0;
	int64_t took;

	(void)dump_all_job_state();
	(void)stat(path, &ours);
	took = (int64_t)(astra_usec() - since) * 1000;
	own_nsec = took > own_nsec / 2 ? took : own_nsec / 2;
	return known && stat(old_path, &old) == 0 &&
	       old.st_ino != before.st_ino;
}

static void save_in_turn(void)
{
	static struct astra_pace pace;
	uint64_t since;

	if (!slurmctld_primary || !*path || !astra_pace_due(&pace) ||
	    !wait_for_rest()) {
		own_nsec -= own_nsec / 8;
		schedule_job_save();
		return;
	}
	since = astra_usec();
	if (save_once()) {
		(void)save_once();
		own_nsec = ASTRA_SAVER_REST_NSEC;
	}
	astra_pace_done(&pace, since);
	ASTRA_FAULT("start.saved");
}

static void *saver_run(void *arg)
{
	bool stop;

	(void)arg;
	do {
		pthread_mutex_lock(&lock);
		while (!wanted && !stopping)
			pthread_cond_wait(&bell, &lock);
		wanted = false;
		stop = stopping;
		pthread_mutex_unlock(&lock);
		if (!stop)
			save_in_turn();
	} while (!stop);
	return NULL;
}

void astra_saver_start(const char *folder)
{
	int rc;

	its = ours = (struct stat){0};
	wanted = stopping = false;
	own_nsec = ASTRA_SAVER_FIRST_NSEC;
	if (snprintf(path, sizeof(path), "%s/job_state", folder) >=
		    (int)sizeof(path) ||
	    snprintf(old_path, sizeof(old_path), "%s/job_state.old", folder) >=
		    (int)sizeof(old_path))
		*path = '\0';
	rc = astra_thread_begin(&thread, 0, saver_run, NULL);
	thread_runs = rc == 0;
	if (rc)
		error("astraea: no thread for saves: %s; slurmctld's own saver does them",
		      strerror(rc));
}

void astra_saver_want(void)
{
	if (!thread_runs) {
		schedule_job_save();
		return;
	}
	pthread_mutex_lock(&lock);
	wanted = true;
	pthread_cond_signal(&bell);
	pthread_mutex_unlock(&lock);
}

void astra_saver_stop(void)
{
	if (!thread_runs)
		return;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&bell);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	thread_runs = false;
}
