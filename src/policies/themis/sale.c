/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The auctions of a round: the bids, what is won, and what is kept after the
 * hidden payment. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/common/random.h"
#include "src/policies/themis/themis.h"

uint32_t astra_themis_keep(double c, uint32_t gpus, uint32_t quantum)
{
	uint32_t keep = (uint32_t)astra_floor(c * gpus) / quantum * quantum;

	if (keep < quantum)
		keep = quantum;
	return keep < gpus ? keep : gpus;
}

/* Returns the share, among those with GPUs left, that lacks most GPUs towards k
 * g_m / g. All numbers are multiplied by g. */
static size_t neediest(struct astra_themis_shares bundle, uint32_t gpus,
		       uint32_t k, const uint32_t *kept)
{
	int64_t most = INT64_MIN;
	size_t at = 0;

	for (size_t i = 0; i < bundle.count; i++) {
		int64_t lacks = (int64_t)k * bundle.share[i].gpus -
				(int64_t)gpus * kept[i];

		if (kept[i] < bundle.share[i].gpus && lacks > most) {
			most = lacks;
			at = i;
		}
	}
	return at;
}

static size_t largest_unused(struct astra_themis_shares bundle,
			     const uint32_t *kept)
{
	size_t at = bundle.count;

	for (size_t i = 0; i < bundle.count; i++)
		if (!kept[i] && (at == bundle.count ||
				 bundle.share[i].gpus > bundle.share[at].gpus))
			at = i;
	return at;
}

void astra_themis_round_bundle(struct astra_themis_shares bundle, uint32_t k,
			       uint32_t *kept)
{
	uint32_t gpus = astra_themis_gpus(bundle), left = k;
	bool all = k >= bundle.count;

	for (size_t i = 0; i < bundle.count; i++)
		left -= kept[i] = all;
	while (left) {
		size_t i = all ? neediest(bundle, gpus, k, kept)
			       : largest_unused(bundle, kept);
		uint32_t more = bundle.share[i].gpus;

		if (all)
			more = 1;
		else if (more > left)
			more = left;
		kept[i] += more;
		left -= more;
	}
}

/* Rounds in another way: keeps pieces of `each` GPUs for whole jobs, the
 * largest pieces first. */
static void round_pieces(struct astra_themis_shares bundle, uint32_t k,
			 uint32_t each, uint32_t *kept)
{
	for (size_t i = 0; i < bundle.count; i++)
		kept[i] = 0;
	while (k) {
		uint32_t most = 0;
		size_t at = 0;

		for (size_t i = 0; i < bundle.count; i++) {
			uint32_t piece = bundle.share[i].gpus - kept[i];

			if (piece > each)
				piece = each;
			if (piece > most) {
				most = piece;
				at = i;
			}
		}
		if (most > k)
			most = k;
		kept[at] += most;
		k -= most;
	}
}

/* Returns log V of the part of a bundle that is kept. scratch: room for as many
 * shares as the bundle has. */
static double log_v_kept(const struct astra_themis_bid *bid,
			 struct astra_themis_shares bundle,
			 const uint32_t *kept,
			 struct astra_themis_share *scratch)
{
	struct astra_themis_shares list = {.share = scratch};

	for (size_t i = 0; i < bundle.count; i++)
		if (kept[i])
			scratch[list.count++] = (struct astra_themis_share){
				.machine = bundle.share[i].machine,
				.gpus = kept[i],
			};
	return astra_themis_log_v_on(bid, list);
}

/* Keeps pieces for whole jobs instead, if these are worth more: jobs of several
 * GPUs run fastest if each is on one machine. kept: two numbers for each share;
 * the first half gets the choice. */
static int keep_better(const struct astra_themis_bid *bid,
		       struct astra_themis_shares bundle, uint32_t k,
		       uint32_t *kept)
{
	struct astra_themis_share *scratch =
		calloc(bundle.count + 1, sizeof(*scratch));
	uint32_t *other = kept + bundle.count;

	if (!scratch)
		return -1;
	round_pieces(bundle, k, astra_themis_job_gpus(bid->app), other);
	if (log_v_kept(bid, bundle, other, scratch) >
	    log_v_kept(bid, bundle, kept, scratch))
		memcpy(kept, other, bundle.count * sizeof(*kept));
	free(scratch);
	return 0;
}

/* Takers of one kind that have room for a quantum. */
struct queue {
	uint32_t *taker;
	size_t count;
};

