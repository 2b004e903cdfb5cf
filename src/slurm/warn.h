/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What in the configuration and in accounting is probably not meant so, though
 * everything else works on. Looked at each round, for an admin may mend it by
 * another way than astraea.conf.
 */
#ifndef ASTRA_WARN_H
#define ASTRA_WARN_H

#include "src/slurm/in/snapshot.h"

/* Write all warnings to out, "" when there are none: lines that slurm.conf
 * lacks, partitions, QOS and GPU
 * types that are not there, tenants of weight 0, accounts that are gone,
 * tenants that are named twice or in vain. Locks: caller holds conf, node
 * and part read; takes assoc_mgr's read lock. */
void astra_warn_scene(const struct astra_scene *scene,
		      const struct astra_config *config,
		      struct astra_error *out);

#endif
