/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of an array (%N) counts all its tasks: the head record has those
 * that have not started, requeued tasks wait with records of their own, and
 * others run. Slurm looks at each record alone when it starts it. Here the
 * waiting records share what the limit leaves. */
#ifndef ASTRA_THROTTLE_H
#define ASTRA_THROTTLE_H

#include "src/model/model.h"

/* A record of an array with a limit: of a task that does not run, or of all
 * that have not started. */
struct astra_throttled {
	struct astra_job *job; /* its copies: the tasks that it stands for */
	uint32_t array;	       /* the array's id */
	uint32_t most;	       /* that may run at once, > 0 */
	uint32_t running;      /* how many of its tasks run */
	bool head;	       /* stands for all that have not started */
	bool kept;	       /* result: other records take the places before
				* it */
};

/* Deal out the places: to tasks that are being requeued, then to waiting tasks
 * with records of their own in the list's order, then to the head's. copies
 * becomes how many tasks each record may start; a record that may start none is
 * BLOCKED with one copy. Records that are BLOCKED take no place. Returns 0, or
 * -1 when memory is out. */
int astra_throttle_deal(struct astra_throttled *list, size_t count);

#endif
