/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round: the order in which jobs are offered, where their workers go, and
 * which users pay and are paid. */
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/incentive/market_priv.h"

/* Compare by free workers, ascending, or descending with many_first. Ties go by
 * index. */
static int market_offer_compare_places(const void *a, const void *b,
				       void *many_first)
{
	const struct market_place *x = a, *y = b;

	if (x->free != y->free)
		return (x->free < y->free) != (many_first != NULL) ? -1 : 1;
	return x->server < y->server ? -1 : 1;
}

static int compare_parts(const void *a, const void *b)
{
	const struct astra_market_part *x = a, *y = b;

	return x->server < y->server ? -1 : 1;
}

/* List the other servers in the order in which they get workers. The servers
 * with the fewest free workers come first, so that whole servers stay free for
 * other jobs. For a job without PSs the servers with the most free workers come
 * first, so that it uses few servers. */
static void market_offer_list_places(struct astra_market *m,
				     const struct market_best *best)
{
	struct astra_minima_pair workers = astra_minima_of(
		&m->sides[MARKET_WORKERS].free, best->start, best->slots);
	bool gang = best->server == MARKET_NOWHERE;
	size_t count = 0;

	for (uint32_t i = 0; i < m->server_count; i++) {
		uint32_t here = astra_minima_at(workers, i);

		if (i != best->server && here)
			m->places[count++] = (struct market_place){i, here};
	}
	qsort_r(m->places, count, sizeof(*m->places),
		market_offer_compare_places, gang ? m : NULL);
}

/* Return how many workers go to the server that has the PSs. */
static uint32_t workers_with_ps(const struct astra_market *m,
				const struct market_best *best)
{
	uint32_t all = best->amount[MARKET_WORKERS], here;

	if (best->server == MARKET_NOWHERE)
		return 0;
	if (best->centralized)
		return all;
	here = astra_minima_at(astra_minima_of(&m->sides[MARKET_WORKERS].free,
					       best->start, best->slots),
			       best->server);
	return here < all ? here : all - 1;
}

static void market_offer_add_part(struct astra_market_book *book,
				  struct astra_market_deal *deal,
				  uint32_t server, uint32_t workers)
{
	book->parts[book->part_count++] =
		(struct astra_market_part){server, workers};
	deal->part_count++;
}

/* Whether the schedule is possible on the servers where the job is now. */
static bool fits_at_home(const struct astra_market *m,
			 const struct astra_market_job *job,
			 const struct market_best *best)
{
	struct astra_minima_pair workers = astra_minima_of(
		&m->sides[MARKET_WORKERS].free, best->start, best->slots);
	uint32_t sum = 0;

	if (!job->no_ps || best->start || !job->home_count ||
	    best->centralized != (job->home_count == 1))
		return false;
	for (size_t i = 0; i < job->home_count; i++) {
		const struct astra_market_part *part = &job->home[i];

		if (astra_minima_at(workers, part->server) < part->workers)
			return false;
		sum += part->workers;
	}
	return sum == best->amount[MARKET_WORKERS];
}

static void market_offer_add_home(struct astra_market_book *book,
				  struct astra_market_deal *deal,
				  const struct astra_market_job *job)
{
	for (size_t i = 0; i < job->home_count; i++)
		market_offer_add_part(book, deal, job->home[i].server,
				      job->home[i].workers);
}

static void add_places(struct astra_market *m, const struct market_best *best,
		       struct astra_market_book *book,
		       struct astra_market_deal *deal)
{
	uint32_t here = workers_with_ps(m, best);
	uint32_t left = best->amount[MARKET_WORKERS] - here;

	if (here)
		market_offer_add_part(book, deal, best->server, here);
	if (left)
		market_offer_list_places(m, best);
	for (size_t i = 0; left; i++) {
		/* A job that is not on a single server is on at least two. */
		uint32_t most =
			i || best->server != MARKET_NOWHERE ? left : left - 1;
		uint32_t n =
			m->places[i].free < most ? m->places[i].free : most;

		market_offer_add_part(book, deal, m->places[i].server, n);
		left -= n;
	}
	qsort(&book->parts[deal->first_part], deal->part_count,
	      sizeof(*book->parts), compare_parts);
}

