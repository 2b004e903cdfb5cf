/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/tiers/serve.h"

#include <math.h>
#include <stdlib.h>

#include "src/policies/incentive/policy.h"
#include "src/policies/themis/seats.h"
#include "src/policies/tiers/part.h"

/* The state of a round while it is served. */
struct serving {
	struct tiers *self;
	const struct astra_offer *offer;
	struct tiers_split split;
	struct astra_demand *demands; /* grouped by tenant */
	uint32_t *origins;	      /* indices of the demands in the offer */
	size_t *first;	/* by tenant: index of its first demand; behind the last
			 * tenant: the end */
	uint32_t *free; /* by node: the present tenant's GPUs */
	struct astra_space *left;	/* not awarded yet */
	uint32_t *awarded;		/* by demand of the offer: number of
					 * awards */
	struct astra_allocation answer; /* answer of the present tenant's
					 * policy */
	struct astra_space *own;	/* the part of `left` that the present
					 * tenant has */
	struct astra_share *place;
	double slot_end_sec; /* 0: the inner policy has no slots */
	struct astra_allocation *out;
};

static int serving_init(struct serving *s)
{
	size_t nodes = s->offer->node_count, demands = s->offer->demand_count;

	s->demands = calloc(demands + 1, sizeof(*s->demands));
	s->origins = calloc(demands + 1, sizeof(*s->origins));
	s->first = calloc(s->offer->tenant_count + 2, sizeof(*s->first));
	s->free = calloc(nodes + 1, sizeof(*s->free));
	s->left = astra_offer_space(s->offer);
	s->awarded = calloc(demands + 1, sizeof(*s->awarded));
	s->place = calloc(nodes + 1, sizeof(*s->place));
	s->own = astra_offer_empty(s->offer);
	if (!s->place || !s->own || !s->demands || !s->origins || !s->first ||
	    !s->free || !s->left || !s->awarded)
		return -1;
	return 0;
}

static void serving_fini(struct serving *s)
{
	astra_tiers_split_clear(&s->split);
	free(s->demands);
	free(s->origins);
	free(s->first);
	free(s->free);
	astra_space_destroy(s->left);
	free(s->awarded);
	astra_space_destroy(s->own);
	free(s->place);
	free(s->answer.awards);
	free(s->answer.shares);
	free(s->answer.leavers);
}

static void group_demands(struct serving *s)
{
	const struct astra_offer *offer = s->offer;
	size_t *first = s->first;

	for (size_t i = 0; i < offer->demand_count; i++)
		first[offer->demands[i].tenant + 2]++;
	for (size_t t = 2; t < offer->tenant_count + 2; t++)
		first[t] += first[t - 1];
	for (uint32_t i = 0; i < offer->demand_count; i++) {
		size_t at = first[offer->demands[i].tenant + 1]++;

		s->demands[at] = offer->demands[i];
		s->origins[at] = i;
	}
}

/* Awards GPUs to a job if they are its tenant's and the job can use that many.
 * A plan may be out of date. */
static int serve_take(struct serving *s, uint32_t origin, double until_sec,
		      const struct astra_share *shares, size_t count)
{
	const struct astra_demand *d = &s->offer->demands[origin];
	const struct astra_request *q = &d->job->request;
	uint32_t gpus = astra_shares_gpus(shares, count);

	if (s->awarded[origin] >= d->copies || gpus < astra_request_least(q) ||
	    gpus > q->gpus)
		return 0;
	for (size_t k = 0; k < count; k++)
		if (s->free[shares[k].node] < shares[k].gpus)
			return 0;
	for (size_t k = 0; k < count; k++) {
		s->free[shares[k].node] -= shares[k].gpus;
	}
	astra_demand_settle(s->left, d, shares, count);
	astra_demand_settle(s->own, d, shares, count);
	s->awarded[origin]++;
	return astra_allocation_add(s->out, origin, until_sec, shares, count);
}

/* Whether a job can continue where it is, on `gpus` GPUs. */
static bool serve_goes_on(const struct serving *s, const struct astra_demand *d,
			  uint32_t gpus)
{
	return d->job->state == ASTRA_JOB_RUNNING && d->held_count &&
	       astra_demand_is_in(s->offer, s->own, d) &&
	       astra_shares_gpus(d->held, d->held_count) == gpus;
}

/* Awards as many GPUs as were planned, on any of the tenant's nodes: first to
 * jobs that can stay, then to the others. */
static int take_over_counts(struct serving *s, size_t first)
{
	const struct astra_allocation *a = &s->answer;

	for (int stay = 1; stay >= 0; stay--)
		for (size_t i = 0; i < a->award_count; i++) {
			const struct astra_award *w = &a->awards[i];
			const struct astra_demand *d =
				&s->demands[first + w->demand];
			uint32_t gpus = astra_shares_gpus(
				a->shares + w->first_share, w->share_count);
			const struct astra_share *shares = d->held;
			size_t count = d->held_count;

			if (serve_goes_on(s, d, gpus) != stay)
				continue;
			if (!stay) {
				shares = s->place;
				count = astra_demand_place(s->own, d, gpus,
							   s->place);
			}
			if (count &&
			    serve_take(s, s->origins[first + w->demand],
				       fmin(w->until_sec, s->slot_end_sec),
				       shares, count) < 0)
				return -1;
		}
	return 0;
}

