/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF between tenants, Themis inside one: LTGF says which of the GPUs on offer
 * a tenant gets, as far as it is behind what it is entitled to; the tenant's
 * apps bid for them among themselves. What they leave idle is for whoever can
 * use it, in the order of LTGF. */
#include "src/policy/tiers/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/policy/ltgf.h"
#include "src/policy/themis/policy.h"
#include "src/policy/themis/record.h"
#include "src/policy/themis/seats.h"
#include "src/policy/tiers/record.h"
#include "src/policy/tiers/split.h"
#include "src/policy/tiers/tenants.h"

struct tiers {
	struct astra_options options;
	void *ltgf;
	struct tiers_tenants tenants;
	struct tiers_record record;
};

static void destroy(void *self)
{
	struct tiers *t = self;

	if (!t)
		return;
	astra_ltgf.destroy(t->ltgf);
	astra_tiers_tenants_clear(&t->tenants);
	astra_tiers_record_clear(&t->record);
	free(t);
}

static void *create(const struct astra_options *options,
		    struct astra_error *err)
{
	struct tiers *t = calloc(1, sizeof(*t));

	if (!t) {
		astra_error_nomem(err);
		return NULL;
	}
	t->options = *options;
	t->ltgf = astra_ltgf.create(options, err);
	if (!t->ltgf) {
		destroy(t);
		return NULL;
	}
	return t;
}

/* A round in the making. */
struct serving {
	struct tiers *self;
	const struct astra_offer *offer;
	struct tiers_split split;
	struct astra_demand *demands; /* tenant by tenant */
	uint32_t *origins;	      /* their indices in the offer */
	size_t *first;		      /* a tenant's first one, and past the last
				       * tenant's the end */
	uint32_t *free;		      /* of each node: the tenant's */
	struct astra_space *left;     /* not awarded */
	struct astra_space *own;      /* of it, a tenant's */
	uint32_t *awarded;	      /* copies of each demand of the offer */
	struct astra_allocation answer; /* a tenant's */
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
	s->own = astra_offer_empty(s->offer);
	s->awarded = calloc(demands + 1, sizeof(*s->awarded));
	if (!s->demands || !s->origins || !s->first || !s->free || !s->left ||
	    !s->own || !s->awarded)
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
	astra_space_destroy(s->own);
	free(s->awarded);
	free(s->answer.awards);
	free(s->answer.shares);
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

/* R_C inside a tenant: its share of the cluster. More if it has more in this
 * round, and enough for each of its jobs, as no app asks for more. */
static uint64_t cluster_of(const struct astra_offer *offer, uint32_t tenant,
			   const struct astra_demand *demands, size_t count,
			   uint64_t granted)
{
	uint64_t gpus = (uint64_t)llround(offer->tenants[tenant].quota);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0;
		     !demands[i].open && k < demands[i].held_count; k++)
			granted += demands[i].held[k].gpus;
	for (size_t i = 0; i < count; i++)
		if (demands[i].job->request.gpus > gpus)
			gpus = demands[i].job->request.gpus;
	if (granted > gpus)
		gpus = granted;
	return gpus < offer->gpus ? gpus : offer->gpus;
}

/* What a tenant's apps settled, as awards of the whole offer. */
static int take_over(struct serving *s, const uint32_t *origins)
{
	struct astra_allocation *a = &s->answer, *out = s->out;

	for (size_t i = 0; i < a->award_count; i++) {
		const struct astra_award *w = &a->awards[i];
		const struct astra_share *shares = a->shares + w->first_share;

		s->awarded[origins[w->demand]]++;
		astra_demand_settle(s->left,
				    &s->offer->demands[origins[w->demand]],
				    shares, w->share_count);
		if (astra_allocation_add(out, origins[w->demand], w->until_sec,
					 shares, w->share_count) < 0)
			return -1;
	}
	out->wake_sec = fmin(out->wake_sec, a->wake_sec);
	out->moves |= a->moves;
	return 0;
}

/* parcel: moves past those of the tenant. */
static int serve_tenant(struct serving *s, uint32_t tenant, size_t *parcel,
			struct astra_error *err)
{
	size_t first = s->first[tenant], count = s->first[tenant + 1] - first;
	size_t begin = *parcel;
	struct astra_offer sub = *s->offer;
	const struct tiers_parcel *parcels = s->split.parcels;
	struct tiers_tenant *row;
	uint64_t granted = 0;
	int rc;

