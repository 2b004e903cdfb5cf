/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events to come, the earliest first; those of one time in the order in
 * which they were added. */
#ifndef ASTRA_QUEUE_H
#define ASTRA_QUEUE_H

#include <stddef.h>
#include <stdint.h>

enum astra_event_kind {
	ASTRA_EVENT_END,   /* a job's work is done */
	ASTRA_EVENT_LEFT,  /* a job has written its checkpoint and left */
	ASTRA_EVENT_CLEAN, /* a job that left has been cleaned up */
	ASTRA_EVENT_GIVEN, /* somebody else gives back what he had of a node */
};

struct astra_event {
	double at_sec;
	uint64_t order; /* set by astra_queue_add() */
	uint32_t job;	/* its number; GIVEN: the release's */
	uint32_t run;	/* of the job; void when it has another one now */
	enum astra_event_kind kind;
};

struct astra_queue {
	struct astra_event *heap;
	size_t count, room;
	uint64_t added;
};

/* Returns 0, or -1 when memory is out. */
int astra_queue_add(struct astra_queue *queue, struct astra_event event);
/* The queue must not be empty. */
struct astra_event astra_queue_take(struct astra_queue *queue);
void astra_queue_clear(struct astra_queue *queue);

#endif
