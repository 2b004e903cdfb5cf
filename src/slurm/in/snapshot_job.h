/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A managed job in the snapshot. */
#ifndef ASTRA_SNAPSHOT_JOB_H
#define ASTRA_SNAPSHOT_JOB_H

#include "src/slurm/in/snapshot.h"

/* Add a job to the view of its pool, which has its nodes already. Locks: caller
 * holds conf, job, node and part read. Returns 0, or -1 when memory is out. */
int astra_scene_add_job(struct astra_scene *scene, struct astra_view *view,
			const struct astra_config *config,
			const struct astra_pool_config *pool,
			job_record_t *job);

/* Add a job that is not the pool's, if it has or had a part of the view's
 * nodes. Locks and result: as astra_scene_add_job(). */
int astra_scene_add_other(struct astra_scene *scene, struct astra_view *view,
			  const job_record_t *job);

#endif
