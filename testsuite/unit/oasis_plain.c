/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testsuite/unit/oasis_plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"

static double uniform(struct astra_random *random, double low, double high)
{
	return low + (high - low) * astra_random_uniform(random);
}

static uint32_t pick(struct astra_random *random, uint32_t low, uint32_t high)
{
	return low + (uint32_t)astra_random_below(random, high - low + 1);
}

static void side_random(struct plain_side *side, struct astra_random *random,
			uint32_t slots, uint32_t servers, double capacity)
{
	side->count = servers;
	side->capacity = calloc(servers * PLAIN_RESOURCES + 1, sizeof(double));
	side->used =
		calloc(slots * servers * PLAIN_RESOURCES + 1, sizeof(double));
	for (size_t i = 0; i < servers * PLAIN_RESOURCES; i++)
		side->capacity[i] =
			pick(random, 0, 19) ? uniform(random, 1, capacity) : 0;
}

/* Some want no PSs, some whole GPUs, some as many workers as they have. */
static void job_random(struct plain_world *w, size_t index,
		       struct astra_random *random,
		       const struct plain_size *size)
{
	struct astra_oasis_job *job = &w->jobs[index];
	bool lonely = !pick(random, 0, 4), whole = pick(random, 0, 1);

	*job = (struct astra_oasis_job){
		.epochs = uniform(random, 1, size->epochs),
		.workers = pick(random, 1, size->workers),
		.workers_min = 1,
		.batches = pick(random, 1, 4),
		.batch_slots = uniform(random, .02, .2),
		.gradient = lonely ? 0 : uniform(random, 0, .2),
		.bandwidth = lonely ? 0 : uniform(random, 1, 4),
		.ps_bandwidth = uniform(random, 3, 20),
		.worker = w->demand[index][0],
		.ps = w->demand[index][1],
		.utility = {.kind = ASTRA_UTILITY_SIGMOID},
	};
	if (!pick(random, 0, 3))
		job->workers_min = pick(random, 1, job->workers);
	job->utility.sigmoid.g1 = uniform(random, 1, 100);
	job->utility.sigmoid.g2 =
		pick(random, 0, 4) ? uniform(random, .01, 1) : 0;
	job->utility.sigmoid.g3 = uniform(random, 1, size->slots);
	for (size_t r = 0; r < PLAIN_RESOURCES; r++)
		for (int k = 0; k < 2; k++)
			w->demand[index][k][r] =
				!pick(random, 0, 4) ? 0
				: whole		    ? 1
						    : uniform(random, .5, 1.5);
}

void plain_world_random(struct plain_world *w, const struct plain_size *size,
			uint64_t seed)
{
	struct astra_random random = astra_random_seed(seed);
	struct astra_oasis_history history;
	double sums[2] = {0};
	int64_t arrival = 1;

	*w = (struct plain_world){.slots = pick(&random, 1, size->slots)};
	side_random(&w->workers, &random, w->slots,
		    pick(&random, 1, size->servers), size->capacity);
	side_random(
		&w->ps, &random, w->slots,
		pick(&random, pick(&random, 0, 5) ? 1 : 0, size->ps_servers),
		size->capacity);
	w->job_count = pick(&random, 1, size->jobs);
	astra_oasis_history_init(&history);
	for (size_t i = 0; i < w->job_count; i++) {
		job_random(w, i, &random, size);
		w->jobs[i].arrival = arrival;
		if (arrival < w->slots && !pick(&random, 0, 2))
			arrival++;
		astra_oasis_history_add(&history, &w->jobs[i],
					(double)(w->slots - w->jobs[i].arrival),
					PLAIN_RESOURCES);
	}
	for (size_t i = 0; i < w->workers.count * PLAIN_RESOURCES; i++)
		sums[0] += w->workers.capacity[i];
	for (size_t i = 0; i < w->ps.count * PLAIN_RESOURCES; i++)
		sums[1] += w->ps.capacity[i];
	astra_oasis_history_range(&history, PLAIN_RESOURCES, w->slots, sums[0],
				  sums[1], &w->range);
	w->workers.upper = w->range.u1;
	w->workers.lower = w->range.l1;
	w->ps.upper = w->range.u2;
	w->ps.lower = w->range.l2;
}

