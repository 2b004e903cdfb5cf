/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The black box: the last starts and ends of managed jobs, in shared memory.
 * They outlive the process whenever it is killed. Slurm saves its jobs only
 * every five seconds, and the box has the events since then.
 *
 * The box is a ring of records of a fixed size, each with a checksum. To add a
 * record takes a few stores into memory: no I/O, no system call, no allocation.
 * The box does not outlive the host.
 *
 * No locks: there must be only one writer at a time. */
#ifndef ASTRA_BLACK_BOX_H
#define ASTRA_BLACK_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "src/common/error.h"

enum astra_box_kind {
	ASTRA_BOX_START = 1, /* the run got its nodes */
	ASTRA_BOX_LAUNCH,    /* the run was launched */
	ASTRA_BOX_END,	     /* the run ended for good */
	ASTRA_BOX_REQUEUE,   /* the run ended, and the job will run again */
};

#define ASTRA_BOX_NODES 88

/* job, restart_cnt and submit_sec together identify a run: Slurm reuses job
 * ids, and a requeue changes the other two. */
struct astra_box_event {
	uint32_t kind;
	uint32_t job;
	uint32_t restart_cnt;
	uint32_t array_job, array_task; /* Slurm's ids */
	uint32_t state, exit_code;	/* as in Slurm; only for END and
					 * REQUEUE */
	uint32_t has_index : 1;		/* 0: of an earlier release, with a
					 * longer `nodes` */
	uint32_t gpus : 31;		/* GPUs of the run; 0: unknown */
	int64_t submit_sec, start_sec, end_sec;
	char nodes[ASTRA_BOX_NODES]; /* see astra_box_name() */
	uint64_t index;		     /* index of the run in slurmdbd; 0: none
				      * yet */
};

/* Part of the name, so that a process of another release does not resize a box
 * in use. Increase it when the layout changes. */
#define ASTRA_BOX_FORMAT "1"

struct astra_box;

/* Notes a run's resources, in slurmdbd's form, and its host list in
 * event->nodes. If the host list does not fit beside the resources, only its
 * fingerprint is noted. Resources that are too long become "". Both may be
 * NULL. */
void astra_box_name(struct astra_box_event *event, const char *nodes,
		    const char *tres);

/* Whether the run had the nodes of this host list. nodes: as given to
 * astra_box_name(); if it is NULL or "", returns false. */
bool astra_box_has_nodes(const struct astra_box_event *event,
			 const char *nodes);

/* Returns the resources in an event from astra_box_read(), or "". Borrowed. */
const char *astra_box_tres(const struct astra_box_event *event);

/* Whether a file of that name belongs to another user. */
bool astra_box_is_taken(const char *name);

/* Opens the box of that name, or makes it. Does I/O.
 * name: as for shm_open(), "/NAME".
 * Returns NULL with err set, which names the obstacle. */
struct astra_box *astra_box_open(const char *name, struct astra_error *err);
void astra_box_close(struct astra_box *box);

/* Adds a copy of the event in place of the oldest one. box may be NULL. */
void astra_box_add(struct astra_box *box, const struct astra_box_event *event);

/* Notes that the process is alive at this time. box may be NULL. */
void astra_box_beat(struct astra_box *box, time_t now);

/* Returns the last time at which the box's previous process noted that it was
 * alive; 0: unknown. box may be NULL. */
time_t astra_box_last_beat(const struct astra_box *box);

/* Whether the box's file has been removed, so that the next process would not
 * find it. Returns false if box is NULL. Makes a system call. */
bool astra_box_is_gone(const struct astra_box *box);

/* Reads all events except damaged ones, oldest first. *list: owned by the
 * caller, free(). Returns their count; 0 also when out of memory. */
size_t astra_box_read(const struct astra_box *box,
		      struct astra_box_event **list);

#endif
