/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/policies/themis/app.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t astra_themis_gpus(struct astra_themis_shares shares)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < shares.count; i++)
		gpus += shares.share[i].gpus;
	return gpus;
}

uint32_t astra_themis_job_gpus(const struct astra_themis_app *app)
{
	uint32_t gpus = 0;

	for (size_t i = 0; i < app->phase_count; i++)
		if (app->phases[i].job_gpus_max > gpus)
			gpus = app->phases[i].job_gpus_max;
	return gpus;
}

/* Where a list of GPUs is: on how many machines and racks. */
struct place {
	const struct astra_themis_machine *machines;
	uint32_t machine, gpus;
	bool any, machines_differ, racks_differ;
};

static void app_look(struct place *p, struct astra_themis_shares shares)
{
	for (size_t i = 0; i < shares.count; i++) {
		uint32_t m = shares.share[i].machine;

		if (p->any && m != p->machine) {
			p->machines_differ = true;
			p->racks_differ |= p->machines[m].rack !=
					   p->machines[p->machine].rack;
		}
		p->any = true;
		p->machine = m;
		p->gpus += shares.share[i].gpus;
	}
}

enum astra_level astra_themis_level(const struct astra_themis_machine *machines,
				    struct astra_themis_shares held,
				    struct astra_themis_shares offered)
{
	struct place p = {.machines = machines};

	app_look(&p, held);
	app_look(&p, offered);
	if (!p.any)
		return ASTRA_LEVEL_SLOT;
	if (p.racks_differ)
		return ASTRA_LEVEL_CROSS;
	if (p.machines_differ)
		return ASTRA_LEVEL_RACK;
	return p.gpus <= machines[p.machine].slot ? ASTRA_LEVEL_SLOT
						  : ASTRA_LEVEL_MACHINE;
}

/* Whether rho depends on more than the locality level and the number of
 * GPUs. */
static bool by_place(const struct astra_themis_app *app)
{
	if (app->stated || app->kind == ASTRA_THEMIS_SINGLE)
		return false;
	return astra_themis_job_gpus(app) > 1;
}

static double single_sec(const struct astra_themis_app *app, uint32_t k)
{
	double work = app->iter_left * app->iter_sec;

	if (!(work > 0))
		return 0;
	return work / (k < app->gpus_max ? k : app->gpus_max);
}

int astra_themis_left(const struct astra_themis_app *app, uint32_t from,
		      uint32_t to, double *seconds)
{
	if (app->kind == ASTRA_THEMIS_SINGLE) {
		for (uint32_t k = from; k <= to; k++)
			seconds[k - from] = single_sec(app, k);
		return 0;
	}
	for (uint32_t k = from; k <= to; k++)
		seconds[k - from] = 0;
	for (size_t i = 0; i < app->phase_count; i++)
		if (astra_themis_phase_add(&app->phases[i], app->rigid, from,
					   to, NULL, seconds) < 0)
			return -1;
	return 0;
}

/* How the pace on a number of GPUs is estimated. */
struct estimate {
	const struct astra_themis_app *app;
	enum astra_level level; /* locality level of all these GPUs */
	bool most; /* estimate an upper bound of their worth; false: a lower
		    * one */
	const struct astra_themis_machine *machines; /* with `most` */
	size_t machine_count;
	uint32_t largest;	 /* GPUs of the largest of these machines */
	const double *rigid_sec; /* see struct astra_themis_bid, or NULL */
	uint32_t row;
};

/* Returns what the GPUs that the app holds and may be offered have room for. */
static struct astra_themis_room app_room(const struct estimate *e,
					 uint32_t gpus_max)
{
	const struct astra_themis_shares held = e->app->held;
	struct astra_themis_room room = {.largest = e->largest};
	size_t at = 0;

	for (uint32_t m = 0; m < e->machine_count; m++) {
		uint32_t gpus = e->machines[m].free;

		if (at < held.count && held.share[at].machine == m)
			gpus += held.share[at++].gpus;
		room.whole += gpus / gpus_max;
	}
	return room;
}

static void app_paces(const struct estimate *e, struct astra_themis_crew crew,
		      uint32_t from, uint32_t to,
		      struct astra_themis_pace *paces)
{
	struct astra_themis_room room = {0};

