/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What another astraea.conf would change. */
#ifndef ASTRA_CONFIG_DIFF_H
#define ASTRA_CONFIG_DIFF_H

#include "src/common/text.h"
#include "src/slurm/conf/config.h"

/* Add a line to out for each pool that comes or goes, and for its partitions
 * and options that are others; for tenants alike; and for what is of the whole
 * file. Nothing where both mean the same, however they are written.
 * Locks: none. */
void astra_config_compare(const struct astra_config *before,
			  const struct astra_config *after,
			  struct astra_text *out);

#endif
