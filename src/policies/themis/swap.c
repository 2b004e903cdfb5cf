/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/swap.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"

#define GPUS_MAX 64 /* most GPUs of a machine that are exchanged */
#define MOVERS_MAX 64

/* The GPUs that a party has on a machine. */
struct tenure {
	uint32_t party, gpus;
	uint32_t fixed; /* the part of `gpus` on which its jobs run; these
			 * stay */
};

struct machine {
	struct tenure *list;
	size_t count, room;
};

/* The machines on which a party has GPUs, or once had some. */
struct holder {
	uint32_t *machines;
	size_t count, room;
	uint32_t spread; /* number of machines on which it has GPUs now */
};

struct swap {
	const struct themis_parties *parties;
	const struct astra_offer *offer;
	struct themis_division *division;
	struct machine *machines;
	struct holder *holders; /* by party */
};

static struct tenure *swap_find(struct swap *s, uint32_t machine,
				uint32_t party)
{
	struct machine *m = &s->machines[machine];

	for (size_t i = 0; i < m->count; i++)
		if (m->list[i].party == party)
			return &m->list[i];
	return NULL;
}

static int swap_give(struct swap *s, uint32_t machine, uint32_t party,
		     uint32_t gpus)
{
	struct machine *m = &s->machines[machine];
	struct holder *h = &s->holders[party];
	struct tenure *t = swap_find(s, machine, party);

	if (t) {
		t->gpus += gpus;
		return 0;
	}
	if (astra_grow(&m->list, &m->room, m->count + 1, sizeof(*m->list)) < 0)
		return -1;
	if (astra_grow(&h->machines, &h->room, h->count + 1,
		       sizeof(*h->machines)) < 0)
		return -1;
	m->list[m->count++] = (struct tenure){.party = party, .gpus = gpus};
	h->machines[h->count++] = machine;
	h->spread++;
	return 0;
}

static void swap_take(struct swap *s, uint32_t machine, uint32_t party,
		      uint32_t gpus)
{
	struct machine *m = &s->machines[machine];
	struct tenure *t = swap_find(s, machine, party);

	t->gpus -= gpus;
	if (t->gpus)
		return;
	*t = m->list[--m->count];
	s->holders[party].spread--;
}

static bool same_rack(const struct swap *s, uint32_t a, uint32_t b)
{
	const struct astra_node *x = &s->offer->nodes[a],
				*y = &s->offer->nodes[b];

	return x->rack == y->rack && x->slot_gpus == y->slot_gpus;
}

/* Chooses parties on machine `home` that can move to `from`, with `gpus` GPUs
 * in all. A party moves with all of its GPUs on `home`; otherwise they would be
 * further apart than before. If the parties do not suffice, free GPUs of `home`
 * are exchanged too. movers: the parties' indices in the machine's list.
 * free_gpus: the number of free GPUs. Returns whether there is such a
 * choice. */
static bool choose_movers(const struct swap *s, uint32_t home, uint32_t party,
			  uint32_t gpus, uint32_t *movers, size_t *count,
			  uint32_t *free_gpus)
{
	const struct machine *m = &s->machines[home];
	bool reached[GPUS_MAX + 1] = {true};
	uint32_t last[GPUS_MAX + 1] = {0}, sum;

	for (size_t i = 0; i < m->count && i < MOVERS_MAX; i++) {
		const struct tenure *t = &m->list[i];

		if (t->party == party || t->fixed || t->gpus > gpus ||
		    s->parties->apps[t->party].held.count)
			continue;
		for (uint32_t g = gpus; g >= t->gpus; g--)
			if (!reached[g] && reached[g - t->gpus]) {
				reached[g] = true;
				last[g] = (uint32_t)i;
			}
	}
	*free_gpus = 0;
	while (!reached[gpus - *free_gpus]) {
		if (*free_gpus == s->division->free[home])
			return false;
		++*free_gpus;
	}
	*count = 0;
	for (sum = gpus - *free_gpus; sum; sum -= m->list[last[sum]].gpus)
		movers[(*count)++] = last[sum];
	return true;
}

/* Exchanges a party's GPUs on `from` for as many on `home`. Returns whether
 * that was possible, or -1. */
static int swap_exchange(struct swap *s, uint32_t party, uint32_t from,
			 uint32_t home, uint32_t gpus)
{
	uint32_t movers[MOVERS_MAX], who[MOVERS_MAX], what[MOVERS_MAX];
	uint32_t free_gpus;
	size_t count;

	if (gpus > GPUS_MAX ||
	    !choose_movers(s, home, party, gpus, movers, &count, &free_gpus))
		return 0;
	for (size_t i = 0; i < count; i++) {
		who[i] = s->machines[home].list[movers[i]].party;
		what[i] = s->machines[home].list[movers[i]].gpus;
	}
	for (size_t i = 0; i < count; i++) {
		swap_take(s, home, who[i], what[i]);
		if (swap_give(s, from, who[i], what[i]) < 0)
			return -1;
	}
	swap_take(s, from, party, gpus);
	s->division->free[from] += free_gpus;
	s->division->free[home] -= free_gpus;
	return swap_give(s, home, party, gpus) < 0 ? -1 : 1;
}