	if (e->most)
		room = app_room(e, crew.gpus_max);
	for (uint32_t k = from; k <= to; k++)
		paces[k - from] =
			e->most ? astra_themis_pace_most(&crew, k, e->level,
							 room)
				: astra_themis_pace_least(&crew, k, e->level);
}

/* Adds the seconds of a phase on `from` to `to` GPUs at the given paces.
 * rigid_sec: if not NULL, the known seconds of rigid phases on adjacent GPUs,
 * `row` numbers for each phase, from one GPU on. */
static int add_phase(const struct astra_themis_app *app, size_t phase,
		     uint32_t from, uint32_t to,
		     const struct astra_themis_pace *paces,
		     const double *rigid_sec, uint32_t row, double *seconds)
{
	const struct astra_themis_phase *p = &app->phases[phase];

	if (!rigid_sec)
		return astra_themis_phase_add(p, app->rigid, from, to, paces,
					      seconds);
	for (uint32_t k = from; k <= to; k++)
		seconds[k - from] +=
			rigid_sec[phase * row + k - 1] *
			astra_themis_mean_slowdown(p, k, &paces[k - from]);
	return 0;
}

/* Estimates the seconds that the remaining work takes on k GPUs, for k
 * from..to. */
static int estimate_left(const struct estimate *e, uint32_t from, uint32_t to,
			 double *seconds)
{
	const struct astra_themis_app *app = e->app;
	struct astra_themis_pace *paces =
		malloc(((size_t)to - from + 1) * sizeof(*paces));
	int rc = paces ? 0 : -1;

	for (uint32_t k = from; k <= to; k++)
		seconds[k - from] = 0;
	for (size_t i = 0; !rc && i < app->phase_count; i++) {
		const struct astra_themis_phase *p = &app->phases[i];

		if (!p->job_count)
			continue;
		app_paces(e, astra_themis_crew(p, app->slowdown), from, to,
			  paces);
		rc = add_phase(app, i, from, to, paces, e->rigid_sec, e->row,
			       seconds);
	}
	free(paces);
	return rc;
}

/* Finds the seconds that the remaining work takes on what the app holds and is
 * offered. */
static int left_on(const struct astra_themis_app *app,
		   const struct astra_themis_machine *machines,
		   struct astra_themis_shares offered, const double *rigid_sec,
		   uint32_t row, double *seconds)
{
	uint32_t k = astra_themis_gpus(app->held) + astra_themis_gpus(offered);

	*seconds = 0;
	for (size_t i = 0; i < app->phase_count; i++) {
		const struct astra_themis_phase *p = &app->phases[i];
		const struct astra_themis_crew crew =
			astra_themis_crew(p, app->slowdown);
		struct astra_themis_pace pace;

		if (!p->job_count)
			continue;
		pace = astra_themis_pace_on(&crew, machines, app->held,
					    offered);
		if (add_phase(app, i, k, k, &pace, k <= row ? rigid_sec : NULL,
			      row, seconds) < 0)
			return -1;
	}
	return 0;
}

/* Returns the value that a bid states for k GPUs. More GPUs than the bid states
 * count as its largest number. */
static double stated(const struct astra_bid *bid, uint32_t k,
		     enum astra_level level)
{
	uint32_t last = k < bid->gpus_max ? k : bid->gpus_max;

	return bid->table[(size_t)level * bid->gpus_max + last - 1];
}

double astra_themis_ideal(const struct astra_themis_app *app,
			  uint32_t cluster_gpus)
{
	uint32_t demand = app->gpus_ever ? app->gpus_ever : app->gpus_max;
	uint32_t gpus = cluster_gpus < demand ? cluster_gpus : demand;
	double work = app->kind == ASTRA_THEMIS_SINGLE
			      ? app->iter_total * app->iter_sec
			      : app->budget_sec;

	if (app->stated && app->stated->kind == ASTRA_BID_SECONDS)
		return gpus ? app->navg * stated(app->stated, gpus,
						 ASTRA_LEVEL_SLOT)
			    : 0;
	return app->navg * work > 0 ? app->navg * work / gpus : 0;
}

static double app_ratio(double shared_sec, double ideal_sec)
{
	if (isinf(shared_sec))
		return HUGE_VAL;
	return shared_sec > 0 ? shared_sec / ideal_sec : 0;
}

