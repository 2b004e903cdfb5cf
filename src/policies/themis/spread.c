/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/spread.h"

#include <math.h>
#include <stdlib.h>

/* So many numbers of jobs that span machines are tried. */
#define TRIALS 16

/* GPUs of one machine that jobs may have for themselves: `count` times so many.
 */
struct piece {
	uint32_t gpus, count, rack;
	double worth; /* of one of them */
};

/* GPUs of one rack that jobs on one machine leave. */
struct pool {
	uint32_t rack;
	uint64_t gpus;
};

struct division {
	const struct astra_themis_crew *crew;
	struct piece *pieces; /* what is worth most first */
	size_t piece_count;
	struct pool *crumbs; /* too small for a job */
	size_t crumb_count;
	struct pool *pools;
	size_t pool_count;
	uint32_t *rests; /* scratch: of each pool */
	uint64_t pooled; /* GPUs of all pools */
};

/* Two lists as one, in the order of their machines. */
struct walk {
	struct astra_themis_shares a, b;
	size_t i, j;
};

static bool walk_next(struct walk *w, struct astra_themis_share *out)
{
	const struct astra_themis_share *a = w->a.share + w->i;
	const struct astra_themis_share *b = w->b.share + w->j;
	bool more_a = w->i < w->a.count, more_b = w->j < w->b.count;

	if (!more_a && !more_b)
		return false;
	out->gpus = 0;
	if (more_a && (!more_b || a->machine <= b->machine)) {
		*out = *a;
		w->i++;
	}
	if (more_b && (!more_a || b->machine <= a->machine)) {
		out->machine = b->machine;
		out->gpus += b->gpus;
		w->j++;
	}
	return true;
}

static uint64_t spread_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t pieces_of(uint32_t gpus, uint32_t gpus_max)
{
	return ((uint64_t)gpus + gpus_max - 1) / gpus_max;
}

uint64_t astra_themis_pieces(struct astra_themis_shares shares,
			     uint32_t gpus_max)
{
	uint64_t pieces = 0;

	for (size_t i = 0; i < shares.count; i++)
		pieces += pieces_of(shares.share[i].gpus, gpus_max);
	return pieces;
}

/* Of so many GPUs together, those that jobs can use: fewer than one needs are
 * of no use, unless others can spare some. */
static uint64_t of_use(const struct astra_themis_crew *crew, uint64_t gpus)
{
	return spread_least(gpus, gpus / crew->gpus_min * crew->gpus_max);
}

/* Of these, what is over jobs of d each. */
static uint32_t last_of(const struct astra_themis_crew *crew, uint64_t gpus)
{
	return (uint32_t)(of_use(crew, gpus) % crew->gpus_max);
}

bool astra_themis_fits_alone(const struct astra_themis_crew *crew,
			     struct astra_themis_shares held,
			     struct astra_themis_shares offered)
{
	struct walk w = {.a = held, .b = offered};
	struct astra_themis_share s;
	uint64_t pieces = 0;

	while (walk_next(&w, &s)) {
		if (of_use(crew, s.gpus) < s.gpus)
			return false;
		pieces += pieces_of(s.gpus, crew->gpus_max);
	}
	return pieces <= crew->jobs;
}

/* A job that has these GPUs of one machine. It may use no more than a slot. */
static double spread_alone(const struct astra_themis_crew *crew, uint32_t gpus,
			   uint32_t slot)
{
	const double *s = crew->slowdown;

	if (gpus <= slot)
		return gpus / s[ASTRA_LEVEL_SLOT];
	return fmax(gpus / s[ASTRA_LEVEL_MACHINE], slot / s[ASTRA_LEVEL_SLOT]);
}

static void add_piece(struct division *d, struct piece piece)
{
	if (piece.gpus && piece.count)
		d->pieces[d->piece_count++] = piece;
}

static int worth_first(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth > y->worth ? -1 : 1;
	return x->rack < y->rack ? -1 : x->rack > y->rack;
}

static void find_pieces(struct division *d,
			const struct astra_themis_machine *machines,
			struct walk w)
{
	uint32_t most = d->crew->gpus_max;
	struct astra_themis_share s;

	while (walk_next(&w, &s)) {
		const struct astra_themis_machine *m = &machines[s.machine];
		uint32_t use = (uint32_t)of_use(d->crew, s.gpus);
		uint32_t rest = use % most;

		if (use < s.gpus)
			d->crumbs[d->crumb_count++] =
				(struct pool){m->rack, s.gpus - use};
		add_piece(d,
			  (struct piece){
				  .gpus = most,
				  .count = use / most,
				  .rack = m->rack,
				  .worth = spread_alone(d->crew, most, m->slot),
			  });
		add_piece(d,
			  (struct piece){
				  .gpus = rest,
				  .count = 1,
				  .rack = m->rack,
				  .worth = spread_alone(d->crew, rest, m->slot),
			  });
	}
	if (d->piece_count)
		qsort(d->pieces, d->piece_count, sizeof(*d->pieces),
		      worth_first);
}

