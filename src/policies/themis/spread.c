/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/spread.h"

#include <math.h>
#include <stdlib.h>

/* Up to this number of spanning jobs each number is tried, and some larger
 * ones. */
#define TRIALS 16

/* GPUs of one machine that a job may have for itself. There are `count` such
 * pieces. */
struct piece {
	uint32_t gpus, count;
	uint32_t rack; /* index of its pool */
	double worth;  /* worth of one piece */
};

struct division {
	const struct astra_themis_crew *crew;
	struct piece *pieces; /* the most valuable first */
	size_t piece_count;
	uint32_t *racks; /* of the pools, ascending */
	size_t pool_count;
	uint64_t *crumbs; /* by rack: GPUs that are too few for a job */
	uint64_t *pools;  /* by rack: GPUs left over by jobs on one machine */
	uint64_t pooled;  /* GPUs of all pools */
	uint32_t *rests;  /* scratch, one for each pool */
};

/* Two lists merged, in the order of their machines. */
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

/* Returns how many of these GPUs the jobs can use. Fewer GPUs than a job needs
 * are of no use, unless other jobs can give up some. */
static uint64_t of_use(const struct astra_themis_crew *crew, uint64_t gpus)
{
	return spread_least(gpus, gpus / crew->gpus_min * crew->gpus_max);
}

/* Returns how many usable GPUs are left over by jobs of d GPUs each. */
static uint32_t last_of(const struct astra_themis_crew *crew, uint64_t gpus)
{
	return (uint32_t)(of_use(crew, gpus) % crew->gpus_max);
}

/* Returns the worth of a job on these GPUs of one machine. The job may use only
 * a slot of them. */
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

static int spread_lower(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void find_racks(struct division *d,
		       const struct astra_themis_machine *machines,
		       struct walk w)
{
	struct astra_themis_share s;
	size_t count = 0;

	while (walk_next(&w, &s))
		d->racks[count++] = machines[s.machine].rack;
	if (count)
		qsort(d->racks, count, sizeof(*d->racks), spread_lower);
	for (size_t i = 0; i < count; i++)
		if (!d->pool_count ||
		    d->racks[d->pool_count - 1] != d->racks[i])
			d->racks[d->pool_count++] = d->racks[i];
}

static uint32_t rack_index_of(const struct division *d, uint32_t rack)
{
	const uint32_t *found = bsearch(&rack, d->racks, d->pool_count,
					sizeof(*d->racks), spread_lower);

	return (uint32_t)(found - d->racks);
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
		uint32_t rest = use % most, rack = rack_index_of(d, m->rack);

		d->crumbs[rack] += s.gpus - use;
		add_piece(d,
			  (struct piece){
				  .gpus = most,
				  .count = use / most,
				  .rack = rack,
				  .worth = spread_alone(d->crew, most, m->slot),
			  });
		add_piece(d,
			  (struct piece){
				  .gpus = rest,
				  .count = 1,
				  .rack = rack,
				  .worth = spread_alone(d->crew, rest, m->slot),
			  });
	}
	if (d->piece_count)
		qsort(d->pieces, d->piece_count, sizeof(*d->pieces),
		      worth_first);
}

static int more_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

/* Lists the numbers of spanning jobs to try: up to TRIALS, then `some` and
 * `others`. Returns the length of the list. */
static size_t list_trials(uint64_t jobs, uint64_t some, uint64_t others,
			  uint64_t *out)
{
	size_t count = 0;

	for (uint64_t n = 0; n <= jobs && n <= TRIALS; n++)
		out[count++] = n;
	if (some > TRIALS && some <= jobs)
		out[count++] = some;
	if (others > TRIALS && others <= jobs)
		out[count++] = others;
	return count;
}

/* Returns the worth of so many jobs on the pools. Some of the jobs have all
 * their GPUs in one rack. The others share what is left over all racks. The
 * best of several such splits counts. */
static double spread_pooled(struct division *d, uint64_t jobs)
{
	const double *s = d->crew->slowdown;
	double far =
		s[d->pool_count > 1 ? ASTRA_LEVEL_CROSS : ASTRA_LEVEL_RACK];
	uint64_t most = d->crew->gpus_max, whole = 0, parts = 0;
	uint64_t trials[TRIALS + 3];
	size_t count;
	double best = 0;

	for (size_t k = 0; k < d->pool_count; k++) {
		whole += d->pools[k] / most;
		d->rests[k] = last_of(d->crew, d->pools[k]);
		parts += d->rests[k] > 0;
	}
	if (d->pool_count)
		qsort(d->rests, d->pool_count, sizeof(*d->rests), more_first);
	count = list_trials(jobs, jobs,
			    jobs > whole + parts ? jobs - whole - parts : 0,
			    trials);
	for (size_t i = 0; i < count; i++) {
		uint64_t across = trials[i], within = jobs - across, rest;
		uint64_t used = spread_least(within, whole) * most;

		for (uint64_t k = whole;
		     k < within && k - whole < d->pool_count; k++)
			used += d->rests[k - whole];
		rest = spread_least(of_use(d->crew, d->pooled - used),
				    across * most);
		best = fmax(best, (double)used / s[ASTRA_LEVEL_RACK] +
					  (double)rest / far);
	}
	return best;
}

/* Gives each job a piece, as long as there are pieces; the other pieces go to
 * the pools. Returns the worth of the jobs with a piece. */