void plain_world_raise(struct plain_world *w, double times)
{
	w->workers.lower = w->range.l1 *= times;
	w->ps.lower = w->range.l2 *= times;
	for (size_t r = 0; r < PLAIN_RESOURCES; r++) {
		w->range.u1[r] = fmax(w->range.u1[r], w->range.l1);
		w->range.u2[r] = fmax(w->range.u2[r], w->range.l2);
	}
}

void plain_world_free(struct plain_world *w)
{
	free(w->workers.capacity);
	free(w->workers.used);
	free(w->ps.capacity);
	free(w->ps.used);
}

struct astra_oasis_setup plain_setup(const struct plain_world *w)
{
	return (struct astra_oasis_setup){
		.resources = PLAIN_RESOURCES,
		.slots = w->slots,
		.first = 1,
		.workers = {w->workers.capacity, w->workers.count},
		.ps = {w->ps.capacity, w->ps.count},
		.range = w->range,
		.whole_chunks = w->whole_chunks,
	};
}

struct stall {
	double cost;
	size_t server;
};

static int compare_stalls(const void *a, const void *b)
{
	const struct stall *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->server < y->server ? -1 : 1;
}

static const double *used_at(const struct plain_side *side, uint32_t slot,
			     size_t server)
{
	return &side->used[(slot * side->count + server) * PLAIN_RESOURCES];
}

/* The n cheapest, one after the other. */
static double cheapest(const struct plain_side *side, const double *demand,
		       uint32_t slot, uint32_t n)
{
	struct stall *stalls = calloc(side->count + 1, sizeof(*stalls));
	double cost = 0;

	for (size_t h = 0; h < side->count; h++) {
		const double *c = &side->capacity[h * PLAIN_RESOURCES];
		const double *g = used_at(side, slot, h);

		stalls[h].server = h;
		for (size_t r = 0; r < PLAIN_RESOURCES; r++)
			stalls[h].cost +=
				demand[r] <= 0 ? 0
				: c[r] <= 0    ? demand[r] * side->upper[r]
					       : demand[r] * side->lower *
						      pow(side->upper[r] /
								  side->lower,
							  g[r] / c[r]);
	}
	qsort(stalls, side->count, sizeof(*stalls), compare_stalls);
	for (size_t i = 0; n && i < side->count; i++) {
		const double *c =
			&side->capacity[stalls[i].server * PLAIN_RESOURCES];
		const double *g = used_at(side, slot, stalls[i].server);
		double room = n;

		for (size_t r = 0; r < PLAIN_RESOURCES; r++)
			if (demand[r] > 0)
				room = fmin(room, astra_floor((c[r] - g[r]) /
							      demand[r]));
		cost += fmax(0, room) * stalls[i].cost;
		n -= (uint32_t)fmax(0, room);
	}
	free(stalls);
	return n ? HUGE_VAL : cost;
}

static bool needs_nothing(const double *demand)
{
	for (size_t r = 0; r < PLAIN_RESOURCES; r++)
		if (demand[r] > 0)
			return false;
	return true;
}

double plain_cost(const struct plain_world *w,
		  const struct astra_oasis_job *job, uint32_t slot, uint32_t n)
{
	double z = 0;

	if (job->bandwidth > 0 && (w->ps.count || !needs_nothing(job->ps)))
		z = astra_ceil(n * job->bandwidth / job->ps_bandwidth);
	if (z > n)
		return HUGE_VAL;
	return cheapest(&w->workers, job->worker, slot, n) +
	       cheapest(&w->ps, job->ps, slot, (uint32_t)z);
}

/* Workers for so many units in a slot; more than there are where that cannot
 * be. A unit is a slot of a worker, or in Algorithm 2 a chunk. */
static uint32_t workers_for(const struct plain_world *w,
			    const struct astra_oasis_job *job, uint64_t units)
{
	double n = (double)units;

	if (w->whole_chunks && units)
		n = fmax(1, astra_ceil((double)units *
				       astra_oasis_chunk_slots(job)));
	return n > job->workers ? UINT32_MAX : (uint32_t)n;
}

