/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a changed astraea.conf would change. */
#ifndef ASTRA_CONFIG_DIFF_H
#define ASTRA_CONFIG_DIFF_H

#include "src/common/text.h"
#include "src/slurm/conf/config.h"

/* Add a line to out for each pool that is added or removed, and for each pool's
 * changed partitions and options; likewise for tenants and for settings of the
 * whole file. Values with the same meaning are equal, however they are written.
 * Locks: none. */
void astra_config_compare(const struct astra_config *before,
			  const struct astra_config *after,
			  struct astra_text *out);

#endif
