/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After each round: the report that queries are answered from, and the graces
 * that the end of a job is judged by. */
#ifndef ASTRA_PUBLISH_H
#define ASTRA_PUBLISH_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

/* Start to answer queries. A socket that can't be made is logged; all else
 * goes on without it. folder: StateSaveLocation. Does I/O. */
void astra_publish_start(const char *folder);
void astra_publish_stop(void);

/* Once more, where it could not begin to answer. Each round; does I/O.
 * Locks: takes those of a start. */
void astra_publish_retry(const char *folder);

/* Start to write the history, if astraea.conf wants it (publish_socket.c). A
 * backup that takes over starts it then. */
void astra_publish_start_history(const char *folder);

/* What slurmctld tells who asks it where we answer (see doc/protocol.md): a
 * line that is xmalloced. Locks: one of its own, held for a copy. */
char *astra_publish_status(void);

/* Publish the state after a round: its pools, their pictures and its numbers.
 * Locks: none of slurmctld's. */
void astra_publish(const struct astra_pools *pools,
		   const struct astra_scene *scene,
		   const struct astra_diag *diag);

#endif
