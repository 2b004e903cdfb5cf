/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of writing a request among themselves. */
#ifndef ASTRA_QUERY_WRITE_H
#define ASTRA_QUERY_WRITE_H

#include <jansson.h>

#include "src/proto/query.h"

/* Which app is meant, and what its agent says. (query_write_bid.c) */
void astra_query_write_app(json_t *root, const struct astra_query *query);

#endif
