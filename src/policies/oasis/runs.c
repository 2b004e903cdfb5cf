/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The best schedule if there is one server, no PSs, and a job is rigid or may
 * have any number of workers in a slot. Problem (28) is then to take the
 * cheapest units of work before each ending. A unit is one worker in a slot;
 * for a rigid job it is all workers in a slot.
 *
 * Slots that are used alike are treated together, as a run. The units taken are
 * in a heap with the most expensive on top. Along a cheaper run, each slot
 * replaces as many units of the top as it has. The cost falls by the same
 * amount from ending to ending until the top's units are used up. Worth falls
 * too. So no ending in such a stretch is better than the worth of its first
 * ending minus the cost of its last. */
#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/policies/oasis/oasis_priv.h"

/* The units of a slot. */
struct offered {
	uint64_t units;
	double cost; /* cost of one unit */
};

struct ride {
	const struct astra_oasis_market *market;
	struct oasis_search *search;
	uint64_t gang; /* workers in a unit */
	uint64_t need; /* units that the job needs */
	uint32_t last; /* the last slot that is looked at */

	uint64_t taken;
	struct oasis_sum cost; /* cost of the units taken */
	uint32_t slot;	       /* the next one */

	bool silent; /* endings are ignored */
	bool found;
	double floor; /* smaller payoffs do not matter */
	bool strict;  /* payoffs equal to floor do not matter either */
	bool tie;     /* an ending that is tied with the best is not better */
	double best;
	uint32_t at;
};

/* Endings of a run, each of which replaces some of the most expensive units. */
struct stretch {
	double base; /* cost of all other units */
	uint64_t left;
	double old_cost;
	struct offered added;
};

bool oasis_is_simple(const struct astra_oasis_market *market,
		     const struct astra_oasis_job *job)
{
	bool any = job->workers_min <= 1 || job->workers_min == job->workers;

	return any && market->workers.count == 1 && !market->whole_chunks &&
	       job->bandwidth <= 0 && astra_utility_falls(&job->utility);
}

static struct offered offered_in(const struct ride *ride, size_t row)
{
	const struct astra_oasis_market *market = ride->market;
	const struct astra_oasis_job *job = ride->search->job;
	const double *price = &market->workers.price[row * market->resources];
	struct offered o;
	double cost = 0;

	for (size_t r = 0; r < market->resources; r++)
		if (job->worker[r] > 0)
			cost += job->worker[r] * price[r];
	o.cost = cost * (double)ride->gang;
	o.units = oasis_room_at(market, &market->workers, row, 0, job->worker,
				job->workers) /
		  ride->gang;
	if (o.units > ride->need)
		o.units = ride->need;
	return o;
}

static double ride_utility(const struct ride *ride, uint32_t slot)
{
	return oasis_utility(ride->search->job, ride->search->from + slot);
}

static bool matters(const struct ride *ride, double payoff)
{
	return payoff > ride->floor || (payoff == ride->floor && !ride->strict);
}

static void runs_note(struct ride *ride, uint32_t slot, double payoff)
{
	if (!matters(ride, payoff) || (ride->found && ride->tie &&
				       astra_compare(payoff, ride->best) <= 0))
		return;
	ride->found = true;
	ride->best = payoff;
	ride->at = slot;
	if (ride->tie)
		return;
	ride->floor = payoff;
	ride->strict = true;
}

static double stretch_cost(const struct stretch *s, uint32_t slots)
{
	uint64_t displaced = slots * s->added.units;

	return s->base + (double)displaced * s->added.cost +
	       (double)(s->left - displaced) * s->old_cost;
}

/* Look at the endings after `first` to `last` slots of a stretch. utility: that
 * of the first ending. */
static void scan(struct ride *ride, const struct stretch *s, uint32_t first,
		 uint32_t last, double utility)
{
	double most = utility - stretch_cost(s, last);
	uint32_t middle = first + (last - first) / 2;

	if (!matters(ride, most))
		return;
	if (first == last) {
		runs_note(ride, ride->slot + first - 1, most);
		return;
	}
	scan(ride, s, first, middle, utility);
	scan(ride, s, middle + 1, last,
	     ride_utility(ride, ride->slot + middle));
}

