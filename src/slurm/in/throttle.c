/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/in/throttle.h"

#include "src/common/idmap.h"

enum turn { TURN_REQUEUED, TURN_TASK, TURN_HEAD, TURN_NONE };

static enum turn throttle_turn_of(const struct astra_throttled *t)
{
	if (t->job->state == ASTRA_JOB_REQUEUED)
		return TURN_REQUEUED;
	if (t->head)
		return TURN_HEAD;
	return t->job->state == ASTRA_JOB_PENDING ? TURN_TASK : TURN_NONE;
}

/* Take places of its array's limit for a record. left: array id -> free
 * places. */
static int throttle_take(struct astra_idmap *left, struct astra_throttled *t)
{
	uint32_t room = astra_idmap_get(left, t->array);
	struct astra_job *job = t->job;
	bool waits = job->state == ASTRA_JOB_PENDING;

	if (room == ASTRA_IDMAP_NONE)
		room = t->most > t->running ? t->most - t->running : 0;
	if (job->copies > room)
		job->copies = room ? room : 1;
	if (!room && waits) {
		t->kept = true;
		job->state = ASTRA_JOB_BLOCKED;
	}
	if (room && job->state != ASTRA_JOB_BLOCKED)
		room -= job->copies;
	return astra_idmap_put(left, t->array, room);
}

int astra_throttle_deal(struct astra_throttled *list, size_t count)
{
	struct astra_idmap left = {0};
	int rc = 0;

	for (enum turn turn = TURN_REQUEUED; turn < TURN_NONE; turn++)
		for (size_t i = 0; i < count && !rc; i++)
			if (throttle_turn_of(&list[i]) == turn)
				rc = throttle_take(&left, &list[i]);
	astra_idmap_clear(&left);
	return rc;
}
