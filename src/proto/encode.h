/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a report as JSON; doc/protocol.md lists their keys.
 *
 * The text is written straight: by way of a tree of JSON values, a report of
 * 100,000 jobs takes three times as long. Pure.
 */
#ifndef ASTRA_ENCODE_H
#define ASTRA_ENCODE_H

#include "src/common/encode.h"
#include "src/proto/query.h"
#include "src/proto/report.h"

/* What the server counts itself, for diag. */
struct astra_socket_stats {
	uint32_t clients;
	uint64_t answered, malformed, refused, unauthenticated, limited;
	uint64_t too_large, timed_out, turned_away;
};

/* Which keys of its records a request is about: bits by their order. */
#define ASTRA_PICK_ALL UINT64_MAX

/* The bits of query->fields; ASTRA_PICK_ALL where it has none.
 * Returns ASTRA_FAULT_NONE, or MALFORMED with err naming the one that is no
 * key, and those that are. */
enum astra_fault astra_pick(const struct astra_query *query, uint64_t *out,
			    struct astra_error *err);

/* Each appends an object; out says whether that failed. */
void astra_encode_pool(struct astra_text *out,
		       const struct astra_report_pool *pool);
void astra_encode_tenant(struct astra_text *out,
			 const struct astra_report_tenant *tenant,
			 uint64_t picked);
void astra_encode_diag(struct astra_text *out,
		       const struct astra_report_diag *diag);
void astra_encode_history(struct astra_text *out,
			  const struct astra_report_history *history);
void astra_encode_socket(struct astra_text *out,
			 const struct astra_socket_stats *stats);

/* usage: false makes null what PrivateData=usage hides. */
void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, uint64_t picked,
		      bool usage);

void astra_encode_app(struct astra_text *out,
		      const struct astra_report_app *app, uint64_t picked);

/* The same with the estimate, for its agent. bid_sec: when the bid in force was
 * made; 0: there is none. */
void astra_encode_app_left(struct astra_text *out,
			   const struct astra_report_app *app, double bid_sec);

/* pool: with its name. */
void astra_encode_auction(struct astra_text *out,
			  const struct astra_report_auction *auction,
			  bool pool);

/* What an app's agent is told of a job. */
void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job);

#endif
