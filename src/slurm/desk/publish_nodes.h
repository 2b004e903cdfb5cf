/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes in the report. */
#ifndef ASTRA_PUBLISH_NODES_H
#define ASTRA_PUBLISH_NODES_H

#include "src/proto/report.h"
#include "src/slurm/in/snapshot.h"

/* Add a view's GPUs to the pool's counts of all, usable and free ones. */
void astra_publish_count(const struct astra_view *view,
			 struct astra_report_pool *pool);

/* Add a pool's nodes, each with the jobs that hold its GPUs. When memory is
 * out, no node is added. */
void astra_publish_nodes(struct astra_report *report, const char *pool,
			 const struct astra_view *view);

#endif
