/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs cost, slot by slot, where a pool's policy sells them: the same for
 * everybody. */
#include "src/proto/answer.h"
#include "src/proto/select.h"

void astra_answer_price(const struct astra_report *report,
			const struct astra_query *query, uint64_t picked,
			struct astra_text *out)
{
	const char *separator = "";

	astra_text_printf(out, ",\"prices\":[");
	for (size_t i = 0; i < report->price_count && !out->failed; i++) {
		const struct astra_report_price *p = &report->prices[i];

		if (query->pools.count &&
		    !astra_filter_has(&query->pools, p->pool))
			continue;
		astra_text_printf(out, "%s", separator);
		astra_encode_picked(out, p, astra_price_members, picked, 0);
		separator = ",";
	}
	astra_text_printf(out, "]");
}