/* Returns T_sh / T_id as the app's bid states it. */
static double stated_rho(const struct astra_themis_app *app, double ideal_sec,
			 uint32_t k, enum astra_level level)
{
	double value = stated(app->stated, k, level);

	if (app->stated->kind == ASTRA_BID_RHO)
		return value;
	return app_ratio(app->elapsed_sec + app->stated_left * value,
			 ideal_sec);
}

static uint32_t app_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static double slowest_of(const struct astra_themis_app *app)
{
	double most = app->slowdown[0];

	for (int l = 1; l < ASTRA_LEVEL_COUNT; l++)
		most = fmax(most, app->slowdown[l]);
	return most;
}

/* Returns S of a level, for apps for which only the level counts. Jobs of one
 * GPU are always at level SLOT. */
static double level_slowdown(const struct astra_themis_app *app,
			     enum astra_level level)
{
	return app
		->slowdown[app->kind == ASTRA_THEMIS_SINGLE ? level
							    : ASTRA_LEVEL_SLOT];
}

int astra_themis_rho(const struct astra_themis_app *app, uint32_t cluster_gpus,
		     uint32_t k, enum astra_level level, double *rho)
{
	const struct estimate estimate = {.app = app, .level = level};
	double ideal_sec = astra_themis_ideal(app, cluster_gpus), seconds;
	bool placed = by_place(app);

	if (!k) {
		*rho = app->rho_empty;
		return 0;
	}
	if (app->stated) {
		*rho = stated_rho(app, ideal_sec, k, level);
		return 0;
	}
	if ((placed ? estimate_left(&estimate, k, k, &seconds)
		    : astra_themis_left(app, k, k, &seconds)) < 0)
		return -1;
	if (!placed)
		seconds *= level_slowdown(app, level);
	*rho = app_ratio(app->elapsed_sec + seconds, ideal_sec);
	return 0;
}

int astra_themis_rho_on(const struct astra_themis_app *app,
			uint32_t cluster_gpus,
			const struct astra_themis_machine *machines,
			struct astra_themis_shares offered, double *rho)
{
	uint32_t k = astra_themis_gpus(app->held) + astra_themis_gpus(offered);
	double seconds;

	if (!k || !by_place(app))
		return astra_themis_rho(
			app, cluster_gpus, k,
			astra_themis_level(machines, app->held, offered), rho);
	if (left_on(app, machines, offered, NULL, 0, &seconds) < 0)
		return -1;
	*rho = app_ratio(app->elapsed_sec + seconds,
			 astra_themis_ideal(app, cluster_gpus));
	return 0;
}

/* Returns log(1/rho). rho is at least DBL_MIN, so that rho = 0 has a
 * logarithm. */
static double app_log_v(double rho)
{
	return isinf(rho) ? -HUGE_VAL : -log(fmax(rho, DBL_MIN));
}

static void fill_level(const struct astra_themis_app *app, double ideal_sec,
		       const double *seconds, enum astra_level level,
		       uint32_t gpus_max, double *row)
{
	double slowdown = level_slowdown(app, level);

	row[0] = app_log_v(app->rho_empty);
	for (uint32_t k = 1; k <= gpus_max; k++)
		row[k] = k > 1 && seconds[k - 1] == seconds[k - 2]
				 ? row[k - 1]
				 : app_log_v(app_ratio(
					   app->elapsed_sec +
						   slowdown * seconds[k - 1],
					   ideal_sec));
}

/* Fills a row with the estimate for more GPUs than the app holds. Up to the
 * number that it holds, the row is `base`, the log V of what is held. seconds:
 * scratch. */
static int fill_estimate(const struct estimate *e, double ideal_sec,
			 double base, uint32_t gpus_max, double *seconds,
			 double *row)
{
	const struct astra_themis_app *app = e->app;
	uint32_t held = astra_themis_gpus(app->held);

	if (held < gpus_max &&
	    estimate_left(e, held + 1, gpus_max, seconds) < 0)
		return -1;
	row[0] = app_log_v(app->rho_empty);
	for (uint32_t k = 1; k <= held && k <= gpus_max; k++)
		row[k] = base;
	for (uint32_t k = held + 1; k <= gpus_max; k++) {
		double v = app_log_v(app_ratio(
			app->elapsed_sec + seconds[k - held - 1], ideal_sec));

		row[k] = fmax(v, k > held + 1 ? row[k - 1] : base);
	}
	return 0;
}