static void add_seats(struct astra_market *m,
		      const struct astra_market_job *job,
		      const struct market_best *best,
		      struct astra_market_book *book,
		      struct astra_market_deal *deal)
{
	const struct astra_market_part *parts;
	size_t count = market_seats(m, job, best->start, best->slots,
				    best->amount[MARKET_WORKERS],
				    best->centralized, &parts);

	for (size_t i = 0; i < count; i++)
		market_offer_add_part(book, deal, parts[i].server,
				      parts[i].workers);
	qsort(&book->parts[deal->first_part], deal->part_count,
	      sizeof(*book->parts), compare_parts);
}

static int market_offer_add_parts(struct astra_market *m,
				  const struct astra_market_job *job,
				  const struct market_best *best,
				  struct astra_market_book *book,
				  struct astra_market_deal *deal)
{
	size_t most = best->amount[MARKET_WORKERS];

	if (most > m->server_count)
		most = m->server_count;
	if (astra_grow(&book->parts, &book->part_room, book->part_count + most,
		       sizeof(*book->parts)) < 0)
		return -1;
	deal->first_part = book->part_count;
	if (job->picky)
		add_seats(m, job, best, book, deal);
	else if (fits_at_home(m, job, best))
		market_offer_add_home(book, deal, job);
	else
		add_places(m, best, book, deal);
	return 0;
}

/* Pay users for a job's slots, in proportion to what their own jobs left unused
 * in each slot (Eq. 2, Wang et al.). */
static void pay_users(const struct astra_market *m, int kind,
		      const struct market_best *best, double *incomes)
{
	const struct market_side *side = &m->sides[kind];
	uint32_t slots = m->window.slots;

	for (uint32_t i = best->start; i < best->start + best->slots; i++) {
		uint64_t unused =
			side->capacity - (side->used[i] - side->shared[i]);
		double pay = side->price[i] * best->amount[kind];

		for (size_t u = 0; pay > 0 && u < m->user_count; u++) {
			uint32_t own = side->own[u * slots + i];

			incomes[u] +=
				pay * (side->quota[u] - own) / (double)unused;
		}
	}
}

static int settle_shared(struct astra_market *m, uint32_t user,
			 const struct market_best *best,
			 struct astra_market_book *book,
			 struct astra_market_deal *deal)
{
	double *incomes;

	if (astra_grow(&book->incomes, &book->income_room,
		       book->income_count + m->user_count,
		       sizeof(*book->incomes)) < 0)
		return -1;
	deal->first_income = book->income_count;
	incomes = &book->incomes[deal->first_income];
	book->income_count += m->user_count;
	for (int kind = 0; kind < MARKET_KINDS; kind++)
		if (best->amount[kind])
			pay_users(m, kind, best, incomes);
	deal->pay_w = best->cost[MARKET_WORKERS];
	deal->pay_p = best->cost[MARKET_PS];
	for (size_t u = 0; u < m->user_count; u++)
		m->accounts[u].income += incomes[u];
	m->accounts[user].paid += deal->cost;
	return 0;
}

/* Add a schedule to the book as a deal, with its parts and what it pays.
 * Changes the accounts, but not yet the use of slots. Returns 0, or -1 when
 * memory is out. */
static int market_book_add(struct astra_market *m,
			   const struct astra_market_job *job, bool shared,
			   const struct market_best *best,
			   struct astra_market_book *book)
{
	uint32_t first = m->window.begin + 1 + best->start;
	struct astra_market_deal deal = {
		.interval = m->window.interval,
		.round = m->window.round,
		.shared = shared,
		.centralized = best->centralized,
		.start = first,
		.end = first + best->slots - 1,
		.workers = best->amount[MARKET_WORKERS],
		.ps = best->amount[MARKET_PS],
		.ps_server = best->server,
		.value = best->value,
		.cost = best->cost[0] + best->cost[1],
		.mu = best->mu,
	};

