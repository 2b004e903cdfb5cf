/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EASY backfill (Lifka, The ANL/IBM SP scheduling system, JSSPP 1995): the
 * first job that does not fit is promised the earliest time at which it will
 * fit, the shadow time. Other jobs start if they end by then, or on GPUs that
 * the promised job does not need. */
#include <math.h>
#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/number.h"
#include "src/model/speed.h"
#include "src/placement/space_priv.h"
#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"

/* Return the seconds until the job ends, if it runs on `gpus` GPUs from now on:
 * by its time limit, or else by its work. The time of its start-up is
 * unknown. */
static double easy_left_sec(const struct baseline_run *run,
			    const struct astra_demand *d, uint32_t gpus)
{
	const struct astra_job *job = d->job;
	bool running = job->state == ASTRA_JOB_RUNNING;
	double left = baseline_left_sec(d) * job->request.gpus / gpus;

	if (job->time_limit_sec > 0)
		return fmax(0, job->time_limit_sec -
				       (running ? run->offer->now_sec -
							  job->start_sec
						: 0));
	if (running)
		left *= astra_slowdown(&job->forecast)[astra_level_of(
			run->offer->nodes, job->held, job->held_count)];
	return left;
}

static struct baseline_end easy_end(const struct baseline_run *run,
				    const struct astra_demand *d)
{
	uint32_t gpus = d->candidate.gpus;

	return (struct baseline_end){
		.at_sec = run->offer->now_sec + easy_left_sec(run, d, gpus),
		.gpus = gpus,
	};
}

/* Return when a job frees its GPUs. A leaving job is treated as if it left now.
 * gpus: 0 if it has none. */
static struct baseline_end easy_end_held(const struct baseline_run *run,
					 const struct astra_demand *d)
{
	bool stays = d->held_count > 0;
	const struct astra_share *held = stays ? d->held : d->job->held;
	size_t count = stays ? d->held_count : d->job->held_count;
	struct baseline_end end = {
		.at_sec = run->offer->now_sec,
		.gpus = astra_shares_gpus(held, count),
	};

	if (stays && end.gpus)
		end.at_sec += easy_left_sec(run, d, end.gpus);
	return end;
}

static int easy_compare(const void *a, const void *b)
{
	const struct baseline_end *x = a, *y = b;

	if (x->at_sec < y->at_sec || x->at_sec > y->at_sec)
		return x->at_sec < y->at_sec ? -1 : 1;
	return x->gpus < y->gpus ? -1 : x->gpus > y->gpus;
}

/* Return the GPUs of jobs that are over and still being cleaned up. */
static uint32_t easy_settling(const struct baseline_run *run, uint64_t held)
{
	const struct astra_offer *offer = run->offer;
	uint64_t free = 0;
	bool settling = false;

	for (size_t i = 0; i < offer->node_count; i++) {
		free += offer->free[i];
		settling |= offer->nodes[i].usable && offer->nodes[i].settling;
	}
	return settling && offer->gpus > free + held
		       ? (uint32_t)(offer->gpus - free - held)
		       : 0;
}

size_t baseline_ends(struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	const struct baseline_list *picked = &run->lists[0][1];
	size_t count = 0;
	uint64_t held = 0;

	if (astra_grow(&run->ends, &run->end_room,
		       offer->demand_count + picked->count + 1,
		       sizeof(*run->ends)) < 0)
		return SIZE_MAX;
	for (size_t i = 0; i < offer->demand_count; i++) {
		struct baseline_end end =
			easy_end_held(run, &offer->demands[i]);

		held += end.gpus;
		if (end.gpus)
			run->ends[count++] = end;
	}
	for (size_t i = 0; i < picked->count; i++)
		run->ends[count++] =
			easy_end(run, &offer->demands[picked->items[i]]);
	run->ends[count++] = (struct baseline_end){
		.at_sec = offer->now_sec,
		.gpus = easy_settling(run, held),
	};
	qsort(run->ends, count, sizeof(*run->ends), easy_compare);
	return count;
}

int baseline_reserve(struct baseline_run *run, const struct astra_demand *d)
{
	uint32_t need = d->candidate.gpus;
	uint64_t gpus = astra_space_gpus(run->space);
	size_t count = baseline_ends(run), i;

	if (count == SIZE_MAX)
		return -1;
	run->reserved = true;
	run->shadow_sec = run->offer->now_sec;
	for (i = 0; i < count && gpus < need; i++) {
		gpus += run->ends[i].gpus;
		run->shadow_sec = run->ends[i].at_sec;
	}
	for (; i < count && run->ends[i].at_sec <= run->shadow_sec; i++)
		gpus += run->ends[i].gpus;
	run->spare = gpus > need ? gpus - need : 0;
	if (gpus < need)
		run->shadow_sec = HUGE_VAL;
	return 0;
}

static bool easy_in_time(const struct baseline_run *run,
			 const struct astra_demand *d)
{
	return easy_end(run, d).at_sec <=
	       run->shadow_sec + BASELINE_EPSILON_SEC;
}

bool baseline_delays(const struct baseline_run *run,
		     const struct astra_demand *d)
{
	return !easy_in_time(run, d) && d->candidate.gpus > run->spare;
}

void baseline_backfill(struct baseline_run *run, const struct astra_demand *d)
{
	if (!easy_in_time(run, d))
		run->spare -= d->candidate.gpus;
}
