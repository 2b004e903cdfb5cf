/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/pin.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"
#include "src/placement/placement.h"

struct pinning {
	const struct themis_division *division;
	const struct themis_parties *parties;
	const struct astra_offer *offer;
	struct themis_gains gains;
	struct astra_space *space; /* what is not assigned yet */
	struct astra_share *place;
	uint64_t *due; /* by party: GPUs that it has still to get */
	uint32_t *order;
	uint32_t *jobs; /* of one party, in the order of
			 * astra_themis_order_jobs() */
};

static struct astra_themis_shares pin_won(const struct pinning *p,
					  uint32_t party)
{
	size_t first = p->division->first[party];

	return (struct astra_themis_shares){
		.share = p->division->shares + first,
		.count = p->division->first[party + 1] - first,
	};
}

static int pinning_init(struct pinning *p)
{
	size_t nodes = p->offer->node_count, parties = p->parties->count;
	uint32_t most = 0;

	for (size_t n = 0; n < nodes; n++)
		if (p->offer->free[n] > most)
			most = p->offer->free[n];
	p->space = astra_space_create(nodes, most);
	p->place = calloc(nodes + 1, sizeof(*p->place));
	p->due = calloc(parties + 1, sizeof(*p->due));
	p->order = calloc(parties + 1, sizeof(*p->order));
	p->jobs = calloc(p->offer->demand_count + 1, sizeof(*p->jobs));
	if (!p->space || !p->place || !p->due || !p->order || !p->jobs)
		return -1;
	for (uint32_t n = 0; n < nodes; n++)
		astra_space_set(p->space, n,
				&(struct astra_room){
					.gpus = p->offer->free[n],
					.cpus = UINT32_MAX,
					.mem_mib = UINT64_MAX,
				});
	for (uint32_t i = 0; i < parties; i++) {
		p->due[i] = astra_themis_gpus(pin_won(p, i));
		p->order[i] = i;
	}
	return 0;
}

static void pinning_fini(struct pinning *p)
{
	astra_space_destroy(p->space);
	free(p->place);
	free(p->due);
	free(p->order);
	free(p->jobs);
	free(p->gains.list);
}

static int pin_give(struct pinning *p, uint32_t party, uint32_t machine,
		    uint32_t gpus)
{
	astra_space_take(p->space,
			 &(struct astra_share){.node = machine, .gpus = gpus});
	p->due[party] -= gpus;
	return astra_themis_gain(&p->gains, party,
				 (struct astra_themis_share){machine, gpus});
}

/* Whether these GPUs are at least as good for the party as those that it won.
 * Returns -1 when out of memory. */
static int is_as_good(const struct pinning *p, uint32_t party,
		      const struct astra_share *shares, size_t count)
{
	const struct astra_themis_app *app = &p->parties->apps[party];
	struct astra_themis_share *other = calloc(count + 1, sizeof(*other));
	struct astra_themis_shares got = {.share = other, .count = count};
	const struct astra_themis_machine *machines = p->parties->machines;
	uint32_t cluster = (uint32_t)p->offer->gpus;
	double before, after;
	int rc = -1;

	for (size_t i = 0; other && i < count; i++)
		other[i] = (struct astra_themis_share){shares[i].node,
						       shares[i].gpus};
	if (other &&
	    astra_themis_rho_on(app, cluster, machines, pin_won(p, party),
				&before) == 0 &&
	    astra_themis_rho_on(app, cluster, machines, got, &after) == 0)
		rc = astra_compare(after, before) <= 0;
	free(other);
	return rc;
}

/* Whether the job's GPUs are offered and still unassigned. They are not if a
 * node is drained or another party has them. */
static bool is_offered(const struct pinning *p, const struct astra_job *job)
{
	for (size_t i = 0; i < job->held_count; i++)
		if (astra_space_get(p->space, job->held[i].node)->gpus <
		    job->held[i].gpus)
			return false;
	return true;
}

