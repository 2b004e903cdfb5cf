/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each tenant of a trace is entitled to. */
#ifndef ASTRA_TRACE_WEIGHTS_H
#define ASTRA_TRACE_WEIGHTS_H

#include "src/sim/trace.h"

/* Read the tenants' weights from a CSV file with the columns tenant and weight
 * (or gpus: the tenant's quota); of a tenant with several lines, such as one a
 * day, the mean counts, or their sum (`add`), as in the ASTRAEA authors'
 * simulator: less for one that has no line on some days. Tenants that are only
 * in the file join the trace: they have a share, though they submit nothing.
 * path: "-" is the standard input.
 * Returns 0, or -1 with err naming file, line and value, or those tenants of
 * the trace that the file does not know. */
int astra_trace_read_weights(struct astra_trace *trace, const char *path,
			     bool add, struct astra_error *err);

#endif
