/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a report as JSON; doc/protocol.md lists their keys.
 *
 * The text is written straight: by way of a tree of JSON values, a report of
 * 100,000 jobs takes three times as long. Pure.
 */
#ifndef ASTRA_ENCODE_H
#define ASTRA_ENCODE_H

#include "src/common/encode.h"
#include "src/proto/report.h"

/* What the server counts itself, for diag. */
struct astra_socket_stats {
	uint32_t clients;
	uint64_t answered, malformed, refused, unauthenticated, limited;
	uint64_t too_large, timed_out, turned_away;
};

/* Each appends an object; out says whether that failed. */
void astra_encode_pool(struct astra_text *out,
		       const struct astra_report_pool *pool);
void astra_encode_tenant(struct astra_text *out,
			 const struct astra_report_tenant *tenant);
void astra_encode_diag(struct astra_text *out,
		       const struct astra_report_diag *diag);
void astra_encode_history(struct astra_text *out,
			  const struct astra_report_history *history);
void astra_encode_socket(struct astra_text *out,
			 const struct astra_socket_stats *stats);

/* usage: false makes null what PrivateData=usage hides. */
void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, bool usage);

/* bid_sec: when the bid in force was made; 0: there is none. left: with the
 * estimate. */
void astra_encode_app(struct astra_text *out,
		      const struct astra_report_app *app, double bid_sec,
		      bool left);

/* pool: with its name. */
void astra_encode_auction(struct astra_text *out,
			  const struct astra_report_auction *auction,
			  bool pool);

/* What an app's agent is told of a job. */
void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job);

#endif
