/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include <math.h>

#include "src/policies/baselines/baseline.h"

static const struct baseline jobs_fifo = {.unfit = BASELINE_BLOCK};

BASELINE_CREATE(fifo, jobs_fifo)

const struct astra_policy astra_fifo = {
	.name = "fifo",
	.summary = "first come, first served; the first one blocks",
	.source = "the textbook; a baseline of Gandiva (OSDI'18)",
	.create = fifo_create,
	.endless = true,
	BASELINE_CALLS,
};

/* Discretised two-dimensional least attained service with two queues: jobs with
 * less GPU time than the threshold go first, and each queue is first come,
 * first served. Starved jobs are not promoted (PROMOTEKNOB is infinite). */

/* The first threshold in the authors' simulator, in GPU seconds. */
#define TIRESIAS_THRESHOLD 3250.0

static bool jobs_is_demoted(const struct astra_demand *d)
{
	return d->candidate.attained * (1 + 1e-9) >= TIRESIAS_THRESHOLD;
}

static struct astra_rank jobs_by_queue(const struct baseline_run *run,
				       const struct astra_demand *d)
{
	(void)run;
	return (struct astra_rank){.major = jobs_is_demoted(d)};
}

/* Return when the next running job is moved to the second queue. */
static double jobs_next_demotion(const struct baseline_run *run)
{
	const struct astra_offer *offer = run->offer;
	double left = HUGE_VAL;

	for (size_t i = 0; i < offer->demand_count; i++) {
		const struct astra_demand *d = &offer->demands[i];

		if (d->held_count && !jobs_is_demoted(d))
			left = fmin(left, (TIRESIAS_THRESHOLD -
					   d->candidate.attained) /
						  d->candidate.charge);
	}
	return offer->now_sec + left;
}

static const struct baseline jobs_tiresias = {
	.stops = BASELINE_ANYTIME,
	.rank = jobs_by_queue,
	.wake = jobs_next_demotion,
};

BASELINE_CREATE(tiresias, jobs_tiresias)

const struct astra_policy astra_tiresias = {
	.name = "tiresias",
	.summary = "discretised 2D least attained service, two queues, "
		   "preemptive (Tiresias-L)",
	.source = "Tiresias (Gu et al., NSDI'19), section 3.2; threshold as "
		  "in its simulator",
	.create = tiresias_create,
	.endless = true,
	.preempts = true,
	BASELINE_CALLS,
};

/* Over-subscription: all jobs take turns on the GPUs. The job that has waited
 * longest goes first. Of the running jobs, the one that has run longest leaves
 * first. */
static struct astra_rank jobs_by_turn(const struct baseline_run *run,
				      const struct astra_demand *d)
{
	if (d->job->state == ASTRA_JOB_RUNNING)
		return (struct astra_rank){
			.major = run->offer->now_sec,
			.minor = -d->job->start_sec,
		};
	return (struct astra_rank){.major = d->job->end_sec};
}

static const struct baseline jobs_gandiva = {
	.stops = BASELINE_QUANTUM,
	.rank = jobs_by_turn,
};

BASELINE_CREATE(gandiva, jobs_gandiva)

const struct astra_policy astra_gandiva = {
	.name = "gandiva",
	.summary = "time slicing: all jobs take turns",
	.source = "Gandiva (Xiao et al., OSDI'18), section 3: "
		  "over-subscription and suspend-resume",
	.create = gandiva_create,
	BASELINE_CALLS,
};

/* Order by shortest remaining time. */
static struct astra_rank jobs_by_time(const struct baseline_run *run,
				      const struct astra_demand *d)
{
	(void)run;
	return (struct astra_rank){.major = baseline_left_sec(d)};
}

static const struct baseline jobs_srtf = {
	.stops = BASELINE_ANYTIME,
	.rank = jobs_by_time,
};

BASELINE_CREATE(srtf, jobs_srtf)

const struct astra_policy astra_srtf = {
	.name = "srtf",
	.summary = "shortest remaining time first, preemptive; knows durations",
	.source = "Schrage 1968; Tiresias (Gu et al., NSDI'19), section 3.2, "
		  "with all GPUs of a job at once",
	.create = srtf_create,
	.endless = true,
	.preempts = true,
	BASELINE_CALLS,
};

/* Order by least remaining service: time multiplied by GPUs. */
static struct astra_rank jobs_by_service(const struct baseline_run *run,
					 const struct astra_demand *d)
{
	(void)run;
	return (struct astra_rank){
		.major = baseline_left_sec(d) * d->job->request.gpus,
	};
}

static const struct baseline jobs_srsf = {
	.stops = BASELINE_ANYTIME,
	.rank = jobs_by_service,
};

BASELINE_CREATE(srsf, jobs_srsf)

const struct astra_policy astra_srsf = {
	.name = "srsf",
	.summary =
		"shortest remaining service (time x GPUs) first, preemptive; "
		"knows durations",
	.source = "Tiresias (Gu et al., NSDI'19), section 3.2",
	.create = srsf_create,
	.endless = true,
	.preempts = true,
	BASELINE_CALLS,
};

/* Optimus first gives each job one worker, and then each further GPU to the job
 * whose completion time it shortens most. A part of its GPUs does not help a
 * rigid job; for those, minimising the sum of completion times means serving
 * them by estimated remaining time. Decided once per scheduling interval of 10
 * minutes. */
static const struct baseline jobs_optimus = {
	.stops = BASELINE_QUANTUM,
	.quantum_sec = 600,
	.rank = jobs_by_time,
};

BASELINE_CREATE(optimus, jobs_optimus)

const struct astra_policy astra_optimus = {
	.name = "optimus",
	.summary = "shortest estimated remaining time first, each 10 minutes; "
		   "knows durations",
	.source =
		"Optimus (Peng et al., EuroSys'18), section 4; for rigid jobs",
	.create = optimus_create,
	BASELINE_CALLS,
};
