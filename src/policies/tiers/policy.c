/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF between tenants, another policy inside each: LTGF says which of the GPUs
 * on offer a tenant gets, as far as it is behind what it is entitled to; the
 * tenant's instance of the inner policy shares them out among its jobs. What
 * they leave idle is for whoever can use it, in the order of LTGF. */
#include "src/policies/tiers/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/policies/incentive/policy.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/oasis/policy.h"
#include "src/policies/ogasched/policy.h"
#include "src/policies/themis/policy.h"
#include "src/policies/themis/record.h"
#include "src/policies/tiers/part.h"
#include "src/policies/tiers/record.h"
#include "src/policies/tiers/serve.h"

struct instance {
	struct tiers tiers;
	struct tiers_record record; /* of themis */
};

static void tiers_destroy(void *self)
{
	struct instance *t = self;

	if (!t)
		return;
	astra_ltgf.destroy(t->tiers.ltgf);
	astra_tiers_tenants_clear(&t->tiers.tenants);
	astra_tiers_record_clear(&t->record);
	free(t);
}

static void *tiers_create(const struct astra_options *options,
			  const struct astra_policy *inner,
			  struct astra_error *err)
{
	struct instance *t = calloc(1, sizeof(*t));

	if (!t) {
		astra_error_nomem(err);
		return NULL;
	}
	t->tiers.options = *options;
	t->tiers.tenants.inner = inner;
	t->tiers.ltgf = astra_ltgf.create(options, err);
	if (!t->tiers.ltgf) {
		tiers_destroy(t);
		return NULL;
	}
	return t;
}

static void *create_themis(const struct astra_options *options,
			   struct astra_error *err)
{
	return tiers_create(options, &astra_themis, err);
}

static void *create_incentive(const struct astra_options *options,
			      struct astra_error *err)
{
	return tiers_create(options, &astra_incentive, err);
}

static void *create_oasis(const struct astra_options *options,
			  struct astra_error *err)
{
	return tiers_create(options, &astra_oasis, err);
}

static void *create_ogasched(const struct astra_options *options,
			     struct astra_error *err)
{
	return tiers_create(options, &astra_ogasched, err);
}

static int tiers_allocate(void *self, const struct astra_offer *offer,
			  struct astra_allocation *out, struct astra_error *err)
{
	struct instance *t = self;
	struct tiers *tiers = &t->tiers;

	t->record.auction.app_count = 0; /* of instances that may be gone */
	if (astra_tiers_tenants_see(&tiers->tenants, &tiers->options, offer,
				    err) < 0 ||
	    astra_tiers_serve(tiers, offer, out, err) < 0)
		return -1;
	if (tiers->tenants.inner->auction &&
	    astra_tiers_record(&t->record, &tiers->tenants) < 0)
		return astra_error_nomem(err);
	return 0;
}

/* It is LTGF that leaves a tenant without GPUs, else the inner policy a job. */
static void tiers_explain(const void *self, const struct astra_demand *demand,
			  struct astra_reason *reason)
{
	const struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;
	const struct tiers_tenant *row =
		astra_tiers_tenant(tenants, demand->tenant_name);

	if (row && row->served)
		tenants->inner->explain(row->self, demand, reason);
}

/* What it pays more for goes to others of its tenant. */
static bool spared(void *self, const struct astra_demand *demand, uint32_t gpus,
		   double until_sec)
{
	struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;
	const struct tiers_tenant *row =
		astra_tiers_tenant(tenants, demand->tenant_name);
	struct astra_demand own = *demand;

	if (!row || !tenants->inner->spared)
		return false;
	own.tenant = astra_tiers_owner(tenants->inner, demand);
	return tenants->inner->spared(row->self, &own, gpus, until_sec);
}

static void tiers_add_up(double *sum, double value)
{
	if (!isnan(value))
		*sum = isnan(*sum) ? value : *sum + value;
}

/* What one tenant's users pay are others of its given. */
static void tiers_report(const void *self, uint32_t tenant,
			 struct astra_policy_report *out)
{
	const struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;

