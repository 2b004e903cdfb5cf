/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/start_size.h"

#include "src/slurm/in/ask.h"
#include "src/slurm/in/request.h"
#include "src/slurm/out/park.h"
#include "src/slurm/out/resize.h"

uint32_t astra_order_gpus(const struct astra_start_order *order)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < order->share_count; i++)
		gpus += order->shares[i].gpus;
	return gpus;
}

struct astra_start_order
astra_order_first(const job_record_t *job,
		  const struct astra_start_order *order, uint32_t gpus,
		  struct astra_start_share *shares)
{
	bitstr_t *named = job->details->req_node_bitmap;
	struct astra_start_order some = *order;
	uint32_t left = gpus;

	some.shares = shares;
	some.share_count = 0;
	for (size_t i = 0; left && i < 2 * order->share_count; i++) {
		const struct astra_start_share *from =
			&order->shares[i % order->share_count];
		struct astra_start_share *s = &shares[some.share_count];
		bool first = named && bit_test(named, from->node);

		if (first != (i < order->share_count))
			continue;
		*s = *from;
		s->gpus = s->gpus < left ? s->gpus : left;
		left -= s->gpus;
		some.share_count++;
	}
	return some;
}

uint32_t astra_order_within_limits(job_record_t *job,
				   const struct astra_start_order *order)
{
	uint32_t some = order->gpus_min, none = astra_order_gpus(order);
	uint32_t reason = job->state_reason;
	struct astra_ask ask;

	astra_request_ask(job, &ask);
	while (ask.count[ASTRA_PER_JOB] && none - some > 1) {
		uint32_t gpus = some + (none - some) / 2;

		if (astra_resize(job, gpus) == SLURM_SUCCESS &&
		    astra_within_limits(job))
			some = gpus;
		else
			none = gpus;
	}
	job->state_reason = reason;
	return some;
}
