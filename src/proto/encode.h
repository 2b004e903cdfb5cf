/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a report as JSON; doc/protocol.md lists their keys. Pure. */
#ifndef ASTRA_ENCODE_H
#define ASTRA_ENCODE_H

#include "src/common/encode.h"
#include "src/common/member_json.h"
#include "src/proto/query.h"
#include "src/proto/report.h"
#include "src/proto/report_members.h"

/* What the server counts itself, for diag. */
struct astra_socket_stats {
	uint32_t clients;
	uint64_t answered, malformed, refused, unauthenticated, limited;
	uint64_t too_large, timed_out, turned_away;
};

extern const struct astra_member astra_socket_members[];

/* The table of the records of a reply: of JOB where it has no other. */
const struct astra_member *astra_members_of(enum astra_query_kind kind);

/* Which keys of its records a request is about: the bits of query->fields;
 * ASTRA_PICK_ALL where it has none. Returns ASTRA_FAULT_NONE, or MALFORMED with
 * err naming the one that is no key, and those that are. */
enum astra_fault astra_pick(const struct astra_query *query, uint64_t *out,
			    struct astra_error *err);

/* Each appends an object; out says whether that failed. */

/* usage: false makes null what PrivateData=usage hides. */
void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, uint64_t picked,
		      bool usage);

/* An app with the estimate, for its agent. bid_sec: when the bid in force was
 * made; 0: there is none. */
void astra_encode_app_left(struct astra_text *out,
			   const struct astra_report_app *app, double bid_sec);

/* A job in the reply to its app's agent. */
void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job);

#endif
