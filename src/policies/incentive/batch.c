/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/forecast.h"
#include "src/policies/incentive/seats.h"

/* What the market needs to know of a job besides struct astra_market_job. */
struct ware {
	uint32_t demand;
	double work; /* in GPU slots */
	bool sold, gift;
	size_t home_from; /* index in the sale's homes */
};

struct sale {
	const struct astra_batch *batch;
	const struct astra_offer *offer;
	struct astra_market_room *servers, *quotas;
	struct astra_seats *seats; /* NULL if a part of a pool is sold */
	struct astra_market *market;
	struct astra_market_job *jobs;
	struct ware *wares; /* in the order of jobs */
	size_t count, room, ware_room;
	double stretch; /* the largest d_max / d_min */
	struct astra_market_part *homes;
	size_t home_count, home_room;
	uint32_t *offered;
	struct astra_market_book book;
};

/* Whether the job runs, or was promised GPUs and waits for them. */
static inline bool sale_is_bound(const struct astra_demand *d)
{
	return !d->open && d->held_count;
}

/* What is for sale, and the tenants' shares of it. */

#define HOUR_SEC 3600

/* Count what is for sale in a part of a pool, where places change: all its GPUs
 * minus those of jobs that go on running, put on as few nodes as possible. */
static uint32_t count_part(struct sale *s)
{
	const struct astra_offer *offer = s->offer;
	uint64_t left = offer->gpus, had;
	uint32_t most = 0;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++)
			left -= d->held[k].gpus < left ? d->held[k].gpus : left;
	}
	had = left;
	for (size_t n = 0; n < offer->node_count; n++)
		if (offer->nodes[n].usable && offer->nodes[n].gpus > most)
			most = offer->nodes[n].gpus;
	for (int whole = 1; whole >= 0; whole--)
		for (size_t n = 0; n < offer->node_count; n++) {
			uint32_t gpus = offer->nodes[n].gpus;

			if (!offer->nodes[n].usable || (gpus == most) != whole)
				continue;
			s->servers[n].workers =
				gpus < left ? gpus : (uint32_t)left;
			left -= s->servers[n].workers;
		}
	return (uint32_t)(had - left);
}

/* Count what is for sale when nothing is planned: all GPUs except those of jobs
 * that go on running. */
static uint32_t batch_count_gpus(struct sale *s)
{
	uint32_t sum = 0;

	if (s->offer->part)
		return count_part(s);

	for (size_t n = 0; n < s->offer->node_count; n++)
		if (s->offer->nodes[n].usable)
			s->servers[n].workers = s->offer->nodes[n].gpus;
	for (size_t i = 0; i < s->offer->demand_count; i++) {
		const struct astra_demand *d = &s->offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++) {
			uint32_t *gpus = &s->servers[d->held[k].node].workers;
			uint32_t held = d->held[k].gpus;

			*gpus -= held < *gpus ? held : *gpus;
		}
	}
	for (size_t n = 0; n < s->offer->node_count; n++)
		sum += s->servers[n].workers;
	return sum;
}

/* Set each tenant's share, minus the GPUs that its jobs go on holding. */
static int share_out(struct sale *s, uint32_t gpus)
{
	size_t count = s->offer->tenant_count;
	double *rights = calloc(count + 1, sizeof(*rights));
	int rc;

	if (!rights)
		return -1;
	for (size_t u = 0; u < count; u++)
		rights[u] = s->offer->tenants[u].quota;
	for (size_t i = 0; i < s->offer->demand_count; i++) {
		const struct astra_demand *d = &s->offer->demands[i];

		for (size_t k = 0; sale_is_bound(d) && k < d->held_count; k++)
			rights[d->tenant] -= d->held[k].gpus;
	}
	for (size_t u = 0; u < count; u++)
		rights[u] = fmax(rights[u], 0);
	rc = astra_batch_quotas(rights, count, gpus, s->quotas);
	free(rights);
	return rc;
}

/* Prepare the seats, that is, where jobs can be put. */
static int batch_seat_jobs(struct sale *s)
{
	s->seats = astra_seats_create(s->offer, s->servers, s->batch->slots);
	if (!s->seats)
		return -1;
	for (size_t i = 0; i < s->count; i++) {
		const struct astra_demand *d =
			&s->offer->demands[s->wares[i].demand];

		s->jobs[i].demand = d;
		s->jobs[i].picky = !astra_seats_easy(s->seats, d);
	}
	return 0;
}