	deal.utility = market_value(job, deal.end - job->arrival);
	if (astra_grow(&book->deals, &book->room, book->count + 1,
		       sizeof(deal)) < 0 ||
	    market_offer_add_parts(m, job, best, book, &deal) < 0 ||
	    (shared && settle_shared(m, job->user, best, book, &deal) < 0))
		return -1;
	m->accounts[job->user].utility += deal.utility;
	book->deals[book->count++] = deal;
	return 0;
}

static void take_here(struct market_side *side, uint32_t server, uint32_t n,
		      uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		astra_minima_row(&side->free, i)[server] -= n;
	astra_minima_update(&side->free, server, first, end);
}

void market_take(struct astra_market *m, const struct astra_market_job *job,
		 const struct astra_market_deal *deal,
		 const struct astra_market_part *parts)
{
	const uint32_t amount[MARKET_KINDS] = {deal->workers, deal->ps};
	uint32_t first = deal->start - m->window.begin - 1;
	uint32_t end = deal->end - m->window.begin;

	if (m->seats)
		astra_seats_take(m->seats, job->demand, first, end, parts,
				 deal->part_count);
	for (size_t i = 0; i < deal->part_count; i++)
		take_here(&m->sides[MARKET_WORKERS], parts[i].server,
			  parts[i].workers, first, end);
	if (deal->ps)
		take_here(&m->sides[MARKET_PS], deal->ps_server, deal->ps,
			  first, end);
	for (int kind = 0; kind < MARKET_KINDS; kind++) {
		struct market_side *side = &m->sides[kind];
		uint32_t *own = side->own + (size_t)job->user * m->window.slots;

		for (uint32_t i = first; i < end; i++) {
			side->used[i] += amount[kind];
			if (deal->shared)
				side->shared[i] += amount[kind];
			else
				own[i] += amount[kind];
			side->price[i] = market_price(side, side->used[i],
						      side->capacity);
		}
	}
}

/* Run a phase. Returns how many jobs are left in `offered`, or -1 when memory
 * is out. */
static int run_phase(struct astra_market *m, bool shared,
		     const struct astra_market_job *jobs, uint32_t *offered,
		     size_t *count, struct astra_market_book *book)
{
	size_t left = 0;

	for (size_t i = 0; i < *count; i++) {
		const struct astra_market_job *job = &jobs[offered[i]];
		struct astra_market_deal *deal;
		struct market_best best;

		if (!market_search(m, job, shared, &best)) {
			offered[left++] = offered[i];
			continue;
		}
		if (market_book_add(m, job, shared, &best, book) < 0)
			return -1;
		deal = &book->deals[book->count - 1];
		deal->job = offered[i];
		market_take(m, job, deal, &book->parts[deal->first_part]);
	}
	*count = left;
	return 0;
}

static int market_offer_compare_jobs(const void *a, const void *b, void *jobs)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct astra_market_job *all = jobs;

	if (all[i].arrival < all[k].arrival)
		return -1;
	if (all[i].arrival > all[k].arrival)
		return 1;
	return i < k ? -1 : i > k;
}

int astra_market_offer_own(struct astra_market *m,
			   const struct astra_market_job *jobs,
			   uint32_t *offered, size_t *count,
			   struct astra_market_book *book,
			   struct astra_error *err)
{
	qsort_r(offered, *count, sizeof(*offered), market_offer_compare_jobs,
		(void *)(uintptr_t)jobs);
	return run_phase(m, false, jobs, offered, count, book) < 0
		       ? astra_error_nomem(err)
		       : 0;
}

int astra_market_offer(struct astra_market *m,
		       const struct astra_market_job *jobs, uint32_t *offered,
		       size_t *count, struct astra_market_book *book,
		       struct astra_error *err)
{
	if (astra_market_offer_own(m, jobs, offered, count, book, err) < 0)
		return -1;
	return run_phase(m, true, jobs, offered, count, book) < 0
		       ? astra_error_nomem(err)
		       : 0;
}
