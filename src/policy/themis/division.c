/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policy/themis/division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policy/themis/sale.h"

/* The scratch of one division. */
struct dividing {
	const struct themis_parties *parties;
	const struct astra_offer *offer;
	struct themis_division *division;
	struct astra_themis_machine *machines; /* with what is free by now */
	uint64_t free_gpus;		       /* at first */
	uint32_t *chosen; /* parties that take part, in their order */
	size_t chosen_count;
	struct themis_gains gains;
};

static void dividing_fini(struct dividing *d)
{
	free(d->machines);
	free(d->chosen);
	free(d->gains.list);
}

static int dividing_init(struct dividing *d)
{
	size_t nodes = d->offer->node_count, parties = d->parties->count;

	d->machines = calloc(nodes + 1, sizeof(*d->machines));
	d->chosen = calloc(parties + 1, sizeof(*d->chosen));
	d->division->participant =
		calloc(parties + 1, sizeof(*d->division->participant));
	d->division->first = calloc(parties + 2, sizeof(*d->division->first));
	d->division->free = calloc(nodes + 1, sizeof(*d->division->free));
	if (!d->machines || !d->chosen || !d->division->participant ||
	    !d->division->first || !d->division->free)
		return -1;
	for (size_t n = 0; n < nodes; n++)
		d->free_gpus += d->offer->free[n];
	return 0;
}

/* The 1 - f of them that are worst off. */
static void choose(struct dividing *d, double knob)
{
	d->chosen_count =
		astra_themis_filter(d->parties->claims, d->parties->count, knob,
				    d->free_gpus, d->chosen);
	for (size_t i = 0; i < d->chosen_count; i++)
		d->division->participant[d->chosen[i]] = true;
}

static int sell(struct dividing *d, size_t first, size_t count, uint32_t cap,
		struct astra_error *err)
{
	return astra_themis_sell(d->parties, d->chosen + first, count, cap,
				 (uint32_t)d->offer->gpus, d->machines,
				 d->offer->node_count, &d->gains, err);
}

static void begin_sales(struct dividing *d)
{
	d->gains.count = 0;
	memcpy(d->machines, d->parties->machines,
	       d->offer->node_count * sizeof(*d->machines));
}

static uint64_t gained(const struct dividing *d, uint32_t party)
{
	uint64_t gpus = 0;

	for (size_t i = 0; i < d->gains.count; i++)
		if (d->gains.list[i].taker == party)
			gpus += d->gains.list[i].share.gpus;
	return gpus;
}

/* An auction serves as many apps as it can, so one whose smallest job is large
 * would never win. Whoever is worst off of all does not go empty-handed: it is
 * offered that many GPUs before the others are. */
static int hold_auctions(struct dividing *d, struct astra_error *err)
{
	const struct themis_party *worst;

	begin_sales(d);
	if (!d->chosen_count)
		return 0;
	if (sell(d, 0, d->chosen_count, 0, err) < 0)
		return -1;
	worst = &d->parties->list[d->chosen[0]];
	if (gained(d, d->chosen[0]) || worst->least_gpus > d->free_gpus)
		return 0;
	begin_sales(d);
	if (sell(d, 0, 1, worst->least_gpus, err) < 0)
		return -1;
	return sell(d, 1, d->chosen_count - 1, 0, err);
}

static struct astra_themis_taker *find_takers(const struct dividing *d)
{
	struct astra_themis_taker *takers =
		calloc(d->parties->count + 1, sizeof(*takers));

	for (size_t i = 0; takers && i < d->parties->count; i++) {
		const struct themis_party *p = &d->parties->list[i];
		uint64_t room = p->wanted_gpus;

		takers[i] = (struct astra_themis_taker){
			.room = room < d->free_gpus ? (uint32_t)room
						    : (uint32_t)d->free_gpus,
			.quantum = p->app.quantum,
			.participant = d->division->participant[i],
		};
	}
	for (size_t i = 0; takers && i < d->gains.count; i++) {
		struct astra_themis_taker *t = &takers[d->gains.list[i].taker];
		uint32_t gpus = d->gains.list[i].share.gpus;

		t->room = gpus < t->room ? t->room - gpus : 0;
	}
	return takers;
}