static int runs_take(struct ride *ride, uint64_t units, double cost)
{
	struct oasis_search *search = ride->search;

	if (astra_grow(&search->edges, &search->edge_room,
		       search->edge_count + 1, sizeof(*search->edges)) < 0)
		return -1;
	search->edges[search->edge_count] =
		(struct oasis_edge){.slope = cost, .size = units};
	oasis_edge_up(search->edges, search->edge_count++);
	oasis_sum_add(&ride->cost, (double)units * cost);
	ride->taken += units;
	return 0;
}

/* Drop `units` of the most expensive units, or all units of the top if it has
 * fewer. Returns how many were dropped. */
static uint64_t runs_drop(struct ride *ride, uint64_t units)
{
	struct oasis_search *search = ride->search;
	struct oasis_edge *top = search->edges;

	oasis_sum_add(&ride->cost, -(double)top->size * top->slope);
	ride->taken -= top->size;
	if (units < top->size) {
		top->size -= units;
		oasis_sum_add(&ride->cost, (double)top->size * top->slope);
		ride->taken += top->size;
		return units;
	}
	units = top->size;
	*top = search->edges[--search->edge_count];
	oasis_edge_down(search->edges, search->edge_count);
	return units;
}

static bool is_dearer(const struct ride *ride, double cost)
{
	return ride->search->edges[0].slope > cost * (1 + OASIS_NOISE);
}

/* Add a slot: take units that are missing, then units that replace more
 * expensive ones. */
static int ride_slot(struct ride *ride, const struct offered *o)
{
	uint64_t missing = ride->need - ride->taken;
	uint64_t added = missing < o->units ? missing : o->units;

	while (added < o->units && ride->search->edge_count &&
	       is_dearer(ride, o->cost))
		added += runs_drop(ride, o->units - added);
	if (runs_take(ride, added, o->cost) < 0)
		return -1;
	if (ride->taken == ride->need && !ride->silent)
		runs_note(ride, ride->slot,
			  ride_utility(ride, ride->slot) -
				  oasis_sum(&ride->cost));
	ride->slot++;
	return 0;
}

/* Add slots that each replace only units of the top. */
static int ride_stretch(struct ride *ride, const struct offered *o,
			uint32_t slots)
{
	const struct oasis_edge top = ride->search->edges[0];
	uint64_t displaced = slots * o->units;

	if (!ride->silent) {
		struct oasis_sum base = ride->cost;
		struct stretch s = {
			.left = top.size, .old_cost = top.slope, .added = *o};

		oasis_sum_add(&base, -(double)top.size * top.slope);
		s.base = fmax(0, oasis_sum(&base));
		scan(ride, &s, 1, slots, ride_utility(ride, ride->slot));
	}
	runs_drop(ride, displaced);
	ride->slot += slots;
	return runs_take(ride, displaced, o->cost);
}

/* Add slots whose units are all taken, because units are missing. */
static int fill_slots(struct ride *ride, const struct offered *o,
		      uint32_t slots)
{
	if (runs_take(ride, slots * o->units, o->cost) < 0)
		return -1;
	ride->slot += slots;
	if (ride->taken == ride->need && !ride->silent)
		runs_note(ride, ride->slot - 1,
			  ride_utility(ride, ride->slot - 1) -
				  oasis_sum(&ride->cost));
	return 0;
}

static uint32_t least_of(uint32_t slots, uint64_t other)
{
	return other < slots ? (uint32_t)other : slots;
}

static int ride_run(struct ride *ride, const struct offered *o, uint32_t slots)
{
	while (slots && o->units) {
		uint64_t missing = ride->need - ride->taken;
		uint32_t before = ride->slot, some;
		int rc;

		if (missing) {
			some = least_of(slots, missing / o->units);
			rc = some ? fill_slots(ride, o, some)
				  : ride_slot(ride, o);
		} else if (is_dearer(ride, o->cost)) {
			some = least_of(slots,
					ride->search->edges[0].size / o->units);
			rc = some ? ride_stretch(ride, o, some)
				  : ride_slot(ride, o);
		} else {
			break;
		}
		if (rc < 0)
			return -1;
		slots -= ride->slot - before;
	}
	ride->slot += slots;
	return 0;
}

