/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers a query from a report, for one user. Pure. */
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
	double now_sec; /* when the request came */
	/* Accounts that the user coordinates, sorted by strcmp(): the user sees
	 * their jobs and usage like their own. NULL: none. */
	const struct astra_names *accounts;
};

/* Writes the reply to a query, without what the viewer may not see.
 * report: borrowed; NULL before the first round has ended.
 * stats: for diag.
 * out: appended to; its limit bounds the reply. On failure its contents are
 * useless: clear it and write astra_answer_fault().
 * Returns ASTRA_FAULT_NONE, or a fault with err set. */
enum astra_fault astra_answer(const struct astra_report *report,
			      const struct astra_query *query,
			      const struct astra_viewer *viewer,
			      const struct astra_socket_stats *stats,
			      struct astra_text *out, struct astra_error *err);

#define ASTRA_REPORT_EVERY_SEC 10 /* how often a job should report */

/* Writes the lease of a job that asks for it or reports about itself. Only the
 * job's owner and viewers who see all may report; the lease is visible as in
 * other queries. The caller stores what is reported. Returns as
 * astra_answer(). */
enum astra_fault astra_answer_own(const struct astra_report *report,
				  const struct astra_query *query,
				  const struct astra_viewer *viewer,
				  struct astra_text *out,
				  struct astra_error *err);

/* Writes the classes of jobs that the viewer may see. Returns 0, or -1 if out
 * of memory. */
int astra_answer_classes(const struct astra_report *report,
			 const struct astra_query *query,
			 const struct astra_viewer *viewer, uint64_t picked,
			 struct astra_text *out);

/* Write the reply to an offer or a bid; and the auctions and apps that the
 * viewer may see. The caller stores the bid. (answer_app.c) */
enum astra_fault astra_answer_offer(const struct astra_report *report,
				    const struct astra_query *query,
				    const struct astra_viewer *viewer,
				    struct astra_text *out,
				    struct astra_error *err);
void astra_answer_auction(const struct astra_report *report,
			  const struct astra_query *query,
			  const struct astra_viewer *viewer, uint64_t picked,
			  struct astra_text *out);

/* Writes the parts that only metrics has: jobs by pool and phase, and the last
 * auctions. (answer_metrics.c) */
void astra_answer_metrics(const struct astra_report *report,
			  const struct astra_viewer *viewer,
			  struct astra_text *out);

/* Writes the part after the head of the reply to a report on past time, from
 * the host's history: members, each after a comma, without the last brace.
 * Returns as astra_answer(). */
typedef enum astra_fault astra_history(const struct astra_query *query,
				       const struct astra_viewer *viewer,
				       const struct astra_report *report,
				       struct astra_text *out,
				       struct astra_error *err);

/* Writes the whole reply to a report on past time. history may be NULL: then
 * the host keeps no history. Returns as astra_answer(). */
enum astra_fault astra_answer_past(const struct astra_report *report,
				   const struct astra_query *query,
				   const struct astra_viewer *viewer,
				   astra_history *history,
				   struct astra_text *out,
				   struct astra_error *err);
enum astra_fault astra_answer_no_history(struct astra_error *err);

/* Write the start of every reply; set the error for the time before the first
 * report. */
void astra_answer_head(const struct astra_report *report,
		       const struct astra_query *query, struct astra_text *out);
enum astra_fault astra_answer_too_early(struct astra_error *err);

/* Writes the parts that only top has: nodes with the holders of their GPUs, and
 * short rows of jobs. (answer_top.c) */
void astra_answer_top(const struct astra_report *report,
		      const struct astra_query *query,
		      const struct astra_viewer *viewer,
		      struct astra_text *out);

/* Writes a reply that says what was wrong. Returns 0, or -1 if out of
 * memory. */
int astra_answer_fault(enum astra_fault fault, const char *text,
		       struct astra_text *out);

/* Answers "why" for one job that the viewer may see: text for a user ("text"
 * and "parts"), and the values behind it ("why"). (why_json.c) Returns 0, or -1
 * if out of memory. */
int astra_answer_why(const struct astra_report *report,
		     const struct astra_report_job *job,
		     const struct astra_viewer *viewer, struct astra_text *out);

/* Answers "why" for all jobs of the viewer, one line each, and for their
 * tenants. (why_json.c) */
void astra_answer_mine(const struct astra_report *report,
		       const struct astra_viewer *viewer,
		       struct astra_text *out);

/* If *ticket is 0, orders the record of a pool's next round, and sets *ticket.
 * Otherwise appends the record of that ticket to out, or nothing if it is not
 * ready. Returns 0, or -1 with err set if the ticket is unknown. */
typedef int astra_round_order(const char *pool, uint64_t *ticket,
			      struct astra_text *out, struct astra_error *err);

/* Answers a record request, for viewers who see all. order may be NULL: then
 * there are no records. (answer_record.c) */
enum astra_fault astra_answer_record(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     astra_round_order *order,
				     struct astra_text *out,
				     struct astra_error *err);

/* If *ticket is 0, places an order and sets *ticket: the accounts of a pool are
 * to begin with the usage in adopt or, if adopt gives none, to be reported.
 * Otherwise appends the order's outcome, an object, or nothing if it is not
 * known yet. Takes the ordered list out of adopt. Returns a fault with err set
 * if refused. */
typedef enum astra_fault astra_adopt_order(const char *pool,
					   struct astra_query_adopt *adopt,
					   uint32_t uid, uint64_t *ticket,
					   struct astra_text *out,
					   struct astra_error *err);

/* Answers an adopt request, for viewers who see all. order may be NULL: then
 * accounts cannot be set. */
enum astra_fault
astra_answer_adopt(const struct astra_report *report, struct astra_query *query,
		   const struct astra_viewer *viewer, astra_adopt_order *order,
		   struct astra_text *out, struct astra_error *err);

#endif
