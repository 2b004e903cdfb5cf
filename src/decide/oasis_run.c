/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a whole instance: its jobs come to the market one after the other. */
#include <stdlib.h>

#include "src/decide/decide_oasis.h"

void oasis_result_clear(struct oasis_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		astra_oasis_offer_clear(&result->verdicts[i].offer);
	free(result->verdicts);
	*result = (struct oasis_result){0};
}

struct turn {
	int64_t arrival;
	size_t job;
};

static int oasis_run_compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->arrival != y->arrival)
		return x->arrival < y->arrival ? -1 : 1;
	return x->job < y->job ? -1 : x->job > y->job;
}

/* Returns the jobs by arrival, those of equal arrival in the instance's order;
 * for free(). NULL when out of memory. */
static struct turn *order(const struct oasis_instance *in)
{
	struct turn *turns = calloc(in->job_count + 1, sizeof(*turns));

	if (!turns)
		return NULL;
	for (size_t i = 0; i < in->job_count; i++)
		turns[i] = (struct turn){in->jobs[i].arrival, i};
	qsort(turns, in->job_count, sizeof(*turns), oasis_run_compare_turns);
	return turns;
}

static int oasis_run_serve(struct astra_oasis_market *market,
			   const struct oasis_instance *in, size_t index,
			   struct oasis_result *out, struct astra_error *err)
{
	const struct astra_oasis_job *job = &in->jobs[index];
	struct oasis_verdict *verdict = &out->verdicts[out->count++];
	struct astra_oasis_offer *offer = &verdict->offer;
	struct astra_error why = {""};

	verdict->job = index;
	if (astra_oasis_market_offer(market, job, offer, &why))
		return astra_error_set(err, "jobs[%zu]: %s", index, why.text);
	if (!offer->accepted)
		return 0;
	astra_oasis_market_commit(market, job, &offer->y, &offer->z, false);
	out->total_utility += offer->utility;
	return 0;
}

int oasis_run(const struct oasis_instance *in, struct oasis_result *out,
	      struct astra_error *err)
{
	const struct astra_oasis_setup setup = {
		.resources = in->resources,
		.slots = in->slots,
		.first = 1,
		.workers = {in->h, in->h_count},
		.ps = {in->k, in->k_count},
		.range = in->range,
		.whole_chunks = in->whole_chunks,
	};
	struct astra_oasis_market *market =
		astra_oasis_market_create(&setup, err);
	struct turn *turns = order(in);
	int rc = market ? 0 : -1;

	out->verdicts = calloc(in->job_count + 1, sizeof(*out->verdicts));
	if (!rc && (!turns || !out->verdicts))
		rc = astra_error_nomem(err);
	for (size_t i = 0; !rc && i < in->job_count; i++)
		rc = oasis_run_serve(market, in, turns[i].job, out, err);
	free(turns);
	astra_oasis_market_destroy(market);
	return rc;
}