static void pool_add(struct division *d, uint32_t rack, uint64_t gpus)
{
	size_t k = 0;

	while (k < d->pool_count && d->pools[k].rack != rack)
		k++;
	if (k == d->pool_count)
		d->pools[d->pool_count++] = (struct pool){.rack = rack};
	d->pools[k].gpus += gpus;
	d->pooled += gpus;
}

static int more_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

/* What so many jobs make of the pools: those with most GPUs of one rack have
 * these, the last ones what remains of all racks. */
static double spread_pooled(struct division *d, uint32_t jobs)
{
	const double *s = d->crew->slowdown;
	uint64_t most = d->crew->gpus_max, whole = 0;
	double best = 0;

	for (size_t k = 0; k < d->pool_count; k++) {
		whole += d->pools[k].gpus / most;
		d->rests[k] = last_of(d->crew, d->pools[k].gpus);
	}
	if (d->pool_count)
		qsort(d->rests, d->pool_count, sizeof(*d->rests), more_first);
	for (uint32_t across = 0; across <= jobs; across++) {
		uint64_t within = jobs - across, used, rest;

		if (across > TRIALS)
			across = jobs, within = 0;
		used = spread_least(within, whole) * most;
		for (uint64_t k = whole;
		     k < within && k - whole < d->pool_count; k++)
			used += d->rests[k - whole];
		rest = spread_least(of_use(d->crew, d->pooled - used),
				    across * most);
		best = fmax(best, (double)used / s[ASTRA_LEVEL_RACK] +
					  (double)rest / s[ASTRA_LEVEL_CROSS]);
	}
	return best;
}

/* Jobs that have a piece each, as many as there are; what they make of these.
 * The other pieces are pooled. */
static double take_pieces(struct division *d, uint32_t jobs)
{
	double worth = 0;

	d->pool_count = 0;
	d->pooled = 0;
	for (size_t k = 0; k < d->crumb_count; k++)
		pool_add(d, d->crumbs[k].rack, d->crumbs[k].gpus);
	for (size_t k = 0; k < d->piece_count; k++) {
		const struct piece *p = &d->pieces[k];
		uint32_t taken = p->count < jobs ? p->count : jobs;

		worth += taken * p->worth;
		jobs -= taken;
		if (taken < p->count)
			pool_add(d, p->rack,
				 (uint64_t)(p->count - taken) * p->gpus);
	}
	return worth;
}

/* So many jobs have to span machines, if each GPU is on one of its own, for
 * none of k to idle. */
static uint32_t must_span(const struct astra_themis_crew *crew, uint64_t k)
{
	uint64_t lacking = k > crew->jobs ? k - crew->jobs : 0, jobs;

	if (crew->gpus_min > 1)
		return crew->jobs;
	if (!lacking)
		return 0;
	if (crew->gpus_max == 1)
		return crew->jobs;
	jobs = (lacking + crew->gpus_max - 2) / (crew->gpus_max - 1);
	return jobs < crew->jobs ? (uint32_t)jobs : crew->jobs;
}

static double spread_divide(struct division *d, uint64_t gpus)
{
	uint32_t jobs = d->crew->jobs, many = must_span(d->crew, gpus);
	double best = 0;

	for (uint32_t span = 0; span <= jobs; span++) {
		double worth;

		if (span > TRIALS && span > many)
			break;
		if (span > TRIALS)
			span = many;
		worth = take_pieces(d, jobs - span);
		best = fmax(best, worth + spread_pooled(d, span));
	}
	return best;
}

/* The worth of the GPUs if some job has to span machines; or < 0 when out of
 * memory. */
static double spread_worth(const struct astra_themis_crew *crew,
			   const struct astra_themis_machine *machines,
			   struct walk w, uint64_t gpus)
{
	size_t most = 2 * (w.a.count + w.b.count);
	struct division d = {
		.crew = crew,
		.pieces = malloc(most * sizeof(*d.pieces)),
		.crumbs = malloc(most * sizeof(*d.crumbs)),
		.pools = malloc(most * sizeof(*d.pools)),
		.rests = malloc(most * sizeof(*d.rests)),
	};
	double worth = -1;

	if (d.pieces && d.crumbs && d.pools && d.rests) {
		find_pieces(&d, machines, w);
		worth = spread_divide(&d, gpus);
	}
	free(d.pieces);
	free(d.crumbs);
	free(d.pools);
	free(d.rests);
	return worth;
}

/* What one job has of so many GPUs. */
static uint64_t one_job(const struct astra_themis_crew *crew, uint64_t gpus)
{
	if (gpus < crew->gpus_min)
		return 0;
	return spread_least(gpus, crew->gpus_max);
}

struct astra_themis_pace
astra_themis_pace_on(const struct astra_themis_crew *crew,
		     const struct astra_themis_machine *machines,
		     struct astra_themis_shares held,
		     struct astra_themis_shares offered)
{
	struct walk start = {.a = held, .b = offered}, w = start;
	struct astra_themis_pace pace = {0};
	enum astra_level level = ASTRA_LEVEL_MACHINE;
	uint64_t gpus = 0, pieces = 0, crumbs = 0, use;
	uint32_t d = crew->gpus_max, rack = 0;
	struct astra_themis_share s;
	double worth;

