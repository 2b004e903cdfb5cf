/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs of which all are wanted: Eq. 1 for one, one phase of Eq. 2 for more. */
#include <math.h>

#include "src/agent/scheduler.h"
#include "src/agent/work.h"

static int single_decide(const struct agent_settings *settings,
			 struct agent_memory *memory,
			 const struct agent_offer *offer, struct agent_bid *bid,
			 struct astra_error *err)
{
	double median_sec = agent_median_gpu_sec(memory, offer);
	double longest = agent_longest_total(offer);
	struct agent_work work;
	int rc;

	(void)settings;
	if (median_sec < 0)
		return astra_error_nomem(err);
	if (!(median_sec > 0) || !(longest > 0))
		return agent_left_bid(offer, bid, err);
	agent_work_init(&work, offer);
	agent_work_phase(&work);
	for (size_t i = 0; i < offer->job_count; i++) {
		const struct agent_job *job = &offer->jobs[i];
		double total = job->total > 0 ? job->total : longest;

		agent_work_add(
			&work,
			fmax(0, total - job->done) *
				agent_job_gpu_sec(memory, job, median_sec),
			job->copies);
	}
	rc = agent_work_bid(&work, memory, offer, bid, err);
	agent_work_destroy(&work);
	return rc;
}

const struct agent_scheduler agent_single = {
	.name = "single",
	.decide = single_decide,
};

const struct agent_scheduler agent_exec = {
	.name = "exec",
	.decide = single_decide,
};
