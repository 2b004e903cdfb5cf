/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The black box: the last starts and ends of managed jobs, in shared memory,
 * so that they outlive the process in whatever moment it is killed. Slurm saves
 * its jobs only every five seconds; this knows what has happened since.
 *
 * A ring of fixed records with a checksum each. Adding one is a few stores into
 * memory: no I/O, no system call, no allocation. It does not outlive the host.
 *
 * No locks: one writer at a time.
 */
#ifndef ASTRA_BLACK_BOX_H
#define ASTRA_BLACK_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "src/common/error.h"

enum astra_box_kind {
	ASTRA_BOX_START = 1, /* got its nodes */
	ASTRA_BOX_LAUNCH,    /* and was launched */
	ASTRA_BOX_END,	     /* is over, for good */
	ASTRA_BOX_REQUEUE,   /* is over, to run again */
};

#define ASTRA_BOX_NODES 88

/* A run is named by job, restart_cnt and submit_sec: ids come back, requeues
 * change the other two. */
struct astra_box_event {
	uint32_t kind;
	uint32_t job;
	uint32_t restart_cnt;
	uint32_t array_job, array_task; /* Slurm's */
	uint32_t state, exit_code;	/* Slurm's; END and REQUEUE only */
	uint32_t has_index : 1; /* 0 in those of a release before: longer nodes
				 */
	uint32_t gpus : 31; /* of the run; 0: not known, or a release before */
	int64_t submit_sec, start_sec, end_sec;
	char nodes[ASTRA_BOX_NODES]; /* see astra_box_name() */
	uint64_t index;		     /* slurmdbd's, of the run; 0: none yet */
};

/* Part of the name, so that a process of another release does not resize a box
 * that is in use. To be counted up when the layout changes. */
#define ASTRA_BOX_FORMAT "1"

struct astra_box;

/* Note the resources that a run has, as slurmdbd takes them, and its host list.
 * Of a host list for which these leave no room, or that is too long, only a
 * fingerprint is noted. Resources that are too long are "". Either may be NULL.
 */
void astra_box_name(struct astra_box_event *event, const char *nodes,
		    const char *tres);

/* Whether the run had the nodes of that host list, as astra_box_name() got it.
 * nodes: NULL or "" is no run's. */
bool astra_box_has_nodes(const struct astra_box_event *event,
			 const char *nodes);

/* The resources of a run of astra_box_read(), or "". Borrowed. */
const char *astra_box_tres(const struct astra_box_event *event);

/* Whether another user has made a file of that name. */
bool astra_box_is_taken(const char *name);

/* Open the box of that name, or make it. Does I/O.
 * name: as shm_open() wants it, "/NAME".
 * Returns NULL with err set, naming what is in the way. */
struct astra_box *astra_box_open(const char *name, struct astra_error *err);
void astra_box_close(struct astra_box *box);

/* event: copied, the oldest one makes room. box may be NULL. */
void astra_box_add(struct astra_box *box, const struct astra_box_event *event);

/* Note that the process lives at that time. box may be NULL. */
void astra_box_beat(struct astra_box *box, time_t now);

/* When the last process that had the box lived, as far as is known; 0: not
 * known. box may be NULL. */
time_t astra_box_last_beat(const struct astra_box *box);

/* Whether the box's file has been removed: the next process would not find it.
 * box may be NULL: false. A system call. */
bool astra_box_is_gone(const struct astra_box *box);

/* All events, oldest first; damaged ones are left out. *list: owned by the
 * caller, free(). Returns their number; 0 also when out of memory. */
size_t astra_box_read(const struct astra_box *box,
		      struct astra_box_event **list);

#endif
