/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/world/queue.h"

#include <stdbool.h>
#include <stdlib.h>

#include "src/common/grow.h"

static bool before(const struct astra_event *a, const struct astra_event *b)
{
	if (a->at_sec != b->at_sec)
		return a->at_sec < b->at_sec;
	return a->order < b->order;
}

int astra_queue_add(struct astra_queue *q, struct astra_event event)
{
	size_t at = q->count;

	if (astra_grow(&q->heap, &q->room, at + 1, sizeof(*q->heap)) < 0)
		return -1;
	event.order = q->added++;
	q->count++;
	for (; at && before(&event, &q->heap[(at - 1) / 2]); at = (at - 1) / 2)
		q->heap[at] = q->heap[(at - 1) / 2];
	q->heap[at] = event;
	return 0;
}

struct astra_event astra_queue_take(struct astra_queue *q)
{
	struct astra_event first = q->heap[0], last = q->heap[--q->count];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < q->count; at = child) {
		if (child + 1 < q->count &&
		    before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[at] = q->heap[child];
	}
	q->heap[at] = last;
	return first;
}

void astra_queue_clear(struct astra_queue *q)
{
	free(q->heap);
	*q = (struct astra_queue){0};
}
