/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What GPUs cost, slot by slot, where a pool's policy sells them: the same for
 * everybody. */
#include <stddef.h>

#include "src/common/grow.h"
#include "src/proto/answer.h"
#include "src/proto/report_priv.h"
#include "src/proto/select.h"

static const size_t price_strings[] = {
	offsetof(struct astra_report_price, pool),
};

int astra_report_add_price(struct astra_report *report,
			   const struct astra_report_price *price)
{
	size_t n = report->price_count;
	struct astra_report_price copy = *price;

	if (astra_grow(&report->prices, &report->price_room, n + 1,
		       sizeof(copy)) < 0 ||
	    astra_report_keep_all(report, &copy,
				  n ? &report->prices[n - 1] : NULL,
				  price_strings, 1) < 0)
		return -1;
	report->prices[n] = copy;
	report->price_count++;
	return 0;
}

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
