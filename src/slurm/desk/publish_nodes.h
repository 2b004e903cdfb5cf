/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes in the report. */
#ifndef ASTRA_PUBLISH_NODES_H
#define ASTRA_PUBLISH_NODES_H

#include "src/proto/report.h"
#include "src/slurm/in/snapshot.h"

/* Add all, usable and free GPUs of a view to the pool's. */
void astra_publish_count(const struct astra_view *view,
			 struct astra_report_pool *pool);

/* Add a pool's nodes and which jobs hold how many of their GPUs; none when
 * memory is out. */
void astra_publish_nodes(struct astra_report *report, const char *pool,
			 const struct astra_view *view);

#endif
