/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of an array (%N) counts its tasks wherever they are: the head
 * record has those that have not started, tasks that were requeued wait with
 * records of their own, and others run. Slurm looks at each record alone, when
 * it is started. Here those that wait share what the limit leaves.
 */
#ifndef ASTRA_THROTTLE_H
#define ASTRA_THROTTLE_H

#include "src/model/model.h"

/* A record of an array with a limit, of a task that does not run or of all that
 * have not started. */
struct astra_throttled {
	struct astra_job *job; /* its copies: all tasks it stands for */
	uint32_t array;	       /* the array's id */
	uint32_t most;	       /* of the array's tasks at once, > 0 */
	uint32_t running;      /* of its tasks */
	bool head;	       /* not one task, but all that have not started */
	bool kept;	       /* out: others take the places before it */
};

/* Tasks that are being requeued go first, then those that wait with records of
 * their own in the list's order, then the head's. copies becomes what each may
 * start, and who may start none is BLOCKED with one copy. Records that are
 * BLOCKED take no place.
 * Returns 0, or -1 when out of memory. */
int astra_throttle_deal(struct astra_throttled *list, size_t count);

#endif