/* Fills a row with the bid's values. An app may leave GPUs idle, so V never
 * falls with k. */
static void fill_stated(const struct astra_themis_app *app, double ideal_sec,
			enum astra_level level, uint32_t gpus_max, double *row)
{
	row[0] = app_log_v(app->rho_empty);
	for (uint32_t k = 1; k <= gpus_max; k++) {
		row[k] = app_log_v(stated_rho(app, ideal_sec, k, level));
		if (k > 1)
			row[k] = fmax(row[k], row[k - 1]);
	}
}

/* Returns the most GPUs on one machine, held and offered together. */
static uint32_t largest_machine(const struct astra_themis_app *app,
				const struct astra_themis_machine *machines,
				size_t count)
{
	uint32_t most = 1;

	for (size_t m = 0; m < count; m++)
		most = machines[m].free > most ? machines[m].free : most;
	for (size_t i = 0; i < app->held.count; i++) {
		const struct astra_themis_share *s = &app->held.share[i];
		uint32_t gpus = s->gpus + machines[s->machine].free;

		most = gpus > most ? gpus : most;
	}
	return most;
}

/* Whether each phase that has jobs has more than one. */
static bool has_jobs(const struct astra_themis_app *app)
{
	for (size_t i = 0; i < app->phase_count; i++) {
		const struct astra_themis_phase *p = &app->phases[i];

		if (p->job_count && !p->more_jobs && p->job_count < 2)
			return false;
	}
	return true;
}

/* Sets log_most, an upper bound of log V at any level. row: scratch. */
static int fill_most(struct astra_themis_bid *bid, struct estimate e,
		     double ideal_sec, double base, double *seconds,
		     double *row)
{
	size_t cells = (size_t)bid->gpus_max + 1;
	int rc = 0;

	bid->log_most = malloc(cells * sizeof(*bid->log_most));
	if (!bid->log_most)
		return -1;
	for (size_t k = 0; k < cells; k++)
		bid->log_most[k] = -HUGE_VAL;
	e.most = true;
	for (int l = ASTRA_LEVEL_MACHINE; !rc && l < ASTRA_LEVEL_COUNT; l++) {
		e.level = (enum astra_level)l;
		rc = fill_estimate(&e, ideal_sec, base, bid->gpus_max, seconds,
				   row);
		for (size_t k = 0; !rc && k < cells; k++)
			if (k <= e.largest || l > ASTRA_LEVEL_MACHINE)
				bid->log_most[k] =
					fmax(bid->log_most[k], row[k]);
	}
	return rc;
}

/* Returns a lower bound of log V for any GPUs that are of use to the app. It
 * assumes that all jobs run one after the other, on the fewest GPUs at the
 * largest slowdown. */
static double log_least(const struct astra_themis_app *app, double ideal_sec)
{
	double worst = 0, slow = slowest_of(app);

	for (size_t i = 0; i < app->phase_count; i++) {
		const struct astra_themis_phase *p = &app->phases[i];
		double sum = p->more_sec;

		for (uint32_t j = 0; j < p->job_count; j++)
			sum += p->work_sec[j];
		worst += sum * slow * p->job_gpus_max *
			 ((double)p->job_count + p->more_jobs);
	}
	return app_log_v(app_ratio(app->elapsed_sec + worst, ideal_sec));
}

/* Sets rigid_sec: the seconds of each rigid phase on 1, 2, ... adjacent
 * GPUs. */
static int fill_rigid(struct astra_themis_bid *bid)
{
	const struct astra_themis_app *app = bid->app;
	uint32_t row = bid->gpus_max;

	bid->rigid_sec =
		calloc(app->phase_count * row + 1, sizeof(*bid->rigid_sec));
	if (!bid->rigid_sec)
		return -1;
	for (size_t i = 0; row && i < app->phase_count; i++)
		if (astra_themis_phase_add(&app->phases[i], true, 1, row, NULL,
					   bid->rigid_sec + i * row) < 0)
			return -1;
	return 0;
}

/* Fills in the bid of an app whose jobs have several GPUs. If the app may have
 * its GPUs anywhere, the table is the upper bound, since machines with room for
 * whole jobs are preferred. Otherwise the table is the lower bound. */
