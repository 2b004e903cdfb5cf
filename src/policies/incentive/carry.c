/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Carrying a window out: what is awarded in the present slot. Nodes, CPUs and
 * memory may have gone since the window was sold, so a place is sought for each
 * entry: where it was sold, or else anywhere that was not sold to another job.
 *
 * Jobs that can be where they were sold GPUs go first. A job that is moved may
 * get fewer GPUs. If a job finds no place, it is tried again in each round of
 * its slots, and its GPUs are lent meanwhile. No job is paid back. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/incentive/policy_priv.h"
#include "src/policies/offer.h"

/* An entry that can no longer be placed where it was sold. */
struct evicted {
	uint32_t demand;
	const struct astra_calendar_entry *entry;
};

struct carrying {
	const struct incentive *p;
	const struct astra_offer *offer;
	uint32_t over; /* number of slots that are over */
	struct astra_allocation *out;
	struct astra_space *left; /* what is not awarded yet */
	struct astra_space *own;  /* the part of left that this entry was
				   * sold */
	struct astra_share *place;
	struct evicted *evicted;
	size_t evicted_count, evicted_room;
};

static const struct astra_share *
entry_shares(const struct carrying *c, const struct astra_calendar_entry *e)
{
	return c->p->calendar.shares + e->first_share;
}

/* Whether an entry still suits its job: the request may have changed. */
static bool carry_suits(const struct carrying *c,
			const struct astra_calendar_entry *e,
			const struct astra_demand *d)
{
	uint64_t gpus = astra_shares_gpus(entry_shares(c, e), e->share_count);

	return gpus >= astra_request_least(&d->job->request) &&
	       gpus <= d->job->request.gpus;
}

static int carry_award(struct carrying *c, uint32_t demand, uint32_t last,
		       const struct astra_share *shares, size_t count)
{
	if (!c->offer->part)
		astra_demand_settle(c->left, &c->offer->demands[demand], shares,
				    count);
	return astra_allocation_add(
		c->out, demand, incentive_end_of(c->p, last), shares, count);
}

/* Find the place where the entry was sold GPUs, if that place still has what
 * the job needs. */
static size_t sold_place(struct carrying *c,
			 const struct astra_calendar_entry *e,
			 const struct astra_demand *d)
{
	const struct astra_share *shares = entry_shares(c, e);
	struct astra_room none = {0};
	size_t count = 0, shown = 0;

	for (; shown < e->share_count; shown++) {
		uint32_t node = shares[shown].node;
		struct astra_room room;

		if (node >= c->offer->node_count)
			break;
		room = *astra_space_get(c->left, node);
		if (room.gpus < shares[shown].gpus)
			break;
		room.gpus = shares[shown].gpus;
		astra_space_set(c->own, node, &room);
	}
	if (shown == e->share_count)
		count = astra_demand_place(
			c->own, d, (uint32_t)astra_shares_gpus(shares, shown),
			c->place);
	while (shown--)
		astra_space_set(c->own, shares[shown].node, &none);
	return count;
}

/* Award an entry. In a part of a pool any nodes with as many GPUs are as
 * good. */
static int carry_out(struct carrying *c, uint32_t demand,
		     const struct astra_calendar_entry *e)
{
	size_t count;

	if (c->offer->part)
		return carry_award(c, demand, e->last, entry_shares(c, e),
				   e->share_count);
	count = sold_place(c, e, &c->offer->demands[demand]);
	if (count)
		return carry_award(c, demand, e->last, c->place, count);
	if (astra_grow(&c->evicted, &c->evicted_room, c->evicted_count + 1,
		       sizeof(*c->evicted)) < 0)
		return -1;
	c->evicted[c->evicted_count++] = (struct evicted){demand, e};
	return 0;
}

/* Award a demand the GPUs that the calendar has for it in the present slot. */
static int carry_out_all(struct carrying *c, uint32_t demand)
{
	const struct astra_demand *d = &c->offer->demands[demand];
	const struct astra_calendar_entry *entries;
	uint32_t copies = d->open ? d->copies : 0;
	size_t count;

	entries = astra_calendar_find(&c->p->calendar, d->job->id, &count);
	for (size_t i = 0; copies && i < count; i++) {
		const struct astra_calendar_entry *e = &entries[i];

		if (e->first > c->over + 1 || e->last <= c->over ||
		    e->rank < incentive_carried_out(e, d) ||
		    !carry_suits(c, e, d))
			continue;
		if (carry_out(c, demand, e) < 0)
			return -1;
		copies--;
	}
	return 0;
}

/* Find another place for an entry in this slot, without displacing other
 * entries: where the job runs, or else anywhere, on fewer GPUs if necessary. An
 * entry without a place loses the slot. */
static int carry_move(struct carrying *c, const struct evicted *evicted)
{
	const struct astra_demand *d = &c->offer->demands[evicted->demand];
	const struct astra_calendar_entry *e = evicted->entry;
	uint64_t gpus = astra_shares_gpus(entry_shares(c, e), e->share_count);
	uint32_t slot = c->over + 1;
	size_t count;

	if (d->held_count &&
	    astra_shares_gpus(d->held, d->held_count) == gpus &&
	    astra_demand_is_in(c->offer, c->left, d))
		return carry_award(c, evicted->demand, slot, d->held,
				   d->held_count);
	count = astra_demand_place_most(c->left, d, gpus, c->place);
	return count ? carry_award(c, evicted->demand, slot, c->place, count)
		     : 0;
}

static int carry_begin(struct carrying *c)
{
	if (c->offer->part)
		return 0;
	c->left = astra_offer_space(c->offer);
	c->own = astra_offer_empty(c->offer);
	c->place = calloc(c->offer->node_count + 1, sizeof(*c->place));
	return c->left && c->own && c->place ? 0 : -1;
}

int incentive_carry_out(const struct incentive *p,
			const struct astra_offer *offer, uint32_t over,
			struct astra_allocation *out)
{
	struct carrying c = {.p = p, .offer = offer, .over = over, .out = out};
	int rc = carry_begin(&c);

	for (uint32_t i = 0; !rc && i < offer->demand_count; i++)
		rc = carry_out_all(&c, i);
	for (size_t i = 0; !rc && i < c.evicted_count; i++)
		rc = carry_move(&c, &c.evicted[i]);
	astra_space_destroy(c.left);
	astra_space_destroy(c.own);
	free(c.place);
	free(c.evicted);
	return rc;
}