static double take_pieces(struct division *d, uint64_t jobs)
{
	double worth = 0;

	d->pooled = 0;
	for (size_t k = 0; k < d->pool_count; k++) {
		d->pools[k] = d->crumbs[k];
		d->pooled += d->crumbs[k];
	}
	for (size_t k = 0; k < d->piece_count; k++) {
		const struct piece *p = &d->pieces[k];
		uint64_t taken = spread_least(p->count, jobs);
		uint64_t left = (p->count - taken) * p->gpus;

		worth += (double)taken * p->worth;
		jobs -= taken;
		d->pools[p->rack] += left;
		d->pooled += left;
	}
	return worth;
}

/* Returns how many jobs must span machines so that none of k GPUs is idle, if
 * each GPU is on a machine of its own. */
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
	uint64_t jobs = spread_least(d->crew->jobs, gpus), pieces = 0;
	uint64_t trials[TRIALS + 3];
	double best = 0;
	size_t count;

	for (size_t k = 0; k < d->piece_count; k++)
		pieces += d->pieces[k].count;
	count = list_trials(jobs, spread_least(must_span(d->crew, gpus), jobs),
			    jobs > pieces ? jobs - pieces : 0, trials);
	for (size_t i = 0; i < count; i++) {
		double worth = take_pieces(d, jobs - trials[i]);

		best = fmax(best, worth + spread_pooled(d, trials[i]));
	}
	return best;
}

static int division_init(struct division *d,
			 const struct astra_themis_crew *crew, size_t machines)
{
	*d = (struct division){
		.crew = crew,
		.pieces = malloc(2 * machines * sizeof(*d->pieces)),
		.racks = malloc(machines * sizeof(*d->racks)),
		.crumbs = calloc(machines, sizeof(*d->crumbs)),
		.pools = malloc(machines * sizeof(*d->pools)),
		.rests = malloc(machines * sizeof(*d->rests)),
	};
	return d->pieces && d->racks && d->crumbs && d->pools && d->rests ? 0
									  : -1;
}

static void division_clear(struct division *d)
{
	free(d->pieces);
	free(d->racks);
	free(d->crumbs);
	free(d->pools);
	free(d->rests);
}

/* Returns how many of these GPUs one job can use. */
static uint64_t one_job(const struct astra_themis_crew *crew, uint64_t gpus)
{
	if (gpus < crew->gpus_min)
		return 0;
	return spread_least(gpus, crew->gpus_max);
}

/* Sets the pace if jobs may span machines. pace: contains the pace of jobs that
 * are each on one machine. enough: such jobs leave no GPU over, so only the
 * fastest job is searched for. Returns 0, or -1 when out of memory. */
static int spread_span(const struct astra_themis_crew *crew,
		       const struct astra_themis_machine *machines,
		       struct walk w, uint64_t gpus, bool enough,
		       struct astra_themis_pace *pace)
{
	const double *s = crew->slowdown;
	struct division d;
	int rc = division_init(&d, crew, w.a.count + w.b.count);

	if (!rc) {
		find_racks(&d, machines, w);
		find_pieces(&d, machines, w);
		take_pieces(&d, 0);
		for (size_t k = 0; k < d.pool_count; k++)
			pace->fastest = fmax(pace->fastest,
					     (double)one_job(crew, d.pools[k]) /
						     s[ASTRA_LEVEL_RACK]);
		if (d.pool_count > 1)
			pace->fastest = fmax(pace->fastest,
					     (double)one_job(crew, gpus) /
						     s[ASTRA_LEVEL_CROSS]);
		if (!enough)
			pace->gpus = spread_divide(&d, gpus);
	}
	division_clear(&d);
	return rc;
}

struct astra_themis_pace
astra_themis_pace_on(const struct astra_themis_crew *crew,
		     const struct astra_themis_machine *machines,
		     struct astra_themis_shares held,
		     struct astra_themis_shares offered)
{
	struct walk start = {.a = held, .b = offered}, w = start;
	struct astra_themis_pace pace = {0};
	const double *s = crew->slowdown;
	uint64_t gpus = 0, pieces = 0, crumbs = 0, use;
	uint32_t d = crew->gpus_max, on = 0;
	struct astra_themis_share share;
	bool enough;
	double worth;

	for (; walk_next(&w, &share); on++) {
		uint32_t slot = machines[share.machine].slot;

		gpus += share.gpus;
		pieces += pieces_of(share.gpus, d);
		use = of_use(crew, share.gpus);
		crumbs += share.gpus - use;
		worth = spread_alone(crew, (uint32_t)spread_least(use, d),
				     slot);
		pace.fastest = fmax(pace.fastest, worth);
		pace.gpus += (double)(use / d) * worth +
			     spread_alone(crew, (uint32_t)(use % d), slot);
	}
	enough = pieces <= crew->jobs && !crumbs;
	worth = (double)one_job(crew, gpus) /
		fmin(s[ASTRA_LEVEL_RACK], s[ASTRA_LEVEL_CROSS]);
	if ((!enough || (on > 1 && worth > pace.fastest)) &&
	    spread_span(crew, machines, start, gpus, enough, &pace) < 0)
		return astra_themis_pace_least(crew, (uint32_t)gpus,
					       ASTRA_LEVEL_CROSS);
	return pace;
}

/* Returns the largest S from SLOT to that level. */
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
	double near =
		slowest(crew->slowdown, d == 1 || level < ASTRA_LEVEL_MACHINE
						? ASTRA_LEVEL_SLOT
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

/* Returns an upper bound of the worth of `used` GPUs. Each job has `own` of
 * them on one machine; the other GPUs belong to jobs that span machines. Jobs
 * that need all d GPUs are on one machine only if there is room for them
 * (`whole`). Other jobs have `own` GPUs, or span machines with all d. */
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
	if (crew->jobs == 1) { /* the job does not have all k GPUs on one
				* machine */
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
