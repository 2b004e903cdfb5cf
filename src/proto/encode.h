/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a report as JSON; doc/protocol.md lists their keys. Pure. */
#ifndef ASTRA_ENCODE_H
#define ASTRA_ENCODE_H

#include "src/common/encode.h"
#include "src/common/member_json.h"
#include "src/proto/query.h"
#include "src/proto/report.h"
#include "src/proto/report_members.h"

/* The server's own counts, for diag. */
struct astra_socket_stats {
	uint32_t clients;
	uint64_t answered, malformed, refused, unauthenticated, limited;
	uint64_t too_large, timed_out, turned_away;
};

extern const struct astra_member astra_socket_members[];

/* Returns the table of a reply's records; for a kind without its own table,
 * that of jobs. */
const struct astra_member *astra_members_of(enum astra_query_kind kind);

/* Sets *out to the keys of records that a request asks for: the bits of
 * query->fields, or ASTRA_PICK_ALL if it has none. Returns ASTRA_FAULT_NONE, or
 * MALFORMED with err naming the unknown key and the known ones. */
enum astra_fault astra_pick(const struct astra_query *query, uint64_t *out,
			    struct astra_error *err);

/* Each function appends an object. If that fails, out says so (failed). */

/* Appends a job. usage: false writes null for what PrivateData=usage hides. */
void astra_encode_job(struct astra_text *out,
		      const struct astra_report_job *job, uint64_t picked,
		      bool usage);

/* Appends an app with its estimate, for its agent. bid_sec: the time of the bid
 * in force; 0: none. */
void astra_encode_app_left(struct astra_text *out,
			   const struct astra_report_app *app, double bid_sec);

/* Appends a job in the reply to its app's agent. */
void astra_encode_app_job(struct astra_text *out,
			  const struct astra_report_job *job);

#endif
