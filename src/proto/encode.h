/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a report as JSON objects; doc/protocol.md lists their keys.
 * Pure. */
#ifndef ASTRA_ENCODE_H
#define ASTRA_ENCODE_H

#include <jansson.h>

#include "src/proto/report.h"

/* What the server counts itself, for diag. */
struct astra_socket_stats {
	uint32_t clients;
	uint64_t answered, malformed, refused, unauthenticated, limited;
	uint64_t too_large, timed_out, turned_away;
};

/* Each returns a new object, or NULL when memory is out. Text that is no
 * UTF-8 has its foreign bytes replaced by question marks. */
json_t *astra_encode_pool(const struct astra_report_pool *pool);
json_t *astra_encode_tenant(const struct astra_report_tenant *tenant);
json_t *astra_encode_diag(const struct astra_report_diag *diag);
json_t *astra_encode_socket(const struct astra_socket_stats *stats);
json_t *astra_encode_text(const char *text);

/* usage: false leaves out what PrivateData=usage hides (null). */
json_t *astra_encode_job(const struct astra_report_job *job, bool usage);

#endif
