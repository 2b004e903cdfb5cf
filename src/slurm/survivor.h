/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pending jobs whose last run may still be alive: slurmctld was killed before
 * it had saved that it started them. They wait until the nodes of that run have
 * answered and killed what they found.
 */
#ifndef ASTRA_SURVIVOR_H
#define ASTRA_SURVIVOR_H

#include "src/slurm/compat.h"
#include "src/store/black_box.h"

/* last: that run. Locks: caller holds job write and node read. */
void astra_survivors_add(const job_record_t *job,
			 const struct astra_box_event *last);

/* Let those go on whose nodes have answered. Each round.
 * Locks: caller holds job write and node read. */
void astra_survivors_settle(void);

/* Whether a pending job has to wait. The engine's thread only. */
bool astra_survivors_include(uint32_t job_id);

void astra_survivors_free(void);

#endif
