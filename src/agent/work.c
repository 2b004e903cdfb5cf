/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/agent/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/error.h"
#include "src/common/grow.h"
#include "src/policies/themis/app.h"

void agent_work_init(struct agent_work *work, const struct agent_offer *offer)
{
	*work = (struct agent_work){.job_gpus_max = 1};
	for (size_t i = 0; i < offer->job_count; i++)
		if (offer->jobs[i].gpus > work->job_gpus_max)
			work->job_gpus_max = offer->jobs[i].gpus;
}

void agent_work_phase(struct agent_work *work)
{
	work->failed |= astra_grow(&work->phases, &work->room, work->count + 1,
				   sizeof(*work->phases)) < 0;
	if (!work->failed)
		work->phases[work->count++] = (struct astra_themis_phase){
			.job_gpus_max = work->job_gpus_max};
}

void agent_work_add(struct agent_work *work, double gpu_sec, uint32_t copies)
{
	work->failed |=
		astra_grow(&work->work_sec, &work->work_room,
			   work->used + copies, sizeof(*work->work_sec)) < 0;
	if (work->failed)
		return;
	for (uint32_t i = 0; i < copies; i++)
		work->work_sec[work->used++] = gpu_sec;
	work->phases[work->count - 1].job_count += copies;
	work->left_sec += gpu_sec * copies;
}

void agent_work_destroy(struct agent_work *work)
{
	free(work->phases);
	free(work->work_sec);
	*work = (struct agent_work){0};
}

/* Sets the phases' pointers into work_sec, once the array no longer moves. */
static void point_phases(struct agent_work *work)
{
	const double *at = work->work_sec;

	for (size_t i = 0; i < work->count; i++) {
		work->phases[i].work_sec = at;
		at += work->phases[i].job_count;
	}
}

static int work_make_table(const struct agent_offer *offer,
			   struct agent_bid *bid, struct astra_error *err)
{
	bid->gpus_max = offer->gpus_max;
	bid->rho = calloc((size_t)ASTRA_LEVEL_COUNT * bid->gpus_max,
			  sizeof(*bid->rho));
	return bid->rho ? 0 : astra_error_nomem(err);
}

static void work_fill_table(const struct astra_themis_bid *table,
			    struct agent_bid *bid)
{
	double *rho = bid->rho;

	for (int level = 0; level < ASTRA_LEVEL_COUNT; level++)
		for (uint32_t k = 1; k <= bid->gpus_max; k++)
			*rho++ = exp(-astra_themis_log_v(
				table, (enum astra_level)level, k));
}

int agent_work_bid(struct agent_work *work, const struct agent_memory *memory,
		   const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err)
{
	struct astra_themis_bid table = {0};
	struct astra_themis_app app = {
		.kind = ASTRA_THEMIS_PHASES,
		.elapsed_sec = offer->elapsed_sec,
		.navg = offer->navg,
		.rho_current = -1,
		.rho_empty = HUGE_VAL,
		.gpus_max = offer->gpus_max,
		.gpus_ever = memory->gpus,
		.quantum = 1,
		.budget_sec = agent_memory_spent(memory) + work->left_sec,
		.phases = work->phases,
		.phase_count = work->count,
	};

	if (work->failed)
		return astra_error_nomem(err);
	memcpy(app.slowdown, offer->slowdown, sizeof(app.slowdown));
	point_phases(work);
	/* Only the plugin knows how many GPUs of the cluster the app could use.
	 */
	if (work_make_table(offer, bid, err) < 0)
		return -1;
	if (astra_themis_bid_init(&table, &app, UINT32_MAX, NULL, 0,
				  bid->gpus_max) < 0) {
		astra_themis_bid_clear(&table);
		return astra_error_nomem(err);
	}
	work_fill_table(&table, bid);
	astra_themis_bid_clear(&table);
	return 0;
}

/* Returns the app's jobs as one phase without amounts of work. */
static struct astra_themis_phase left_jobs(const struct agent_offer *offer)
{
	struct astra_themis_phase phase = {.job_gpus_max = 1};

	for (size_t i = 0; i < offer->job_count; i++) {
		phase.more_jobs += offer->jobs[i].copies;
		if (offer->jobs[i].gpus > phase.job_gpus_max)
			phase.job_gpus_max = offer->jobs[i].gpus;
	}
	return phase;
}

/* Returns the mean slowdown of the jobs if they share k GPUs of this level. */
static double left_slowdown(const struct agent_offer *offer,
			    const struct astra_themis_phase *jobs, uint32_t k,
			    enum astra_level level)
{
	const struct astra_themis_crew crew =
		astra_themis_crew(jobs, offer->slowdown);
	struct astra_themis_pace pace;

	if (crew.jobs < 2)
		return offer->slowdown[level];
	pace = astra_themis_pace_least(&crew, k, level);
	return astra_themis_mean_slowdown(jobs, k, &pace);
}

int agent_left_bid(const struct agent_offer *offer, struct agent_bid *bid,
		   struct astra_error *err)
{
	const struct astra_themis_phase jobs = left_jobs(offer);
	double *rho;

	if (!offer->left_count || !(offer->ideal_sec > 0))
		return 0;
	if (work_make_table(offer, bid, err) < 0)
		return -1;
	rho = bid->rho;
	for (size_t level = 0; level < ASTRA_LEVEL_COUNT; level++)
		for (uint32_t k = 0; k < bid->gpus_max; k++) {
			size_t at = k < offer->left_count
					    ? k
					    : offer->left_count - 1;
			double sec = left_slowdown(offer, &jobs, k + 1,
						   (enum astra_level)level) *
				     offer->left_sec[at];

			*rho++ = (offer->elapsed_sec + sec) / offer->ideal_sec;
		}
	return 0;
}

double agent_median_gpu_sec(const struct agent_memory *memory,
			    const struct agent_offer *offer)
{
	double *seconds = malloc((offer->job_count + 1) * sizeof(*seconds));
	double median = 0;
	size_t count = 0;

	if (!seconds)
		return -1;
	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_record *r =
			agent_memory_find(memory, offer->jobs[i].id);

		if (r && r->gpu_sec > 0)
			seconds[count++] = r->gpu_sec;
	}
	if (count)
		median = astra_themis_median(seconds, count);
	free(seconds);
	return median;
}

double agent_job_gpu_sec(const struct agent_memory *memory,
			 const struct agent_job *job, double median_sec)
{
	const struct agent_record *r = agent_memory_find(memory, job->id);

	return r && r->gpu_sec > 0 ? r->gpu_sec : median_sec;
}

double agent_longest_total(const struct agent_offer *offer)
{
	double most = 0;

	for (size_t i = 0; i < offer->job_count; i++)
		most = fmax(most, offer->jobs[i].total);
	return most;
}
