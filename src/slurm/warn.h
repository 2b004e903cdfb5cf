/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds parts of the configuration and of accounting that are probably
 * mistakes, although everything else works. Checked each round, since an admin
 * may correct them elsewhere than in astraea.conf. */
#ifndef ASTRA_WARN_H
#define ASTRA_WARN_H

#include "src/slurm/in/snapshot.h"

/* Write all warnings to out, "" if there are none. They are about lines missing
 * in slurm.conf; partitions, QOS and GPU types that do not exist; tenants of
 * weight 0; accounts that are gone; tenants that are named twice or do not
 * exist. Locks: caller holds conf, node and part read; takes assoc_mgr's read
 * lock. */
void astra_warn_scene(const struct astra_scene *scene,
		      const struct astra_config *config,
		      struct astra_error *out);

#endif
