/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/parties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/forecast.h"

static double way_sec(const struct astra_offer *offer, uint32_t demand)
{
	const struct astra_demand *d = &offer->demands[demand];

	return astra_left_sec(d) + (d->job->held_count ? offer->lease_sec : 0);
}

/* Whether a job will be done within a term. If such a job goes first, other
 * jobs of its app wait no longer than a term for it. */
static bool is_brief(const struct astra_offer *offer, uint32_t demand)
{
	return astra_left_sec(&offer->demands[demand]) <= offer->lease_sec;
}

static uint32_t parties_turn_of(const struct astra_offer *offer,
				uint32_t demand)
{
	uint32_t turn = offer->demands[demand].job->forecast.turn;

	return turn ? turn : UINT32_MAX;
}

static int compare_ways(const void *a, const void *b, void *arg)
{
	const struct astra_offer *const *offer = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint32_t first = parties_turn_of(*offer, i),
		 second = parties_turn_of(*offer, j);
	double x = way_sec(*offer, i), y = way_sec(*offer, j);
	bool brief = is_brief(*offer, i), other = is_brief(*offer, j);

	if (first != second)
		return first < second ? -1 : 1;
	if (brief != other)
		return brief ? -1 : 1;
	if (brief && x != y)
		return x < y ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	return i < j ? -1 : i > j;
}

void astra_themis_order_jobs(const struct themis_party *party,
			     const struct astra_offer *offer, uint32_t *order)
{
	for (size_t i = 0; i < party->demand_count; i++)
		order[i] = party->demands[i];
	qsort_r(order, party->demand_count, sizeof(*order), compare_ways,
		&offer);
}

/* Returns how many copies of a job count now. Tasks that are still in their
 * array's record are separate jobs, and the offer counts only those that may
 * find room. */
static uint32_t parties_copies_of(const struct astra_demand *d)
{
	return d->copies > 1 ? d->copies : 1;
}

static uint32_t all_copies_of(const struct astra_demand *d)
{
	uint32_t copies = parties_copies_of(d);

	return d->job->copies > copies ? d->job->copies : copies;
}

struct sort_entry {
	uint64_t key;
	uint32_t demand;
};

static int parties_compare_entries(const void *a, const void *b)
{
	const struct sort_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->demand < y->demand ? -1 : x->demand > y->demand;
}

