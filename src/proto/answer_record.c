/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded round of the live cluster, only for those who may see all of it.
 * The first request returns a ticket; with the ticket the client gets the
 * record once the next round has ended. */
#include <inttypes.h>
#include <string.h>

#include "src/proto/answer.h"
#include "src/proto/report_pool.h"
#include "src/proto/select.h"

/* Returns the pool that the query names, or the only pool; NULL with err set if
 * there is no such pool. */
static const char *answer_pool(const struct astra_report *report,
			       const struct astra_query *query,
			       struct astra_error *err)
{
	if (!report->pool_count) {
		char idle[ASTRA_IDLE_BYTES];

		astra_error_set(err, "there is no pool%s%s",
				*astra_idle_text(report, idle) ? ": " : "",
				idle);
		return NULL;
	}
	if (query->pools.count > 1 ||
	    (!query->pools.count && report->pool_count != 1)) {
		astra_error_set(err,
				"there are %zu pools: name one with "
				"--pool",
				report->pool_count);
		return NULL;
	}
	for (size_t i = 0; i < report->pool_count; i++)
		if (!query->pools.count ||
		    !strcmp(report->pools[i].name, query->pools.names[0]))
			return report->pools[i].name;
	astra_error_set(err, "--pool=%.64s: there is no such pool",
			query->pools.names[0]);
	return NULL;
}

/* Writes the end of a reply: null if there is no outcome yet, and the
 * ticket. */
static enum astra_fault answer_ticket(uint64_t ticket, bool there,
				      const char *what, struct astra_text *out,
				      struct astra_error *err)
{
	if (!there)
		astra_text_printf(out, "null");
	astra_text_printf(out, ",\"ticket\":%" PRIu64 "}", ticket);
	if (!out->failed)
		return ASTRA_FAULT_NONE;
	astra_error_set(err, "%s larger than a reply may be", what);
	return ASTRA_FAULT_TOO_LARGE;
}

enum astra_fault astra_answer_record(const struct astra_report *report,
				     const struct astra_query *query,
				     const struct astra_viewer *viewer,
				     astra_round_order *order,
				     struct astra_text *out,
				     struct astra_error *err)
{
	uint64_t ticket = query->ticket;
	const char *pool;
	size_t before;

	if (!viewer->all) {
		astra_error_set(err, "a record shows all jobs of all users: "
				     "only root, SlurmUser and operators may "
				     "have one");
		return ASTRA_FAULT_DENIED;
	}
	if (!report || !order)
		return astra_answer_too_early(err);
	pool = answer_pool(report, query, err);
	if (!pool)
		return ASTRA_FAULT_NOT_FOUND;
	astra_answer_head(report, query, out);
	astra_text_printf(out, ",\"record\":");
	before = out->size;
	if (order(pool, &ticket, out, err) < 0)
		return ASTRA_FAULT_NOT_FOUND;
	return answer_ticket(ticket, out->size > before, "the record is", out,
			     err);
}

/* Lets accounts begin with past usage, for viewers who may see all. The engine
 * owns the accounts, so the client gets a ticket first, and the outcome a
 * moment later. */

enum astra_fault
astra_answer_adopt(const struct astra_report *report, struct astra_query *query,
		   const struct astra_viewer *viewer, astra_adopt_order *order,
		   struct astra_text *out, struct astra_error *err)
{
	uint64_t ticket = query->ticket;
	enum astra_fault fault;
	const char *pool;
	size_t before;

	if (!viewer->all) {
		astra_error_set(err, "what accounts begin with is for root, "
				     "SlurmUser and operators");
		return ASTRA_FAULT_DENIED;
	}
	if (!report || !order)
		return astra_answer_too_early(err);
	pool = answer_pool(report, query, err);
	if (!pool)
		return ASTRA_FAULT_NOT_FOUND;
	astra_answer_head(report, query, out);
	astra_text_printf(out, ",\"accounts\":");
	before = out->size;
	fault = order(pool, &query->adopt, viewer->uid, &ticket, out, err);
	if (fault)
		return fault;
	return answer_ticket(ticket, out->size > before, "the reply is", out,
			     err);
}
