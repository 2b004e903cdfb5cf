/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a trace's tenants. */
#ifndef ASTRA_TRACE_WEIGHTS_H
#define ASTRA_TRACE_WEIGHTS_H

#include "src/sim/trace.h"

/* Reads the tenants' weights from a CSV file with the columns tenant and weight
 * (or gpus: the tenant's quota). If a tenant has several lines, such as one a
 * day, their mean counts. With `add` their sum counts, as in the ASTRAEA
 * authors' simulator; a tenant without lines on some days then weighs less.
 * Tenants that are only in the file join the trace: they have a share, though
 * they submit nothing. path: "-" is the standard input. Returns 0; or -1 with
 * err naming file, line and value, or the tenants of the trace that the file
 * does not have. */
int astra_trace_read_weights(struct astra_trace *trace, const char *path,
			     bool add, struct astra_error *err);

#endif
