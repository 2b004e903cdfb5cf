/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the reports of jobs, and the bids of agents and users, to the
 * snapshots. */
#ifndef ASTRA_TOLD_H
#define ASTRA_TOLD_H

#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

/* Add progress and bids to the snapshots just taken. pools: those of the
 * snapshots, in the same order. Locks: none of slurmctld's. */
void astra_told_add(struct astra_scene *scene,
		    const struct astra_config *config,
		    const struct astra_pools *pools);

/* Move the times of all reports and bids by by_sec, as the clock was set. */
void astra_told_shift(double by_sec);

void astra_told_free(void);

#endif