	if (!count)
		return 0;
	for (; *parcel < s->split.parcel_count &&
	       parcels[*parcel].tenant == tenant;
	     ++*parcel) {
		s->free[parcels[*parcel].node] += parcels[*parcel].gpus;
		granted += parcels[*parcel].gpus;
	}
	row = astra_tiers_tenant(&s->self->tenants,
				 s->demands[first].tenant_name);
	if (s->split.gpus)
		row->served = granted > 0;
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		astra_tiers_set_free(s->own, s->left, n, s->free[n]);
	sub.free = s->free;
	sub.space = s->own;
	sub.demands = s->demands + first;
	sub.demand_count = count;
	sub.gpus = cluster_of(s->offer, tenant, sub.demands, count, granted);
	s->answer.award_count = s->answer.share_count = 0;
	s->answer.wake_sec = HUGE_VAL;
	rc = astra_themis.allocate(row->themis, &sub, &s->answer, err);
	if (!rc && take_over(s, s->origins + first) < 0)
		rc = astra_error_nomem(err);
	for (size_t i = begin; i < *parcel; i++)
		s->free[parcels[i].node] = 0;
	return rc;
}

static int serve(struct serving *s, struct astra_error *err)
{
	size_t parcel = 0;

	if (serving_init(s) < 0)
		return astra_error_nomem(err);
	group_demands(s);
	for (uint32_t t = 0; t < s->offer->tenant_count; t++)
		if (serve_tenant(s, t, &parcel, err) < 0)
			return -1;
	if (!s->split.gpus)
		return 0;
	s->out->spare_until_sec = astra_themis_lease_end(s->offer, 0);
	s->out->lend_until_sec = s->out->spare_until_sec;
	return astra_tiers_rest(&s->split, s->offer, s->left, s->awarded,
				s->out) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	struct tiers *t = self;
	struct serving s = {.self = t, .offer = offer, .out = out};
	int rc;

	t->record.auction.app_count = 0; /* of instances that may be gone */
	rc = astra_tiers_tenants_see(&t->tenants, &t->options, offer, err);

	if (!rc)
		rc = astra_tiers_split(&s.split, t->ltgf, offer, err);
	if (!rc)
		rc = serve(&s, err);
	if (!rc && astra_tiers_record(&t->record, &t->tenants) < 0)
		rc = astra_error_nomem(err);
	serving_fini(&s);
	return rc;
}

/* It is LTGF that leaves a tenant without GPUs, else the auction a job. */
static void explain(const void *self, const struct astra_demand *demand,
		    struct astra_reason *reason)
{
	const struct tiers *t = self;
	const struct tiers_tenant *row =
		astra_tiers_tenant(&t->tenants, demand->tenant_name);

	if (row && row->served)
		astra_themis.explain(row->themis, demand, reason);
}

static const struct astra_auction *auction(const void *self)
{
	const struct tiers *t = self;

	return &t->record.auction;
}

static int save(const void *self, struct astra_bytes *out)
{
	const struct tiers *t = self;

	if (astra_tiers_tenants_save(&t->tenants, out) < 0)
		return -1;
	astra_themis_auction_save(&t->record.auction, out);
	astra_tiers_tenants_save_rest(&t->tenants, out);
	return out->failed ? -1 : 0;
}

/* Earlier releases kept no number, or not how apps fared. */
static int restore(void *self, struct astra_reader *in)
{
	struct tiers *t = self;

	if (astra_tiers_tenants_restore(&t->tenants, &t->options, in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_themis_auction_restore(&t->record.auction, in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_tiers_tenants_restore_rest(&t->tenants, in) < 0)
		return -1;
	return in->failed ? -1 : 0;
}

static void save_rest(const void *self, struct astra_bytes *out)
{
	const struct tiers *t = self;

	astra_tiers_tenants_save_rest(&t->tenants, out);
	astra_put_u64(out, t->record.auction.number);
}

static int restore_rest(void *self, struct astra_reader *in)
{
	struct tiers *t = self;

	if (astra_tiers_tenants_restore_rest(&t->tenants, in) < 0)
		return -1;
	t->record.auction.number = astra_get_u64(in);
	return in->failed ? -1 : 0;
}

static void shift(void *self, double by_sec)
{
	struct tiers *t = self;

	for (size_t i = 0; i < t->tenants.count; i++)
		astra_themis.shift(t->tenants.rows[i].themis, by_sec);
	if (t->record.auction.number)
		t->record.auction.time_sec += by_sec;
}

const struct astra_policy astra_ltgf_themis = {
	.name = "ltgf+themis",
	.summary = "ltgf between tenants, auctions among each one's apps",
	.lease_sec = 600,
	.arrivals = true,
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.explain = explain,
	.save = save,
	.restore = restore,
	.save_rest = save_rest,
	.restore_rest = restore_rest,
	.auction = auction,
	.shift = shift,
};