struct giving {
	const struct astra_themis_taker *takers;
	uint32_t *room;
	uint32_t *free_gpus;
	uint64_t left;		       /* sum of free_gpus */
	size_t machine, machine_count; /* no machine before `machine` has free
					* GPUs */
	struct astra_random random;
	struct astra_themis_gift *gifts;
	size_t gift_count;
};

static void enqueue(struct queue *queue, const struct giving *g, size_t count,
		    bool participants)
{
	for (size_t i = 0; i < count; i++) {
		const struct astra_themis_taker *t = &g->takers[i];

		if (t->participant == participants && t->room >= t->quantum)
			queue->taker[queue->count++] = (uint32_t)i;
	}
}

/* Gives one GPU of a machine that has a free one. */
static void give_one(struct giving *g, uint32_t taker, size_t machine)
{
	g->free_gpus[machine]--;
	g->left--;
	g->room[taker]--;
	g->gifts[g->gift_count++] = (struct astra_themis_gift){
		.taker = taker,
		.share = {.machine = (uint32_t)machine, .gpus = 1},
	};
}

/* Gives a quantum: from the machine with the fewest GPUs that suffice. If no
 * machine has enough, from the first machines that have some. */
static void give_quantum(struct giving *g, uint32_t taker, uint32_t gpus)
{
	size_t at;

	while (!g->free_gpus[g->machine])
		g->machine++;
	at = g->machine;
	for (size_t m = at + 1; gpus > 1 && m < g->machine_count; m++)
		if (g->free_gpus[m] >= gpus &&
		    (g->free_gpus[at] < gpus ||
		     g->free_gpus[m] < g->free_gpus[at]))
			at = m;
	while (gpus) {
		if (g->free_gpus[at]) {
			give_one(g, taker, at);
			gpus--;
		} else {
			at++;
		}
	}
}

static void leftovers_serve(struct giving *g, struct queue *queue)
{
	while (g->left && queue->count) {
		size_t at = astra_random_below(&g->random, queue->count);
		uint32_t taker = queue->taker[at];
		uint32_t quantum = g->takers[taker].quantum;

		if (quantum <= g->left)
			give_quantum(g, taker, quantum);
		if (g->room[taker] < quantum || g->left < quantum)
			queue->taker[at] = queue->taker[--queue->count];
	}
}

static int by_taker(const void *a, const void *b)
{
	const struct astra_themis_gift *x = a, *y = b;

	if (x->taker != y->taker)
		return x->taker < y->taker ? -1 : 1;
	if (x->share.machine != y->share.machine)
		return x->share.machine < y->share.machine ? -1 : 1;
	return 0;
}

/* Merges gifts so that each pair of taker and machine occurs once. Returns the
 * number of gifts. */
static size_t leftovers_merge(struct astra_themis_gift *gifts, size_t count)
{
	size_t kept = 0;

	qsort(gifts, count, sizeof(*gifts), by_taker);
	for (size_t i = 0; i < count; i++) {
		if (kept && !by_taker(&gifts[kept - 1], &gifts[i]))
			gifts[kept - 1].share.gpus++;
		else
			gifts[kept++] = gifts[i];
	}
	return kept;
}

static void give_all(struct giving *g, size_t taker_count, uint32_t *memory)
{
	struct queue others = {.taker = memory};
	struct queue participants = {.taker = memory};

	enqueue(&others, g, taker_count, false);
	leftovers_serve(g, &others);
	enqueue(&participants, g, taker_count, true);
	leftovers_serve(g, &participants);
	g->gift_count = leftovers_merge(g->gifts, g->gift_count);
}

int astra_themis_give(uint32_t *free_gpus, size_t machine_count,
		      const struct astra_themis_taker *takers,
		      size_t taker_count, uint64_t seed,
		      struct astra_themis_gift **gifts, size_t *gift_count)
{
	struct giving g = {
		.takers = takers,
		.free_gpus = free_gpus,
		.machine_count = machine_count,
	};
	uint32_t *memory = malloc(2 * (taker_count + 1) * sizeof(*memory));

	for (size_t i = 0; i < machine_count; i++)
		g.left += free_gpus[i];
	g.gifts = malloc((g.left + 1) * sizeof(*g.gifts));
	if (!memory || !g.gifts) {
		free(memory);
		free(g.gifts);
		return -1;
	}
	g.room = memory + taker_count;
	for (size_t i = 0; i < taker_count; i++)
		g.room[i] = takers[i].room;
	g.random = astra_random_seed(seed);
	give_all(&g, taker_count, memory);
	free(memory);
	*gifts = g.gifts;
	*gift_count = g.gift_count;
	return 0;
}

