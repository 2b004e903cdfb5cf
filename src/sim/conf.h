/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what astraea.conf says to a simulation, without Slurm. */
#ifndef ASTRA_SIM_CONF_H
#define ASTRA_SIM_CONF_H

#include "src/sim/trace.h"

struct astra_options;

/* Reads the options of a pool, as slurmctld would.
 * pool: may be NULL: then the file's only pool or, without any, the options
 * above pools.
 * Returns 0, or -1 with err naming file, line, key and value; then options is
 * untouched. */
int astra_conf_options(const char *path, const char *pool,
		       struct astra_options *options, struct astra_error *err);

/* Reads the weights of the file's Tenant= lines into the trace's tenants of the
 * same names. Returns as astra_conf_options(). */
int astra_conf_weights(const char *path, struct astra_trace *trace,
		       struct astra_error *err);

#endif
