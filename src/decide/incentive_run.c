/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/decide/decide_incentive.h"

void incentive_result_clear(struct incentive_result *result)
{
	astra_market_book_clear(&result->book);
	free(result->unscheduled);
	free(result->gains);
	*result = (struct incentive_result){0};
}

int incentive_run(const struct incentive_instance *in,
		  struct incentive_result *out, struct astra_error *err)
{
	struct astra_market *market = astra_market_create(&in->setup, err);
	int rc;

	*out = (struct incentive_result){0};
	if (!market)
		return -1;
	out->unscheduled = calloc(in->job_count + 1, sizeof(*out->unscheduled));
	out->gains = calloc(in->setup.user_count + 1, sizeof(*out->gains));
	if (!out->unscheduled || !out->gains)
		rc = astra_error_nomem(err);
	else
		rc = astra_incentive_run(market, &in->batches, in->jobs,
					 in->job_count, &out->book,
					 out->unscheduled,
					 &out->unscheduled_count, err);
	for (uint32_t u = 0; !rc && u < in->setup.user_count; u++)
		out->gains[u] =
			astra_market_gain(astra_market_account(market, u));
	astra_market_destroy(market);
	return rc;
}