static int parties_compare_shares(const void *a, const void *b)
{
	const struct astra_themis_share *x = a, *y = b;

	return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* Sorts shares by machine and merges the shares of each machine. Returns how
 * many there are. */
static size_t merge_shares(struct astra_themis_share *shares, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(shares, count, sizeof(*shares), parties_compare_shares);
	for (size_t i = 0; i < count; i++)
		if (kept && shares[kept - 1].machine == shares[i].machine)
			shares[kept - 1].gpus += shares[i].gpus;
		else
			shares[kept++] = shares[i];
	return kept;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Positions at which the next job's work and the next share are written. */
struct cursor {
	double *work;
	struct astra_themis_share *shares;
};

static void copy_shares(struct cursor *at, const struct astra_share *shares,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		*at->shares++ = (struct astra_themis_share){
			.machine = shares[i].node,
			.gpus = shares[i].gpus,
		};
}

static uint32_t parties_at_most(uint64_t gpus, uint64_t most)
{
	return (uint32_t)(gpus < most ? gpus : most);
}

/* Adds a demand to a party: its work, and what it wants. */
static void parties_add_demand(struct themis_party *p,
			       struct astra_themis_app *app,
			       const struct astra_demand *d, struct cursor *at)
{
	const struct astra_request *q = &d->job->request;
	uint32_t copies = parties_copies_of(d), all = all_copies_of(d);
	uint32_t least = astra_request_least(q);
	double left = q->gpus * astra_left_sec(d);

	for (uint32_t i = 0; i < copies; i++)
		*at->work++ = left;
	p->phase.job_count += copies;
	p->phase.more_sec += (all - copies) * left;
	p->phase.more_jobs = parties_at_most(
		(uint64_t)p->phase.more_jobs + all - copies, UINT32_MAX);
	p->job_count += all;
	p->asked_gpus += (uint64_t)q->gpus * all;
	if (d->open) {
		p->wanted_gpus += (uint64_t)q->gpus * copies;
		if (!app->gpus_least || least < app->gpus_least)
			app->gpus_least = least;
	}
	app->budget_sec += (double)all * q->gpus * astra_work_sec(d->job);
	app->quantum = common_divisor(app->quantum,
				      least < q->gpus ? astra_request_quantum(q)
						      : least);
	if (q->gpus > p->phase.job_gpus_max)
		p->phase.job_gpus_max = q->gpus;
	if (!p->phase.job_gpus_min || least < p->phase.job_gpus_min)
		p->phase.job_gpus_min = least;
}

/* Whether the GPUs that a demand holds are on offer. GPUs promised to some
 * tasks of an array are not, even if other tasks of it compete. */
static bool parties_competes(const struct astra_demand *d)
{
	return d->open && d->job->held_count;
}

/* Collects what a party holds. GPUs for which it must compete do not count as
 * held; they become homes of the app. */
static void add_held(struct astra_themis_app *app,
		     struct themis_parties *parties, uint32_t party,
		     const struct astra_offer *offer, struct cursor *at)
{
	const struct themis_party *p = &parties->list[party];
	struct astra_themis_share *held = at->shares;

	for (size_t k = 0; k < p->demand_count; k++) {
		const struct astra_demand *d = &offer->demands[p->demands[k]];

		if (!parties_competes(d))
			copy_shares(at, d->held, d->held_count);
	}
	app->held.share = held;
	app->held.count = merge_shares(held, (size_t)(at->shares - held));
	at->shares = held + app->held.count;
	for (size_t k = 0; k < p->demand_count; k++) {
		const struct astra_demand *d = &offer->demands[p->demands[k]];

		if (!parties_competes(d))
			continue;
		parties->homes[parties->home_count++] =
			(struct astra_themis_home){
				.app = party,
				.shares = {at->shares, d->held_count},
			};
		copy_shares(at, d->held, d->held_count);
	}
}

static void parties_fill(struct themis_parties *parties,
			 const struct astra_offer *offer)
{
	struct cursor at = {parties->work, parties->shares};

	for (uint32_t i = 0; i < parties->count; i++) {
		struct themis_party *p = &parties->list[i];

		p->phase.work_sec = at.work;
		for (size_t k = 0; k < p->demand_count; k++)
			parties_add_demand(p, &parties->apps[i],
					   &offer->demands[p->demands[k]], &at);
		add_held(&parties->apps[i], parties, i, offer, &at);
	}
}

/* Sets the kind of the app's work: a single job follows Eq. 1, several jobs are
 * one phase of Eq. 2. (Mahajan et al.) */
static void set_work(struct astra_themis_app *app, const struct themis_party *p,
		     const struct astra_job *job)
{
	app->phases = &p->phase;
	app->phase_count = 1;
	app->kind = ASTRA_THEMIS_PHASES;
	if (p->job_count > 1)
		return;
	app->kind = ASTRA_THEMIS_SINGLE;
	app->iter_sec = job->request.gpus;
	app->iter_total = app->budget_sec / app->iter_sec;
	app->iter_left = p->phase.work_sec[0] / app->iter_sec;
}

/* Sets how badly off the app is by the policy's own estimate. A rho that its
 * agent states is ignored. */
static int parties_judge(struct astra_themis_app *app,
			 const struct astra_offer *offer,
			 const struct astra_themis_machine *machines)
{
	const struct astra_bid *stated = app->stated;
	const struct astra_themis_shares none = {0};
	int rc;

	app->stated = NULL;
	rc = astra_themis_rho(app, (uint32_t)offer->gpus, app->gpus_max,
			      ASTRA_LEVEL_SLOT, &app->waiting);
	if (!rc)
		rc = astra_themis_rho_on(app, (uint32_t)offer->gpus, machines,
					 none, &app->rho_current);
	app->stated = stated;
	return rc;
}

static void set_left(struct astra_themis_app *app, const struct themis_party *p)
{
	double left = p->phase.more_sec;

	for (uint32_t i = 0; i < p->phase.job_count; i++)
		left += p->phase.work_sec[i];
	app->stated_left =
		app->budget_sec > 0 ? fmin(1, left / app->budget_sec) : 1;
}

/* Assigns each bid to its app. Both lists are sorted by app. */
static void find_bids(struct themis_parties *parties,
		      const struct astra_offer *offer)
{
	size_t bid = 0;

	for (size_t i = 0; i < parties->count; i++) {
		uint64_t app = parties->list[i].key;

		while (bid < offer->bid_count && offer->bids[bid].app < app)
			bid++;
		if (bid < offer->bid_count && offer->bids[bid].app == app)
			parties->apps[i].stated = &offer->bids[bid];
	}
}

/* Completes an app. When all leases end together, no app holds anything and
 * every rho is unbounded. Apps with an unbounded rho are compared by the best
 * rho that they can still reach, with all GPUs that they ask for. If only
 * elapsed time counted, apps that began together would not take turns. */
static int finish_app(struct themis_parties *parties, size_t i,
		      const struct astra_offer *offer,
		      const struct themis_memories *memories, bool trust)
{
	struct astra_themis_app *app = &parties->apps[i];
	const struct themis_party *p = &parties->list[i];
	const struct themis_memory *m = &memories->rows[i];
	const struct astra_job *job = offer->demands[p->demands[0]].job;
	uint64_t held = astra_themis_gpus(app->held);

	app->elapsed_sec = fmax(0, offer->now_sec - m->start_sec);
	app->navg = astra_themis_life_navg(memories, m, offer->now_sec);
	app->rho_current = -1;
	app->rho_empty = HUGE_VAL;
	app->gpus_max =
		parties_at_most(p->asked_gpus, offer->gpus ? offer->gpus : 1);
	app->gpus_ever = m->gpus;
	if (parties->list[i].phase.job_gpus_min > app->gpus_max)
		parties->list[i].phase.job_gpus_min = app->gpus_max;
	if (held + p->wanted_gpus < app->gpus_max)
		app->gpus_later =
			app->gpus_max - (uint32_t)(held + p->wanted_gpus);
	app->budget_sec = m->budget_sec;
	set_left(app, p);
	memcpy(app->slowdown, astra_slowdown(&job->forecast),
	       sizeof(app->slowdown));
	set_work(app, p, job);
	if (app->stated && app->stated->kind == ASTRA_BID_RHO) {
		if (!trust)
			return parties_judge(app, offer, parties->machines);
		if (held)
			app->rho_current = app->stated->rho_now;
	}
	return astra_themis_rho(app, (uint32_t)offer->gpus, app->gpus_max,
				ASTRA_LEVEL_SLOT, &app->waiting);
}

static double first_submission(const struct themis_party *p,
			       const struct astra_offer *offer)
{
	double first = HUGE_VAL;

	for (size_t i = 0; i < p->demand_count; i++)
		first = fmin(first, offer->demands[p->demands[i]].submit_sec);
	return first;
}

/* Groups the demands by app. */
static int parties_group(struct themis_parties *parties,
			 const struct astra_offer *offer)
{
	struct sort_entry *entries =
		calloc(offer->demand_count + 1, sizeof(*entries));

	if (!entries)
		return -1;
	for (uint32_t i = 0; i < offer->demand_count; i++)
		entries[i] = (struct sort_entry){
			.key = astra_app_of(offer->demands[i].job),
			.demand = i,
		};
	if (offer->demand_count)
		qsort(entries, offer->demand_count, sizeof(*entries),
		      parties_compare_entries);
	for (size_t i = 0; i < offer->demand_count; i++) {
		struct themis_party *p = &parties->list[parties->count];

		parties->order[i] = entries[i].demand;
		if (!i || entries[i].key != entries[i - 1].key) {
			p->key = entries[i].key;
			p->demands = parties->order + i;
			parties->count++;
		}
		parties->list[parties->count - 1].demand_count++;
	}
	free(entries);
	return 0;
}

static void set_machines(struct themis_parties *parties,
			 const struct astra_offer *offer)
{
	for (size_t n = 0; n < offer->node_count; n++) {
		const struct astra_node *node = &offer->nodes[n];

		parties->machines[n] = (struct astra_themis_machine){
			.free = offer->free[n],
			.rack = node->rack,
			.slot = node->slot_gpus ? node->slot_gpus : node->gpus,
		};
	}
}

static int allocate_parties(struct themis_parties *parties,
			    const struct astra_offer *offer)
{
	size_t jobs = 0, shares = 0, n = offer->demand_count;

	for (size_t i = 0; i < n; i++) {
		jobs += parties_copies_of(&offer->demands[i]);
		shares += offer->demands[i].held_count;
	}
	parties->list = calloc(n + 1, sizeof(*parties->list));
	parties->apps = calloc(n + 1, sizeof(*parties->apps));
	parties->homes = calloc(n + 1, sizeof(*parties->homes));
	parties->order = calloc(n + 1, sizeof(*parties->order));
	parties->work = calloc(jobs + 1, sizeof(*parties->work));
	parties->shares = calloc(shares + 1, sizeof(*parties->shares));
	parties->machines =
		calloc(offer->node_count + 1, sizeof(*parties->machines));
	if (parties->list && parties->apps && parties->homes &&
	    parties->order && parties->work && parties->shares &&
	    parties->machines)
		return 0;
	return -1;
}

static int parties_remember(const struct themis_parties *parties,
			    struct themis_memories *memories,
			    const struct astra_offer *offer)
{
	struct themis_sight *sights =
		calloc(parties->count + 1, sizeof(*sights));
	int rc = -1;

	for (size_t i = 0; sights && i < parties->count; i++)
		sights[i] = (struct themis_sight){
			.key = parties->list[i].key,
			.start_sec = first_submission(&parties->list[i], offer),
			.budget_sec = parties->apps[i].budget_sec,
			.gpus = parties_at_most(parties->list[i].asked_gpus,
						UINT32_MAX),
		};
	if (sights)
		rc = astra_themis_remember(memories, sights, parties->count,
					   offer->now_sec);
	free(sights);
	return rc;
}

int astra_themis_parties_find(struct themis_parties *parties,
			      struct themis_memories *memories,
			      const struct astra_offer *offer, bool trust)
{
	*parties = (struct themis_parties){0};
	if (allocate_parties(parties, offer) < 0 ||
	    parties_group(parties, offer) < 0)
		return -1;
	parties_fill(parties, offer);
	find_bids(parties, offer);
	set_machines(parties, offer);
	if (parties_remember(parties, memories, offer) < 0)
		return -1;
	for (size_t i = 0; i < parties->count; i++)
		if (finish_app(parties, i, offer, memories, trust) < 0)
			return -1;
	return 0;
}

void astra_themis_parties_clear(struct themis_parties *parties)
{
	free(parties->list);
	free(parties->apps);
	free(parties->homes);
	free(parties->order);
	free(parties->work);
	free(parties->shares);
	free(parties->machines);
}