	for (size_t i = 0; i < tenants->count; i++) {
		struct astra_policy_report own = {NAN, NAN, NAN, NAN, NAN, NAN};

		if (tenant != ASTRA_NONE && tenants->rows[i].tenant != tenant)
			continue;
		tenants->inner->report(tenants->rows[i].self, ASTRA_NONE, &own);
		tiers_add_up(&out->paid, own.paid);
		tiers_add_up(&out->income, own.income);
		tiers_add_up(&out->utility, own.utility);
		tiers_add_up(&out->reward, own.reward);
		tiers_add_up(&out->credits, own.credits);
		tiers_add_up(&out->slots, own.slots);
	}
}

/* Each tenant learns for itself. */
static void tiers_classes(const void *self,
			  void (*each)(const struct astra_class *class,
				       void *arg),
			  void *arg)
{
	const struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;

	for (size_t i = 0; i < tenants->count; i++)
		tenants->inner->classes(tenants->rows[i].self, each, arg);
}

static const struct astra_auction *tiers_auction(const void *self)
{
	const struct instance *t = self;

	return &t->record.auction;
}

static int tiers_save(const void *self, struct astra_bytes *out)
{
	const struct instance *t = self;

	if (astra_tiers_tenants_save(&t->tiers.tenants, out) < 0)
		return -1;
	astra_themis_auction_save(&t->record.auction, out);
	astra_tiers_tenants_save_rest(&t->tiers.tenants, out);
	return out->failed ? -1 : 0;
}

/* Earlier releases kept no number, or not how apps fared. */
static int tiers_restore(void *self, struct astra_reader *in)
{
	struct instance *t = self;

	if (astra_tiers_tenants_restore(&t->tiers.tenants, &t->tiers.options,
					in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_themis_auction_restore(&t->record.auction, in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_tiers_tenants_restore_rest(&t->tiers.tenants, in) < 0)
		return -1;
	return in->failed ? -1 : 0;
}

static void tiers_save_rest(const void *self, struct astra_bytes *out)
{
	const struct instance *t = self;

	astra_tiers_tenants_save_rest(&t->tiers.tenants, out);
	astra_put_u64(out, t->record.auction.number);
}

static int tiers_restore_rest(void *self, struct astra_reader *in)
{
	struct instance *t = self;

	if (astra_tiers_tenants_restore_rest(&t->tiers.tenants, in) < 0)
		return -1;
	t->record.auction.number = astra_get_u64(in);
	return in->failed ? -1 : 0;
}

static void tiers_renumber(void *self, const struct astra_renumbering *by)
{
	struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;

	for (size_t i = 0; tenants->inner->renumber && i < tenants->count; i++)
		tenants->inner->renumber(tenants->rows[i].self, by);
}

static void tiers_shift(void *self, double by_sec)
{
	struct instance *t = self;
	const struct tiers_tenants *tenants = &t->tiers.tenants;

	for (size_t i = 0; i < tenants->count; i++)
		tenants->inner->shift(tenants->rows[i].self, by_sec);
	if (t->record.auction.number)
		t->record.auction.time_sec += by_sec;
}

/* What all have. */
#define TIERS                                                           \
	.destroy = tiers_destroy, .allocate = tiers_allocate,           \
	.explain = tiers_explain, .save = tiers_save,                   \
	.restore = tiers_restore, .save_rest = tiers_save_rest,         \
	.restore_rest = tiers_restore_rest, .renumber = tiers_renumber, \
	.shift = tiers_shift

const struct astra_policy astra_ltgf_themis = {
	.name = "ltgf+themis",
	.summary = "ltgf between tenants, auctions among each one's apps",
	.lease_sec = 600,
	.arrivals = true,
	.create = create_themis,
	.auction = tiers_auction,
	TIERS,
};

const struct astra_policy astra_ltgf_incentive = {
	.name = "ltgf+incentive",
	.summary = "ltgf between tenants, a market among each one's users",
	.slots = true,
	.users = true,
	.create = create_incentive,
	.spared = spared,
	.report = tiers_report,
	TIERS,
};

const struct astra_policy astra_ltgf_oasis = {
	.name = "ltgf+oasis",
	.summary = "ltgf between tenants, utility of jobs in each",
	.slots = true,
	.create = create_oasis,
	.report = tiers_report,
	TIERS,
};

const struct astra_policy astra_ltgf_ogasched = {
	.name = "ltgf+ogasched",
	.summary = "ltgf between tenants, learned shares of classes in each",
	.slots = true,
	.arrivals = true,
	.create = create_ogasched,
	.report = tiers_report,
	.classes = tiers_classes,
	TIERS,
};
