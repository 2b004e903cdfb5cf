/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis as a policy. The apps that are worst off, by their finish-time
 * fairness rho, are offered the GPUs whose leases are over. They win them in
 * partial-allocation auctions. (Mahajan et al., Themis: Fair and Efficient GPU
 * Cluster Scheduling, NSDI'20)
 *
 * The algorithm is in themis.c, app.c, phase.c, spread.c, sale.c, auction.c,
 * solver/ and table*.c. The other files connect it with the engine. parties.c
 * finds the apps. division.c and sale.c hold the auction and give away what is
 * left. pin.c keeps running jobs where they are if that harms no app; otherwise
 * swap.c lets apps exchange places. seats.c chooses which of an app's jobs get
 * its GPUs, and growth.c how many GPUs elastic jobs get.
 *
 * An auction serves as many apps as it can, so it would never serve a large
 * app. Therefore, if the app that is worst off wins nothing, the auction is
 * held again: that app is first offered alone what its smallest job needs. */
#include "src/policies/themis/policy.h"

#include <stdlib.h>

#include "src/policies/options.h"
#include "src/policies/themis/pin.h"
#include "src/policies/themis/record.h"
#include "src/policies/themis/seats.h"
#include "src/policies/themis/swap.h"

struct themis {
	double knob; /* f */
	bool trust;  /* TrustBids */
	struct themis_memories memories;
	struct themis_record record;
};

static void *themis_create(const struct astra_options *options,
			   struct astra_error *err)
{
	struct themis *t = calloc(1, sizeof(*t));

	if (!t) {
		astra_error_nomem(err);
		return NULL;
	}
	t->knob = options->fairness_knob;
	t->trust = options->trust_bids;
	return t;
}

static void themis_destroy(void *self)
{
	struct themis *t = self;

	if (t) {
		astra_themis_memories_clear(&t->memories);
		astra_themis_record_clear(&t->record);
	}
	free(t);
}

/* Keeps jobs where they are: all jobs if that harms no app, else as many as can
 * exchange their places one by one. */
static int avoid_moves(struct themis_division *division,
		       const struct themis_parties *parties,
		       const struct astra_offer *offer)
{
	int pinned = astra_themis_pin(division, parties, offer);

	if (pinned)
		return pinned < 0 ? -1 : 0;
	return astra_themis_swap(division, parties, offer);
}

static bool themis_any_free(const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->free[n])
			return true;
	return false;
}

/* Holds the auction, and chooses which of an app's jobs get the GPUs that it
 * won. */
static int hold_auction(struct themis *t, const struct themis_parties *parties,
			const struct astra_offer *offer,
			struct astra_allocation *out, struct astra_error *err)
{
	struct themis_division division = {0};
	int rc = astra_themis_divide(&division, parties, offer, t->knob, err);

	if (!rc && (astra_themis_record_auction(&t->record, &division, parties,
						&t->memories, offer) < 0 ||
		    avoid_moves(&division, parties, offer) < 0 ||
		    astra_themis_seat(&division, parties, offer, out) < 0))
		rc = astra_error_nomem(err);
	astra_themis_division_clear(&division);
	return rc;
}

static int themis_allocate(void *self, const struct astra_offer *offer,
			   struct astra_allocation *out,
			   struct astra_error *err)
{
	struct themis *t = self;
	struct themis_parties parties;
	int rc = 0;

	out->spare_until_sec = astra_themis_lease_end(offer, 0);
	if (astra_themis_parties_find(&parties, &t->memories, offer, t->trust) <
	    0)
		rc = astra_error_nomem(err);
	else if (themis_any_free(offer))
		rc = hold_auction(t, &parties, offer, out, err);
	if (!rc && !offer->terse &&
	    astra_themis_record_apps(&t->record, &parties, &t->memories,
				     offer) < 0)
		rc = astra_error_nomem(err);
	astra_themis_parties_clear(&parties);
	return rc;
}

static void themis_explain(const void *self, const struct astra_demand *demand,
			   struct astra_reason *reason)
{
	const struct themis *t = self;
	const struct themis_memory *m =
		astra_themis_recall(&t->memories, astra_app_of(demand->job));

	if (!m || !m->fare.auction)
		return;
	reason->wait = ASTRA_WAIT_AUCTION;
	reason->rank = m->fare.rank;
	reason->ranks = m->fare.ranks;
}

static const struct astra_auction *themis_auction(const void *self)
{
	const struct themis *t = self;

	return &t->record.auction;
}

int astra_themis_apps_save(const void *self, struct astra_bytes *out)
{
	const struct themis *t = self;

	return astra_themis_memories_save(&t->memories, out);
}

int astra_themis_apps_restore(void *self, struct astra_reader *in)
{
	struct themis *t = self;

	return astra_themis_memories_restore(&t->memories, in);
}

static int themis_save(const void *self, struct astra_bytes *out)
{
	const struct themis *t = self;

	if (astra_themis_apps_save(self, out) < 0)
		return -1;
	astra_themis_auction_save(&t->record.auction, out);
	astra_themis_fares_save(&t->memories, out);
	return out->failed ? -1 : 0;
}

/* Restores the state. Earlier releases saved neither the auction's index nor
 * how apps fared. */
static int themis_restore(void *self, struct astra_reader *in)
{
	struct themis *t = self;

	if (astra_themis_apps_restore(self, in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_themis_auction_restore(&t->record.auction, in) < 0)
		return -1;
	if (in->at < in->size &&
	    astra_themis_fares_restore(&t->memories, in) < 0)
		return -1;
	return in->failed ? -1 : 0;
}

static void themis_save_rest(const void *self, struct astra_bytes *out)
{
	const struct themis *t = self;

	astra_themis_fares_save(&t->memories, out);
	astra_put_u64(out, t->record.auction.number);
}

static int themis_restore_rest(void *self, struct astra_reader *in)
{
	struct themis *t = self;

	if (astra_themis_fares_restore(&t->memories, in) < 0)
		return -1;
	t->record.auction.number = astra_get_u64(in);
	return in->failed ? -1 : 0;
}

static void themis_shift(void *self, double by_sec)
{
	struct themis *t = self;

	astra_themis_memories_shift(&t->memories, by_sec);
	if (t->record.auction.number)
		t->record.auction.time_sec += by_sec;
}

const struct astra_policy astra_themis = {
	.name = "themis",
	.summary = "auctions of leases for finish-time fairness of apps",
	.lease_sec = 600,
	.arrivals = true,
	.create = themis_create,
	.destroy = themis_destroy,
	.allocate = themis_allocate,
	.explain = themis_explain,
	.save = themis_save,
	.restore = themis_restore,
	.save_rest = themis_save_rest,
	.restore_rest = themis_restore_rest,
	.auction = themis_auction,
	.shift = themis_shift,
};
