/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer to a query, from a report and for one user. Pure. */
#ifndef ASTRA_ANSWER_H
#define ASTRA_ANSWER_H

#include "src/common/error.h"
#include "src/proto/encode.h"
#include "src/proto/query.h"
#include "src/proto/report.h"
#include "src/proto/wire.h"

struct astra_viewer {
	uint32_t uid;
	bool all; /* root, SlurmUser, an operator: PrivateData hides nothing */
	double now_sec; /* when it is asked */
	/* Accounts that the user coordinates, sorted by strcmp(): what is in
	 * them is seen like one's own. NULL: none. */
	const struct astra_names *accounts;
};

/* Write the reply to a query. What a user may not see is left out as if it
 * were not there.
 * report: borrowed; NULL when no round has ended yet.
 * stats: for diag.
 * out: appended to; its limit bounds the reply. On failure its contents are
 *   of no use: clear it and write astra_answer_fault().
 * Returns ASTRA_FAULT_NONE, or what is wrong with err set. */
enum astra_fault astra_answer(const struct astra_report *report,
			      const struct astra_query *query,
			      const struct astra_viewer *viewer,
			      const struct astra_socket_stats *stats,
			      struct astra_text *out, struct astra_error *err);

#define ASTRA_REPORT_EVERY_SEC 10 /* how often a job is asked to report */

/* The part of the answer for a job that asks or tells something of itself:
 * its lease as it stands. Only its owner may tell; whether a lease may be seen
 * is as for other queries. What is told is the caller's to keep.
 * Returns as astra_answer(). */
enum astra_fault astra_answer_own(const struct astra_report *report,
				  const struct astra_query *query,
				  const struct astra_viewer *viewer,
				  struct astra_text *out,
				  struct astra_error *err);

/* The classes of jobs that the viewer may see. Returns 0, or
 * -1 when out of memory. */
int astra_answer_classes(const struct astra_report *report,
			 const struct astra_query *query,
			 const struct astra_viewer *viewer, uint64_t picked,
			 struct astra_text *out);

/* The same for an offer or a bid, and for all apps. What is bid is the caller's
 * to keep. (answer_app.c) */
enum astra_fault astra_answer_offer(const struct astra_report *report,
				    const struct astra_query *query,
				    const struct astra_viewer *viewer,
				    struct astra_text *out,
				    struct astra_error *err);
void astra_answer_auction(const struct astra_report *report,
			  const struct astra_query *query,
			  const struct astra_viewer *viewer, uint64_t picked,
			  struct astra_text *out);

/* What metrics has besides: jobs by pool and phase, and the last auctions.
 * (answer_metrics.c) */
void astra_answer_metrics(const struct astra_report *report,
			  const struct astra_viewer *viewer,
			  struct astra_text *out);

/* Write what follows the head of a reply to a report over past time, from what
 * the host keeps of it: members, each after a comma, without the last brace.
 * Returns as astra_answer(). */
typedef enum astra_fault astra_history(const struct astra_query *query,
				       const struct astra_viewer *viewer,
				       const struct astra_report *report,
				       struct astra_text *out,
				       struct astra_error *err);

/* The whole reply to such a query. history: NULL: none is kept.
 * Returns as astra_answer(). */
enum astra_fault astra_answer_past(const struct astra_report *report,
				   const struct astra_query *query,
				   const struct astra_viewer *viewer,
				   astra_history *history,
				   struct astra_text *out,
				   struct astra_error *err);
enum astra_fault astra_answer_no_history(struct astra_error *err);

/* The begin of every reply, and the error while there is no report. */
void astra_answer_head(const struct astra_report *report,
		       const struct astra_query *query, struct astra_text *out);
enum astra_fault astra_answer_too_early(struct astra_error *err);

/* What top has besides: nodes with who holds their GPUs, and jobs in short.
 * (answer_top.c) */
void astra_answer_top(const struct astra_report *report,
		      const struct astra_query *query,
		      const struct astra_viewer *viewer,
		      struct astra_text *out);

/* Write a reply that says what was wrong. Returns 0, or -1 out of memory. */
int astra_answer_fault(enum astra_fault fault, const char *text,
		       struct astra_text *out);

/* Answer for one job that the viewer may see: words for a user, "text" and
 * "parts", and their numbers, "why". (why_json.c)
 * Returns 0, or -1 when out of memory. */
int astra_answer_why(const struct astra_report *report,
		     const struct astra_report_job *job,
		     const struct astra_viewer *viewer, struct astra_text *out);

/* Answer for all jobs of the viewer in a line each, and for their tenants.
 * (why_json.c) */
void astra_answer_mine(const struct astra_report *report,
		       const struct astra_viewer *viewer,
		       struct astra_text *out);

/* Order the record of a pool's next round (*ticket 0: sets it), or append the
 * one of that ticket to out; nothing is appended as long as it is not there.
 * Returns 0, or -1 with err set: no such ticket. */
typedef int astra_round_order(const char *pool, uint64_t *ticket,
			      struct astra_text *out, struct astra_error *err);

/* The answer to a record request, for those who see all. order: NULL: there are
 * no records. (answer_record.c) */
enum astra_fault astra_answer_record(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     astra_round_order *order,
				     struct astra_text *out,
				     struct astra_error *err);

/* Order that the accounts of a pool begin with what the query says, or, where
 * it says nothing, that they are told (*ticket 0: sets it); or append, as an
 * object, what became of the order of that ticket; nothing is appended as long
 * as that is not known. adopt: what is ordered is taken out of it.
 * Returns a fault with err set where it is refused. */
typedef enum astra_fault astra_adopt_order(const char *pool,
					   struct astra_query_adopt *adopt,
					   uint32_t uid, uint64_t *ticket,
					   struct astra_text *out,
					   struct astra_error *err);

/* The answer to such a request, for those who see all. order: NULL: accounts
 * cannot be set. */
enum astra_fault
astra_answer_adopt(const struct astra_report *report, struct astra_query *query,
		   const struct astra_viewer *viewer, astra_adopt_order *order,
		   struct astra_text *out, struct astra_error *err);

#endif
