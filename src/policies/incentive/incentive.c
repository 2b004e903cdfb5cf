/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/incentive.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/number.h"

struct astra_market_window
astra_incentive_window(const struct astra_incentive_batches *batches,
		       uint32_t interval, uint32_t round)
{
	uint32_t tau = 1u << interval;

	return (struct astra_market_window){
		.begin = (batches->lambda + round - 1) * tau,
		.slots = tau,
		.interval = interval,
		.round = round,
	};
}

/* Collect the jobs that arrived in (after, until]: by now, but in no earlier
 * interval. */
static void incentive_collect(const struct astra_market_job *jobs,
			      size_t job_count, double after, double until,
			      uint32_t *waiting, size_t *count)
{
	for (uint32_t i = 0; i < job_count; i++)
		if (jobs[i].arrival > after && jobs[i].arrival <= until)
			waiting[(*count)++] = i;
}

int astra_incentive_run(struct astra_market *market,
			const struct astra_incentive_batches *batches,
			const struct astra_market_job *jobs, size_t job_count,
			struct astra_market_book *book, uint32_t *left,
			size_t *left_count, struct astra_error *err)
{
	double after = -1; /* arrivals are >= 0 */

	*left_count = 0;
	for (uint32_t l = 1; l <= batches->intervals; l++) {
		double until = 1u << l;

		incentive_collect(jobs, job_count, after, until, left,
				  left_count);
		after = until;
		for (uint32_t i = 1; i <= batches->lambda && *left_count; i++) {
			struct astra_market_window window =
				astra_incentive_window(batches, l, i);

			if (astra_market_begin(market, &window, err) < 0 ||
			    astra_market_offer(market, jobs, left, left_count,
					       book, err) < 0)
				return -1;
		}
	}
	incentive_collect(jobs, job_count, after, HUGE_VAL, left, left_count);
	qsort(left, *left_count, sizeof(*left), astra_compare_u32);
	return 0;
}