/* Keeps a party's jobs where they are, as far as the app has won that many
 * GPUs. If the app has a single job, it must also run at least as fast
 * there. */
static int pin_party(struct pinning *p, uint32_t party)
{
	const struct themis_party *q = &p->parties->list[party];
	uint64_t left = p->due[party]; /* what is left for the jobs that are
					* first in the order */

	astra_themis_order_jobs(q, p->offer, p->jobs);
	for (size_t k = 0; k < q->demand_count && left; k++) {
		const struct astra_demand *d = &p->offer->demands[p->jobs[k]];
		const struct astra_job *job = d->job;
		uint64_t gpus = astra_held_gpus(job), asked;
		int good = 1;

		if (!d->open)
			continue;
		asked = (uint64_t)job->request.gpus * d->copies;
		left -= asked < left ? asked : left;
		if (!gpus || gpus > p->due[party] || !is_offered(p, job))
			continue;
		if (p->parties->apps[party].kind == ASTRA_THEMIS_SINGLE)
			good = gpus < p->due[party]
				       ? 0
				       : is_as_good(p, party, job->held,
						    job->held_count);
		if (good < 0)
			return -1;
		for (size_t i = 0; good && i < job->held_count; i++)
			if (pin_give(p, party, job->held[i].node,
				     job->held[i].gpus) < 0)
				return -1;
	}
	return 0;
}

static int compare_due(const void *a, const void *b, void *arg)
{
	const struct pinning *p = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (p->due[i] != p->due[j])
		return p->due[i] > p->due[j] ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Lists the shares that the party won, if all of them are still unassigned.
 * Returns the number of shares, or 0. */
static size_t as_won(struct pinning *p, uint32_t party)
{
	struct astra_themis_shares shares = pin_won(p, party);

	if (astra_themis_gpus(shares) != p->due[party])
		return 0;
	for (size_t i = 0; i < shares.count; i++) {
		p->place[i] = (struct astra_share){
			.node = shares.share[i].machine,
			.gpus = shares.share[i].gpus,
		};
		if (astra_space_get(p->space, p->place[i].node)->gpus <
		    p->place[i].gpus)
			return 0;
	}
	return shares.count;
}

/* Finds the GPUs that a party has still to get. Returns whether they are as
 * good as those that it won, or -1. */
static int find_place(struct pinning *p, uint32_t party)
{
	struct astra_request request = {.gpus = (uint32_t)p->due[party]};
	size_t count = as_won(p, party);
	bool whole = p->due[party] == astra_themis_gpus(pin_won(p, party));
	int good = 1;

	if (!count) {
		count = astra_place(p->space, &request, NULL, 0, p->place);
		good = !count  ? 0
		       : whole ? is_as_good(p, party, p->place, count)
			       : 1;
	}
	for (size_t i = 0; good > 0 && i < count; i++)
		if (pin_give(p, party, p->place[i].node, p->place[i].gpus) < 0)
			return -1;
	return good;
}

int astra_themis_pin(struct themis_division *division,
		     const struct themis_parties *parties,
		     const struct astra_offer *offer)
{
	struct pinning p = {
		.division = division,
		.parties = parties,
		.offer = offer,
	};
	int good = pinning_init(&p) < 0 ? -1 : 1;

	for (uint32_t i = 0; good > 0 && i < parties->count; i++)
		if (pin_party(&p, i) < 0)
			good = -1;
	if (good > 0)
		qsort_r(p.order, parties->count, sizeof(*p.order), compare_due,
			&p);
	for (size_t i = 0; good > 0 && i < parties->count && p.due[p.order[i]];
	     i++)
		good = find_place(&p, p.order[i]);
	for (uint32_t n = 0; good > 0 && n < offer->node_count; n++)
		division->free[n] = astra_space_get(p.space, n)->gpus;
	if (good > 0 &&
	    astra_themis_write_down(division, parties->count, &p.gains) < 0)
		good = -1;
	pinning_fini(&p);
	return good;
}
