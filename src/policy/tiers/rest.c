/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "src/policy/themis/seats.h"
#include "src/policy/tiers/split.h"

struct resting {
	const struct astra_offer *offer;
	struct astra_allocation *out;
	struct astra_space *space; /* what is idle */
	struct astra_share *place;
};

static int award(struct resting *r, uint32_t demand,
		 const struct astra_share *shares, size_t count)
{
	const struct astra_job *job = r->offer->demands[demand].job;

	for (size_t i = 0; i < count; i++) {
		uint32_t node = shares[i].node;

		astra_tiers_set_free(r->space, r->offer, node,
				     astra_space_get(r->space, node)->gpus -
					     shares[i].gpus);
	}
	return astra_allocation_add(
		r->out, demand,
		astra_themis_lease_end(r->offer, job->lease_sec), shares,
		count);
}

static bool runs_there(const struct resting *r, const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count; i++)
		if (astra_space_get(r->space, job->held[i].node)->gpus <
		    job->held[i].gpus)
			return false;
	return job->state == ASTRA_JOB_RUNNING;
}

/* Returns whether it got GPUs, or -1. */
static int serve(struct resting *r, uint32_t demand)
{
	const struct astra_job *job = r->offer->demands[demand].job;
	struct astra_request q = job->request;
	uint64_t have = astra_space_gpus(r->space);
	size_t count;

	if (runs_there(r, job))
		return award(r, demand, job->held, job->held_count) < 0 ? -1
									: 1;
	q.gpus = astra_request_size(&q, have);
	if (!q.gpus)
		return 0;
	count = astra_place(r->space, &q, NULL, 0, r->place);
	if (!count && q.gpus_min) {
		q.gpus = q.gpus_min;
		count = astra_place(r->space, &q, NULL, 0, r->place);
	}
	if (!count)
		return 0;
	return award(r, demand, r->place, count) < 0 ? -1 : 1;
}

int astra_tiers_rest(const struct tiers_split *split,
		     const struct astra_offer *offer, const uint32_t *left,
		     uint32_t *awarded, struct astra_allocation *out)
{
	struct resting r = {
		.offer = offer,
		.out = out,
		.space = astra_tiers_space(offer),
		.place = calloc(offer->node_count + 1, sizeof(*r.place)),
	};
	int got = r.space && r.place ? 0 : -1;

	for (uint32_t n = 0; !got && n < offer->node_count; n++)
		astra_tiers_set_free(r.space, offer, n, left[n]);
	for (size_t i = 0;
	     got >= 0 && i < split->ranking.count && astra_space_gpus(r.space);
	     i++) {
		uint32_t demand =
			split->runners[split->ranking.choices[i].candidate]
				.demand;

		if (awarded[demand] == offer->demands[demand].copies)
			continue;
		got = serve(&r, demand);
		awarded[demand] += got > 0;
	}
	astra_space_destroy(r.space);
	free(r.place);
	return got < 0 ? -1 : 0;
}
