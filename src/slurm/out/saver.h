/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurmctld has a thread that saves the jobs, every five seconds at most. We
 * save them as soon as a round has launched some, in a thread that no round and
 * no launch waits for, but never beside slurmctld's: dump_all_job_state() has
 * no lock of its own, so an older picture could be written over a newer one,
 * and slurmctld would take the other's write for a clock that was set back. So
 * we take turns. When slurmctld's last save ended shows the file; from then on
 * it keeps still for some seconds.
 */
#ifndef ASTRA_SAVER_H
#define ASTRA_SAVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* SAVE_MAX_WAIT is 5 seconds in all releases, counted in whole ones: between
 * the begins of two saves are more than four. */
#define ASTRA_SAVER_REST_NSEC INT64_C(4000000000)
/* A save packs the jobs, and then writes and syncs them. How long that took the
 * file shows; packing is allowed so long. */
#define ASTRA_SAVER_PACK_NSEC INT64_C(250000000)
/* The saver goes on from its last write within this time. */
#define ASTRA_SAVER_SETTLE_NSEC INT64_C(200000000)
/* Ours may take so many times as long as its last one. */
#define ASTRA_SAVER_TIMES 3

static inline int64_t astra_saver_nsec(const struct timespec *t)
{
	return (int64_t)t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

/* Whether slurmctld's saver keeps still for as long as a save takes.
 * last: job_state as the saver has left it; now: the clock's time. */
static inline bool astra_saver_rests(const struct stat *last,
				     const struct timespec *now)
{
	int64_t written = astra_saver_nsec(&last->st_mtim);
	int64_t took = astra_saver_nsec(&last->st_ctim) - written;
	int64_t since = astra_saver_nsec(now) - written;
	int64_t rest = ASTRA_SAVER_REST_NSEC - ASTRA_SAVER_PACK_NSEC;

	return took >= 0 && since >= took + ASTRA_SAVER_SETTLE_NSEC &&
	       since + ASTRA_SAVER_PACK_NSEC + ASTRA_SAVER_TIMES * took < rest;
}

/* Begin the thread. folder: StateSaveLocation. */
void astra_saver_start(const char *folder);

/* Have slurmctld's jobs saved as they are now, or later ones. Where it is
 * nearly the turn of slurmctld's saver, the disk is slow, or this is a backup
 * controller, which ends itself when it sees a file that it does not know, that
 * saver does it, within some seconds. Does not wait. Locks: any. */
void astra_saver_want(void);

/* End the thread. Waits for a save; locks: none. */
void astra_saver_stop(void);

#endif
