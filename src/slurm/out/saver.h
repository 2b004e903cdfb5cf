/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmctld has a thread that saves the jobs, at most every five seconds. We
 * save them as soon as a round has launched some, in a thread of our own for
 * which no round and no launch waits, but never at the same time as
 * slurmctld's. dump_all_job_state() has no lock of its own, so older data could
 * overwrite newer data, and slurmctld would take our write for a clock that was
 * set back. So the two take turns: the file shows when slurmctld's last save
 * ended, and after that slurmctld's thread rests for some seconds. */
#ifndef ASTRA_SAVER_H
#define ASTRA_SAVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

/* SAVE_MAX_WAIT is 5 seconds in all releases, counted in whole seconds: between
 * the begins of two saves there are more than four. */
#define ASTRA_SAVER_REST_NSEC INT64_C(4000000000)
/* A save packs the jobs, then writes and syncs them. The file shows how long
 * writing and syncing took. Packing is assumed to take this long, or as long as
 * our last saves if that is longer: on a busy machine a thread waits for its
 * processor. */
#define ASTRA_SAVER_PACK_NSEC INT64_C(250000000)
/* How long our saves are assumed to take before the first one is over. */
#define ASTRA_SAVER_FIRST_NSEC INT64_C(500000000)
/* How long the saver may still be busy after its last write. */
#define ASTRA_SAVER_SETTLE_NSEC INT64_C(200000000)
/* Our save may take this many times as long as the saver's last one. */
#define ASTRA_SAVER_TIMES 3

static inline int64_t astra_saver_nsec(const struct timespec *t)
{
	return (int64_t)t->tv_sec * INT64_C(1000000000) + t->tv_nsec;
}

/* Whether slurmctld's saver will rest for as long as our save takes. last:
 * job_state as the saver left it. now: the clock's time. own_nsec: how long our
 * last saves took. */
static inline bool astra_saver_rests(const struct stat *last,
				     const struct timespec *now,
				     int64_t own_nsec)
{
	int64_t written = astra_saver_nsec(&last->st_mtim);
	int64_t took = astra_saver_nsec(&last->st_ctim) - written;
	int64_t since = astra_saver_nsec(now) - written;
	int64_t pack = own_nsec > ASTRA_SAVER_PACK_NSEC ? own_nsec
							: ASTRA_SAVER_PACK_NSEC;

	return took >= 0 && since >= took + ASTRA_SAVER_SETTLE_NSEC &&
	       since + pack + ASTRA_SAVER_TIMES * took <
		       ASTRA_SAVER_REST_NSEC - pack;
}

/* Start the thread. folder: StateSaveLocation. */
void astra_saver_start(const char *folder);

/* Have slurmctld's jobs saved in their present state or a later one.
 * slurmctld's saver does it instead, within some seconds, if its turn is near,
 * if the disk is slow, or if this is a backup controller, which ends itself
 * when it sees an unknown file. Does not wait. May be called with any locks. */
void astra_saver_want(void);

/* End the thread, waiting for a save in progress. Locks: none. */
void astra_saver_stop(void);

#endif
