/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/hooks/saver.h"

#include <limits.h>
#include <stdio.h>

#include "src/common/fault.h"
#include "src/slurm/compat/compat.h"
#include "src/slurm/pace.h"

/* Its turn comes within five seconds of its last one, and a second to wake. */
#define WAIT_NSEC INT64_C(3000000000)
#define POLL_NSEC 2000000

static bool saver_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino &&
	       astra_saver_nsec(&a->st_mtim) == astra_saver_nsec(&b->st_mtim) &&
	       astra_saver_nsec(&a->st_ctim) == astra_saver_nsec(&b->st_ctim);
}

static char path[PATH_MAX]; /* job_state */
/* As the saver left it last, and as we did. */
static struct stat its, ours;

void astra_saver_open(const char *folder)
{
	its = ours = (struct stat){0};
	if (snprintf(path, sizeof(path), "%s/job_state", folder) >=
	    (int)sizeof(path))
		*path = '\0';
}

static bool rests_now(void)
{
	struct timespec now;
	struct stat st;

	if (stat(path, &st) == 0 && !saver_is_same(&st, &ours))
		its = st;
	clock_gettime(CLOCK_REALTIME, &now);
	return astra_saver_rests(&its, &now);
}

/* Ask the saver for a save, and wait until it is done. */
static bool wait_for_rest(void)
{
	struct timespec pause = {.tv_nsec = POLL_NSEC};

	schedule_job_save();
	for (int64_t waited = 0; waited < WAIT_NSEC; waited += POLL_NSEC) {
		if (slurmctld_config.shutdown_time)
			return false;
		nanosleep(&pause, NULL);
		if (rests_now())
			return true;
	}
	return false;
}

static void save_in_turn(void)
{
	static struct astra_pace pace;
	uint64_t since = astra_usec();
	bool turn;

	if (!slurmctld_primary || !*path || !astra_pace_due(&pace)) {
		schedule_job_save();
		return;
	}
	turn = rests_now() || wait_for_rest();
	if (turn) {
		since = astra_usec();
		(void)dump_all_job_state();
		(void)stat(path, &ours);
	}
	astra_pace_done(&pace, since);
}

void astra_saver_save(void)
{
	ASTRA_FAULT("start.save");
	save_in_turn();
	ASTRA_FAULT("start.saved");
}
