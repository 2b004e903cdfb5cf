/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of jobs, and bids of agents and users, added to the snapshots. */
#ifndef ASTRA_TOLD_H
#define ASTRA_TOLD_H

#include "src/slurm/in/snapshot.h"

/* Add progress and bids to the pictures just taken. Locks: none of slurmctld's.
 */
void astra_told_add(struct astra_scene *scene,
		    const struct astra_config *config);

void astra_told_free(void);

#endif