static int fill_by_place(struct astra_themis_bid *bid, double ideal_sec,
			 size_t machine_count, double *seconds)
{
	const struct astra_themis_app *app = bid->app;
	size_t row = (size_t)bid->gpus_max + 1;
	struct estimate e = {
		.app = app,
		.machines = bid->machines,
		.machine_count = machine_count,
		.largest = largest_machine(app, bid->machines, machine_count),
		.row = bid->gpus_max,
	};
	double base = app_log_v(app->rho_empty), rho;
	int rc = 0;

	if (app->rigid && fill_rigid(bid) < 0)
		return -1;
	e.rigid_sec = bid->rigid_sec;
	bid->log_least = log_least(app, ideal_sec);
	if (app->held.count) {
		if (astra_themis_rho_on(app, bid->cluster_gpus, bid->machines,
					(struct astra_themis_shares){0},
					&rho) < 0)
			return -1;
		base = app_log_v(rho);
	}
	if (bid->machines)
		rc = fill_most(bid, e, ideal_sec, base, seconds, bid->log_v);
	for (int l = 0; !rc && l < ASTRA_LEVEL_COUNT; l++) {
		double *at = bid->log_v + (size_t)l * row;

		e.level = (enum astra_level)l;
		if (bid->anywhere)
			memcpy(at, bid->log_most, row * sizeof(*at));
		else
			rc = fill_estimate(&e, ideal_sec, base, bid->gpus_max,
					   seconds, at);
	}
	return rc;
}

int astra_themis_bid_init(struct astra_themis_bid *bid,
			  const struct astra_themis_app *app,
			  uint32_t cluster_gpus,
			  const struct astra_themis_machine *machines,
			  size_t machine_count, uint32_t gpus_max)
{
	size_t row = (size_t)gpus_max + 1;
	double ideal_sec = astra_themis_ideal(app, cluster_gpus);
	double *seconds = malloc(row * sizeof(*seconds));
	int rc = 0;

	*bid = (struct astra_themis_bid){
		.log_v = malloc(ASTRA_LEVEL_COUNT * row * sizeof(*bid->log_v)),
		.gpus_max = gpus_max,
		.cluster_gpus = cluster_gpus,
		.machines = machines,
	};
	if (by_place(app)) {
		bid->app = app;
		bid->anywhere = machines && has_jobs(app);
	}
	if (!seconds || !bid->log_v)
		rc = -1;
	else if (bid->app)
		rc = fill_by_place(bid, ideal_sec, machine_count, seconds);
	else if (gpus_max && !app->stated)
		rc = astra_themis_left(app, 1, gpus_max, seconds);
	for (int l = 0; !rc && !bid->app && l < ASTRA_LEVEL_COUNT; l++)
		if (app->stated)
			fill_stated(app, ideal_sec, (enum astra_level)l,
				    gpus_max, bid->log_v + (size_t)l * row);
		else
			fill_level(app, ideal_sec, seconds, (enum astra_level)l,
				   gpus_max, bid->log_v + (size_t)l * row);
	free(seconds);
	return rc;
}

double astra_themis_log_v_on(const struct astra_themis_bid *bid,
			     struct astra_themis_shares offered)
{
	uint32_t gpus = astra_themis_gpus(offered);
	uint32_t held = astra_themis_gpus(bid->app->held);
	double seconds;

	if (!gpus || gpus < bid->least)
		return astra_themis_log_v(bid, ASTRA_LEVEL_SLOT,
					  app_least(held, bid->gpus_max));
	if (left_on(bid->app, bid->machines, offered, bid->rigid_sec,
		    bid->gpus_max, &seconds) < 0)
		return astra_themis_log_v(
			bid, ASTRA_LEVEL_CROSS,
			app_least(held + gpus, bid->gpus_max));
	return app_log_v(
		app_ratio(bid->app->elapsed_sec + seconds,
			  astra_themis_ideal(bid->app, bid->cluster_gpus)));
}

void astra_themis_bid_clear(struct astra_themis_bid *bid)
{
	free(bid->log_v);
	free(bid->log_most);
	free(bid->rigid_sec);
	*bid = (struct astra_themis_bid){0};
}
