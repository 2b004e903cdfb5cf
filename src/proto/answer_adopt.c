/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accounts that begin with the past, for those who may see all. As the engine
 * has them, who asks gets a ticket, and the outcome by it a moment later. */
#include <inttypes.h>

#include "src/proto/answer.h"

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
	pool = astra_answer_pool(report, query, err);
	if (!pool)
		return ASTRA_FAULT_NOT_FOUND;
	astra_answer_head(report, query, out);
	astra_text_printf(out, ",\"accounts\":");
	before = out->size;
	fault = order(pool, &query->adopt, viewer->uid, &ticket, out, err);
	if (fault)
		return fault;
	if (out->size == before)
		astra_text_printf(out, "null");
	astra_text_printf(out, ",\"ticket\":%" PRIu64 "}", ticket);
	if (!out->failed)
		return ASTRA_FAULT_NONE;
	astra_error_set(err, "the reply is larger than a reply may be");
	return ASTRA_FAULT_TOO_LARGE;
}
