/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all baselines share: memory of jobs, and when to decide. */
#include "src/sim/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/number.h"

#define BOUNDARY_SEC 1e-6

const struct astra_scheduler *const astra_baselines[] = {
	&astra_baseline_dorm.scheduler,
	&astra_baseline_slaq.scheduler,
	&astra_baseline_oga_drf.scheduler,
	&astra_baseline_oga_fairness.scheduler,
	&astra_baseline_oga_binpacking.scheduler,
	&astra_baseline_oga_spreading.scheduler,
	NULL,
};

/* The scheduler is the first member of its baseline. */
static const struct astra_baseline *baseline_find(const char *name)
{
	for (size_t i = 0; astra_baselines[i]; i++)
		if (!strcmp(astra_baselines[i]->name, name))
			return (const struct astra_baseline *)
				astra_baselines[i];
	return NULL;
}

void astra_baseline_destroy(void *self)
{
	struct astra_baseline_run *run = self;

	if (!run)
		return;
	free(run->jobs);
	astra_space_destroy(run->now);
	astra_space_destroy(run->later);
	free(run->later_gpus);
	free(run->shares);
	free(run->portions);
	free(run->heap);
	free(run->node_gpus_left);
	free(run);
}

static int baseline_allocate(struct astra_baseline_run *run,
			     const struct astra_scheduler_setup *setup)
{
	size_t jobs = run->trace->job_count;
	size_t nodes = setup->node_count;

	for (size_t i = 0; i < nodes; i++)
		if (setup->nodes[i].gpus > run->node_gpus)
			run->node_gpus = setup->nodes[i].gpus;
	run->jobs = calloc(jobs + 1, sizeof(*run->jobs));
	run->now = astra_space_create(nodes, run->node_gpus);
	run->later = astra_space_create(nodes, run->node_gpus);
	run->later_gpus = calloc(nodes + 1, sizeof(*run->later_gpus));
	run->shares = calloc(nodes + 1, sizeof(*run->shares));
	run->node_gpus_left = calloc(nodes + 1, sizeof(*run->node_gpus_left));
	if (!run->jobs || !run->now || !run->later || !run->later_gpus ||
	    !run->shares || !run->node_gpus_left)
		return -1;
	return 0;
}

void *astra_baseline_create(const struct astra_scheduler_setup *setup,
			    struct astra_error *err)
{
	struct astra_baseline_run *run = calloc(1, sizeof(*run));

	if (!run) {
		astra_error_nomem(err);
		return NULL;
	}
	run->baseline = baseline_find(setup->name);
	run->trace = setup->trace;
	run->lease_sec = setup->options->lease_sec;
	run->grace_sec = setup->options->grace_sec;
	run->begin_sec = run->next_sec = setup->begin_sec;
	run->armed = true;
	if (baseline_allocate(run, setup) < 0) {
		astra_error_nomem(err);
		astra_baseline_destroy(run);
		return NULL;
	}
	return run;
}

static void observe_job(struct astra_baseline_run *run, uint32_t index)
{
	const struct astra_job *job = &run->snapshot->jobs[index];

	if (job->state == ASTRA_JOB_RUNNING)
		run->growable |= job->request.gpus_min &&
				 astra_held_gpus(job) < job->request.gpus;
	run->pending += job->state == ASTRA_JOB_PENDING && job->request.gpus;
}

/* What has happened since the last round. */
static void observe(struct astra_baseline_run *run)
{
	run->pending = run->started = 0;
	run->growable = false;
	for (size_t i = 0; i < run->snapshot->job_count; i++)
		observe_job(run, (uint32_t)i);
}

/* Whether running jobs compete in this round. Quanta begin at the multiples of
 * their length; one that nobody waited for passes unheeded. */
static bool all_compete(struct astra_baseline_run *run)
{
	double at = (run->now_sec - run->begin_sec) / run->lease_sec;
	bool armed = run->armed;

	if (run->baseline->preempt == ASTRA_PREEMPT_EVENT)
		return true;
	if (run->now_sec < run->next_sec - BOUNDARY_SEC)
		return false;
	run->next_sec =
		run->begin_sec + (floor(at + ASTRA_TIE) + 1) * run->lease_sec;
	return armed || fabs(at - round(at)) * run->lease_sec < BOUNDARY_SEC;
}

static void set_wake(struct astra_baseline_run *run)
{
	run->plan->wake_sec = HUGE_VAL;
	run->armed = run->pending > run->started || run->growable;
	if (!run->armed)
		return;
	if (run->baseline->preempt == ASTRA_PREEMPT_QUANTUM)
		run->plan->wake_sec = run->next_sec;
}

int astra_baseline_round(void *self, const struct astra_snapshot *snapshot,
			 const struct astra_oracle *oracle,
			 struct astra_plan *plan, struct astra_error *err)
{
	struct astra_baseline_run *run = self;

	astra_plan_clear(plan);
	run->snapshot = snapshot;
	run->oracle = oracle;
	run->plan = plan;
	run->now_sec = snapshot->now_sec;
	observe(run);
	run->full = all_compete(run);
	if ((run->pending || run->growable) && astra_baseline_divide(run) < 0)
		return astra_error_nomem(err);
	set_wake(run);
	return 0;
}