/* Open the market for the sale's jobs. Returns 0, or -1 with err
 * set. */
static int sale_open(struct sale *s, struct astra_error *err)
{
	const struct astra_batch *b = s->batch;
	const struct astra_market_window window = {.begin = b->begin,
						   .slots = b->slots};
	struct astra_market_setup setup = {
		.theta_w = b->theta,
		.theta_p = 1,
		.unit = b->slot_sec / HOUR_SEC,
		.own_share = b->own_share,
		.servers = s->servers,
		.server_count = s->offer->node_count,
		.quotas = s->quotas,
		.user_count = s->offer->tenant_count,
		.budgets = b->credits,
	};

	if (share_out(s, batch_count_gpus(s)) < 0 ||
	    (!s->offer->part && batch_seat_jobs(s) < 0))
		return astra_error_nomem(err);
	setup.seats = s->seats;
	s->market = astra_market_create(&setup, err);
	return s->market ? astra_market_begin(s->market, &window, err) : -1;
}

#define HOUR_SEC 3600

/* The least worth of a job, as a part of its GPU hours. A job that ends too
 * late to be worth anything has this worth. So it runs when hardly any other
 * job wants to. */
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

/* Return how many times as long a job takes if its GPUs are this far apart. */
static double slowdown(const struct astra_job *job, enum astra_level level)
{
	return fmax(job->forecast.slowdown[level], 1);
}

/* Add to a job the place where it runs, if its lease is over. */
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

/* Add the jobs that came in time and do not go on running. This includes
 * leaving jobs, whose GPUs will soon be free. */
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

/* Return the work that the job does in a slot on all its GPUs. */
static double fastest(const struct astra_market_job *job)
{
	double n =
		job->n_dist > 0 ? fmin(job->n_dist, job->n_cent) : job->n_cent;

	return n * job->d_max;
}

/* Cut a job to a part that takes `slots` slots on all its GPUs. If slots is
 * below 1, the part is an elastic job's slot on fewer GPUs. Returns whether to
 * offer the part. It is not offered if it is the same part again, or less than
 * a slot on the fewest GPUs. */
static bool sale_cut(struct sale *s, uint32_t index, double slots)
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

/* Return the size, in slots, of the next smaller part; 0: none. */
static double sale_next_part(const struct sale *s, double slots)
{
	double part = slots > 1 ? floor(slots / 2) : slots / 2;

	return part >= 1 || part * s->stretch >= 1 ? part : 0;
}

typedef int offer_fn(struct astra_market *, const struct astra_market_job *,
		     uint32_t *, size_t *, struct astra_market_book *,
		     struct astra_error *);

/* Cut a part of `slots` slots from each job in `offered`. Move the jobs whose
 * part is to be offered to the front. Drop the other rigid jobs, but keep the
 * other elastic jobs: a smaller part may fit. Returns how many jobs are in
 * front. count: set to the number of jobs left in all. */
