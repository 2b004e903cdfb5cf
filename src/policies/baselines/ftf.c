/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Largest finish-time fairness first: rho = (elapsed + remaining) / (T* N). T*
 * is the time that the job takes alone, and N is the time average of the number
 * of active jobs over its life. ASTRAEA compares it with LTGF in Figure 6. */
#include <math.h>

#include "src/policies/baselines/baseline.h"
#include "src/policies/forecast.h"

static int ftf_account(struct baseline_run *run)
{
	struct baseline_books *b = &run->books;

	if (baseline_meet_jobs(run) < 0)
		return -1;
	b->contended += b->active * b->passed_sec;
	b->active = (uint32_t)run->offer->demand_count;
	for (size_t i = 0; i < b->job_count; i++)
		if (isnan(b->jobs[i].value))
			b->jobs[i].value = b->contended;
	return 0;
}

static struct astra_rank ftf_rank(const struct baseline_run *run,
				  const struct astra_demand *d)
{
	double contended =
		run->books.contended - baseline_job_book(run, d)->value;
	double elapsed = run->offer->now_sec - d->submit_sec;
	double n = run->books.active;

	if (elapsed > 0 && contended > 0)
		n = contended / elapsed;
	return (struct astra_rank){
		.major = -(elapsed + baseline_left_sec(d)) /
			 (astra_work_sec(d->job) * n),
	};
}

static const struct baseline ftf = {
	.stops = BASELINE_QUANTUM,
	.rank = ftf_rank,
	.account = ftf_account,
};

BASELINE_CREATE(ftf, ftf)

const struct astra_policy astra_ftf = {
	.name = "ftf",
	.summary = "largest finish-time fairness first, without an auction; "
		   "knows durations",
	.source = "Themis (Mahajan et al., NSDI'20), section 3.2; as in "
		  "ASTRAEA (Ye et al., TPDS'22), Figure 6",
	.create = ftf_create,
	BASELINE_KEEPS_BOOKS,
	BASELINE_CALLS,
};