static bool is_free(const struct dividing *d, const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count; i++)
		if (d->machines[job->held[i].node].free < job->held[i].gpus)
			return false;
	return true;
}

static int leave_at_home(struct dividing *d, uint32_t party,
			 const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count; i++) {
		uint32_t machine = job->held[i].node, gpus = job->held[i].gpus;

		d->machines[machine].free -= gpus;
		if (astra_themis_gain(&d->gains, party, machine, gpus) < 0)
			return -1;
	}
	return 0;
}

/* Chance may as well leave a job where it is: of the apps that took no part,
 * those whose jobs' GPUs were left over keep them. */
static int spare_moves(struct dividing *d)
{
	for (uint32_t i = 0; i < d->parties->count; i++) {
		const struct themis_party *p = &d->parties->list[i];

		for (size_t k = 0;
		     !d->division->participant[i] && k < p->demand_count; k++) {
			const struct astra_demand *x =
				&d->offer->demands[p->demands[k]];

			if (x->open && x->job->held_count &&
			    is_free(d, x->job) &&
			    leave_at_home(d, i, x->job) < 0)
				return -1;
		}
	}
	return 0;
}

static int give_leftovers(struct dividing *d)
{
	struct astra_themis_taker *takers;
	struct astra_themis_gift *gifts = NULL;
	size_t nodes = d->offer->node_count, count = 0;
	uint64_t seed;
	int rc;

	for (size_t n = 0; n < nodes; n++)
		d->division->free[n] = d->machines[n].free;
	/* Chance, but the same for the same question. */
	memcpy(&seed, &d->offer->now_sec, sizeof(seed));
	if (spare_moves(d) < 0)
		return -1;
	takers = find_takers(d);
	rc = takers ? astra_themis_give(d->division->free, nodes, takers,
					d->parties->count, seed, &gifts, &count)
		    : -1;
	for (size_t i = 0; !rc && i < count; i++)
		rc = astra_themis_gain(&d->gains, gifts[i].taker,
				       gifts[i].share.machine,
				       gifts[i].share.gpus);
	free(gifts);
	free(takers);
	return rc;
}

static int compare_gains(const void *a, const void *b)
{
	const struct astra_themis_gift *x = a, *y = b;

	if (x->taker != y->taker)
		return x->taker < y->taker ? -1 : 1;
	if (x->share.machine != y->share.machine)
		return x->share.machine < y->share.machine ? -1 : 1;
	return x->share.gpus < y->share.gpus ? -1
					     : x->share.gpus > y->share.gpus;
}

int astra_themis_write_down(struct themis_division *division, size_t parties,
			    struct themis_gains *gains)
{
	struct astra_themis_gift *list = gains->list;
	struct astra_themis_share *shares =
		calloc(gains->count + 1, sizeof(*shares));
	size_t at = 0, kept = 0;

	if (!shares)
		return -1;
	if (gains->count)
		qsort(list, gains->count, sizeof(*list), compare_gains);
	for (size_t i = 0; i < parties; i++) {
		division->first[i] = kept;
		for (; at < gains->count && list[at].taker == i; at++)
			if (kept > division->first[i] &&
			    shares[kept - 1].machine == list[at].share.machine)
				shares[kept - 1].gpus += list[at].share.gpus;
			else
				shares[kept++] = list[at].share;
	}
	division->first[parties] = kept;
	free(division->shares);
	division->shares = shares;
	return 0;
}

int astra_themis_divide(struct themis_division *division,
			const struct themis_parties *parties,
			const struct astra_offer *offer, double knob,
			struct astra_error *err)
{
	struct dividing d = {
		.parties = parties,
		.offer = offer,
		.division = division,
	};
	int rc = -1;

	*division = (struct themis_division){0};
	if (dividing_init(&d) < 0) {
		astra_error_nomem(err);
	} else {
		choose(&d, knob);
		rc = hold_auctions(&d, err);
		if (!rc && (give_leftovers(&d) < 0 ||
			    astra_themis_write_down(division, parties->count,
						    &d.gains) < 0))
			rc = astra_error_nomem(err);
	}
	dividing_fini(&d);
	return rc;
}

void astra_themis_division_clear(struct themis_division *division)
{
	free(division->participant);
	free(division->shares);
	free(division->first);
	free(division->free);
}
