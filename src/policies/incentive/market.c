/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/incentive/market.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/policies/incentive/market_priv.h"

double astra_market_price(double theta, uint64_t used, uint64_t capacity)
{
	if (!used || !capacity)
		return 0;
	return pow(theta, (double)used / (double)capacity) - 1;
}

static uint32_t market_room_of(const struct astra_market_room *room, int kind)
{
	return kind == MARKET_WORKERS ? room->workers : room->ps;
}

/* Copy the capacities of one kind (workers or PSs). Returns their sum. */
static uint64_t copy_rooms(const struct astra_market_room *rooms, size_t count,
			   int kind, uint32_t *out)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		out[i] = market_room_of(&rooms[i], kind);
		sum += out[i];
	}
	return sum;
}

static int set_up_kind(struct astra_market *m,
		       const struct astra_market_setup *setup, int kind,
		       struct astra_error *err)
{
	struct market_side *side = &m->sides[kind];
	uint64_t quotas;

	m->capacity[kind] =
		calloc(m->server_count + 1, sizeof(*m->capacity[kind]));
	side->quota = calloc(m->user_count + 1, sizeof(*side->quota));
	if (!m->capacity[kind] || !side->quota)
		return astra_error_nomem(err);
	side->theta = kind == MARKET_WORKERS ? setup->theta_w : setup->theta_p;
	side->unit = setup->unit > 0 ? setup->unit : 1;
	side->capacity = copy_rooms(setup->servers, m->server_count, kind,
				    m->capacity[kind]);
	quotas = copy_rooms(setup->quotas, m->user_count, kind, side->quota);
	if (side->capacity > UINT32_MAX)
		return astra_error_set(err, "the servers have more than 2^32");
	if (quotas != side->capacity)
		return astra_error_set(err,
				       "the quotas of %s sum to %" PRIu64
				       ", the servers have %" PRIu64,
				       kind == MARKET_WORKERS
					       ? "workers"
					       : "parameter servers",
				       quotas, side->capacity);
	return 0;
}

static int copy_budgets(struct astra_market *m,
			const struct astra_market_setup *setup)
{
	if (!setup->budgets)
		return 0;
	m->budgets = calloc(m->user_count + 1, sizeof(*m->budgets));
	for (size_t u = 0; m->budgets && u < m->user_count; u++)
		m->budgets[u] = setup->budgets[u];
	return m->budgets ? 0 : -1;
}

struct astra_market *astra_market_create(const struct astra_market_setup *setup,
					 struct astra_error *err)
{
	struct astra_market *m = calloc(1, sizeof(*m));

	if (!m) {
		astra_error_nomem(err);
		return NULL;
	}
	m->bandwidth = setup->b_w > 0 ? setup->b_w / setup->b_p : 0;
	m->own_share = setup->own_share;
	m->seats = setup->seats;
	m->server_count = setup->server_count;
	m->user_count = setup->user_count;
	m->accounts = calloc(m->user_count + 1, sizeof(*m->accounts));
	m->places = calloc(m->server_count + 1, sizeof(*m->places));
	if (!m->accounts || !m->places || copy_budgets(m, setup) < 0) {
		astra_error_nomem(err);
		goto fail;
	}
	for (int kind = 0; kind < MARKET_KINDS; kind++)
		if (set_up_kind(m, setup, kind, err) < 0)
			goto fail;
	return m;
fail:
	astra_market_destroy(m);
	return NULL;
}

static void side_close(struct market_side *side)
{
	astra_minima_clear(&side->free);
	astra_minima_clear(&side->limit);
	free(side->used);
	free(side->shared);
	free(side->price);
	free(side->own);
	free(side->sum);
	free(side->sum_rest);
}

static void close_window(struct astra_market *m)
{
	for (int kind = 0; kind < MARKET_KINDS; kind++)
		side_close(&m->sides[kind]);
	free(m->value);
	free(m->options);
	free(m->spots);
}

void astra_market_destroy(struct astra_market *m)
{
	if (!m)
		return;
	close_window(m);
	for (int kind = 0; kind < MARKET_KINDS; kind++) {
		free(m->sides[kind].quota);
		free(m->capacity[kind]);
	}
	free(m->accounts);
	free(m->budgets);
	free(m->places);
	free(m);
}

static int side_open(struct astra_market *m, struct market_side *side,
		     const uint32_t *capacity)
{
	uint32_t slots = m->window.slots;

	*side = (struct market_side){
		.theta = side->theta,
		.unit = side->unit,
		.capacity = side->capacity,
		.quota = side->quota,
		.used = calloc(slots, sizeof(*side->used)),
		.shared = calloc(slots, sizeof(*side->shared)),
		.price = calloc(slots, sizeof(*side->price)),
		.own = calloc(m->user_count * slots + 1, sizeof(*side->own)),
		.sum = calloc(slots + 1, sizeof(*side->sum)),
		.sum_rest = calloc(slots + 1, sizeof(*side->sum_rest)),
	};
	if (astra_minima_init(&side->free, slots, m->server_count) < 0 ||
	    astra_minima_init(&side->limit, slots, 1) < 0 || !side->used ||
	    !side->shared || !side->price || !side->own || !side->sum ||
	    !side->sum_rest)
		return -1;
	for (uint32_t i = 0; m->server_count && i < slots; i++)
		memcpy(astra_minima_row(&side->free, i), capacity,
		       m->server_count * sizeof(*capacity));
	astra_minima_build(&side->free);
	return 0;
}

int astra_market_begin(struct astra_market *m,
		       const struct astra_market_window *window,
		       struct astra_error *err)
{
	int rc = 0;

	close_window(m);
	m->window = *window;
	m->value = calloc(window->slots, sizeof(*m->value));
	m->options = calloc(2 * (size_t)window->slots, sizeof(*m->options));
	m->spots = calloc((size_t)window->slots + 1, sizeof(*m->spots));
	for (int kind = 0; kind < MARKET_KINDS; kind++)
		rc |= side_open(m, &m->sides[kind], m->capacity[kind]);
	if (rc < 0 || !m->value || !m->options || !m->spots)
		return astra_error_nomem(err);
	return 0;
}

uint64_t astra_market_used(const struct astra_market *m, uint32_t slot)
{
	return m->sides[MARKET_WORKERS].used[slot];
}

uint32_t astra_market_own(const struct astra_market *m, uint32_t user,
			  uint32_t slot)
{
	return m->sides[MARKET_WORKERS]
		.own[(size_t)user * m->window.slots + slot];
}

const struct astra_market_account *
astra_market_account(const struct astra_market *m, uint32_t user)
{
	return &m->accounts[user];
}

void astra_market_book_clear(struct astra_market_book *book)
{
	free(book->deals);
	free(book->parts);
	free(book->incomes);
	*book = (struct astra_market_book){0};
}
