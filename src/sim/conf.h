/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the options in astraea.conf that a simulation needs, without Slurm. */
#ifndef ASTRA_SIM_CONF_H
#define ASTRA_SIM_CONF_H

#include "src/sim/trace.h"

struct astra_options;

/* Reads the options of a pool, as slurmctld would. pool may be NULL: then the
 * file's only pool is read or, if the file has no pool, the options above
 * pools. Returns 0, or -1 with err naming file, line, key and value; options is
 * then unchanged. */
int astra_conf_options(const char *path, const char *pool,
		       struct astra_options *options, struct astra_error *err);

/* Reads the weights of the file's Tenant= lines into the trace's tenants of the
 * same names. Returns as astra_conf_options(). */
int astra_conf_weights(const char *path, struct astra_trace *trace,
		       struct astra_error *err);

#endif