static size_t cut_all(struct sale *s, double slots, size_t *count)
{
	size_t first = 0, kept = 0;

	for (size_t i = 0; i < *count; i++) {
		uint32_t index = s->offered[i];
		bool now = sale_cut(s, index, slots);

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

/* Offer the jobs in `offered`. Jobs longer than the window are offered in ever
 * smaller parts. */
static int offer_parts(struct sale *s, size_t count, offer_fn *offer,
		       struct astra_error *err)
{
	for (double slots = s->batch->slots; slots > 0 && count;
	     slots = sale_next_part(s, slots)) {
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

/* Whether a job would end too late to be worth anything, even at its
 * fastest. */
static bool is_worthless(const struct sale *s, uint32_t index)
{
	const struct astra_market_job *job = &s->jobs[index];
	double work = s->wares[index].work, slots = work / fastest(job);

	return astra_utility_value(&job->utility, fmax(slots, 1)) <=
	       LEAST_WORTH * work * s->batch->slot_sec / HOUR_SEC;
}

/* List the jobs that are not sold yet: only worthless ones, or only the
 * others. */
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

static int batch_enter(struct sale *s, const struct astra_market_deal *deal,
		       struct astra_share *shares,
		       struct astra_calendar *calendar)
{
	const struct astra_demand *d =
		&s->offer->demands[s->wares[deal->job].demand];
	const struct astra_calendar_entry entry = {
		.job = d->job->id,
		.copies = d->job->copies,
		.first = deal->start,
		.last = deal->end,
	};
	const struct astra_quote quote = {
		.job = d->job->id,
		.start = deal->start,
		.sold = true,
		.worth = deal->value,
		.price = deal->pay_w + deal->pay_p,
	};

	for (size_t k = 0; k < deal->part_count; k++) {
		const struct astra_market_part *part =
			&s->book.parts[deal->first_part + k];

		shares[k] = (struct astra_share){.node = part->server,
						 .gpus = part->workers};
	}
	if (astra_board_quote(s->batch->board, &quote) < 0)
		return -1;
	return astra_calendar_add(calendar, &entry, shares, deal->part_count);
}

static int enter_deals(struct sale *s, struct astra_calendar *calendar)
{
	struct astra_share *shares =
		calloc(s->offer->node_count + 1, sizeof(*shares));
	int rc = shares ? 0 : -1;

	for (size_t i = 0; !rc && i < s->book.count; i++)
		rc = batch_enter(s, &s->book.deals[i], shares, calendar);
	free(shares);
	astra_calendar_sort(calendar);
	return rc;
}

static void settle_accounts(struct sale *s,
			    struct astra_market_account *accounts)
{
	for (uint32_t u = 0; u < s->offer->tenant_count; u++) {
		const struct astra_market_account *a =
			astra_market_account(s->market, u);

		accounts[u].utility += a->utility;
		accounts[u].paid += a->paid;
		accounts[u].income += a->income;
		if (s->batch->credits)
			s->batch->credits[u] += a->income - a->paid;
	}
}

/* Post what was sold in each slot. */
static int post_slots(struct sale *s)
{
	struct astra_board *b = s->batch->board;
	uint32_t tenants = (uint32_t)s->offer->tenant_count;
	uint32_t slots = s->batch->slots;

	if (astra_board_open(b, s->batch->begin, slots, tenants) < 0)
		return -1;
	for (uint32_t u = 0; u < tenants; u++) {
		b->quota[u] = s->quotas[u].workers;
		b->gpus += b->quota[u];
		for (uint32_t i = 0; i < slots; i++)
			b->own[(size_t)u * slots + i] =
				astra_market_own(s->market, u, i);
	}
	for (uint32_t i = 0; i < slots; i++)
		b->used[i] = (uint32_t)astra_market_used(s->market, i);
	return 0;
}

/* Quote a price for the largest part of the job for which there is room. */
static int quote_job(struct sale *s, uint32_t index)
{
	struct astra_quote quote = {
		.job = s->offer->demands[s->wares[index].demand].job->id};
	struct astra_market_quote found;

	for (double slots = s->batch->slots; slots > 0 && !quote.start;
	     slots = sale_next_part(s, slots)) {
		if (!sale_cut(s, index, slots) ||
		    !astra_market_quote(s->market, &s->jobs[index], &found))
			continue;
		quote.start = found.start;
		quote.worth = found.value;
		quote.price = found.cost;
	}
	return astra_board_quote(s->batch->board, &quote);
}

/* Quote prices for the first jobs that were sold nothing, and for one task of
 * each array. */
static int quote_unsold(struct sale *s)
{
	uint32_t last = ASTRA_NONE;
	size_t quotes = 0;

	for (size_t i = 0; i < s->book.count; i++)
		s->wares[s->book.deals[i].job].sold = true;
	for (uint32_t i = 0; i < s->count && quotes < ASTRA_QUOTES_MAX; i++) {
		if (s->wares[i].sold || s->wares[i].demand == last)
			continue;
		last = s->wares[i].demand;
		quotes++;
		if (quote_job(s, i) < 0)
			return -1;
	}
	return 0;
}

/* Record sales, payments and quotes. Returns 0, or -1 when memory is out. */
static int sale_enter(struct sale *s, struct astra_calendar *calendar,
		      struct astra_market_account *accounts)
{
	int rc = post_slots(s) < 0 || enter_deals(s, calendar) < 0 ? -1 : 0;

	if (!rc && !s->offer->terse)
		rc = quote_unsold(s);
	astra_board_sort(s->batch->board);
	settle_accounts(s, accounts);
	return rc;
}

/* Sell to all jobs. Worthless jobs come last. What is left of their tenant's
 * share is given to them, since no price would ever let them run; the rest is
 * sold. */
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
	else if (sale_open(&s, err) == 0 && hold_rounds(&s, err) == 0) {
		rc = sale_enter(&s, calendar, accounts);
		if (rc < 0)
			astra_error_nomem(err);
	}
	sale_fini(&s);
	return rc;
}
