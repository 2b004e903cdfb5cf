/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pool's part of the report is made from. */
#ifndef ASTRA_PUBLISH_PRIV_H
#define ASTRA_PUBLISH_PRIV_H

#include "src/common/idmap.h"
#include "src/proto/report.h"
#include "src/slurm/in/snapshot.h"
#include "src/slurm/round/pool.h"

struct publish_filler {
	struct astra_report *report;
	struct astra_pool *pool;
	const struct astra_view *view;
	const struct astra_options *options;
	struct astra_idmap by_id;    /* job -> index into the view */
	uint32_t *waiting, *running; /* by the engine's tenant index */
	double now_sec;
	double start_sec; /* of slurmctld */
	bool auctions;	  /* the pool holds auctions */
};

/* Add a job's row to the report, and the row of its ended run, if any.
 * (publish_job.c) */
void astra_publish_job(struct publish_filler *filler,
		       const struct astra_job_view *view, size_t index);

#endif
