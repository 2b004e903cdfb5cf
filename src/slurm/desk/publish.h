/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is published after each round: the report from which queries are
 * answered, and the graces by which the ends of jobs are judged. */
#ifndef ASTRA_PUBLISH_H
#define ASTRA_PUBLISH_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

/* Start to answer queries. If the socket cannot be made, an error is logged and
 * everything else goes on. folder: StateSaveLocation. Does I/O. */
void astra_publish_start(const char *folder);
void astra_publish_stop(void);

/* Try again to answer queries if the start failed. Call each round; does I/O.
 * Locks: takes those of astra_publish_start(). */
void astra_publish_retry(const char *folder);

/* Start to write the history, if astraea.conf asks for it (publish_socket.c). A
 * backup controller calls this when it takes over. */
void astra_publish_start_history(const char *folder);

/* Return the line of slurmctld's status reply that says where we answer (see
 * doc/protocol.md), xmalloced. Locks: one of its own, held for a copy. */
char *astra_publish_status(void);

/* Publish the state after a round: pools, snapshots and counts. Locks: none of
 * slurmctld's. */
void astra_publish(const struct astra_pools *pools,
		   const struct astra_scene *scene,
		   const struct astra_diag *diag);

#endif
