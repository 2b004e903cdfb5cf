/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/forecast.h"
#include "src/policies/incentive/batch_priv.h"

#define HOUR_SEC 3600
/* What a job counts as worth, of its GPU hours, if it is too late to be worth
 * anything: it runs when hardly anybody else wants to. */
#define LEAST_WORTH 1e-3
/* More than any price. */
#define PRICELESS 1e15

static void sale_fini(struct sale *s)
{
	astra_market_destroy(s->market);
	astra_seats_destroy(s->seats);
	astra_market_book_clear(&s->book);
	free(s->servers);
	free(s->quotas);
	free(s->jobs);
	free(s->wares);
	free(s->homes);
	free(s->offered);
}

/* By how much a job is slower with its GPUs so far apart. */
static double slowdown(const struct astra_job *job, enum astra_level level)
{
	return fmax(job->forecast.slowdown[level], 1);
}

/* Where a job runs whose lease is over. */
static int batch_add_home(struct sale *s, const struct astra_demand *d,
			  struct astra_market_job *job)
{
	struct astra_market_part *home;

	if (!d->open || d->job->state != ASTRA_JOB_RUNNING || s->offer->part)
		return 0;
	if (astra_grow(&s->homes, &s->home_room, s->home_count + d->held_count,
		       sizeof(*s->homes)) < 0)
		return -1;
	home = s->homes + s->home_count;
	for (size_t k = 0; k < d->held_count; k++) {
		size_t at = 0;

		while (at < job->home_count &&
		       home[at].server != d->held[k].node)
			at++;
		if (at == job->home_count)
			home[job->home_count++] = (struct astra_market_part){
				.server = d->held[k].node};
		home[at].workers += d->held[k].gpus;
	}
	s->home_count += job->home_count;
	return 0;
}

static bool on_one_node(const struct astra_request *q)
{
	return q->nodes_max == 1 || q->gpus_per_node == q->gpus;
}

static int batch_add_job(struct sale *s, uint32_t demand)
{
	const struct astra_batch *b = s->batch;
	const struct astra_demand *d = &s->offer->demands[demand];
	const struct astra_utility worth = astra_job_utility(d->job);
	double left = (astra_left_sec(d) + b->spare_sec) / b->slot_sec;
	struct ware ware = {.demand = demand, .home_from = s->home_count};
	struct astra_market_job job = {
		.user = d->tenant,
		.d_min = astra_request_least(&d->job->request),
		.d_max = d->job->request.gpus,
		.no_ps = true,
		.arrival = (d->submit_sec - b->origin_sec) / b->slot_sec,
		.n_cent = 1 / slowdown(d->job, ASTRA_LEVEL_MACHINE),
		.n_dist = 1 / slowdown(d->job, ASTRA_LEVEL_RACK),
		.utility = astra_utility_scaled(&worth, b->slot_sec / HOUR_SEC),
	};

	ware.work = left * d->job->request.gpus;
	if (on_one_node(&d->job->request))
		job.n_dist = 0;
	if (astra_grow(&s->jobs, &s->room, s->count + 1, sizeof(job)) < 0 ||
	    astra_grow(&s->wares, &s->ware_room, s->count + 1, sizeof(ware)) <
		    0 ||
	    batch_add_home(s, d, &job) < 0)
		return -1;
	s->stretch = fmax(s->stretch, (double)job.d_max / job.d_min);
	s->wares[s->count] = ware;
	s->jobs[s->count++] = job;
	return 0;
}

/* Those that are here in time and run on nothing; leaving ones too, as their
 * GPUs are free soon. */
static int batch_add_jobs(struct sale *s)
{
	for (uint32_t i = 0; i < s->offer->demand_count; i++) {
		const struct astra_demand *d = &s->offer->demands[i];
		uint32_t copies = d->copies > 1 ? d->copies : 1;

		if (sale_is_bound(d) || d->submit_sec > s->batch->until_sec)
			continue;
		while (copies-- > 0)
			if (batch_add_job(s, i) < 0)
				return -1;
	}
	s->offered = calloc(s->count + 1, sizeof(*s->offered));
	if (!s->offered)
		return -1;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->jobs[i].home_count)
			s->jobs[i].home = s->homes + s->wares[i].home_from;
	return 0;
}

/* The work of a slot of all its GPUs. */
static double fastest(const struct astra_market_job *job)
{
	double n =
		job->n_dist > 0 ? fmin(job->n_dist, job->n_cent) : job->n_cent;

	return n * job->d_max;
}

