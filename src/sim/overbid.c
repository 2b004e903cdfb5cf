/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sim/overbid.h"

#include <stdlib.h>

#include "src/common/grow.h"
#include "src/policies/forecast.h"
#include "src/policies/themis/phase.h"

static const struct astra_auction_app *
find_app(const struct astra_auction *auction, uint64_t app)
{
	for (size_t i = 0; auction && i < auction->app_count; i++)
		if (auction->apps[i].app == app)
			return &auction->apps[i];
	return NULL;
}

/* Sets *out to the work that is left of the app's jobs, as one phase. Returns
 * 0, or -1 if out of memory. */
static int find_work(struct astra_overbid *agent,
		     const struct astra_snapshot *snapshot,
		     struct astra_themis_phase *out)
{
	if (astra_grow(&agent->work_sec, &agent->work_room, snapshot->job_count,
		       sizeof(*agent->work_sec)) < 0)
		return -1;
	*out = (struct astra_themis_phase){.work_sec = agent->work_sec};
	for (size_t i = 0; i < snapshot->job_count; i++) {
		const struct astra_job *job = &snapshot->jobs[i];
		struct astra_demand demand = {.job = job};
		uint32_t gpus = job->request.gpus;

		if (job->forecast.app != agent->lies.app ||
		    !astra_job_active(job->state))
			continue;
		agent->work_sec[out->job_count++] =
			gpus * astra_left_sec(&demand);
		if (gpus > out->job_gpus_max)
			out->job_gpus_max = gpus;
	}
	return 0;
}

/* Returns the factor from the true rho to the stated one. */
static double lie(const struct astra_lies *lies, enum astra_level level,
		  double part_of_gpus)
{
	double part = 1;

	if (lies->kind == ASTRA_LIE_GAIN)
		part = 1 - part_of_gpus;
	else if (lies->kind == ASTRA_LIE_SPREAD)
		part = level >= ASTRA_LEVEL_RACK;
	return 1 + lies->part * part;
}

/* Fills the table with rho = T_sh / T_id of k GPUs (Mahajan et al., Eqs. 1 and
 * 2), times the lie. Returns 0, or -1 if out of memory. */
static int overbid_fill(struct astra_overbid *agent,
			const struct astra_auction_app *app,
			const struct astra_themis_phase *phase,
			double elapsed_sec)
{
	const struct astra_themis_crew crew =
		astra_themis_crew(phase, app->slowdown);
	struct astra_themis_pace *paces = calloc(app->gpus_max, sizeof(*paces));
	double *out = agent->table;
	int rc = paces ? 0 : -1;

	for (int l = 0; !rc && l < ASTRA_LEVEL_COUNT; l++) {
		for (uint32_t k = 1; k <= app->gpus_max; k++) {
			paces[k - 1] = astra_themis_pace_least(
				&crew, k, (enum astra_level)l);
			out[k - 1] = 0;
		}
		rc = astra_themis_phase_add(phase, false, 1, app->gpus_max,
					    paces, out);
		for (uint32_t k = 1; k <= app->gpus_max; k++, out++)
			*out = lie(&agent->lies, (enum astra_level)l,
				   (double)k / app->gpus_max) *
			       (elapsed_sec + *out) / app->ideal_sec;
	}
	free(paces);
	return rc;
}

int astra_overbid_make(struct astra_overbid *agent,
		       const struct astra_snapshot *snapshot,
		       const struct astra_auction *auction, double shown_sec)
{
	const struct astra_auction_app *app =
		find_app(auction, astra_app_named(agent->lies.app));
	struct astra_themis_phase phase;

	if (!agent->lies.app || !app || !app->gpus_max || !(app->ideal_sec > 0))
		return 0;
	if (astra_grow(&agent->table, &agent->table_room,
		       ASTRA_LEVEL_COUNT * (size_t)app->gpus_max,
		       sizeof(*agent->table)) < 0 ||
	    find_work(agent, snapshot, &phase) < 0)
		return -1;
	if (!phase.job_count)
		return 0;
	if (overbid_fill(agent, app, &phase,
			 app->elapsed_sec + snapshot->now_sec - shown_sec) < 0)
		return -1;
	agent->bid = (struct astra_bid){
		.app = app->app,
		.kind = ASTRA_BID_RHO,
		.time_sec = snapshot->now_sec,
		.rho_now = -1,
		.gpus_max = app->gpus_max,
		.table = agent->table,
	};
	return 1;
}

void astra_overbid_clear(struct astra_overbid *agent)
{
	free(agent->table);
	free(agent->work_sec);
	*agent = (struct astra_overbid){0};
}
