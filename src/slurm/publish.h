/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After each round: the report that queries are answered from, and the graces
 * that the end of a job is judged by. */
#ifndef ASTRA_PUBLISH_H
#define ASTRA_PUBLISH_H

#include "src/slurm/cycle.h"

/* Start to answer queries. A socket that can't be made is logged; all else
 * goes on without it. Does I/O. */
void astra_publish_start(const struct astra_cycle *cycle);

/* Try again where it could not: the controller before may have let go of the
 * socket since. Does I/O. Locks: none; in the engine's thread. */
void astra_publish_keep(const struct astra_cycle *cycle);
void astra_publish_stop(void);

/* Start to write the history, if astraea.conf wants it (publish_history.c). A
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
