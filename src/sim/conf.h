/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What astraea.conf and the like say to a simulation, without Slurm. */
#ifndef ASTRA_SIM_CONF_H
#define ASTRA_SIM_CONF_H

#include "src/sim/trace.h"

struct astra_options;

/* The options of a pool of a file, as slurmctld would have them.
 * pool: NULL: the only one there is, or what stands above all pools where there
 *   is none.
 * Returns 0, or -1 with err naming file, line, key and value; options are
 * untouched then. */
int astra_conf_options(const char *path, const char *pool,
		       struct astra_options *options, struct astra_error *err);

/* The weights of the file's Tenant= lines, for the trace's tenants of the same
 * names. Returns as above. */
int astra_conf_weights(const char *path, struct astra_trace *trace,
		       struct astra_error *err);

#endif