struct order {
	const struct astra_themis_claim *claims;
};

/* Compares claims: the larger rho first. Ties go by index, so no two are
 * equal. */
static int worse_first(const void *a, const void *b, void *arg)
{
	const struct astra_themis_claim *claims =
		((const struct order *)arg)->claims;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct astra_themis_claim *x = &claims[i], *y = &claims[j];

	if (x->rho != y->rho)
		return x->rho > y->rho ? -1 : 1;
	if (isinf(x->rho) && x->waiting != y->waiting)
		return x->waiting > y->waiting ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool tied(const struct astra_themis_claim *x,
		 const struct astra_themis_claim *y)
{
	return isinf(x->rho) && isinf(y->rho)
		       ? astra_tied(x->waiting, y->waiting)
		       : astra_tied(x->rho, y->rho);
}

static int lower_first(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	return i < j ? -1 : i > j;
}

/* Sorts by index within each group of claims that are tied with the group's
 * first. */
static void settle_ties(const struct astra_themis_claim *claims,
			uint32_t *order, size_t count)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!tied(&claims[order[i]], &claims[order[end]]))
				break;
		qsort(order + i, end - i, sizeof(*order), lower_first);
	}
}

size_t astra_themis_filter(const struct astra_themis_claim *claims,
			   size_t count, double f, uint64_t gpus_free,
			   uint32_t *chosen)
{
	struct order of = {.claims = claims};
	size_t wanting = 0, offers;

	for (size_t i = 0; i < count; i++)
		if (claims[i].wants)
			chosen[wanting++] = (uint32_t)i;
	qsort_r(chosen, wanting, sizeof(*chosen), worse_first, &of);
	settle_ties(claims, chosen, wanting);
	offers = (size_t)astra_ceil((1 - f) * (double)wanting);
	if (!offers)
		offers = 1;
	if (offers > wanting)
		offers = wanting;
	return offers < gpus_free ? offers : gpus_free;
}

/* An auction among some of the round's bidders, and what is offered to them. */
struct sale {
	const struct astra_themis_market *market;
	struct astra_themis_round *round;
	struct astra_themis_machine *machines; /* their `free` is what is still
						* free */
	size_t from, count;		       /* first bidder, and number of
						* bidders */
	uint32_t cap; /* the most GPUs that each may win; 0: no such limit */
	struct astra_themis_bid *bids;
	struct astra_themis_bidder *bidders;
};

static const struct astra_themis_app *sale_app_of(const struct sale *s,
						  size_t i)
{
	return &s->market->apps[s->round->bidders[s->from + i]];
}

/* Sets `least`: fewer GPUs than its smallest job asks for do not make an app
 * better off. */
static void set_least(struct astra_themis_bid *bid, uint32_t held,
		      uint32_t least)
{
	bid->least = least;
	for (size_t level = 0; level < ASTRA_LEVEL_COUNT; level++) {
		double *v = bid->log_v + level * ((size_t)bid->gpus_max + 1);

		for (uint32_t k = held + 1;
		     k < held + least && k <= bid->gpus_max; k++)
			v[k] = v[held];
	}
}

static int make_bids(struct sale *s)
{
	uint32_t offered = 0;

	for (size_t n = 0; n < s->market->machine_count; n++)
		offered += s->machines[n].free;
	if (s->cap && s->cap < offered)
		offered = s->cap;
	for (size_t i = 0; i < s->count; i++) {
		const struct astra_themis_app *a = sale_app_of(s, i);
		uint32_t held = astra_themis_gpus(a->held);
		uint32_t most = astra_themis_room(a, held);

		if (most > offered)
			most = offered;
		if (astra_themis_bid_init(&s->bids[i], a,
					  s->market->cluster_gpus, s->machines,
					  s->market->machine_count,
					  held + most) < 0)
			return -1;
		set_least(&s->bids[i], held, a->gpus_least);
		s->bidders[i] = (struct astra_themis_bidder){
			.bid = &s->bids[i],
			.held = a->held,
			.quantum = a->quantum,
		};
	}
	return 0;
}

/* Records what a bidder wins, and which part of it the bidder keeps. kept:
 * scratch, two numbers for each machine. */