bool astra_sale_cut(struct sale *s, uint32_t index, double slots)
{
	struct astra_market_job *job = &s->jobs[index];
	const struct ware *ware = &s->wares[index];
	double most = fastest(job) * slots;

	job->work = fmin(ware->work, most);
	job->least = ware->gift ? PRICELESS
				: LEAST_WORTH * job->work * s->batch->slot_sec /
					  HOUR_SEC;
	job->part = job->later = 0;
	if (ware->work <= most)
		return slots >= s->batch->slots;
	job->part = most / ware->work;
	job->later = (ware->work - most) / fastest(job);
	return slots >= 1 || slots * job->d_max >= job->d_min;
}

double astra_sale_next_part(const struct sale *s, double slots)
{
	double part = slots > 1 ? floor(slots / 2) : slots / 2;

	return part >= 1 || part * s->stretch >= 1 ? part : 0;
}

typedef int offer_fn(struct astra_market *, const struct astra_market_job *,
		     uint32_t *, size_t *, struct astra_market_book *,
		     struct astra_error *);

/* Those of which a part of so many slots is to be offered come first in
 * `offered`. Rigid ones that it is not are dropped; an elastic one may have
 * room for less. Returns how many come first; count: how many are left in all.
 */
static size_t cut_all(struct sale *s, double slots, size_t *count)
{
	size_t first = 0, kept = 0;

	for (size_t i = 0; i < *count; i++) {
		uint32_t index = s->offered[i];
		bool now = astra_sale_cut(s, index, slots);

		if (!now && s->jobs[index].d_min == s->jobs[index].d_max)
			continue;
		s->offered[kept++] = index;
		if (now) {
			s->offered[kept - 1] = s->offered[first];
			s->offered[first++] = index;
		}
	}
	*count = kept;
	return first;
}

/* Offer those in `offered`, longer ones than the window in ever smaller
 * parts. */
static int offer_parts(struct sale *s, size_t count, offer_fn *offer,
		       struct astra_error *err)
{
	for (double slots = s->batch->slots; slots > 0 && count;
	     slots = astra_sale_next_part(s, slots)) {
		size_t now = cut_all(s, slots, &count), left = now;

		if (offer(s->market, s->jobs, s->offered, &left, &s->book,
			  err) < 0)
			return -1;
		memmove(s->offered + left, s->offered + now,
			(count - now) * sizeof(*s->offered));
		count -= now - left;
	}
	return 0;
}

/* Whether a job is too late to be worth anything, wherever it runs. */
static bool is_worthless(const struct sale *s, uint32_t index)
{
	const struct astra_market_job *job = &s->jobs[index];
	double work = s->wares[index].work, slots = work / fastest(job);

	return astra_utility_value(&job->utility, fmax(slots, 1)) <=
	       LEAST_WORTH * work * s->batch->slot_sec / HOUR_SEC;
}

/* Those that are left of the worthless or of the others. */
static size_t list_offered(struct sale *s, bool worthless)
{
	size_t count = 0;

	for (size_t i = 0; i < s->book.count; i++)
		s->wares[s->book.deals[i].job].sold = true;
	for (uint32_t i = 0; i < s->count; i++)
		if (!s->wares[i].sold && is_worthless(s, i) == worthless)
			s->offered[count++] = i;
	return count;
}

/* The worthless come last. What is left of their tenant's share is given to
 * them, as they would never run by any price, the rest sold. */
static int hold_rounds(struct sale *s, struct astra_error *err)
{
	size_t count = list_offered(s, false);

	if (offer_parts(s, count, astra_market_offer, err) < 0)
		return -1;
	count = list_offered(s, true);
	for (size_t i = 0; i < count; i++)
		s->wares[s->offered[i]].gift = true;
	if (offer_parts(s, count, astra_market_offer_own, err) < 0)
		return -1;
	count = list_offered(s, true);
	for (size_t i = 0; i < count; i++)
		s->wares[s->offered[i]].gift = false;
	return offer_parts(s, count, astra_market_offer, err);
}

int astra_batch_sell(const struct astra_batch *batch,
		     const struct astra_offer *offer,
		     struct astra_calendar *calendar,
		     struct astra_market_account *accounts,
		     struct astra_error *err)
{
	struct sale s = {.batch = batch, .offer = offer};
	int rc = -1;

	astra_calendar_reset(calendar);
	astra_board_clear(batch->board);
	s.servers = calloc(offer->node_count + 1, sizeof(*s.servers));
	s.quotas = calloc(offer->tenant_count + 1, sizeof(*s.quotas));
	if (!s.servers || !s.quotas || batch_add_jobs(&s) < 0)
		astra_error_nomem(err);
	else if (!offer->tenant_count || !offer->node_count)
		rc = 0;
	else if (astra_sale_open(&s, err) == 0 && hold_rounds(&s, err) == 0) {
		rc = astra_sale_enter(&s, calendar, accounts);
		if (rc < 0)
			astra_error_nomem(err);
	}
	sale_fini(&s);
	return rc;
}