/* Returns how many GPUs a party has on a machine that none of its jobs runs
 * on. */
static uint32_t loose(struct swap *s, uint32_t machine, uint32_t party)
{
	const struct tenure *t = swap_find(s, machine, party);

	return t ? t->gpus - t->fixed : 0;
}

/* Fetches GPUs for a job that runs on `home`, from machines on which its party
 * has unused GPUs. If the party has all its GPUs on one machine, it moves as a
 * whole. */
static int swap_fetch(struct swap *s, uint32_t party, uint32_t home,
		      uint32_t gpus)
{
	const struct holder *h = &s->holders[party];

	for (size_t k = 0; k < h->count; k++) {
		uint32_t from = h->machines[k];
		uint32_t have = from == home ? 0 : loose(s, from, party);
		uint32_t want = have < gpus ? have : gpus;
		int done;

		if (!want || !same_rack(s, from, home) ||
		    (h->spread == 1 && want != have))
			continue;
		done = swap_exchange(s, party, from, home, want);
		if (done < 0)
			return -1;
		gpus -= done ? want : 0;
		if (!gpus)
			break;
	}
	return 0;
}

/* Whether the party has the GPUs that the job holds. With `fix`, these GPUs are
 * then marked as fixed, so that they stay. */
static bool is_home(struct swap *s, uint32_t party, const struct astra_job *job,
		    bool fix)
{
	for (size_t h = 0; h < job->held_count; h++)
		if (loose(s, job->held[h].node, party) < job->held[h].gpus)
			return false;
	for (size_t h = 0; fix && h < job->held_count; h++)
		swap_find(s, job->held[h].node, party)->fixed +=
			job->held[h].gpus;
	return true;
}

static int fetch_home(struct swap *s, uint32_t party,
		      const struct astra_job *job)
{
	for (size_t h = 0; h < job->held_count; h++) {
		uint32_t home = job->held[h].node;
		uint32_t have = loose(s, home, party);

		if (have < job->held[h].gpus &&
		    swap_fetch(s, party, home, job->held[h].gpus - have) < 0)
			return -1;
	}
	return 0;
}

/* Fixes the GPUs of jobs whose parties have them. With `fetching`, first tries
 * to fetch the GPUs of jobs that are not settled yet. */
static int settle_jobs(struct swap *s, bool *settled, bool fetching)
{
	for (uint32_t i = 0; i < s->parties->count; i++) {
		const struct themis_party *p = &s->parties->list[i];

		for (size_t k = 0; s->holders[i].spread && k < p->demand_count;
		     k++) {
			uint32_t at = p->demands[k];
			const struct astra_demand *d = &s->offer->demands[at];

			if (!d->open || !d->job->held_count || settled[at])
				continue;
			if (fetching && !s->parties->apps[i].held.count &&
			    fetch_home(s, i, d->job) < 0)
				return -1;
			settled[at] = is_home(s, i, d->job, true);
		}
	}
	return 0;
}

static int read_division(struct swap *s)
{
	const struct themis_division *d = s->division;

	for (uint32_t i = 0; i < s->parties->count; i++)
		for (size_t k = d->first[i]; k < d->first[i + 1]; k++)
			if (swap_give(s, d->shares[k].machine, i,
				      d->shares[k].gpus) < 0)
				return -1;
	return 0;
}

/* Writes the result to the division. Returns 0, or -1 when out of memory. */
static int write_division(struct swap *s)
{
	struct themis_division *d = s->division;
	struct astra_themis_share *shares;
	size_t total = 0, parties = s->parties->count;

	for (size_t i = 0; i < parties; i++) {
		d->first[i] = total;
		total += s->holders[i].spread;
		s->holders[i].spread = 0;
	}
	d->first[parties] = total;
	shares = calloc(total + 1, sizeof(*shares));
	if (!shares)
		return -1;
	free(d->shares);
	d->shares = shares;
	for (uint32_t n = 0; n < s->offer->node_count; n++)
		for (size_t i = 0; i < s->machines[n].count; i++) {
			const struct tenure *t = &s->machines[n].list[i];

			shares[d->first[t->party] +
			       s->holders[t->party].spread++] =
				(struct astra_themis_share){n, t->gpus};
		}
	return 0;
}

int astra_themis_swap(struct themis_division *division,
		      const struct themis_parties *parties,
		      const struct astra_offer *offer)
{
	struct swap s = {
		.division = division,
		.parties = parties,
		.offer = offer,
		.machines = calloc(offer->node_count + 1, sizeof(*s.machines)),
		.holders = calloc(parties->count + 1, sizeof(*s.holders)),
	};
	bool *settled = calloc(offer->demand_count + 1, sizeof(*settled));
	int rc = -1;

	if (s.machines && s.holders && settled && read_division(&s) == 0 &&
	    settle_jobs(&s, settled, false) == 0 &&
	    settle_jobs(&s, settled, true) == 0)
		rc = write_division(&s);
	for (size_t n = 0; s.machines && n < offer->node_count; n++)
		free(s.machines[n].list);
	for (size_t i = 0; s.holders && i < parties->count; i++)
		free(s.holders[i].machines);
	free(s.machines);
	free(s.holders);
	free(settled);
	return rc;
}