static int sale_collect(struct sale *s, size_t i, uint32_t *kept)
{
	struct astra_themis_round *round = s->round;
	struct astra_themis_shares pf = astra_themis_pf(&round->auction, i);
	size_t at = round->first[s->from + i];
	struct astra_themis_won won = {
		.gpus = astra_themis_gpus(pf),
		.c = round->auction.c[i],
	};
	uint32_t keep;

	round->won[s->from + i] = won;
	if (astra_grow(&round->kept, &round->kept_room, at + pf.count + 1,
		       sizeof(*round->kept)) < 0)
		return -1;
	keep = astra_themis_keep(won.c, won.gpus, sale_app_of(s, i)->quantum);
	astra_themis_round_bundle(pf, keep, kept);
	if (s->bids[i].app && keep_better(&s->bids[i], pf, keep, kept) < 0)
		return -1;
	for (size_t k = 0; k < pf.count; k++) {
		s->machines[pf.share[k].machine].free -= kept[k];
		if (!kept[k])
			continue;
		round->kept[at] = pf.share[k];
		round->kept[at++].gpus = kept[k];
	}
	round->first[s->from + i + 1] = at;
	return 0;
}

static int sale_run(struct sale *s, struct astra_error *err)
{
	int (*hold)(const struct astra_themis_machine *, size_t,
		    const struct astra_themis_bidder *, size_t,
		    struct astra_themis_auction *, struct astra_error *) =
		s->market->unproved ? astra_themis_auction_guess
				    : astra_themis_auction_run;
	struct astra_themis_auction *auction = &s->round->auction;
	uint32_t *kept;
	int rc;

	if (make_bids(s) < 0)
		return astra_error_nomem(err);
	astra_themis_auction_clear(auction);
	if (hold(s->machines, s->market->machine_count, s->bidders, s->count,
		 auction, err) < 0)
		return -1;
	kept = calloc(2 * s->market->machine_count + 1, sizeof(*kept));
	rc = kept ? 0 : -1;
	for (size_t i = 0; !rc && i < s->count; i++)
		rc = sale_collect(s, i, kept);
	free(kept);
	return rc < 0 ? astra_error_nomem(err) : 0;
}

static int sale_sell(struct sale *s, size_t from, size_t count, uint32_t cap,
		     struct astra_error *err)
{
	int rc;

	s->from = from;
	s->count = count;
	s->cap = cap;
	s->bids = calloc(count + 1, sizeof(*s->bids));
	s->bidders = calloc(count + 1, sizeof(*s->bidders));
	if (s->bids && s->bidders)
		rc = sale_run(s, err);
	else
		rc = astra_error_nomem(err);
	for (size_t i = 0; s->bids && i < count; i++)
		astra_themis_bid_clear(&s->bids[i]);
	free(s->bids);
	free(s->bidders);
	return rc;
}

static void offer_all(struct sale *s)
{
	if (s->market->machine_count)
		memcpy(s->machines, s->market->machines,
		       s->market->machine_count * sizeof(*s->machines));
}

/* Whether the first bidder, the worst off, got nothing although its smallest
 * job fits into the offer. */
static bool worst_is_empty(const struct sale *s)
{
	uint64_t offered = 0;

	if (!s->market->worst_first || !s->round->bidder_count ||
	    s->round->first[1])
		return false;
	for (size_t n = 0; n < s->market->machine_count; n++)
		offered += s->market->machines[n].free;
	s->round->first[0] = 0;
	return s->market->apps[s->round->bidders[0]].gpus_least <= offered;
}

int astra_themis_sell(const struct astra_themis_market *market,
		      struct astra_themis_round *round, struct astra_error *err)
{
	size_t count = round->bidder_count;
	struct sale s = {
		.market = market,
		.round = round,
		.machines =
			calloc(market->machine_count + 1, sizeof(*s.machines)),
	};
	int rc;

	round->first = calloc(count + 1, sizeof(*round->first));
	round->won = calloc(count + 1, sizeof(*round->won));
	if (!s.machines || !round->first || !round->won) {
		free(s.machines);
		return astra_error_nomem(err);
	}
	offer_all(&s);
	rc = sale_sell(&s, 0, count, 0, err);
	if (!rc && worst_is_empty(&s)) {
		offer_all(&s);
		rc = sale_sell(&s, 0, 1,
			       market->apps[round->bidders[0]].gpus_least, err);
		if (!rc)
			rc = sale_sell(&s, 1, count - 1, 0, err);
	}
	for (size_t n = 0; !rc && n < market->machine_count; n++)
		round->idle[n] = s.machines[n].free;
	free(s.machines);
	return rc;
}