	while (walk_next(&w, &s)) {
		const struct astra_themis_machine *m = &machines[s.machine];

		if (gpus && m->rack != rack)
			level = ASTRA_LEVEL_CROSS;
		else if (gpus && level < ASTRA_LEVEL_RACK)
			level = ASTRA_LEVEL_RACK;
		rack = m->rack;
		gpus += s.gpus;
		pieces += pieces_of(s.gpus, d);
		use = of_use(crew, s.gpus);
		crumbs += s.gpus - use;
		worth = spread_alone(crew, (uint32_t)spread_least(use, d),
				     m->slot);
		pace.fastest = fmax(pace.fastest, worth);
		pace.gpus += (double)(use / d) * worth +
			     spread_alone(crew, (uint32_t)(use % d), m->slot);
	}
	if (level > ASTRA_LEVEL_MACHINE)
		pace.fastest =
			fmax(pace.fastest, (double)one_job(crew, gpus) /
						   crew->slowdown[level]);
	if (pieces <= crew->jobs && !crumbs)
		return pace;
	worth = spread_worth(crew, machines, start, gpus);
	if (worth >= 0)
		pace.gpus = worth;
	else
		pace = astra_themis_pace_least(crew, (uint32_t)gpus, level);
	return pace;
}

/* The largest S from SLOT to that level. */
static double slowest(const double *slowdown, enum astra_level level)
{
	double most = slowdown[0];

	for (int l = 1; l <= (int)level; l++)
		most = fmax(most, slowdown[l]);
	return most;
}

struct astra_themis_pace
astra_themis_pace_least(const struct astra_themis_crew *crew, uint32_t k,
			enum astra_level level)
{
	uint64_t d = crew->gpus_max, jobs = crew->jobs;
	uint64_t used = spread_least(of_use(crew, k), jobs * d), span, alone;
	double near = slowest(crew->slowdown, level < ASTRA_LEVEL_MACHINE
						      ? level
						      : ASTRA_LEVEL_MACHINE);
	double far = slowest(crew->slowdown, level);

	if (level <= ASTRA_LEVEL_MACHINE)
		return (struct astra_themis_pace){
			.gpus = (double)used / near,
			.fastest = (double)one_job(crew, k) / near,
		};
	span = must_span(crew, used);
	alone = spread_least(jobs - span, used);
	return (struct astra_themis_pace){
		.gpus = (double)alone / near + (double)(used - alone) / far,
		.fastest = fmax(crew->gpus_min > 1 ? 0 : 1 / near,
				(double)one_job(crew, k) / far),
	};
}

/* As many as `own` for each job on one machine, the others across machines:
 * jobs that cannot do with less than d as far as there is room for them; else
 * each has `own` of its GPUs, or spans with all d. */
static double most_worth(const struct astra_themis_crew *crew, uint64_t used,
			 uint64_t own, uint64_t whole, double near, double far)
{
	uint64_t alone = crew->jobs * own;
	double span;

	if (crew->gpus_min == crew->gpus_max && whole < crew->jobs)
		alone = whole * own;
	if (used <= alone)
		return (double)used / near;
	span = (double)(used - alone);
	if (own && own < crew->gpus_max)
		span *= (double)crew->gpus_max / (double)(crew->gpus_max - own);
	return fmax((double)alone / near,
		    ((double)used - span) / near + span / far);
}

struct astra_themis_pace
astra_themis_pace_most(const struct astra_themis_crew *crew, uint32_t k,
		       enum astra_level level, struct astra_themis_room room)
{
	const double *s = crew->slowdown;
	uint64_t used = spread_least(of_use(crew, k),
				     (uint64_t)crew->jobs * crew->gpus_max);
	uint64_t own = one_job(crew, room.largest);
	double near = fmin(s[ASTRA_LEVEL_SLOT], s[ASTRA_LEVEL_MACHINE]);
	double far = fmin(s[ASTRA_LEVEL_RACK], s[ASTRA_LEVEL_CROSS]);
	struct astra_themis_pace pace;

	if (level <= ASTRA_LEVEL_MACHINE || near >= far)
		return (struct astra_themis_pace){
			.gpus = (double)used / fmin(near, far),
			.fastest = (double)one_job(crew, k) / fmin(near, far),
		};
	if (crew->jobs == 1) { /* on one machine it does not have all of them */
		far = s[level];
		own = spread_least(own, one_job(crew, k - 1));
		pace.gpus = fmax((double)used / far, (double)own / near);
		if (level == ASTRA_LEVEL_CROSS)
			pace.gpus =
				fmax(pace.gpus, (double)one_job(crew, k - 1) /
							s[ASTRA_LEVEL_RACK]);
		pace.fastest = pace.gpus;
		return pace;
	}
	pace.fastest = fmax((double)one_job(crew, k) / far,
			    (double)spread_least(used, own) / near);
	pace.gpus = most_worth(crew, used, own, room.whole, near, far);
	return pace;
}
