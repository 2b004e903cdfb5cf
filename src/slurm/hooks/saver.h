/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurmctld has a thread that saves the jobs, every five seconds at most. We
 * save them at once before a launch, but never beside it: dump_all_job_state()
 * has no lock of its own, so an older picture could be written over a newer
 * one, and it would take the other's write for a clock that was set back. So
 * we take turns. When its last save ended shows the file; from then on it keeps
 * still for some seconds.
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

	return took >= 0 && since >= took &&
	       since + ASTRA_SAVER_PACK_NSEC + ASTRA_SAVER_TIMES * took < rest;
}

/* folder: StateSaveLocation. */
void astra_saver_open(const char *folder);

/* Save slurmctld's jobs as they are now, in our turn; it comes after 3 s at the
 * latest. Where the disk is slow, or for a backup controller, which ends itself
 * when it sees a file that it does not know, leave it to slurmctld's saver.
 * Does I/O.
 * Locks: none; takes job read. One thread at a time. */
void astra_saver_save(void);

#endif
