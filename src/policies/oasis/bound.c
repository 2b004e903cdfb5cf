/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A lower bound of a job's cost for each slot in which it could end, and
 * schedules that often cost no more.
 *
 * Let c_t(x) be the cost of work x in slot t. On the lower convex hull of c_t
 * the optimum takes the flattest edges first. The edges taken stay in a heap as
 * slots are added. If the steepest edge taken has the slope lambda, then by
 * duality
 *
 *   cost >= sum_t min_x (c_t(x) - lambda x) + lambda W.
 *
 * A schedule is worse than the optimum by at most the sum of its choices'
 * distances from these minima. If c_t has no steps, that sum is 0. */
#include <stdlib.h>
#include <string.h>

#include "src/common/grow.h"
#include "src/policies/oasis/oasis_priv.h"

struct sweep {
	uint64_t size; /* sum of the sizes of the edges in the heap */
	double cost, peak;
};

void oasis_edge_up(struct oasis_edge *heap, size_t at)
{
	struct oasis_edge moved = heap[at];

	while (at && heap[(at - 1) / 2].slope < moved.slope) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = moved;
}

void oasis_edge_down(struct oasis_edge *heap, size_t count)
{
	struct oasis_edge moved = heap[0];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count &&
		    heap[child + 1].slope > heap[child].slope)
			child++;
		if (heap[child].slope <= moved.slope)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* Find the edges of a slot's lower hull, from no work to as much as can be
 * done. Returns their number. */
static size_t make_hull(struct oasis_search *search, uint32_t slot)
{
	const double *costs = oasis_costs(search, slot);
	struct oasis_edge *hull = search->hull;
	uint64_t size = 0;
	double cost = 0;
	size_t count = 0;

	for (uint32_t k = 1; k < search->feasible[slot]; k++) {
		struct oasis_edge e = {
			.cost = costs[k] - cost,
			.size = search->options[k].size - size,
		};

		if (!e.size)
			continue;
		size = search->options[k].size;
		cost = costs[k];
		e.slope = e.cost / (double)e.size;
		while (count && hull[count - 1].slope >= e.slope) {
			e.cost += hull[count - 1].cost;
			e.size += hull[--count].size;
			e.slope = e.cost / (double)e.size;
		}
		hull[count++] = e;
	}
	return count;
}

static int add_slot(struct oasis_search *search, struct sweep *sweep,
		    uint32_t slot)
{
	size_t count = make_hull(search, slot);

	if (astra_grow(&search->edges, &search->edge_room,
		       search->edge_count + count, sizeof(*search->edges)) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct oasis_edge *heap = search->edges, e = search->hull[i];

		if (sweep->size >= search->total && e.slope >= heap[0].slope)
			break;
		heap[search->edge_count] = e;
		oasis_edge_up(heap, search->edge_count++);
		sweep->size += e.size;
		sweep->cost += e.cost;
		sweep->peak = fmax(sweep->peak, sweep->cost);
		while (sweep->size - heap[0].size >= search->total) {
			sweep->size -= heap[0].size;
			sweep->cost -= heap[0].cost;
			heap[0] = heap[--search->edge_count];
			oasis_edge_down(heap, search->edge_count);
		}
	}
	return 0;
}

int oasis_bound(struct oasis_search *search)
{
	const struct astra_oasis_job *job = search->job;
	struct sweep sweep = {0};

	if (astra_grow(&search->endings, &search->ending_room, search->slots,
		       sizeof(*search->endings)) < 0 ||
	    astra_grow(&search->choice, &search->choice_room, search->slots,
		       sizeof(*search->choice)) < 0 ||
	    astra_grow(&search->tied, &search->tied_room, search->slots,
		       sizeof(*search->tied)) < 0 ||
	    astra_grow(&search->hull, &search->hull_room, search->option_count,
		       sizeof(*search->hull)) < 0)
		return -1;
	search->edge_count = 0;
	for (uint32_t t = 0; t < search->slots; t++) {
		struct oasis_ending *e = &search->endings[t];

		if (add_slot(search, &sweep, t) < 0)
			return -1;
		*e = (struct oasis_ending){
			.utility = oasis_utility(job, search->from + t),
			.cost = HUGE_VAL,
			.possible = sweep.size >= search->total,
		};
		if (!e->possible)
			continue;
		e->lambda = search->edges[0].slope;
		e->bound = sweep.cost -
			   e->lambda * (double)(sweep.size - search->total) -
			   OASIS_NOISE * sweep.peak;
	}
	return 0;
}

double oasis_least(const struct oasis_search *search, uint32_t slot,
		   double lambda)
{
	const double *costs = oasis_costs(search, slot);
	double least = 0;

	for (uint32_t k = 1; k < search->feasible[slot]; k++)
		least = fmin(least, oasis_reduced(search, costs, k, lambda));
	return least;
}

static struct oasis_tied find_tied(const struct oasis_search *search,
				   uint32_t slot, double lambda)
{
	const double *costs = oasis_costs(search, slot);
	uint32_t count = search->feasible[slot];
	struct oasis_tied tied = {
		.least = oasis_least(search, slot, lambda),
		.first = UINT32_MAX,
	};
	double noise =
		OASIS_NOISE * lambda * (double)search->options[count - 1].size;

	for (uint32_t k = 0; k < count; k++) {
		if (oasis_reduced(search, costs, k, lambda) - tied.least >
		    noise)
			continue;
		if (tied.first == UINT32_MAX)
			tied.first = k;
		tied.last = k;
	}
	return tied;
}

/* Return the first option from `first` to `last` that does at least `more` work
 * more than `first`. If none does, return `last`. */
static uint32_t bound_enough(const struct oasis_search *search, uint32_t first,
			     uint32_t last, uint64_t more)
{
	uint64_t size = search->options[first].size + more;

	while (first < last && search->options[first].size < size)
		first++;
	return first;
}

void oasis_greedy(struct oasis_search *search, uint32_t last)
{
	struct oasis_ending *e = &search->endings[last];
	double lambda = e->lambda, gap = 0, cost = 0;
	uint64_t done = 0, missing;

	for (uint32_t t = 0; t <= last; t++) {
		search->tied[t] = find_tied(search, t, lambda);
		done += search->options[search->tied[t].first].size;
	}
	missing = done < search->total ? search->total - done : 0;
	if (done > search->total)
		gap = lambda * (double)(done - search->total);
	for (uint32_t t = 0; t <= last; t++) {
		const double *costs = oasis_costs(search, t);
		const struct oasis_tied *tied = &search->tied[t];
		uint32_t k = tied->first;

		if (missing)
			k = bound_enough(search, k, tied->last, missing);
		done = search->options[k].size -
		       search->options[tied->first].size;
		gap += oasis_reduced(search, costs, k, lambda) - tied->least;
		if (done > missing)
			gap += lambda * (double)(done - missing);
		missing -= done < missing ? done : missing;
		cost += costs[k];
		search->choice[t] = k;
	}
	if (missing)
		return;
	e->cost = cost;
	e->exact = gap <= OASIS_NOISE * cost;
}
