/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limit of an array (%N) counts all its tasks. The head record has the
 * tasks that have not started, requeued tasks wait with records of their own,
 * and others run. Slurm checks each record alone when it starts it. Here the
 * waiting records share what the limit leaves. */
#ifndef ASTRA_THROTTLE_H
#define ASTRA_THROTTLE_H

#include "src/model/model.h"

/* A record of an array with a limit. It stands for one task that does not run,
 * or for all tasks that have not started. */
struct astra_throttled {
	struct astra_job *job; /* its copies: how many tasks the record stands
				* for */
	uint32_t array;	       /* the array's id */
	uint32_t most;	       /* that may run at once, > 0 */
	uint32_t running;      /* how many of its tasks run */
	bool head;	       /* the record stands for all tasks that have not
				* started */
	bool kept;	       /* result: the record may start no task, as
				* others took the places */
};

/* Deal out the places: first to tasks that are being requeued, then to waiting
 * tasks with records of their own, in the list's order, then to the head.
 * copies becomes how many tasks each record may start. A record that may start
 * none is BLOCKED with one copy. Records that were BLOCKED before take no
 * place. Returns 0, or -1 when memory is out. */
int astra_throttle_deal(struct astra_throttled *list, size_t count);

#endif
