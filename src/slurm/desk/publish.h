/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After each round: the report that queries are answered from, and the graces
 * that the end of a job is judged by. */
#ifndef ASTRA_PUBLISH_H
#define ASTRA_PUBLISH_H

#include "src/slurm/cycle.h"

/* Start to answer queries. A socket that can't be made is logged; all else
 * goes on without it. Does I/O. */
void astra_publish_start(const struct astra_cycle *cycle);
void astra_publish_stop(void);

/* Once more, where it could not begin to answer. Each round; does I/O.
 * Locks: takes those of a start. */
void astra_publish_retry(const struct astra_cycle *cycle);

/* Start to write the history, if astraea.conf wants it (publish_socket.c). A
 * backup that takes over starts it then. */
void astra_publish_start_history(const struct astra_cycle *cycle);

/* What slurmctld tells who asks it where we answer (see doc/protocol.md): a
 * line that is xmalloced. Locks: one of its own, held for a copy. */
char *astra_publish_status(void);

/* Tell a job in its environment where it can ask. Locks: caller holds job
 * write. */
void astra_publish_tell(job_details_t *details);

/* Publish the state after a round. Locks: none of slurmctld's. */
void astra_publish(struct astra_cycle *cycle);

#endif
