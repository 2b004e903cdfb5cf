/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis as a policy: apps are worst off by their finish-time fairness rho, are
 * offered the GPUs whose leases are over, and win them in partial-allocation
 * auctions. (Mahajan et al., Themis: Fair and Efficient GPU Cluster Scheduling,
 * NSDI'20) */
#include "src/policy/themis/policy.h"

#include <stdlib.h>

#include "src/policy/themis/pin.h"
#include "src/policy/themis/seats.h"
#include "src/policy/themis/swap.h"

struct themis {
	double knob; /* f */
	struct themis_memories memories;
};

static void *create(const struct astra_options *options,
		    struct astra_error *err)
{
	struct themis *t = calloc(1, sizeof(*t));

	if (t)
		t->knob = options->fairness_knob;
	else
		astra_error_nomem(err);
	return t;
}

static void destroy(void *self)
{
	struct themis *t = self;

	if (t)
		astra_themis_memories_clear(&t->memories);
	free(t);
}

/* The places of those that want GPUs, for explain(): in the last auction.
 * Returns 0, or -1 when memory is out. */
static int rank_parties(struct themis *t,
			const struct astra_themis_claim *claims, size_t parties)
{
	uint32_t *order = calloc(parties + 1, sizeof(*order));
	size_t count;

	if (!order)
		return -1;
	count = astra_themis_filter(claims, parties, 0, UINT64_MAX, order);
	for (size_t i = 0; i < parties; i++)
		t->memories.rows[i].rank = 0;
	for (size_t i = 0; i < count; i++) {
		t->memories.rows[order[i]].rank = (uint32_t)i + 1;
		t->memories.rows[order[i]].ranks = (uint32_t)count;
	}
	free(order);
	return 0;
}

/* Jobs stay where they are, all of them if that harms nobody, else as many as
 * can exchange their places one by one. */
static int avoid_moves(struct themis_division *division,
		       const struct themis_parties *parties,
		       const struct astra_offer *offer)
{
	int pinned = astra_themis_pin(division, parties, offer);

	if (pinned)
		return pinned < 0 ? -1 : 0;
	return astra_themis_swap(division, parties, offer);
}

static bool any_free(const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->free[n])
			return true;
	return false;
}

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	struct themis *t = self;
	struct themis_parties parties;
	struct themis_division division = {0};
	int rc = -1;

	if (astra_themis_parties_find(&parties, &t->memories, offer) < 0)
		astra_error_nomem(err);
	else if (!any_free(offer))
		rc = 0;
	else if (astra_themis_divide(&division, &parties, offer, t->knob,
				     err) == 0) {
		if (rank_parties(t, division.round.claims, parties.count) ==
			    0 &&
		    avoid_moves(&division, &parties, offer) == 0 &&
		    astra_themis_seat(&division, &parties, offer, out) == 0)
			rc = 0;
		else
			astra_error_nomem(err);
	}
	astra_themis_division_clear(&division);
	astra_themis_parties_clear(&parties);
	return rc;
}

static void explain(const void *self, const struct astra_demand *demand,
		    struct astra_reason *reason)
{
	const struct themis *t = self;
	const struct themis_memory *m =
		astra_themis_recall(&t->memories, astra_app_of(demand->job));

	reason->wait = ASTRA_WAIT_AUCTION;
	if (m) {
		reason->rank = m->rank;
		reason->ranks = m->ranks;
	}
}

static int save(const void *self, struct astra_bytes *out)
{
	const struct themis *t = self;

	return astra_themis_memories_save(&t->memories, out);
}

static int restore(void *self, struct astra_reader *in)
{
	struct themis *t = self;

	return astra_themis_memories_restore(&t->memories, in);
}

static void shift(void *self, double by_sec)
{
	struct themis *t = self;

	astra_themis_memories_shift(&t->memories, by_sec);
}

const struct astra_policy astra_themis = {
	.name = "themis",
	.summary = "auctions of leases for finish-time fairness of apps",
	.lease_sec = 600,
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.explain = explain,
	.save = save,
	.restore = restore,
	.shift = shift,
};