/* Translates the tenant's answer into an answer to the whole offer. */
static int serve_take_over(struct serving *s, size_t first)
{
	const struct astra_allocation *a = &s->answer;

	s->out->wake_sec = fmin(s->out->wake_sec, a->wake_sec);
	s->out->moves |= a->moves;
	s->out->changed |= a->changed;
	for (size_t i = 0; i < a->leaver_count; i++)
		if (astra_allocation_leave(
			    s->out, s->origins[first + a->leavers[i]]) < 0)
			return -1;
	if (s->self->tenants.inner == &astra_incentive)
		return take_over_counts(s, first);
	for (size_t i = 0; i < a->award_count; i++) {
		const struct astra_award *w = &a->awards[i];

		if (serve_take(s, s->origins[first + w->demand], w->until_sec,
			       a->shares + w->first_share, w->share_count) < 0)
			return -1;
	}
	return 0;
}

/* Lets a tenant's inner policy share out the tenant's GPUs. */
static int ask_tenant(struct serving *s, struct tiers_tenant *row,
		      uint32_t tenant, uint64_t granted,
		      struct astra_error *err)
{
	const struct astra_policy *inner = s->self->tenants.inner;
	size_t first = s->first[tenant];
	const struct tiers_whole whole = {
		.offer = s->offer,
		.free = s->free,
		.own = s->own,
		.granted = granted,
		.origins = s->origins + first,
		.stay = s->split.stay,
	};
	struct tiers_part part;
	int rc = -1;

	s->answer.award_count = s->answer.share_count = 0;
	s->answer.leaver_count = 0;
	s->answer.changed = s->answer.moves = false;
	s->answer.wake_sec = HUGE_VAL;
	if (astra_tiers_part(&part, inner, &whole, tenant, s->demands + first,
			     s->first[tenant + 1] - first) < 0)
		astra_error_nomem(err);
	else
		rc = inner->allocate(row->self, &part.offer, &s->answer, err);
	if (!rc && serve_take_over(s, first) < 0)
		rc = astra_error_nomem(err);
	astra_tiers_part_clear(&part);
	return rc;
}

/* Serves a tenant. A known tenant without jobs is asked too, since time passes
 * for its policy. parcel: moved past the tenant's parcels. */
static int serve_tenant(struct serving *s, uint32_t tenant, size_t *parcel,
			struct astra_error *err)
{
	size_t first = s->first[tenant], begin = *parcel;
	const struct tiers_parcel *parcels = s->split.parcels;
	struct tiers_tenants *tenants = &s->self->tenants;
	struct tiers_tenant *row =
		s->first[tenant + 1] > first
			? astra_tiers_tenant(tenants,
					     s->demands[first].tenant_name)
			: astra_tiers_tenant_at(tenants, tenant);
	uint64_t granted = 0;
	int rc;

	if (!row)
		return 0;
	for (; *parcel < s->split.parcel_count &&
	       parcels[*parcel].tenant == tenant;
	     ++*parcel) {
		s->free[parcels[*parcel].node] += parcels[*parcel].gpus;
		granted += parcels[*parcel].gpus;
	}
	if (s->split.gpus)
		row->served = granted > 0;
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		astra_tiers_set_free(s->own, s->left, n, s->free[n]);
	rc = ask_tenant(s, row, tenant, granted, err);
	for (size_t i = begin; i < *parcel; i++)
		s->free[parcels[i].node] = 0;
	return rc;
}

static int serve_tenants(struct serving *s, struct astra_error *err)
{
	struct astra_allocation *out = s->out;
	size_t parcel = 0;

	if (serving_init(s) < 0)
		return astra_error_nomem(err);
	group_demands(s);
	for (uint32_t t = 0; t < s->offer->tenant_count; t++)
		if (serve_tenant(s, t, &parcel, err) < 0)
			return -1;
	out->spare_until_sec = s->slot_end_sec > 0
				       ? s->slot_end_sec
				       : astra_themis_lease_end(s->offer, 0);
	if (!s->split.gpus)
		return 0;
	out->lend_until_sec = out->spare_until_sec;
	if (s->slot_end_sec > 0 && !s->self->options.lend_idle)
		return 0;
	return astra_tiers_rest(&s->split, s->offer, s->left, s->awarded,
				s->slot_end_sec, out) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

int astra_tiers_serve(struct tiers *t, const struct astra_offer *offer,
		      struct astra_allocation *out, struct astra_error *err)
{
	double slot_sec = t->options.slot_sec;
	struct astra_offer round = *offer;
	struct serving s = {.self = t, .offer = &round, .out = out};
	int rc;

	if (t->tenants.inner->slots) { /* leases on what LTGF gives end with the
					* slot */
		s.slot_end_sec = (floor(offer->now_sec / slot_sec + 1e-6) + 1) *
				 slot_sec;
		round.lease_sec = s.slot_end_sec - offer->now_sec;
	}
	rc = astra_tiers_split(&s.split, t->ltgf, &round, err);
	if (!rc)
		rc = serve_tenants(&s, err);
	serving_fini(&s);
	return rc;
}
