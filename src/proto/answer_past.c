/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports over past time. Who keeps it is the host's matter. */
#include "src/proto/answer.h"

enum astra_fault astra_answer_no_history(struct astra_error *err)
{
	astra_error_set(err, "history is off (History=no in astraea.conf): "
			     "there is no report over past time; sfair audit "
			     "measures it from slurmdbd");
	return ASTRA_FAULT_NO_DATA;
}

enum astra_fault astra_answer_past(const struct astra_report *report,
				   const struct astra_query *query,
				   const struct astra_viewer *viewer,
				   astra_history *history,
				   struct astra_text *out,
				   struct astra_error *err)
{
	enum astra_fault fault;

	if (!report)
		return astra_answer_too_early(err);
	if (!history)
		return astra_answer_no_history(err);
	astra_answer_head(report, query, out);
	fault = history(query, viewer, report, out, err);
	if (fault)
		return fault;
	astra_text_add(out, "}", 1);
	if (!out->failed)
		return ASTRA_FAULT_NONE;
	astra_error_set(err, "the reply would be too large: ask for a shorter "
			     "time or fewer accounts, users or jobs");
	return ASTRA_FAULT_TOO_LARGE;
}
