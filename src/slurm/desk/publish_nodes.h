/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the report that is of nodes. */
#ifndef ASTRA_PUBLISH_NODES_H
#define ASTRA_PUBLISH_NODES_H

#include "src/proto/report.h"
#include "src/slurm/in/snapshot.h"

/* Add a pool's GPUs to what is in it: all, usable and free ones. */
void astra_publish_count(const struct astra_view *view,
			 struct astra_report_pool *pool);

/* Add a pool's nodes, and which jobs hold how many of their GPUs. Without
 * memory there are none of them. */
void astra_publish_nodes(struct astra_report *report, const char *pool,
			 const struct astra_view *view);

#endif