struct plain_table {
	uint64_t total;
	double *least;	  /* by slots that are over, then units */
	uint64_t *choice; /* units of the last slot */
};

static void fill_slot(const struct plain_world *w,
		      const struct astra_oasis_job *job,
		      struct plain_table *table, uint32_t slot, double *costs)
{
	uint64_t total = table->total, most = 0;
	double *now = &table->least[(slot + 1) * (total + 1)];
	const double *before = now - (total + 1);

	/* A gang may do more than is left. */
	for (uint64_t u = 0; u <= total || !w->whole_chunks; u++, most++) {
		uint32_t n = workers_for(w, job, u);

		if (n == UINT32_MAX)
			break;
		costs[u] = n && n < job->workers_min
				   ? HUGE_VAL
				   : plain_cost(w, job, slot, n);
	}
	for (uint64_t v = 0; v <= total; v++) {
		now[v] = before[v];
		table->choice[(slot + 1) * (total + 1) + v] = 0;
		for (uint64_t u = 1; u < most; u++) {
			double sum = before[u < v ? v - u : 0] + costs[u];

			if (!(sum < now[v] * (1 - 1e-12)))
				continue;
			now[v] = sum;
			table->choice[(slot + 1) * (total + 1) + v] = u;
		}
	}
}

void plain_offer(const struct plain_world *w, const struct astra_oasis_job *job,
		 struct plain_best *out)
{
	double total = w->whole_chunks ? astra_ceil(job->epochs * job->workers)
				       : astra_oasis_work(job);
	struct plain_table table = {.total = (uint64_t)fmax(1, total)};
	uint64_t states = table.total + 1, v = table.total;
	double *costs = calloc(states + job->workers + 1, sizeof(double));
	uint32_t from = (uint32_t)job->arrival - 1;

	table.least = calloc((w->slots + 1) * states, sizeof(double));
	table.choice = calloc((w->slots + 1) * states, sizeof(uint64_t));
	for (uint64_t u = 1; u < states && from < w->slots; u++)
		table.least[from * states + u] = HUGE_VAL;
	out->payoff = -HUGE_VAL;
	memset(out->counts, 0, w->slots * sizeof(*out->counts));
	for (uint32_t t = from; t < w->slots; t++) {
		double cost, payoff;

		fill_slot(w, job, &table, t, costs);
		cost = table.least[(t + 1) * states + table.total];
		payoff = astra_utility_value(&job->utility,
					     (double)(t + 1 - job->arrival)) -
			 cost;
		if (isinf(cost) || (!isinf(out->payoff) &&
				    astra_compare(payoff, out->payoff) <= 0))
			continue;
		out->payoff = payoff;
		out->cost = cost;
		out->ending = t;
	}
	for (uint32_t t = out->ending + 1; !isinf(out->payoff) && t-- > from;) {
		uint64_t u = table.choice[(t + 1) * states + v];

		out->counts[t] = workers_for(w, job, u);
		v -= u < v ? u : v;
	}
	free(costs);
	free(table.least);
	free(table.choice);
}

static int use(struct plain_side *side, const double *demand,
	       const struct astra_oasis_places *places)
{
	for (size_t i = 0; i < places->count; i++) {
		const struct astra_oasis_place *p = &places->list[i];
		size_t at = ((size_t)(p->slot - 1) * side->count + p->server) *
			    PLAIN_RESOURCES;

		for (size_t r = 0; r < PLAIN_RESOURCES; r++) {
			side->used[at + r] += p->count * demand[r];
			if (demand[r] > 0 &&
			    side->used[at + r] >
				    side->capacity[p->server * PLAIN_RESOURCES +
						   r] +
					    1e-8)
				return -1;
		}
	}
	return 0;
}

int plain_commit(struct plain_world *w, const struct astra_oasis_job *job,
		 const struct astra_oasis_offer *offer)
{
	return use(&w->workers, job->worker, &offer->y) < 0 ||
			       use(&w->ps, job->ps, &offer->z) < 0
		       ? -1
		       : 0;
}