/* Go through the runs from the search's first slot to the ride's last. */
static int ride_all(struct ride *ride)
{
	const struct oasis_runs *runs = &ride->market->runs;
	uint32_t skip = (uint32_t)(ride->search->from - ride->market->first);

	ride->search->edge_count = 0;
	ride->taken = 0;
	ride->cost = (struct oasis_sum){0};
	ride->slot = 0;
	for (size_t i = 0; i < runs->count && ride->slot <= ride->last; i++) {
		uint32_t slots = runs->list[i].slots;
		struct offered o;

		if (skip >= slots) {
			skip -= slots;
			continue;
		}
		slots = least_of(slots - skip, ride->last + 1 - ride->slot);
		skip = 0;
		o = offered_in(ride, runs->list[i].row);
		if (ride_run(ride, &o, slots) < 0)
			return -1;
	}
	return 0;
}

/* Find the best ending. If it is worth its price, find the first ending that is
 * tied with it. */
static int find_ending(struct ride *ride)
{
	ride->floor = -HUGE_VAL;
	ride->strict = true;
	if (ride_all(ride) < 0)
		return -1;
	if (!ride->found || ride->best <= ASTRA_TIE)
		return 0;
	ride->last = ride->at;
	ride->floor = oasis_floor_of(ride->best);
	ride->strict = ride->found = false;
	ride->tie = true;
	return ride_all(ride);
}

/* Return how many of the units taken are as expensive as the most expensive
 * one. */
static uint64_t dearest_units(const struct ride *ride)
{
	const struct oasis_edge *edges = ride->search->edges;
	uint64_t units = ride->need;

	for (size_t i = 0; i < ride->search->edge_count; i++)
		if (oasis_is_cheaper(edges[i].slope, edges[0].slope))
			units -= edges[i].size;
	return units;
}

static int runs_place_in(const struct ride *ride, uint32_t slot, uint64_t units,
			 double cost, struct astra_oasis_offer *out)
{
	int64_t at = ride->search->from + slot;

	if (!units)
		return 0;
	out->cost += (double)units * cost;
	out->t_hat = at;
	return oasis_add_place(&out->y, at, 0, (uint32_t)(units * ride->gang));
}

/* Place the cheapest units up to the ending. Of the most expensive ones, take
 * the earliest. */
static int place_units(struct ride *ride, struct astra_oasis_offer *out)
{
	uint64_t missing;
	double top;

	ride->last = ride->at;
	ride->silent = true;
	if (ride_all(ride) < 0)
		return -1;
	top = ride->search->edges[0].slope;
	missing = dearest_units(ride);
	out->cost = 0;
	for (uint32_t t = 0; t <= ride->at; t++) {
		struct offered o =
			offered_in(ride, oasis_row_of(ride->market,
						      ride->search->from + t));

		if (oasis_is_cheaper(top, o.cost))
			continue;
		if (!oasis_is_cheaper(o.cost, top)) {
			o.units = o.units < missing ? o.units : missing;
			missing -= o.units;
		}
		if (runs_place_in(ride, t, o.units, o.cost, out) < 0)
			return -1;
	}
	return 0;
}

int oasis_simple_offer(struct astra_oasis_market *market,
		       struct astra_oasis_offer *out)
{
	struct oasis_search *search = &market->search;
	const struct astra_oasis_job *job = search->job;
	struct ride ride = {
		.market = market,
		.search = search,
		.gang = job->workers_min > 1 ? job->workers : 1,
		.last = search->slots - 1,
	};

	ride.need = astra_div_up(search->total, ride.gang);
	if (oasis_list_runs(market) < 0 || find_ending(&ride) < 0)
		return -1;
	if (!ride.found)
		return 0;
	out->payoff = ride.best;
	out->cost = ride_utility(&ride, ride.at) - ride.best;
	out->accepted = astra_compare(ride.best, 0) > 0;
	if (!out->accepted)
		return 0;
	if (place_units(&ride, out) < 0)
		return -1;
	out->payoff = ride_utility(&ride, ride.at) - out->cost;
	out->utility = oasis_utility(job, out->t_hat);
	return 0;
}
