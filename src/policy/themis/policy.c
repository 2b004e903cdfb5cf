/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Themis as a policy: apps are worst off by their finish-time fairness rho, are
 * offered the GPUs whose leases are over, and win them in partial-allocation
 * auctions. (Mahajan et al., Themis: Fair and Efficient GPU Cluster Scheduling,
 * NSDI'20) */
#include "src/policy/themis/policy.h"

#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
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
		free(t->memories.rows);
	free(t);
}

/* The places of those that want GPUs, for explain(). */
static int rank_parties(struct themis *t, const struct themis_parties *parties)
{
	uint32_t *order = calloc(parties->count + 1, sizeof(*order));
	size_t count;

	if (!order)
		return -1;
	count = astra_themis_filter(parties->claims, parties->count, 0,
				    UINT64_MAX, order);
	for (size_t i = 0; i < parties->count; i++)
		t->memories.rows[i].rank = 0;
	for (size_t i = 0; i < count; i++) {
		t->memories.rows[order[i]].rank = (uint32_t)i + 1;
		t->memories.rows[order[i]].ranks = (uint32_t)count;
	}
	free(order);
	return 0;
}

/* Whether there is anything to divide. */
static bool any_free(const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->free[n])
			return true;
	return false;
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

static int allocate(void *self, const struct astra_offer *offer,
		    struct astra_allocation *out, struct astra_error *err)
{
	struct themis *t = self;
	struct themis_parties parties;
	struct themis_division division = {0};
	int rc = -1;

	if (astra_themis_parties_find(&parties, &t->memories, offer) < 0 ||
	    rank_parties(t, &parties) < 0)
		astra_error_nomem(err);
	else if (!any_free(offer))
		rc = 0;
	else if (astra_themis_divide(&division, &parties, offer, t->knob,
				     err) == 0) {
		if (avoid_moves(&division, &parties, offer) == 0 &&
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
	const struct themis_memory *m = astra_themis_recall(
		&t->memories, astra_themis_key(demand->job));

	reason->wait = ASTRA_WAIT_AUCTION;
	if (m) {
		reason->rank = m->rank;
		reason->ranks = m->ranks;
	}
}

static int save(const void *self, struct astra_bytes *out)
{
	const struct themis_memories *m =
		&((const struct themis *)self)->memories;

	astra_put_f64(out, m->last_sec);
	astra_put_f64(out, m->active);
	astra_put_f64(out, m->active_apps);
	astra_put_u32(out, (uint32_t)m->count);
	for (size_t i = 0; i < m->count; i++) {
		astra_put_u64(out, m->rows[i].key);
		astra_put_f64(out, m->rows[i].start_sec);
		astra_put_f64(out, m->rows[i].first_sec);
		astra_put_f64(out, m->rows[i].before);
		astra_put_f64(out, m->rows[i].budget_sec);
	}
	return out->failed ? -1 : 0;
}

/* What is read must make sense: it goes into sums and quotients. */
static bool is_sound(const struct themis_memories *m)
{
	if (!(m->last_sec >= 0 && m->active >= 0 && m->active_apps >= 0) ||
	    !isfinite(m->last_sec + m->active + m->active_apps))
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct themis_memory *r = &m->rows[i];

		if ((i && r->key <= r[-1].key) || !isfinite(r->start_sec) ||
		    !isfinite(r->first_sec) || !(r->before >= 0) ||
		    !(r->before <= m->active) || !(r->budget_sec >= 0) ||
		    !isfinite(r->budget_sec))
			return false;
	}
	return true;
}

static int restore(void *self, struct astra_reader *in)
{
	struct themis_memories *m = &((struct themis *)self)->memories;
	uint32_t count;

	m->last_sec = astra_get_f64(in);
	m->active = astra_get_f64(in);
	m->active_apps = astra_get_f64(in);
	count = astra_get_u32(in);
	for (uint32_t i = 0; i < count && !in->failed; i++) {
		struct themis_memory row = {.key = astra_get_u64(in)};

		row.start_sec = astra_get_f64(in);
		row.first_sec = astra_get_f64(in);
		row.before = astra_get_f64(in);
		row.budget_sec = astra_get_f64(in);
		if (astra_grow(&m->rows, &m->room, m->count + 1, sizeof(row)) <
		    0)
			return -1;
		m->rows[m->count++] = row;
	}
	return in->failed || !is_sound(m) ? -1 : 0;
}

static void shift(void *self, double by_sec)
{
	struct themis_memories *m = &((struct themis *)self)->memories;

	m->last_sec += by_sec;
	for (size_t i = 0; i < m->count; i++) {
		m->rows[i].start_sec += by_sec;
		m->rows[i].first_sec += by_sec;
	}
}

const struct astra_policy astra_themis = {
	.name = "themis",
	.summary = "auctions of leases for finish-time fairness of apps",
	.create = create,
	.destroy = destroy,
	.allocate = allocate,
	.explain = explain,
	.save = save,
	.restore = restore,
	.shift = shift,
};
