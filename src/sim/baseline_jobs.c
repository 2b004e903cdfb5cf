/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baselines that do not look at tenants. */
#include <math.h>

#include "src/sim/baseline.h"

/* Shortest remaining time first, with the trace's durations as an oracle. */

static struct astra_rank
baseline_jobs_by_time(const struct astra_baseline_run *run, uint32_t job)
{
	return (struct astra_rank){.major = run->oracle[job].left_sec};
}

const struct astra_baseline astra_baseline_srtf = {
	.scheduler =
		{
			.name = "srtf",
			.summary = "shortest remaining time first, preemptive; "
				   "knows durations",
			.source =
				"Schrage 1968; Tiresias (Gu et al., NSDI'19), "
				"section 3.2, with all GPUs of a job at once",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = baseline_jobs_by_time,
};

/* Remaining service: time by GPUs. */
static struct astra_rank by_service(const struct astra_baseline_run *run,
				    uint32_t job)
{
	return (struct astra_rank){
		.major = run->oracle[job].left_sec *
			 run->snapshot->jobs[job].request.gpus,
	};
}

const struct astra_baseline astra_baseline_srsf = {
	.scheduler =
		{
			.name = "srsf",
			.summary =
				"shortest remaining service (time x GPUs) first, "
				"preemptive; knows durations",
			.source = "Tiresias (Gu et al., NSDI'19), section 3.2",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = by_service,
};

/* Optimus gives each job a worker and then GPU by GPU to the one whose
 * completion time falls most. A rigid job gains nothing from a part of its
 * GPUs, all it can gain is to finish: what is left of minimising the sum of
 * completion times is an order by estimated remaining time, once each
 * scheduling interval of 10 minutes. */
const struct astra_baseline astra_baseline_optimus = {
	.scheduler =
		{
			.name = "optimus",
			.summary =
				"shortest estimated remaining time first, each 10 "
				"minutes; knows durations",
			.source =
				"Optimus (Peng et al., EuroSys'18), section 4; for "
				"rigid jobs",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.quantum_sec = 600,
	.rank = baseline_jobs_by_time,
};

/* Discretised two-dimensional least attained service, two queues: those with
 * less GPU time than the threshold first; first come, first served in each.
 * Who starved is not promoted (PROMOTEKNOB is infinite). */

/* The first of the thresholds in the authors' simulator, GPU seconds. */
#define TIRESIAS_THRESHOLD 3250.0

static bool is_demoted(double gpu_sec)
{
	return gpu_sec * (1 + 1e-9) >= TIRESIAS_THRESHOLD;
}

static struct astra_rank by_queue(const struct astra_baseline_run *run,
				  uint32_t job)
{
	return (struct astra_rank){
		.major = is_demoted(astra_baseline_memory(run, job)->gpu_sec),
	};
}

/* When a job that has had so much falls into the second queue. */
static double demotion(const struct astra_baseline_run *run, double gpu_sec,
		       uint32_t gpus)
{
	return is_demoted(gpu_sec)
		       ? HUGE_VAL
		       : run->now_sec + (TIRESIAS_THRESHOLD - gpu_sec) / gpus;
}

/* When the next one does, of those that run or now begin to. */
static double next_demotion(const struct astra_baseline_run *run)
{
	const struct astra_plan *plan = run->plan;
	double at = HUGE_VAL;

	for (size_t i = 0; i < run->snapshot->job_count; i++) {
		const struct astra_job *job = &run->snapshot->jobs[i];
		double had = astra_baseline_memory(run, (uint32_t)i)->gpu_sec;

		if (job->state == ASTRA_JOB_RUNNING)
			at = fmin(at, demotion(run, had, job->request.gpus));
	}
	for (size_t i = 0; i < plan->decision_count; i++) {
		uint32_t job = plan->decisions[i].job - 1;

		if (plan->decisions[i].action == ASTRA_START)
			at = fmin(at, demotion(run, run->jobs[job].gpu_sec,
					       run->trace->jobs[job].gpus));
	}
	return at;
}

const struct astra_baseline astra_baseline_tiresias = {
	.scheduler =
		{
			.name = "tiresias",
			.summary = "discretised 2D least attained service, two "
				   "queues, preemptive (Tiresias-L)",
			.source = "Tiresias (Gu et al., NSDI'19), section 3.2; "
				  "threshold as in its simulator",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_EVENT,
	.rank = by_queue,
	.wake = next_demotion,
};

/* Over-subscription: all jobs take turns on the GPUs. Who has waited longest
 * goes first; of those that run, who has run longest leaves first. */
static struct astra_rank by_turn(const struct astra_baseline_run *run,
				 uint32_t job)
{
	const struct astra_job *j = &run->snapshot->jobs[job];

	return (struct astra_rank){
		.major = astra_baseline_memory(run, job)->served_sec,
		.minor = j->state == ASTRA_JOB_RUNNING ? -j->start_sec : 0,
	};
}

const struct astra_baseline astra_baseline_gandiva = {
	.scheduler =
		{
			.name = "gandiva",
			.summary = "time slicing: all jobs take turns",
			.source = "Gandiva (Xiao et al., OSDI'18), section 3: "
				  "over-subscription and suspend-resume",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.rank = by_turn,
};

/* Largest finish-time fairness first:
 *   rho = (elapsed + remaining) / (T* N),
 * T* the time that the job takes by itself, N the time average of the number
 * of active jobs over its life. ASTRAEA, Figure 6, sets it against LTGF. */
static struct astra_rank by_finish_time(const struct astra_baseline_run *run,
					uint32_t job)
{
	const struct astra_oracle *o = &run->oracle[job];
	const struct astra_baseline_job *m = astra_baseline_memory(run, job);
	double elapsed = run->now_sec - run->snapshot->jobs[job].submit_sec;
	double n = (double)run->active;

	if (elapsed > 0 && run->contended > m->contended)
		n = (run->contended - m->contended) / elapsed;
	return (struct astra_rank){
		.major = -(elapsed + o->left_sec) / (o->job->duration_sec * n),
	};
}

const struct astra_baseline astra_baseline_ftf = {
	.scheduler =
		{
			.name = "ftf",
			.summary =
				"largest finish-time fairness first, without an "
				"auction; knows durations",
			.source =
				"Themis (Mahajan et al., NSDI'20), section 3.2; as "
				"in ASTRAEA (Ye et al., TPDS'22), Figure 6",
			ASTRA_BASELINE_CALLS,
		},
	.preempt = ASTRA_PREEMPT_QUANTUM,
	.rank = by_finish_time,
};
