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

/* Where some GPUs are. */
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
					   to, seconds) < 0)
			return -1;
	return 0;
}

/* More than the bid speaks of does no more. */
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

/* T_sh / T_id, by the app's bid. */
static double stated_rho(const struct astra_themis_app *app, double ideal_sec,
			 uint32_t k, enum astra_level level)
{
	double value = stated(app->stated, k, level);

	if (app->stated->kind == ASTRA_BID_RHO)
		return value;
	return app_ratio(app->elapsed_sec + app->stated_left * value,
			 ideal_sec);
}

int astra_themis_rho(const struct astra_themis_app *app, uint32_t cluster_gpus,
		     uint32_t k, enum astra_level level, double *rho)
{
	double ideal_sec = astra_themis_ideal(app, cluster_gpus), seconds;

	if (!k) {
		*rho = app->rho_empty;
		return 0;
	}
	if (app->stated) {
		*rho = stated_rho(app, ideal_sec, k, level);
		return 0;
	}
	if (astra_themis_left(app, k, k, &seconds) < 0)
		return -1;
	*rho = app_ratio(app->elapsed_sec + app->slowdown[level] * seconds,
			 ideal_sec);
	return 0;
}

/* log(1/rho); nothing is done at once, so that rho = 0 has a logarithm. */
static double app_log_v(double rho)
{
	return isinf(rho) ? -HUGE_VAL : -log(fmax(rho, DBL_MIN));
}

static void fill_level(const struct astra_themis_app *app, double ideal_sec,
		       const double *seconds, enum astra_level level,
		       uint32_t gpus_max, double *row)
{
	double slowdown = app->slowdown[level];

	row[0] = app_log_v(app->rho_empty);
	for (uint32_t k = 1; k <= gpus_max; k++)
		row[k] = k > 1 && seconds[k - 1] == seconds[k - 2]
				 ? row[k - 1]
				 : app_log_v(app_ratio(
					   app->elapsed_sec +
						   slowdown * seconds[k - 1],
					   ideal_sec));
}

/* Of more GPUs than help some may idle: V never falls with k. */
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

int astra_themis_bid_init(struct astra_themis_bid *bid,
			  const struct astra_themis_app *app,
			  uint32_t cluster_gpus, uint32_t gpus_max)
{
	size_t row = (size_t)gpus_max + 1;
	double ideal_sec = astra_themis_ideal(app, cluster_gpus);
	double *seconds = malloc(row * sizeof(*seconds));

	bid->gpus_max = gpus_max;
	bid->log_v = malloc(ASTRA_LEVEL_COUNT * row * sizeof(*bid->log_v));
	if (!seconds || !bid->log_v ||
	    (gpus_max && astra_themis_left(app, 1, gpus_max, seconds) < 0)) {
		free(seconds);
		return -1;
	}
	for (int l = 0; l < ASTRA_LEVEL_COUNT; l++)
		if (app->stated)
			fill_stated(app, ideal_sec, (enum astra_level)l,
				    gpus_max, bid->log_v + (size_t)l * row);
		else
			fill_level(app, ideal_sec, seconds, (enum astra_level)l,
				   gpus_max, bid->log_v + (size_t)l * row);
	free(seconds);
	return 0;
}

void astra_themis_bid_clear(struct astra_themis_bid *bid)
{
	free(bid->log_v);
	*bid = (struct astra_themis_bid){0};
}
