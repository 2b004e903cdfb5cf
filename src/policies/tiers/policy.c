/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LTGF between tenants, and another policy inside each tenant. LTGF decides
 * which of the offered GPUs a tenant gets, as far as it is behind what it is
 * entitled to. The tenant's instance of the inner policy shares them out among
 * its jobs. GPUs that these leave idle go to other jobs that fit, in the order
 * of LTGF.
 *
 * split.c finds GPUs for what LTGF grants: where the job runs, else where its
 * tenant already runs if that takes no more nodes, else anywhere. Under
 * ltgf+themis a tenant's apps bid for the GPUs of all its granted jobs,
 * whichever app these jobs belong to. Each tenant has an instance (tenants.c),
 * so N_avg counts its own apps. The auctions of a round are shown as one. Jobs
 * are granted whole: a job of more GPUs than its tenant's share gets its turn,
 * and the tenant waits afterwards.
 *
 * Policies of slots plan ahead, but the GPUs that LTGF gives the tenant change
 * from slot to slot. So they are offered (part.c) as many GPUs as the tenant's
 * share has now, or more if one of its jobs needs more. All leases end with the
 * slot, and LTGF charges a grant with the slot. If LTGF gave a job's GPUs to
 * another tenant, the job holds nothing in the view of its own tenant's policy.
 * A planned job that gets no GPUs loses the slot: a tenant whose gangs
 * alternate with another's has more than its share in one slot and less in the
 * next. Nodes are unknown when a slot is planned, so incentive sells no seats
 * here. Its participants are the tenant's users, and what they pay stays in the
 * tenant.
 *
 * An instance's state is kept by tenant, even while the tenant has no jobs. If
 * a tenant's part of the file is damaged, only that tenant starts anew.
 * ltgf+ltgf is refused: within tenants ltgf shares by FairWithin. */
#include "src/policies/tiers/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/model/auction.h"
#include "src/policies/incentive/policy.h"
#include "src/policies/ltgf/ltgf.h"
#include "src/policies/oasis/policy.h"
#include "src/policies/ogasched/policy.h"
#include "src/policies/options.h"
#include "src/policies/themis/policy.h"
#include "src/policies/themis/record.h"
#include "src/policies/tiers/part.h"
#include "src/policies/tiers/serve.h"
#include "src/policies/tiers/tenants.h"

/* The record of a round: the auctions of all tenants as one. */

struct tiers_record {
	struct astra_auction auction; /* points into `apps` and into the
				       * tenants' instances */
	struct astra_auction_app *apps;
	size_t app_room;
};

static const struct astra_auction *auction_of(const struct tiers_tenant *row)
{
	return astra_themis.auction(row->self);
}

/* Sums up the auctions of a round, if there were any. */
static void sum_up(struct astra_auction *sum, struct tiers_tenants *tenants)
{
	struct astra_auction round = {.number = sum->number + 1, .exact = true};

	for (size_t i = 0; i < tenants->count; i++) {
		struct tiers_tenant *row = &tenants->rows[i];
		const struct astra_auction *a = auction_of(row);

		if (a->number == row->auctions)
			continue;
		row->auctions = a->number;
		row->last_auction = round.number;
		round.time_sec = a->time_sec;
		round.gpus += a->gpus;
		round.bidders += a->bidders;
		round.exact &= a->exact;
	}
	if (round.bidders)
		*sum = round;
}

/* Converts a tenant's auction index to the index over all tenants. */
static uint64_t record_number_of(const struct tiers_tenant *row,
				 uint64_t auction)
{
	uint64_t ago = row->auctions - auction;

	if (!auction)
		return 0;
	return ago < row->last_auction ? row->last_auction - ago : 1;
}

static int compare_apps(const void *a, const void *b)
{
	const struct astra_auction_app *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	return x->tenant < y->tenant ? -1 : x->tenant > y->tenant;
}

/* Records the tenants' last auctions. The auctions of one round count as one,
 * and have one index. Returns 0, or -1 when out of memory: then there is no
 * record. */
static int tiers_record(struct tiers_record *r, struct tiers_tenants *tenants)
{
	size_t count = 0;

	sum_up(&r->auction, tenants);
	r->auction.app_count = 0;
	for (size_t i = 0; i < tenants->count; i++)
		count += auction_of(&tenants->rows[i])->app_count;
	if (astra_grow(&r->apps, &r->app_room, count + 1, sizeof(*r->apps)) < 0)
		return -1;
	count = 0;
	for (size_t i = 0; i < tenants->count; i++) {
		const struct tiers_tenant *row = &tenants->rows[i];
		const struct astra_auction *a = auction_of(row);

		for (size_t k = 0; k < a->app_count; k++) {
			r->apps[count] = a->apps[k];
			r->apps[count].auction =
				record_number_of(row, a->apps[k].auction);
			count++;
		}
	}
	if (count)
		qsort(r->apps, count, sizeof(*r->apps), compare_apps);
	r->auction.apps = r->apps;
	r->auction.app_count = count;
	return 0;
}

static void tiers_record_clear(struct tiers_record *r)
{
	free(r->apps);
	*r = (struct tiers_record){0};
}

struct instance {
	struct tiers tiers;
	struct tiers_record record; /* only if the inner policy is themis */
};

static void tiers_destroy(void *self)
{
	struct instance *t = self;

	if (!t)
		return;
	astra_ltgf.destroy(t->tiers.ltgf);
	astra_tiers_tenants_clear(&t->tiers.tenants);
	tiers_record_clear(&t->record);
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

	t->record.auction.app_count = 0; /* they may be of instances that are
					  * gone */
	if (astra_tiers_tenants_see(&tiers->tenants, &tiers->options, offer,
				    err) < 0 ||
	    astra_tiers_serve(tiers, offer, out, err) < 0)
		return -1;
	if (tiers->tenants.inner->auction &&
	    tiers_record(&t->record, &tiers->tenants) < 0)
		return astra_error_nomem(err);
	return 0;
}

/* Lets the inner policy explain, unless LTGF gave the tenant no GPUs. */
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

/* Tells the inner policy of GPUs that a job keeps without an award. What the
 * job pays for them goes to others of its tenant. Returns whether that changed
 * anything. */
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

/* Sums up the instances' reports. (Within a tenant, users pay each other.) */
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

/* Lists the classes of all tenants. Each tenant's instance learns its own
 * classes. */
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

/* Restores the state. Earlier releases saved neither the auction's index nor
 * how apps fared. */
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

/* The members that all these policies have. */
#define TIERS                                                           \
	.shares = true,                                                 \
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
