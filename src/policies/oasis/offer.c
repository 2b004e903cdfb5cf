/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The best schedule for a job (Algorithm 2, or exactly), and whether it is
 * worth its price (Algorithm 1). */
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policies/oasis/oasis_priv.h"

/* How many endings are tried one by one before the others are settled
 * together. */
enum { TRIES_MAX = 4 };

void astra_oasis_offer_clear(struct astra_oasis_offer *offer)
{
	free(offer->y.list);
	free(offer->z.list);
	*offer = (struct astra_oasis_offer){0};
}

/* Set the search up. Returns whether the job's work fits into its slots. */
static bool offer_begin(const struct astra_oasis_market *market,
			struct oasis_search *search,
			const struct astra_oasis_job *job)
{
	double work = astra_oasis_work(job), total = work, slots;

	search->job = job;
	search->from =
		job->arrival > market->first ? job->arrival : market->first;
	if (search->from - market->first >= market->slots)
		return false;
	search->slots =
		market->slots - (uint32_t)(search->from - market->first);
	slots = search->slots;
	if (market->whole_chunks)
		total = fmax(1, astra_ceil(job->epochs * job->workers));
	if (!(work <= slots * job->workers) || total > 1e15 ||
	    job->workers_min > job->workers)
		return false;
	search->total = (uint64_t)total;
	return true;
}

static double offer_payoff(const struct oasis_ending *e)
{
	return e->utility - e->cost;
}

/* Return the untried ending with the highest bound of its payoff; of equal
 * ones, the first. */
static struct oasis_ending *most_promising(const struct oasis_search *search)
{
	struct oasis_ending *best = NULL;

	for (uint32_t t = 0; t < search->slots; t++) {
		struct oasis_ending *e = &search->endings[t];

		if (e->possible && !e->tried &&
		    (!best ||
		     e->utility - e->bound > best->utility - best->bound))
			best = e;
	}
	return best;
}

double oasis_floor_of(double payoff)
{
	return payoff - 8 * ASTRA_TIE * fmax(1, fabs(payoff));
}

/* Return the payoff that another ending must be able to reach to matter, when
 * one ending is known. It is slightly less than the known payoff. But if the
 * job would be refused, only a larger payoff matters. */
static double floor_of(const struct oasis_ending *known)
{
	double best;

	if (!known)
		return -HUGE_VAL;
	best = offer_payoff(known);
	if (known->exact && best <= ASTRA_TIE)
		return best + 8 * OASIS_NOISE * fmax(1, fabs(best));
	return oasis_floor_of(best);
}

/* Drop endings that come later than the known optimal one and, except for
 * rounding, cannot be better. */
static void drop_idle(struct oasis_search *search,
		      const struct oasis_ending *known)
{
	uint32_t first = (uint32_t)(known - search->endings) + 1;

	for (uint32_t t = first; t < search->slots; t++) {
		struct oasis_ending *e = &search->endings[t];
		double noise =
			4 * OASIS_NOISE * (fabs(e->utility) + fabs(e->bound));

		if (e->utility - e->bound <= offer_payoff(known) + noise)
			e->possible = false;
	}
}

/* Try single endings as long as one could be the best, then settle all others.
 * The results are the endings' costs. */
static int offer_find(struct oasis_search *search)
{
	const struct oasis_ending *known = NULL;
	struct oasis_ending *e;
	int tries = 0;

	while (tries < TRIES_MAX && (e = most_promising(search)) &&
	       e->utility - e->bound >= floor_of(known)) {
		e->tried = true;
		oasis_greedy(search, (uint32_t)(e - search->endings));
		tries += !e->exact;
		if (known && offer_payoff(e) <= offer_payoff(known))
			continue;
		known = e;
		if (e->exact)
			drop_idle(search, e);
	}
	return oasis_settle(search, floor_of(known));
}

/* Return the slot of the ending with the largest payoff; of tied ones, the
 * first. If no ending is possible, return the number of slots. */
static uint32_t offer_choose(const struct oasis_search *search)
{
	uint32_t best = search->slots;

	for (uint32_t t = 0; t < search->slots; t++) {
		const struct oasis_ending *e = &search->endings[t];

		if ((!e->exact && !e->tabled) || isinf(e->cost))
			continue;
		if (best == search->slots ||
		    astra_compare(offer_payoff(e),
				  offer_payoff(&search->endings[best])) > 0)
			best = t;
	}
	return best;
}

/* Fill in the places of the chosen schedule. */
static int offer_place(struct astra_oasis_market *market, uint32_t last,
		       struct astra_oasis_offer *out)
{
	struct oasis_search *search = &market->search;
	const struct astra_oasis_job *job = search->job;

	for (uint32_t t = 0; t <= last; t++) {
		const struct oasis_option *o =
			&search->options[search->choice[t]];
		int64_t slot = search->from + t;

		if (!o->workers)
			continue;
		if (oasis_fill(market, &market->workers, search, slot,
			       job->worker, o->workers, search->sums,
			       &out->y) < 0 ||
		    oasis_fill(market, &market->ps, search, slot, job->ps,
			       o->ps, search->sums, &out->z) < 0)
			return -1;
		out->t_hat = slot;
	}
	out->utility = oasis_utility(job, out->t_hat);
	return 0;
}

static int too_much(const struct oasis_search *search, struct astra_error *err)
{
	astra_error_set(err,
			"%g worker-slots by up to %u workers in %u "
			"slots are too much to look for a schedule",
			astra_oasis_work(search->job), search->job->workers,
			search->slots);
	return 1;
}

int astra_oasis_market_offer(struct astra_oasis_market *market,
			     const struct astra_oasis_job *job,
			     struct astra_oasis_offer *out,
			     struct astra_error *err)
{
	struct oasis_search *search = &market->search;
	uint32_t last;
	int rc;

	out->accepted = false;
	out->payoff = -HUGE_VAL;
	out->utility = out->cost = 0;
	out->t_hat = 0;
	out->y.count = out->z.count = 0;
	if (!offer_begin(market, search, job))
		return 0;
	if (oasis_is_simple(market, job))
		return oasis_simple_offer(market, out) < 0
			       ? astra_error_nomem(err)
			       : 0;
	if ((uint64_t)search->slots * ((uint64_t)job->workers + 2) >
	    ASTRA_OASIS_TABLE_MAX)
		return too_much(search, err);
	if (oasis_price(market, search) < 0 || oasis_bound(search) < 0)
		return astra_error_nomem(err);
	rc = offer_find(search);
	if (rc)
		return rc > 0 ? too_much(search, err) : astra_error_nomem(err);
	last = offer_choose(search);
	if (last == search->slots)
		return 0;
	out->payoff = offer_payoff(&search->endings[last]);
	out->cost = search->endings[last].cost;
	out->accepted = astra_compare(out->payoff, 0) > 0;
	if (!out->accepted)
		return 0;
	if (search->endings[last].tabled)
		oasis_trace(search, last);
	else
		oasis_greedy(search, last);
	return offer_place(market, last, out) < 0 ? astra_error_nomem(err) : 0;
}
